"""Where repeated and labelled content stands: all documents that have a paragraph or a file, found by its hash in one
pass, and the labelled chunks of one document.

Time: the hashes of the corpus are read until as many documents are found as were counted. Memory: a row group of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.flow.kept import Kept
from unquilt.jobs.patience import check_time
from unquilt.results.finding import find_rows
from unquilt.results.folders import RunFolder
from unquilt.stores.labels import BY, COMPARED, hash_text
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.reuse import OBJECTS

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
