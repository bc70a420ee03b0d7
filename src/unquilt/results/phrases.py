"""Popular phrases in texts: those of one document, as its evidence, and those of the pages of one site.

A run of phrases keeps counts, not places. So the shingles of a few documents are taken again, as the run took them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt import _native
from unquilt.errors import ParameterError
from unquilt.results.evidence import Evidence, Other, find_long, find_row, make_legend
from unquilt.results.folders import RunFolder
from unquilt.results.marks import Passage, Patch
from unquilt.results.rows import read_table
from unquilt.spelling import count
from unquilt.tables.neardups import CLUSTERS
from unquilt.tables.phrases import COVER_SOURCES, COVERS, DOCUMENT_PHRASES

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


def find_cover(folder: RunFolder, number: int) -> Evidence:
    """A page with its popular phrases, each in the colour of the first page of the cover that has it."""
    row = find_row(folder, COVERS.name, number)
    if row is None:
        raise ParameterError(_explain_no_cover(folder, number))
    sources = folder.about(COVER_SOURCES.name, number)
    note, found = "", list[Patch]()
    if find_long(folder, [number, *(each["source"] for each in sources)]):
        note = "Phrases are not marked: the page, or one of its sources, is too long to be looked through now."
    else:
        try:
            _, found = find_covered(folder, number, sources)
        except ParameterError as error:
            note = f"Phrases are not marked: {error}."
    docs = {each["rank"]: each["source"] for each in sources}
    marks = _join(found)
    facts = [
        {
            "adds": each["new_shingles"],
            "has": each["all_shingles"],
            "site": "other site" if each["foreign"] else "same site",
        }
        for each in sources
    ]
    common = f"; {row['common']:,} are too common to be covered" if row["common"] else ""
    return Evidence(
        number,
        row,
        [Passage(begin, end, rank, f"also in source {rank}") for begin, end, rank in marks],
        [Other(docs[rank], -1, -1) for _, _, rank in marks],
        partial(make_legend, folder, [(each["rank"], each["source"]) for each in sources], facts),
        len(sources),
        COVER_SOURCES.name,
        "Page with popular phrases",
        of=COVERS.name,
        says=f"{count(row['popular'], 'popular shingle')}; {count(row['sources'], 'source')} cover "
        f"{row['covered']:,}, of which {row['foreign_contribution']:,} are on pages with no common address{common}",
        facts_are="shingles that each adds, and that it has; whether it is on another site",
        note=note,
        rows={COVER_SOURCES.name: sources},
    )


def _explain_no_cover(folder: RunFolder, number: int) -> str:
    counted = next(iter(folder.about(DOCUMENT_PHRASES.name, number)), None)
    kept = next((row["cluster"] for row in folder.about(CLUSTERS.name, number)), number)
    if counted is None and kept != number:
        return f"document {number} was left out as a near-duplicate of document {kept}; look at that one"
    if counted is None or not counted["shingles"]:
        return f"document {number} has no words"
    if not counted["popular"]:
        return f"none of the {counted['shingles']} shingles of document {number} is popular"
    return f"document {number} has {counted['popular']} popular shingles, but is not in the sample that was covered"


def _join(found: Sequence[Patch]) -> list[Patch]:
    """Phrases of one source that overlap or touch as one passage, by rank and place."""
    joined: list[Patch] = []
    for begin, end, rank in sorted(found, key=lambda patch: (patch[2], patch[0])):
        if joined and joined[-1][2] == rank and begin <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], end), rank
        else:
            joined.append((begin, end, rank))
    return joined


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
