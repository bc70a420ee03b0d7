"""What is marked in a page, and where else that stands: of a quilt, of a page with popular phrases, of a target.

These three are looked at in the same way: the page with its passages marked, a legend of the other pages, and for each
passage the other page beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from unquilt import _native
from unquilt.errors import ParameterError
from unquilt.page.marked import Passage
from unquilt.page.texts import Part, read_part
from unquilt.results.folders import RunFolder
from unquilt.results.labelled import find_labelled
from unquilt.results.marks import Patch
from unquilt.results.names import SHOWN
from unquilt.results.phrases import find_covered
from unquilt.tables import COVER_SOURCES, COVERS, PATCHES, QUILTS, SOURCES, TARGETS, VERDICTS

MOST_OTHERS = 200
"""Other pages that a legend lists."""
MOST_WORDS = 400_000
"""Words of a document that are looked at one by one."""
LINKED = {"page": "linked", "domain": "site linked", None: "not linked"}


@dataclass(frozen=True)
class Other:
    """A page that a passage stands on, too: which, and where there; -1 if that is to be looked for."""

    doc: int
    begin: int
    end: int


@dataclass(frozen=True)
class SourcePage:
    """A line of the legend."""

    number: int
    doc: int
    id: str | None
    url: str | None
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Evidence:
    """A page, what is marked in it, and where that stands otherwise."""

    doc: int
    row: Mapping[str, Any]
    """What the table of the run says of it."""
    passages: Sequence[Passage]
    others: Sequence[Other]
    all_sources: int
    legend: Callable[[], list[SourcePage]]
    note: str = ""
    """What to tell people who miss something."""

    @cached_property
    def sources(self) -> list[SourcePage]:
        """The other pages, the first of many, by number; looked up when they are asked for."""
        return self.legend()

    def choose(self, given: str | None) -> int | None:
        """The number of a passage in an address; ParameterError for a wrong one."""
        if given is None or given == "":
            return None
        if not (given.isascii() and given.isdecimal() and int(given[:9]) < len(self.passages)):
            raise ParameterError(f"there is no passage {given[:40]!r} here; there are {len(self.passages)}")
        return int(given)


def find_quilt(folder: RunFolder, number: int) -> Evidence:
    """A quilt with its patches; for another page, what keeps it from being one."""
    row = _row(folder, QUILTS.name, number) or _row(folder, VERDICTS.name, number)
    if row is None:
        raise ParameterError(f"document {number} was not judged here: it is a copy of another, or there is none")
    sources = folder.about(SOURCES.name, number)
    ranks = {each["source"]: each["rank"] for each in sources}
    found = sorted(folder.about(PATCHES.name, number), key=lambda each: (ranks.get(each["source"], 0), each["begin"]))
    passages = [
        Passage(each["begin"], each["end"], rank, f"{each['words']} words of source {rank}")
        for each in found
        for rank in [ranks.get(each["source"], 0)]
    ]
    others = [Other(each["source"], each["source_begin"], each["source_end"]) for each in found]
    note = "" if PATCHES.name in folder.tables else "Patches are not marked: the run was made without them."
    total = max(1, row["patch_grams"])
    facts = [
        {
            "adds": each["new_grams"] / total,
            "holds": each["all_grams"] / total,
            "linked": LINKED.get(each.get("linked"), "not linked"),
        }
        for each in sources
    ]
    legend = partial(_legend, folder, [(each["rank"], each["source"]) for each in sources], facts)
    return Evidence(number, row, passages, others, len(sources), legend, note)


def find_cover(folder: RunFolder, number: int) -> Evidence:
    """A page with its popular phrases, each in the colour of the first page of the cover that has it."""
    row = _row(folder, COVERS.name, number)
    if row is None:
        raise ParameterError(f"document {number} has no covering set: no popular phrases, or it was left out")
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
    passages = [Passage(begin, end, rank, f"also in source {rank}") for begin, end, rank in marks]
    others = [Other(docs[rank], -1, -1) for _, _, rank in marks]
    facts = [
        {
            "adds": each["new_shingles"],
            "has": each["all_shingles"],
            "site": "other site" if each["foreign"] else "same site",
        }
        for each in sources
    ]
    legend = partial(_legend, folder, [(each["rank"], each["source"]) for each in sources], facts)
    return Evidence(number, row, passages, others, len(sources), legend, note)


def _join(found: Sequence[Patch]) -> list[Patch]:
    """Phrases of one source that overlap or touch as one passage, by rank and place."""
    joined: list[Patch] = []
    for begin, end, rank in sorted(found, key=lambda patch: (patch[2], patch[0])):
        if joined and joined[-1][2] == rank and begin <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], end), rank
        else:
            joined.append((begin, end, rank))
    return joined


def find_target(folder: RunFolder, number: int) -> Evidence:
    """A page with its labelled chunks, each in a colour of its own."""
    row = _row(folder, TARGETS.name, number) or _row(folder, "contents", number)
    if row is None:
        raise ParameterError(f"document {number} is no target here")
    _, chunks = find_labelled(folder, number)
    ranks = {sha1: rank for rank, sha1 in enumerate(dict.fromkeys(each.object["sha1"] for each in chunks), 1)}
    objects = {each.object["sha1"]: each.object for each in chunks}
    passages = [
        Passage(each.begin, each.end, ranks[each.object["sha1"]], f"in {each.object['documents']} documents")
        for each in chunks
    ]
    others = [Other(each.object["first"], -1, -1) for each in chunks]
    facts = [{"documents": each["documents"], "sites": each["sites"]} for each in objects.values()]
    legend = partial(_legend, folder, [(ranks[sha1], each["first"]) for sha1, each in objects.items()], facts)
    return Evidence(number, row, passages, others, len(objects), legend)


FINDERS = {QUILTS.name: find_quilt, COVERS.name: find_cover, TARGETS.name: find_target}
"""By the table whose rows they explain."""


@dataclass(frozen=True)
class Beside:
    """The other page of a passage: a part of its text around the place, which is marked."""

    doc: int
    number: int
    id: str | None
    url: str | None
    part: Part | None
    passages: Sequence[Passage]
    note: str = ""


def find_beside(folder: RunFolder, evidence: Evidence, place: int, part: Part | None) -> Beside:
    """The other page of one passage; `part` is the text of the page itself, where a place must be looked for."""
    passage, other = evidence.passages[place], evidence.others[place]
    id_, url = folder.pages([other.doc]).get(other.doc, (None, None))
    begin, end = other.begin, other.end
    if begin < 0 and part is not None:
        begin, end = _find_place(folder, other.doc, part.text[passage.begin - part.begin : passage.end - part.begin])
    text = read_part(folder, other.doc, max(begin, 0))
    passages = [Passage(begin, end, passage.number)] if begin >= 0 else []
    note = "" if passages else "The passage was not found in this text word by word."
    if other.doc == evidence.doc:
        note = f"This page itself is the first that has it ({passage.title})."
    return Beside(other.doc, passage.number, id_, url, text, passages, note)


def _find_place(folder: RunFolder, number: int, wanted: str) -> tuple[int, int]:
    """Where the words of a passage stand in another document; (-1, -1) if they do not."""
    if find_long(folder, [number]):
        return -1, -1
    text = next((row["text"] for _, row in folder.documents([number], ["text"])), "")
    words, there = (_native.words(each) for each in (wanted, text))
    needle, hay = ("\n" + "".join(f"{word}\n" for word, _, _ in each) for each in (words, there))
    at = hay.find(needle) if words else -1  # linear, however words repeat
    if at < 0:
        return -1, -1
    begin = hay.count("\n", 0, at)
    return there[begin][1], there[begin + len(words) - 1][2]


def find_long(folder: RunFolder, numbers: Iterable[int]) -> list[int]:
    """Those of some documents whose words are too many to be looked at one by one while somebody waits."""
    return [number for number, row in folder.documents(numbers, ["words"]) if row["words"] > MOST_WORDS]


def _row(folder: RunFolder, table: str, number: int) -> dict[str, Any] | None:
    """The row of a document, without its names: texts of a whole row group would have to be read for them."""
    if table not in folder.tables:
        return None
    kept = folder.tables[table]
    columns = [name for name in kept.columns if name not in SHOWN]
    return next(iter(kept.between(number, number, columns).to_pylist()), None)


def _legend(
    folder: RunFolder, numbered: Sequence[tuple[int, int]], facts: Sequence[Mapping[str, Any]]
) -> list[SourcePage]:
    numbered = list(numbered)[:MOST_OTHERS]
    pages = folder.pages(doc for _, doc in numbered)
    found = []
    for (number, doc), told in zip(numbered, facts, strict=False):
        id_, url = pages.get(doc, (None, None))
        found.append(SourcePage(number, doc, id_, url, told))
    return found
