"""Where repeated and labelled content stands: all documents that have a paragraph or a file, found by its hash in one
pass, and the labelled chunks of one document, as its evidence.

Time: the hashes of the corpus are read until as many documents are found as were counted. Memory: a row group of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.jobs.patience import check_time
from unquilt.results.evidence import Evidence, Other, find_row, make_legend
from unquilt.results.finding import find_rows
from unquilt.results.folders import RunFolder
from unquilt.results.marks import Passage
from unquilt.spelling import count
from unquilt.stores.labels import BY, COMPARED, hash_text
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.reuse import OBJECTS, TARGETS

_OBJECT = ("first", "sha1", "kind", "occurrences", "documents", "sites", "length", "example")


class Occurrence(NamedTuple):
    """A document that has the object, and where it first stands there."""

    doc: int
    begin: int
    end: int


def find_occurrences(folder: RunFolder, found: Mapping[str, Any], limit: int) -> list[Occurrence]:
    """The first documents that have an object, a row of `objects`; none without the corpus."""
    if DOCUMENTS.name not in folder.tables:
        return []
    by = BY[folder.run.manifest.get("summary", {}).get("compared_by", 0)]
    most = min(limit, found["documents"])
    occurrences: list[Occurrence] = []
    for each in _search(folder.tables[DOCUMENTS.name], found, by):
        occurrences.append(each)
        if len(occurrences) >= most:
            break
    return occurrences


def _search(documents: Kept, found: Mapping[str, Any], by: str) -> Iterator[Occurrence]:
    first, sha1 = 0, found["sha1"]
    for split in documents.splits():
        check_time()
        if found["kind"] == "file":
            part = split.read(["raw_sha1"])
            for place in pc.indices_nonzero(
                pc.equal(part.column(0), pa.scalar(sha1, part.schema.types[0]))
            ).to_pylist():
                yield Occurrence(first + place, 0, found["length"])
        else:
            yield from _search_chunks(split, first, sha1, by)
        first += split.rows


def _search_chunks(split: Any, first: int, sha1: bytes, by: str) -> Iterator[Occurrence]:
    """Documents of a row group that have a chunk; the words of chunks have no column, and are hashed."""
    if by == "words":
        for place, row in enumerate(split.read(["text", "chunks"]).to_pylist()):
            check_time()
            for span in row["chunks"] or ():
                if hash_text(row["text"][span["begin"] : span["end"]], by) == sha1:
                    yield Occurrence(first + place, span["begin"], span["end"])
                    break
        return
    part = split.read([COMPARED[by], "chunks"])
    hashes = part.column(0).combine_chunks()
    here = pc.equal(hashes.flatten(), pa.scalar(sha1, hashes.type.value_type))
    places = pc.unique(pc.list_parent_indices(hashes).filter(here)).to_pylist()
    for place, row in zip(places, part.take(places).to_pylist(), strict=True):
        span = row["chunks"][row[COMPARED[by]].index(sha1)]
        yield Occurrence(first + place, span["begin"], span["end"])


class Marked(NamedTuple):
    """A labelled chunk of a page: where it is there, and what is known of it."""

    begin: int
    end: int
    object: Mapping[str, Any]


def find_labelled(folder: RunFolder, number: int) -> tuple[str | None, list[Marked]]:
    """The text of a document, and its labelled chunks; neither, without the corpus."""
    by = BY[folder.run.manifest.get("summary", {}).get("compared_by", 0)]
    columns = ["text", "chunks", "chunk_sha1", "raw_chunk_sha1"]
    page = next((row for _, row in folder.documents([number], columns)), None)
    if page is None:
        return None, []
    text, spans = page["text"], page["chunks"] or []
    hashes = (
        [hash_text(text[span["begin"] : span["end"]], by) for span in spans]
        if by == "words"
        else page[COMPARED[by]] or []
    )
    wanted = sorted(set(hashes))
    found = find_rows(folder.table(OBJECTS.name), "sha1", wanted, list(_OBJECT), len(wanted) * 2)
    objects = {row["sha1"]: row for row in found if row["kind"] == "chunk"}
    marked = zip(spans, hashes, strict=True)
    return text, [Marked(span["begin"], span["end"], objects[sha1]) for span, sha1 in marked if sha1 in objects]


def find_target(folder: RunFolder, number: int) -> Evidence:
    """A page with its labelled chunks, each in a colour of its own."""
    row = find_row(folder, TARGETS.name, number) or find_row(folder, "contents", number)
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
            make_legend,
            folder,
            [(ranks[sha1], each["first"]) for sha1, each in objects.items()],
            [{"documents": each["documents"], "sites": each["sites"]} for each in objects.values()],
        ),
        len(objects),
        TARGETS.name,
        "Target",
        of=TARGETS.name,
        says=f"{whole}{row['matched']:,} of {count(row['chunks'], 'chunk')} labelled ({share:.1%}); "
        f"{count(row['stop_chunks'], 'stop chunk')} left out",
        sources_are="Labelled chunks",
        facts_are="in how many documents and on how many sites of this corpus each is, and where first",
        rows={"labelled": [_describe_chunk(each.begin, each.end, each.object, pages) for each in chunks]},
    )


def _describe_chunk(begin: int, end: int, chunk: Mapping[str, Any], pages: Mapping[int, Any]) -> dict[str, Any]:
    known = {name: chunk[name] for name in ("sha1", "occurrences", "documents", "sites", "first")}
    id_, url = pages.get(chunk["first"], (None, None))
    return {"begin": begin, "end": end} | known | {"first_id": id_, "first_url": url}
