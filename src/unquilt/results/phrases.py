"""Popular phrases in texts: those of one document, and those of the pages of one site.

A run of phrases keeps counts, not places. So the shingles of a few documents are taken again, as the run took them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt import _native
from unquilt.errors import ParameterError
from unquilt.results.folders import RunFolder
from unquilt.results.marks import Patch
from unquilt.results.rows import read_table

MOST_LOOKED_AT = 500
"""Pages of a site whose phrases are counted for people: the first ones of those with most popular phrases."""


class Sampler:
    """The shingles of texts as the run took them, for looking at single documents again."""

    def __init__(self, folder: RunFolder) -> None:
        asked = folder.run.manifest["parameters"]
        if asked.get("key"):
            raise ParameterError(
                "phrases cannot be found again in the texts: the run was made with a key, of which it has only a digest"
            )
        self.plain = folder.corpus is not None and folder.corpus.manifest["parameters"].get("words", "plain") == "plain"
        self.k, self.seed, self.exact = asked["k"], asked["seed"], asked["exact"]

    def shingles(self, text: str) -> set[tuple[int, int]]:
        """Pairs of a function and a gram; one function, if all grams are taken."""
        if self.exact:
            return {(0, gram) for gram in _native.grams(text, self.k, circular=True, plain=self.plain)}
        return set(enumerate(_native.sample(text, self.seed, self.k, plain=self.plain) or ()))

    def places(self, text: str, ranks: Mapping[int, int]) -> Iterator[Patch]:
        """Where grams stand in a text, each with its rank. One that goes round the end of the text is not marked."""
        words = _native.words(text, plain=self.plain)
        for begin, gram in enumerate(_native.gram_sequence(text, self.k, plain=self.plain)):
            if gram in ranks and begin + self.k <= len(words):
                yield words[begin][1], words[begin + self.k - 1][2], ranks[gram]


def find_covered(
    folder: RunFolder, number: int, sources: Sequence[Mapping[str, Any]]
) -> tuple[str | None, list[Patch]]:
    """The text of a document, and its popular phrases, each with the rank of the first source (rows of
    `cover_sources`) that has it, too; neither, without the corpus."""
    texts = dict(folder.documents([number, *(row["source"] for row in sources)], ["text"]))
    if number not in texts:
        return None, []
    sampler, text = Sampler(folder), texts[number]["text"]
    mine = sampler.shingles(text)
    ranks: dict[int, int] = {}
    for row in sources:
        for _, gram in mine & sampler.shingles(texts[row["source"]]["text"]):
            ranks.setdefault(gram, row["rank"])
    return text, [*sampler.places(text, ranks)]


class SiteInView:
    """One site of a run: its pages that are kept, and the popular phrases on them."""

    def __init__(self, folder: RunFolder, name: str) -> None:
        self.folder, self.name = folder, name
        self.by = folder.run.manifest["parameters"]["group"]

    @cached_property
    def pages(self) -> list[dict[str, Any]]:
        """Its pages with what is counted of them, those with most popular phrases first."""
        found: dict[int, Any] = {}
        for split in self.folder.table("documents").splits():
            part = split.read(["doc", "url", self.by])
            for row in part.filter(pc.equal(part.column(self.by), pa.scalar(self.name))).to_pylist():
                found[row["doc"]] = row["url"]
        counted = read_table(self.folder.table("document_phrases"))
        pages = [row | {"url": found[row["doc"]]} for row in counted if row["doc"] in found]
        return sorted(pages, key=lambda row: (-row["of_84"], row["doc"]))

    def phrases(self, limit: int) -> list[dict[str, Any]]:
        """The popular phrases on most of its pages: on how many of them, on how many of all, and what they say."""
        sampler, pages = Sampler(self.folder), Counter[int]()
        docs = [row["doc"] for row in self.pages[:MOST_LOOKED_AT]]
        for _, document in self.folder.documents(docs, ["text"]):
            pages.update({gram for _, gram in sampler.shingles(document["text"])})
        found: list[dict[str, Any]] = []
        wanted = pa.array(list(pages), pa.int64())
        for split in self.folder.table("popular").splits():
            part = split.read(["phrase", "documents", "text"])
            there = part.filter(pc.is_in(part.column("phrase"), wanted)).to_pylist()
            found += [{"pages": pages[row.pop("phrase")]} | row for row in there]
        return sorted(found, key=lambda row: (-row["pages"], -row["documents"], row["text"]))[:limit]
