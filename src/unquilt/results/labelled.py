"""The labelled chunks of one document: where they stand in it, and what is known of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from unquilt.results.finding import find_rows
from unquilt.results.folders import RunFolder
from unquilt.stores.labels import BY, COMPARED, hash_text
from unquilt.tables.reuse import OBJECTS

_OBJECT = ("first", "sha1", "kind", "occurrences", "documents", "sites", "length", "example")


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
