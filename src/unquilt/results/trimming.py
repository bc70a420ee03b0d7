"""The corpus without what is repeated in it: documents whose texts lack the paragraphs that a run of reuse found.

A chunk that is an object of the run is cut out of every document, or of every one but the first; a document that is an
object as a whole file goes altogether, and so does one of which no chunk is left. What is cut out is exact: chunks are
compared as the run compared them. Objects are looked up in a set of labels that is made of them, in a temporary file
that is mapped into memory; documents are read and cut row group by row group.
"""

from __future__ import annotations

import os
import tempfile
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.analyses.discover import DiscoverParameters
from unquilt.columns import measure, pack
from unquilt.errors import Advice, ParameterError
from unquilt.flow.kept import Kept, Split
from unquilt.jobs.corpora import documents
from unquilt.results.folders import RunFolder
from unquilt.results.given import choose_columns
from unquilt.results.rows import Read, Selection, TableRows
from unquilt.stores.labels import BY, SHA1, About, LabelSet
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.reuse import OBJECTS, STOP_CHUNKS

TRIMMABLE = (OBJECTS.name, STOP_CHUNKS.name)
"""The tables of objects that documents can be rid of."""
_CHUNKS = ("text", "chunks", "chunk_sha1", "raw_chunk_sha1", "trivial_chunks", "raw_sha1")
OF_THE_WHOLE = frozenset(("chunks", "chunk_sha1", "raw_chunk_sha1", "trivial_chunks", "raw_sha1", "sequence"))
"""Columns that are true of the whole text only."""


class ShortenedDocuments(TableRows):
    """The documents of the corpus of a run, of whose texts something is taken out. They are as they were given, unless
    columns are chosen."""

    def __init__(self, folder: RunFolder, selection: Selection) -> None:
        if folder.corpus is None:
            raise ParameterError(f"{folder.run.path}: its corpus is not found, so there are no texts to write")
        self._pages = documents(folder.corpus)
        columns = selection.columns or choose_columns(self._pages)
        super().__init__(folder, DOCUMENTS.name, replace(selection, columns=columns))
        self._table = self._pages
        self.as_given = True

    @property
    def total(self) -> int | None:
        """Not known before they are counted."""
        return None

    def _check_column(self, column: str) -> None:
        if column in OF_THE_WHOLE:
            raise ParameterError(
                f"column {column} describes the whole text, and the export cuts some of it; leave the column out"
            )
        super()._check_column(column)

    def _readers(self) -> Iterator[Read]:
        splits = self._pages.splits()
        firsts = accumulate((split.rows for split in splits), initial=0)
        for first, split in zip(firsts, splits, strict=False):
            yield self._reader(first, split)

    @abstractmethod
    def _reader(self, first: int, split: Split) -> Read:
        """Reads a part of the documents, of which `first` is the first, without what is taken out."""


class TrimmedDocuments(ShortenedDocuments):
    """The documents of the corpus of a run without the objects in `tables`; with `keep_first`, each stays where it
    first stands."""

    def __init__(
        self, folder: RunFolder, tables: Sequence[str], selection: Selection | None = None, *, keep_first: bool = False
    ) -> None:
        self._objects = [_find_objects(folder, name) for name in tables]
        super().__init__(folder, selection or Selection())
        self._keep_first = keep_first
        self._cutting = _describe_chunks(folder)

    def _reader(self, first: int, split: Split) -> Read:
        return _Trimming(self, first, split).read

    @cached_property
    def labels(self) -> LabelSet:
        """The objects as a set, in a file without a name."""
        chunks, files = bytearray(), bytearray()
        for table in self._objects:
            for split in table.splits():
                part = split.read(["kind", "sha1"])
                for kind, hashes in (("chunk", chunks), ("file", files)):
                    found = part["sha1"].filter(pc.equal(part["kind"], kind)).combine_chunks()
                    hashes += b"".join(found.to_pylist())
        descriptor, name = tempfile.mkstemp(prefix="unquilt-objects-")
        os.close(descriptor)
        try:
            return LabelSet.pack(name, self._cutting, chunks=bytes(chunks), files=bytes(files))
        finally:
            Path(name).unlink(missing_ok=True)

    def find_firsts(self, first: int, last: int) -> set[tuple[int, int, str]]:
        """Where objects first stand, among these documents: the document, the place in it, and whether it is a chunk or
        a file. Empty if they do not stay there."""
        tables = [table for table in self._objects if table.paths] if self._keep_first else []
        found = [table.between(first, last, ["first", "begin", "kind"]) for table in tables]
        return {(*row.values(),) for table in found for row in table.to_pylist()}


class _Trimming:
    """A row group of documents, as it is read and cut."""

    def __init__(self, rows: TrimmedDocuments, first: int, split: Split) -> None:
        self._rows, self._first, self._split = rows, first, split

    def read(self, columns: Sequence[str]) -> pa.Table:
        """These columns of the documents that are left."""
        needed = list(dict.fromkeys([*columns, *_CHUNKS]))
        part = self._split.read(needed)
        left = list(self._cut(part))
        texts = pa.array([text for text in left if text is not None], pa.large_string())
        part = part.filter(pa.array([text is not None for text in left]))
        replaced = {"text": texts}
        if "words" in columns:
            replaced["words"] = measure(texts)[0]
        for name, values in replaced.items():
            if name in columns:
                part = part.set_column(part.column_names.index(name), part.schema.field(name), values)
        return part.select(list(columns))

    def _cut(self, part: pa.Table) -> Iterator[str | None]:
        """What is left of each text; None if that is nothing."""
        labels, about = self._rows.labels.set, self._rows.labels.about
        kept = self._rows.find_firsts(self._first, self._first + part.num_rows - 1)
        spans = part["chunks"].combine_chunks()
        begins, ends = (pack(spans.flatten().field(name)) for name in ("begin", "end"))
        texts, raws = (pack(part[name].combine_chunks().flatten()) for name in ("chunk_sha1", "raw_chunk_sha1"))
        at = 0
        for row, text in enumerate(part["text"]):
            number, whole = len(spans[row]) if spans[row].is_valid else 0, text.as_py()
            until, doc = at + number, self._first + row
            places, hashes = slice(4 * at, 4 * until), slice(SHA1 * at, SHA1 * until)
            digest = part["raw_sha1"][row].as_py()
            passed = part["trivial_chunks"][row].as_py() if about.trivial_stop else ()
            trivial = b"".join(each.to_bytes(4, "little") for each in passed or ())
            columns = (begins[places], ends[places], raws[hashes], texts[hashes], trivial)
            chunks, _, labelled, file, _ = labels.page(whole.encode(), *columns, digest, about.by, 0)
            at = until
            long = ((begin, end) for begin, end, _ in labelled if end - begin > about.min_length)
            gone = {begin for begin, _ in long if (doc, begin, "chunk") not in kept}
            if (file and (doc, 0, "file") not in kept) or len(gone) == chunks:
                yield None
            elif gone:
                yield cut_out(whole, [span["begin"] for span in spans[row].as_py()], gone)
            else:
                yield whole


def cut_out(text: str, begins: Sequence[int], gone: set[int]) -> str:
    """A text without the chunks that begin at these places; what separates a chunk from the next goes with it.

    >>> cut_out("One.\\n\\nTwo.\\n\\nThree.", [0, 6, 12], {6})
    'One.\\n\\nThree.'
    """
    bounds = [*begins, len(text)]
    left = [text[begin:end] for begin, end in pairwise(bounds) if begin not in gone]
    before = text[: bounds[0]]
    return before + ("".join(left).rstrip() if begins and begins[-1] in gone else "".join(left))


def _find_objects(folder: RunFolder, name: str) -> Kept:
    if name not in TRIMMABLE:
        raise ParameterError(f"documents can be written without {' or '.join(TRIMMABLE)}, not without {name[:40]!r}")
    if name not in folder.tables:
        raise ParameterError(
            f"{folder.run.path} does not say what is repeated: it has no table {name}",
            advice=Advice("find it first: unquilt.discover", "find it first: unquilt reuse discover"),
        )
    return folder.tables[name]


def _describe_chunks(folder: RunFolder) -> About:
    """How the run cut and compared chunks."""
    manifest = folder.run.manifest
    if manifest["analysis"] == "discover":
        known = {info.name for info in DiscoverParameters.describe()}
        given = DiscoverParameters.from_dict({key: v for key, v in manifest["parameters"].items() if key in known})
        return given.about()
    return About(by=BY[manifest.get("summary", {}).get("compared_by", 0)])
