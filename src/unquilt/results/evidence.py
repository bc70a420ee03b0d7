"""The evidence of a row: what is marked in a page, and where else that stands.

Of a quilt, of a page with popular phrases and of a target, everybody sees the same: the page with its passages marked,
a legend of the other pages, and for each passage the other page beside it. The terminal, the page in the browser, the
report and exports are made from an `Evidence`. A table names the function that finds the evidence of a row
(`OnPage.evidence`): of quilts it is in `judged`, of popular phrases in `phrases`, of labelled chunks in `occurrences`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from unquilt.errors import ParameterError
from unquilt.results.folders import RunFolder
from unquilt.results.marks import Passage
from unquilt.results.names import SHOWN
from unquilt.results.texts import Part, read_part

MOST_OTHERS = 200
"""Other pages that a legend lists, unless more are asked for."""
MOST_WORDS = 400_000
"""Words of a document that are looked at one by one."""


@dataclass(frozen=True)
class Other:
    """A page that a passage stands on, too: which, and where there; -1 if that is to be looked for."""

    doc: int
    begin: int
    end: int


@dataclass(frozen=True)
class SourcePage:
    """A line of the legend. Of its facts, floats are shares."""

    number: int
    doc: int
    id: str | None
    url: str | None
    facts: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.url or self.id or f"document {self.doc}"


@dataclass(frozen=True)
class Evidence:
    """A page, what is marked in it, and where that stands otherwise."""

    doc: int
    row: Mapping[str, Any]
    """What the table of the run says of it."""
    passages: Sequence[Passage]
    others: Sequence[Other]
    legend: Callable[[int], list[SourcePage]]
    """The first of the other pages, by number; looked up when they are asked for."""
    all_sources: int
    behind: str
    """The table that it was found in, whose rows about the page can be taken away."""
    title: str
    of: str = ""
    """The table that the row is of, which says what its columns mean."""
    says: str = ""
    """What was counted of the page, in a sentence."""
    sources_are: str = "Sources"
    explains: Callable[[], Sequence[str]] = list
    """Why the page is what it is, in lines; looked up when they are asked for."""
    facts_are: str = ""
    """What the facts of the legend mean."""
    note: str = ""
    """What to tell people who miss something."""
    rows: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs, beside the row."""
    reworded: Sequence[int] = ()
    """The places of those passages that other pages have in other words."""

    @cached_property
    def sources(self) -> list[SourcePage]:
        """The other pages, the first of many."""
        return self.legend(MOST_OTHERS)

    def choose(self, given: str | None) -> int | None:
        """The number of a passage in an address; ParameterError for a wrong one."""
        if given is None or given == "":
            return None
        if not (given.isascii() and given.isdecimal() and int(given[:9]) < len(self.passages)):
            raise ParameterError(f"there is no passage {given[:40]!r} here; there are {len(self.passages)}")
        return int(given)


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
    from unquilt._native import words as cut_words

    words, there = (cut_words(each) for each in (wanted, text))
    needle, hay = ("\n" + "".join(f"{word}\n" for word, _, _ in each) for each in (words, there))
    at = hay.find(needle) if words else -1  # linear, however words repeat
    if at < 0:
        return -1, -1
    begin = hay.count("\n", 0, at)
    return there[begin][1], there[begin + len(words) - 1][2]


def find_long(folder: RunFolder, numbers: Iterable[int]) -> list[int]:
    """Those of some documents whose words are too many to be looked at one by one while somebody waits."""
    return [number for number, row in folder.documents(numbers, ["words"]) if row["words"] > MOST_WORDS]


def find_row(folder: RunFolder, table: str, number: int) -> dict[str, Any] | None:
    """The row of a document, without its names: texts of a whole row group would have to be read for them."""
    if table not in folder.tables:
        return None
    kept = folder.tables[table]
    columns = [name for name in kept.columns if name not in SHOWN]
    return next(iter(kept.between(number, number, columns).to_pylist()), None)


def make_legend(
    folder: RunFolder, numbered: Sequence[tuple[int, int]], facts: Sequence[Mapping[str, Any]], limit: int
) -> list[SourcePage]:
    numbered = list(numbered)[:limit]
    pages = folder.pages(doc for _, doc in numbered)
    found = []
    for (number, doc), told in zip(numbered, facts, strict=False):
        id_, url = pages.get(doc, (None, None))
        found.append(SourcePage(number, doc, id_, url, told))
    return found


def say_reworded(patch: Mapping[str, Any]) -> str:
    """Behind what is said of a patch: if it was reworded, how much of it is left."""
    similarity = patch.get("similarity")
    return "" if similarity is None else f", reworded ({similarity:.0%} of the stems in common)"


def read_reworded(folder: RunFolder, evidence: Evidence) -> Iterator[tuple[Passage, str, str]]:
    """Reworded passages with the texts of both sides, if the corpus is there."""
    docs = {evidence.others[place].doc for place in evidence.reworded}
    texts = {doc: row["text"] for doc, row in folder.documents([evidence.doc, *sorted(docs)], ["text"])}
    for place in evidence.reworded:
        passage, other = evidence.passages[place], evidence.others[place]
        if evidence.doc in texts and other.doc in texts:
            here, there = texts[evidence.doc], texts[other.doc]
            yield passage, here[passage.begin : passage.end], there[other.begin : other.end]
