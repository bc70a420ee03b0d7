"""The evidence of a row: what is marked in a page, and where else that stands.

Of a quilt, of a page with popular phrases and of a target, everybody sees the same: the page with its passages marked,
a legend of the other pages, and for each passage the other page beside it. The terminal, the page in the browser, the
report and exports are made from what is found here. A table names the function that finds its evidence
(`OnPage.evidence`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import pyarrow as pa

from unquilt import _native
from unquilt.errors import ParameterError
from unquilt.results.folders import RunFolder
from unquilt.results.judged import explain_page, say_quilt
from unquilt.results.marks import Passage, Patch
from unquilt.results.names import SHOWN
from unquilt.results.rows import Selection, TableRows
from unquilt.results.texts import Part, read_part
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.neardups import CLUSTERS
from unquilt.tables.phrases import COVER_SOURCES, COVERS, DOCUMENT_PHRASES
from unquilt.tables.quilts import PATCHES, QUILTS, SOURCES, VERDICTS
from unquilt.tables.reuse import TARGETS

MOST_OTHERS = 200
"""Other pages that a legend lists, unless more are asked for."""
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


def find_quilt(folder: RunFolder, number: int) -> Evidence:
    """A quilt with its patches; for another page, what keeps it from being one."""
    quilt = _row(folder, QUILTS.name, number)
    row = quilt or _row(folder, VERDICTS.name, number)
    if row is None and not folder.pages([number]):
        raise ParameterError(f"document {number} was not judged in this run: it does not exist")
    sources = folder.about(SOURCES.name, number)
    if row is None:  # a copy of another
        row = {"doc": number, "patch_grams": 0}
    ranks = {each["source"]: each["rank"] for each in sources}
    found = sorted(folder.about(PATCHES.name, number), key=lambda each: (ranks.get(each["source"], 0), each["begin"]))
    passages = [
        Passage(each["begin"], each["end"], rank, f"{each['words']} words of source {rank}")
        for each in found
        for rank in [ranks.get(each["source"], 0)]
    ]
    total = max(1, row["patch_grams"])
    seen = _compare_dates(folder, number, [each["source"] for each in sources])
    facts = [
        {
            "adds": each["new_grams"] / total,
            "holds": each["all_grams"] / total,
            **({"linked": LINKED.get(each["linked"], "not linked")} if "linked" in each else {}),
            **seen.get(each["source"], {}),
        }
        for each in sources
    ]
    has_patches = PATCHES.name in folder.tables
    return Evidence(
        number,
        row,
        passages,
        [Other(each["source"], each["source_begin"], each["source_end"]) for each in found],
        partial(_legend, folder, [(each["rank"], each["source"]) for each in sources], facts),
        len(sources),
        PATCHES.name if has_patches else SOURCES.name,
        "Quilt" if quilt is not None else "No quilt",
        of=VERDICTS.name,
        says=say_quilt(folder, quilt, sources) if quilt is not None else "",
        explains=partial(explain_page, folder, number),
        facts_are="share of the patch grams that each adds, and that it holds"
        + ("; whether the page links to it" if any("linked" in each for each in sources) else ""),
        note=""
        if has_patches
        else "The patches are not marked: this run has no table patches (made with --no-patches, or not complete).",
    )


def _compare_dates(folder: RunFolder, number: int, sources: Sequence[int]) -> dict[int, dict[str, str]]:
    """When sources were first seen, and whether that was before the page, where the corpus knows dates."""
    if DOCUMENTS.name not in folder.tables or "fetched" not in folder.columns(DOCUMENTS.name):
        return {}
    dates = {doc: row["fetched"] for doc, row in folder.documents([number, *sources], ["fetched"]) if row["fetched"]}
    own = dates.pop(number, None)
    order = {
        doc: "" if own is None or date == own else ", before" if date < own else ", after"
        for doc, date in dates.items()
    }
    return {doc: {"seen": f"first seen {date[:10]}{order[doc]}"} for doc, date in dates.items()}


def find_cover(folder: RunFolder, number: int) -> Evidence:
    """A page with its popular phrases, each in the colour of the first page of the cover that has it."""
    from unquilt.results.phrases import find_covered

    row = _row(folder, COVERS.name, number)
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
        partial(_legend, folder, [(each["rank"], each["source"]) for each in sources], facts),
        len(sources),
        COVER_SOURCES.name,
        "Page with popular phrases",
        of=COVERS.name,
        says=f"{_count(row['popular'], 'popular shingle')}; {_count(row['sources'], 'source')} cover "
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


def find_target(folder: RunFolder, number: int) -> Evidence:
    """A page with its labelled chunks, each in a colour of its own."""
    from unquilt.results.occurrences import find_labelled

    row = _row(folder, TARGETS.name, number) or _row(folder, "contents", number)
    if row is None:
        raise ParameterError(f"document {number} is not a target; see the table {TARGETS.name}")
    _, chunks = find_labelled(folder, number)
    objects = {each.object["sha1"]: each.object for each in chunks}
    ranks = {sha1: rank for rank, sha1 in enumerate(objects, 1)}
    pages = folder.pages(each["first"] for each in objects.values())
    whole = "The whole file is labelled; " if row["file"] else ""
    share = row["matched"] / max(1, row["chunks"])
    return Evidence(
        number,
        row,
        [
            Passage(each.begin, each.end, ranks[each.object["sha1"]], f"in {each.object['documents']} documents")
            for each in chunks
        ],
        [Other(each.object["first"], -1, -1) for each in chunks],
        partial(
            _legend,
            folder,
            [(ranks[sha1], each["first"]) for sha1, each in objects.items()],
            [{"documents": each["documents"], "sites": each["sites"]} for each in objects.values()],
        ),
        len(objects),
        TARGETS.name,
        "Target",
        of=TARGETS.name,
        says=f"{whole}{row['matched']:,} of {_count(row['chunks'], 'chunk')} labelled ({share:.1%}); "
        f"{_count(row['stop_chunks'], 'stop chunk')} left out",
        sources_are="Labelled chunks",
        facts_are="in how many documents and on how many sites of this corpus each is, and where first",
        rows={"labelled": [_describe_chunk(each.begin, each.end, each.object, pages) for each in chunks]},
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _describe_chunk(begin: int, end: int, chunk: Mapping[str, Any], pages: Mapping[int, Any]) -> dict[str, Any]:
    known = {name: chunk[name] for name in ("sha1", "occurrences", "documents", "sites", "first")}
    id_, url = pages.get(chunk["first"], (None, None))
    return {"begin": begin, "end": end} | known | {"first_id": id_, "first_url": url}


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
    folder: RunFolder, numbered: Sequence[tuple[int, int]], facts: Sequence[Mapping[str, Any]], limit: int
) -> list[SourcePage]:
    numbered = list(numbered)[:limit]
    pages = folder.pages(doc for _, doc in numbered)
    found = []
    for (number, doc), told in zip(numbered, facts, strict=False):
        id_, url = pages.get(doc, (None, None))
        found.append(SourcePage(number, doc, id_, url, told))
    return found


AT_ONCE = 256
"""Quilts whose texts are in memory."""
_NUMBER, _TEXT = pa.int64(), pa.string()
_PAGE = [("source", _NUMBER), ("id", _TEXT), ("url", _TEXT)]
DRAWN_ON = pa.field(
    "drawn_on",
    pa.list_(pa.struct([("rank", _NUMBER), *_PAGE, *((name, _NUMBER) for name in ("new_grams", "all_grams"))])),
)
COPIED = pa.field(
    "copied",
    pa.list_(
        pa.struct(
            [
                *((name, _NUMBER) for name in ("begin", "end", "words")),
                ("text", pa.large_string()),
                *_PAGE,
                *((name, _NUMBER) for name in ("source_begin", "source_end")),
            ]
        )
    ),
)
EVIDENCE = [pa.field("text", pa.large_string()), DRAWN_ON, COPIED]
"""The columns that come on top of those of the table. What was copied is null in a run without patches."""


class QuiltRows(TableRows):
    """Quilts with their texts, sources and copied passages, for `export --evidence`.

    Quilts come some at a time, and their sources and patches lie in the order of quilts: so they are read beside each
    other. Passages are cut from the text of the quilt; that of the source has the same words, and is not read.
    """

    def __init__(self, folder: RunFolder, name: str, selection: Selection | None = None) -> None:
        super().__init__(folder, name, selection)
        if self._documents is None:
            raise ParameterError(f"the corpus of {folder.run.path} is not found, so there are no texts")
        if "doc" not in self.chosen:
            self.chosen.insert(0, "doc")

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns that were chosen, and the evidence."""
        return pa.schema([*self._schema(self.chosen), *EVIDENCE])

    def _complete(self, found: Iterator[pa.Table]) -> Iterator[pa.Table]:
        for part in super()._complete(found):
            for begin in range(0, part.num_rows, AT_ONCE):
                yield self._add_evidence(part.slice(begin, AT_ONCE))

    def _add_evidence(self, quilts: pa.Table) -> pa.Table:
        numbers = quilts.column("doc").to_pylist()
        texts = {number: row["text"] for number, row in self.folder.documents(numbers, ["text"])}
        sources, patches = (self._gather(table.name, numbers) for table in (SOURCES, PATCHES))
        drawn_on, copied = [], []
        for number in numbers:
            drawn_on.append([_pick(row, DRAWN_ON) for row in sources[number]])
            own = texts[number]
            parts = [row | {"text": own[row["begin"] : row["end"]]} for row in patches[number]]
            copied.append([_pick(row, COPIED) for row in parts] if PATCHES.name in self.folder.tables else None)
        columns = ([texts[number] for number in numbers], drawn_on, copied)
        for new, values in zip(EVIDENCE, columns, strict=True):
            quilts = quilts.append_column(new, pa.array(values, new.type))
        return quilts

    def _gather(self, table: str, numbers: Sequence[int]) -> defaultdict[int, list[dict[str, Any]]]:
        """The rows of sources or patches by quilt, with the names of sources."""
        found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
        if table not in self.folder.tables:
            return found
        rising = all(one < other for one, other in pairwise(numbers))
        for first, last in [(numbers[0], numbers[-1])] if rising else zip(numbers, numbers, strict=True):
            rows = self.folder.tables[table].between(first, last)
            names = self.folder.names(SHOWN).look_up(rows.column("source"))
            for row, name in zip(rows.to_pylist(), names.to_pylist(), strict=True):
                found[row["quilt"]].append(row | name)
        return found


def _pick(row: dict[str, Any], field: pa.Field) -> dict[str, Any]:
    return {each.name: row[each.name] for each in field.type.value_type}
