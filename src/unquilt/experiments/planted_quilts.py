"""Pages that are stitched together from documents of a corpus, so that it is known which pages are quilts.

A planted page has passages of 40 words in a row, each from another document, on different hosts where there are enough
of these; each passage is a paragraph. Between them stand paragraphs of words in random order, as many as make the
passages the wanted share of all words. Of the copied words, a share is replaced by others at random. Each page is a
site of its own. Number of sources, share and edits are varied one at a time.

Memory: the words of 1,000 documents. Time: texts are read once.
"""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from unquilt import _native
from unquilt.analyses.quilts_experiment import QuiltsExperimentParameters
from unquilt.engines.progress import Progress
from unquilt.errors import InputError
from unquilt.experiments.tables import Row
from unquilt.jobs.corpora import documents
from unquilt.runs import Run
from unquilt.runs.storage import shown

PASSAGE = 40
"""Words of a copied passage."""
LEAST = 60
"""Documents with fewer words are no sources."""
STOCK = 1000
"""The most documents that are sources."""
SOURCES, SHARE, EDITS = 8, 0.75, 0.0
"""What does not vary has these values."""
_PREFIX = "planted-quilt-"


@dataclass(frozen=True)
class PlantedCase:
    """What is varied, and how pages are then stitched together."""

    varied: str
    sources: int = SOURCES
    share: float = SHARE
    edits: float = EDITS


@dataclass(frozen=True)
class StockText:
    """A document that passages are taken from: its text, the places of its words there, and its host."""

    text: str
    words: Sequence[tuple[str, int, int]]
    host: str | None


def list_cases(given: QuiltsExperimentParameters) -> list[PlantedCase]:
    """All cases, in the order in which their pages are planted."""
    return [
        *(PlantedCase("sources", sources=sources) for sources in given.sources),
        *(PlantedCase("share", share=share) for share in given.shares),
        *(PlantedCase("edits", edits=edits) for edits in given.edits),
    ]


def plant_quilts(corpus: Run, given: QuiltsExperimentParameters, file: Path, progress: Progress) -> None:
    """Writes documents of a corpus, and planted pages behind them, as JSON lines."""
    size = documents(corpus).rows
    chosen = {doc for _, doc in heapq.nsmallest(given.among, ((_draw(given.seed, doc), doc) for doc in range(size)))}
    stock: list[tuple[bytes, int, StockText]] = []
    with file.open("w", encoding="utf-8") as lines, progress.stage("planted_pages", size) as step:
        first = 0
        for split in documents(corpus).splits():
            part = split.read(["id", "url", "text", "host"])
            for doc, row in enumerate(part.to_pylist(), first):
                if doc in chosen:
                    host = row.pop("host")
                    lines.write(json.dumps({name: value for name, value in row.items() if value is not None}) + "\n")
                    words = _native.words(row["text"])
                    if len(words) >= LEAST:
                        stock.append((_draw(given.seed, doc), doc, StockText(row["text"], words, host)))
                step(1)
            if len(stock) > 2 * STOCK:
                stock = heapq.nsmallest(STOCK, stock, key=lambda each: each[:2])
            first += part.num_rows
        sources = [source for *_, source in heapq.nsmallest(STOCK, stock, key=lambda each: each[:2])]
        most = max((case.sources for case in list_cases(given)), default=1)
        if len(sources) < most:
            raise InputError(
                f"{shown(corpus.path)} has {len(sources):,} documents of {LEAST} words or more, too few for pages of "
                f"{most:,} sources: ask for fewer with sources, or for none with planted 0"
            )
        for page in stitch_pages(sources, given):
            lines.write(json.dumps(page) + "\n")


def stitch_pages(sources: Sequence[StockText], given: QuiltsExperimentParameters) -> Iterator[Mapping[str, str]]:
    """The planted pages: id, URL and text."""
    others = [word for source in sources for word, _, _ in source.words[:LEAST]]
    for number, case in enumerate(list_cases(given)):
        for page in range(given.planted):
            random = Random(f"{given.seed} {number} {page}")  # noqa: S311 - the same every time, and no secret
            passages = [_copy(source, case.edits, others, random) for source in _choose(sources, case.sources, random)]
            own = round(PASSAGE * (1 - case.share) / case.share)  # of as many words beside each passage
            parts = [part for passage in passages for part in (passage, " ".join(random.choices(others, k=own)))]
            name, text = f"{number}-{page}", "\n\n".join(part for part in parts if part)
            yield {"id": f"{_PREFIX}{name}", "url": f"http://planted-{name}.example/", "text": text}


def find_case(id_: str) -> int | None:
    """The number of the case of a planted page; None for other documents."""
    number, _, page = id_.removeprefix(_PREFIX).partition("-")
    return int(number) if id_.startswith(_PREFIX) and number.isdigit() and page.isdigit() else None


def count_found(definition: str, found: Run, given: QuiltsExperimentParameters) -> Iterator[Row]:
    """How many planted pages a run took for quilts, for each case."""
    rows: dict[int, list[Row]] = {}
    for row in found.table("quilts").select(["id", "verdict", "sources"]).to_pylist():
        if (number := find_case(row["id"])) is not None:
            rows.setdefault(number, []).append(row)
    for number, case in enumerate(list_cases(given)):
        quilts = [row for row in rows.get(number, []) if row["verdict"] == "quilt"]
        yield {
            "definition": definition,
            "varied": case.varied,
            "sources": case.sources,
            "share": case.share,
            "edits": case.edits,
            "planted": given.planted,
            "found": len(quilts),
            "recall": len(quilts) / given.planted,
            "in_part": len(rows.get(number, [])) - len(quilts),
            "mean_sources": sum(row["sources"] for row in quilts) / len(quilts) if quilts else None,
        }


def _choose(sources: Sequence[StockText], number: int, random: Random) -> list[StockText]:
    """So many documents, on different hosts as long as there are some."""
    drawn = random.sample(sources, len(sources))
    hosts: set[str] = set()
    first: list[StockText] = []
    rest: list[StockText] = []
    for source in drawn:
        new = source.host is None or source.host not in hosts
        (first if new else rest).append(source)
        hosts.add(source.host or "")
    return [*first, *rest][:number]


def _copy(source: StockText, edits: float, others: Sequence[str], random: Random) -> str:
    """Words in a row of a document, some of them replaced."""
    begin = random.randint(0, len(source.words) - PASSAGE)
    words = source.words[begin : begin + PASSAGE]
    made, at = "", words[0][1]
    for _, left, right in words:
        word = random.choice(others) if random.random() < edits else source.text[left:right]
        made += source.text[at:left] + word
        at = right
    return " ".join(made.split())


def _draw(seed: int, doc: int) -> bytes:
    return hashlib.blake2b(f"{seed} {doc}".encode(), digest_size=8).digest()
