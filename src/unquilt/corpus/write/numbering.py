"""Parquet files of documents whose texts are written once, before the numbers of these documents are known.

Numbers need the counts of all earlier pieces, and the types of what inputs gave need all pieces. So a row group is
written as soon as it is read, behind room for its numbers, and what a footer says of it is kept beside the file. Later
the numbers are put into the room, further columns behind all row groups, and the footer at the end. Parquet says of
each column of a row group where it is, so their order does not matter to a reader; numbers come first as some readers
take the place of the first column for that of the row group.

Whoever does it again writes the same bytes to the same places, also while, or after, another process does it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, Self

import pyarrow as pa
import pyarrow.parquet as pq

from unquilt.errors import EngineError, damaged
from unquilt.parquet import MAGIC, cut_footer, end_file, split_file
from unquilt.runs.row_groups import find_begin, find_end, join_columns, list_groups, make_footer, move_group, pack
from unquilt.runs.storage import read_own
from unquilt.runs.thrift import Struct
from unquilt.tables.corpus import DOCUMENTS

REPEATED = ["host", "domain", "ip", "media", "truncated", "file", "links.list.element"]
"""Columns that a dictionary makes smaller; of the others, most values occur once."""

MEASURED = ["host", "domain", "ip", "path", "recursive", "media", "truncated", "words", "file", "offset"]
"""Columns with statistics. Texts have none: to find their first and last value costs several times the largest one."""

NUMBER = DOCUMENTS.schema.field("doc")
UNNUMBERED = pa.schema([field for field in DOCUMENTS.schema if field.name != NUMBER.name])

_ENCODING = "DELTA_BINARY_PACKED"
_HIGHEST = 1 << 32
_SLACK = 8
"""Bytes by which the checksum of a page may take more room."""


def open_texts(file: BinaryIO, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer of documents, or of what inputs gave beside them."""
    own = {*DOCUMENTS.schema.names}
    numbers = {"column_encoding": {NUMBER.name: _ENCODING}} if NUMBER.name in schema.names else {}
    given = [field.name for field in schema if field.name not in own and not pa.types.is_nested(field.type)]
    return pq.ParquetWriter(
        file,
        schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=[*REPEATED, *given],
        write_statistics=[NUMBER.name, *MEASURED],
        write_page_checksum=True,
        **numbers,
    )


def _open_numbers(file: BinaryIO, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer of numbers that follow each other: a few bytes for each hundred of them, whatever they are."""
    return pq.ParquetWriter(
        file,
        schema,
        compression="none",
        use_dictionary=False,
        column_encoding=_ENCODING,
        write_page_checksum=True,
    )


def _pack_numbers(first: int, rows: int) -> tuple[bytes, Struct]:
    numbers = pa.array(range(first, first + rows), NUMBER.type)
    return pack(pa.Table.from_arrays([numbers], schema=pa.schema([NUMBER])), _open_numbers)


@lru_cache(maxsize=64)
def _measure_room(rows: int) -> int:
    """The bytes that the numbers of so many documents take at most."""
    return len(_pack_numbers(_HIGHEST, rows)[0]) + _SLACK


class TextsFile:
    """Row groups that wait for their numbers, in a file that is open to be written and read, in a `with` block."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._writer = open_texts(file, UNNUMBERED)
        self._rooms: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, ValueError, pa.ArrowException):  # nothing is left to do after `end`
            self._writer.close()

    def write(self, rows: pa.Table) -> None:
        """A row group: all columns of documents but their numbers. The writer knows nothing of the room before it."""
        room = _measure_room(rows.num_rows)
        self._file.write(bytes(room))
        self._writer.write_table(rows, row_group_size=max(1, rows.num_rows))
        self._rooms.append(room)

    def end(self) -> bytes:
        """Take the footer away from the end of the file; returns what it should say, as a file of its own."""
        self._writer.close()
        footer = cut_footer(self._file)
        groups = list_groups(footer)
        for group, moved in zip(groups, accumulate(self._rooms), strict=True):
            move_group(group, find_begin(group) + moved)
        return MAGIC + end_file(make_footer(UNNUMBERED, groups, open_texts))


class TextsBeside:
    """The columns of a file that waits for its numbers, for those who need them to know the others."""

    def __init__(self, file: BinaryIO, said: bytes) -> None:
        self.groups = list_groups(split_file(memoryview(said))[1])
        self._metadata = pq.read_metadata(io.BytesIO(said))
        self._parquet = pq.ParquetFile(pa.PythonFile(file, mode="r"), metadata=self._metadata)

    def count(self, number: int) -> int:
        """The rows of a row group."""
        rows: int = self._metadata.row_group(number).num_rows
        return rows

    def read(self, number: int, columns: Sequence[str]) -> pa.RecordBatch:
        """Some columns of a row group."""
        table = self._parquet.read_row_group(number, columns=list(columns), use_threads=False).combine_chunks()
        return table.to_batches()[0]


Place = Callable[[int, TextsBeside], Sequence[pa.ChunkedArray]]
"""Makes the further columns of a row group."""


def read_said(path: Path) -> bytes:
    """What `TextsFile` says of a file; RunError if it is damaged."""
    said = read_own(path)
    if said != MAGIC + end_file(split_file(memoryview(said))[1]):
        raise damaged(path, "it does not match its checksum")
    return said


def number_texts(file: BinaryIO, texts: TextsBeside, first: int, schema: pa.Schema, place: Place) -> None:
    """Make a file of texts the part of a corpus whose first document has this number; it is open to be written.
    Memory: the further columns of a row group."""
    groups = []
    extra = pa.schema([field for field in schema if field.name not in DOCUMENTS.schema.names])
    descriptor = file.fileno()
    end = find_end(texts.groups[-1]) if texts.groups else len(MAGIC)
    for number, group in enumerate(texts.groups):
        rows = texts.count(number)
        numbers, said = _pack_numbers(first, rows)
        room = _measure_room(rows)
        if len(numbers) > room:
            raise EngineError(f"the numbers of {rows} documents take {len(numbers)} bytes, more than {room}")
        begin = find_begin(group) - room
        _write_all(descriptor, numbers, begin)
        move_group(said, begin)
        parts = [said, group]
        if extra.names:
            given = pa.Table.from_arrays(list(place(number, texts)), schema=extra)
            body, about = pack(given, open_texts)
            _write_all(descriptor, body, end)
            move_group(about, end)
            parts.append(about)
            end += len(body)
        groups.append(join_columns(parts, number))
        first += rows
    tail = end_file(make_footer(schema, groups, open_texts))
    _write_all(descriptor, tail, end)
    os.ftruncate(descriptor, end + len(tail))


def _write_all(descriptor: int, content: bytes, offset: int) -> None:
    with memoryview(content) as left:
        written = 0
        while written < len(left):
            written += os.pwrite(descriptor, left[written:], offset + written)
