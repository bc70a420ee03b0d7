"""The training corpus of PAN 2013, from the shared data: pairs of texts, and which passages one took from the other."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from unquilt.results.measures import PassageSpans

ARCHIVE = Path(__file__).parents[3] / "shared" / "data" / "pan13-train.tar.xz"
FEATURE = re.compile(r'<feature [^>]*name="plagiarism"[^>]*>')
PLACES = ("this_offset", "this_length", "source_offset", "source_length")


class Pair(NamedTuple):
    """A suspicious text and a source, by name, and what is known of them."""

    category: str
    a: str
    b: str
    known: list[PassageSpans]

    @property
    def half(self) -> int:
        """0: constants were chosen on these; 1: they are measured on these."""
        return sha256(f"{Path(self.a).stem}-{Path(self.b).stem}".encode()).digest()[0] % 2


class Corpus(NamedTuple):
    """All texts by name, and the pairs."""

    texts: dict[str, str]
    pairs: list[Pair]


@cache
def read_corpus() -> Corpus:
    texts, pairs = {}, []
    with tarfile.open(ARCHIVE) as tar:
        for member in tar:
            file = tar.extractfile(member)
            if file is None:
                continue
            name, content = Path(member.name), file.read().decode()
            if name.suffix == ".txt":
                texts[name.name] = content
            elif name.suffix == ".xml":
                a, _, b = name.stem.partition("-source")
                pairs.append(Pair(name.parent.name, f"{a}.txt", f"source{b}.txt", list(_passages(content))))
    return Corpus(texts, sorted(pairs))


def _passages(xml: str) -> Iterator[PassageSpans]:
    for feature in FEATURE.findall(xml):
        found = {name: re.search(rf'{name}="(\d+)"', feature) for name in PLACES}
        begin, length, source, long = (int(match[1]) for match in found.values() if match)
        yield PassageSpans(begin, begin + length, source, source + long)
