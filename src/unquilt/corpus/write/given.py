"""The columns of a piece, before one type is known for each: the columns of some documents after the other, in a file.

Each entry has the columns that some consecutive documents were given with, as an Arrow stream, and how many documents
these are; documents without such columns have an empty entry. A piece of files that have none has no such file.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import pyarrow as pa

from unquilt.corpus.given import JSON, LISTED, LOOSE, USUAL_TOO, guess, list_parts, says_same
from unquilt.corpus.options import Reading
from unquilt.corpus.records import Document, GivenFields, GivenRow

_ENTRY = struct.Struct("<QQ")


class GivenChunk(NamedTuple):
    """The columns of `rows` documents, if they have any; all that their inputs have, also what is part of documents;
    and the file of the first of them."""

    rows: int
    columns: pa.RecordBatch | None
    listed: pa.Schema
    file: str = ""


def gather(documents: Sequence[Document], made: pa.RecordBatch, reading: Reading) -> Iterator[GivenChunk]:
    """The columns of documents, whose own columns are `made`."""
    first = 0
    for _, group in groupby(documents, _kind):
        pages = [document.page for document in group]
        found, file = [page.given for page in pages], pages[0].file
        stored = made.slice(first, len(found))
        first += len(found)
        if isinstance(found[0], GivenRow):
            yield _gather_rows(cast(list[GivenRow], found), stored, reading)._replace(file=file)
        elif isinstance(found[0], GivenFields):
            yield _gather_fields(cast(list[GivenFields], found), stored, reading)._replace(file=file)
        else:
            yield GivenChunk(len(found), None, pa.schema([], {USUAL_TOO: b"1"}))


def _kind(document: Document) -> object:
    """What tells columns apart that cannot be put together as they are."""
    given = document.page.given
    return None if given is None else id(given.schema)


def _gather_fields(found: Sequence[GivenFields], stored: pa.RecordBatch, reading: Reading) -> GivenChunk:
    schema = found[0].schema
    if schema is not None:
        names = [name for name in schema.names if reading.carries(name)]
        known = [pa.array([each.values.get(name) for each in found], schema.field(name).type) for name in names]
        columns = _batch([(schema.field(name), column) for name, column in zip(names, known, strict=True)])
        listed = pa.schema([schema.field(name) for name in names], {USUAL_TOO: b"1"})
        return GivenChunk(len(found), columns, listed)
    parts = list_parts(reading.fields)
    pairs: list[tuple[pa.Field, pa.Array]] = []
    fields: list[pa.Field] = []
    for name in dict.fromkeys(chain.from_iterable(each.values for each in found)):
        part = parts.get(name)
        if part == "text":
            fields.append(pa.field(name, pa.string(), metadata={LOOSE: b"1", LISTED: b"1"}))
        elif part or reading.carries(name):
            column, is_json = guess([each.values.get(name) for each in found])
            noted = {LOOSE: b"1"} | ({JSON: b"1"} if is_json else {})
            is_listed = bool(part) and not is_json and says_same(column, stored.column(part))
            field = pa.field(name, column.type, metadata=noted | ({LISTED: b"1"} if is_listed else {}))
            fields.append(field)
            pairs += [] if is_listed else [(field, column)]
    return GivenChunk(len(found), _batch(pairs), pa.schema(fields))


def _gather_rows(found: Sequence[GivenRow], stored: pa.RecordBatch, reading: Reading) -> GivenChunk:
    schema, parts = found[0].schema, list_parts(reading.fields)
    taken = [_take(group) for _, group in groupby(found, lambda each: id(each.batch))]
    table = pa.Table.from_batches(taken).combine_chunks()
    columns = dict(zip(table.column_names, table.columns, strict=True))  # a look-up by name goes through all of them
    pairs: list[tuple[pa.Field, pa.Array]] = []
    fields: list[pa.Field] = []
    for field in schema:
        part = parts.get(field.name)
        if part == "text":
            fields.append(field.with_metadata({LISTED: b"1"}))
        elif field.name in columns:
            column = columns[field.name].combine_chunks()
            is_listed = bool(part) and says_same(column, stored.column(part))
            fields.append(field.with_metadata({LISTED: b"1"} if is_listed else None))
            pairs += [] if is_listed else [(pa.field(field.name, column.type), column)]
    return GivenChunk(len(found), _batch(pairs), pa.schema(fields, schema.metadata))


def _take(rows: Iterator[GivenRow]) -> pa.RecordBatch:
    """Rows of one batch."""
    listed = list(rows)
    numbers = [each.row for each in listed]
    batch, first = listed[0].batch, numbers[0]
    if numbers == list(range(first, first + len(numbers))):
        return batch.slice(first, len(numbers))
    return batch.take(pa.array(numbers))


def _batch(pairs: Sequence[tuple[pa.Field, pa.Array]]) -> pa.RecordBatch | None:
    if not pairs:
        return None
    return pa.RecordBatch.from_arrays([column for _, column in pairs], schema=pa.schema([field for field, _ in pairs]))


def write_chunk(file: BinaryIO, chunk: GivenChunk) -> None:
    """Append the columns of some documents."""
    stream = io.BytesIO()
    if chunk.columns is not None:
        with pa.ipc.new_stream(stream, chunk.columns.schema) as writer:
            writer.write_batch(chunk.columns)
    file.write(_ENTRY.pack(chunk.rows, stream.tell()))
    file.write(stream.getbuffer())


class ChunkReader:
    """Reads the columns of documents again, as many as are asked for."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb") if path.exists() else None
        self._left: tuple[int, pa.RecordBatch | None] = (0, None)

    def __enter__(self) -> ChunkReader:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def read(self, rows: int) -> Iterator[tuple[int, pa.RecordBatch | None]]:
        """The columns of the next `rows` documents: of how many after the other, and which."""
        while rows:
            if not self._left[0]:
                self._left = self._next() if self._file is not None else (rows, None)
            there, columns = self._left
            here = min(there, rows)
            yield here, None if columns is None else columns.slice(0, here)
            self._left = there - here, None if columns is None else columns.slice(here)
            rows -= here

    def _next(self) -> tuple[int, pa.RecordBatch | None]:
        assert self._file is not None
        rows, size = _ENTRY.unpack(self._file.read(_ENTRY.size))
        data = self._file.read(size)
        return rows, pa.ipc.open_stream(data).read_next_batch() if size else None
