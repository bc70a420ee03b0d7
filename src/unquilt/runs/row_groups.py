"""A table of which many processes write the row groups: the same file that `TableWriter` writes, byte for byte.

A row group is the same bytes wherever it lies in a file; only the footer says where that is. So whoever has its rows
packs it (`pack_group`), and puts it in its place (`paste`) when the sizes of all those before it are known. One process
knows these sizes, and writes the footer of what the others say of their row groups (`JoinedTable`).
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import pyarrow as pa
import pyarrow.parquet as pq

from unquilt.parquet import MAGIC, seal_footer, split_file
from unquilt.runs.storage import NewFile, partial_name, storing
from unquilt.runs.tables import check_schema, new_writer, table_path
from unquilt.runs.thrift import STRUCT, Elements, Struct, read_struct, write_struct

_ROWS, _GROUPS = 3, 4
"""Fields of a footer."""
_COLUMNS, _ROWS_OF_GROUP, _BEGIN, _ORDINAL = 1, 3, 5, 7
"""Fields of a row group in a footer."""
_SIZES = _, _PACKED = 2, 6
"""More of them: bytes of all columns, unpacked and packed."""
_COLUMN_BEGIN, _COLUMN = 2, 3
_OFFSETS = (9, 10, 11, 14)
"""Fields of a column of a row group: where its data, index, dictionary and filter are, those that it has."""

OpenWriter = Callable[[BinaryIO, pa.Schema], pq.ParquetWriter]
"""What begins a file of Parquet."""


def pack_group(rows: pa.Table, *, on_the_way: bool) -> tuple[bytes, bytes]:
    """The bytes of a row group, and what a footer says of it if it is the first one."""
    body, group = pack(rows, partial(new_writer, on_the_way=on_the_way))
    return body, write_struct(group)


def pack(rows: pa.Table, open_writer: OpenWriter) -> tuple[bytes, Struct]:
    """The same, by a writer of any kind."""
    file = io.BytesIO()
    with open_writer(file, rows.schema) as writer:
        writer.write_table(rows, row_group_size=max(1, rows.num_rows))
    body, footer = split_file(file.getbuffer())
    (group,) = read_struct(footer)[_GROUPS][1]
    return body, group


def move_group(group: Struct, to: int) -> None:
    """Adapts what is said of a row group to another place."""
    _move(group, to - find_begin(group))


def join_columns(parts: Sequence[Struct], number: int) -> Struct:
    """What is said of a row group whose columns were packed in several parts, wherever each of them lies."""
    joined = dict(parts[0])
    chunks = [chunk for part in parts for chunk in part[_COLUMNS][1]]
    joined[_COLUMNS] = (joined[_COLUMNS][0], Elements(STRUCT, chunks))
    for field in _SIZES:
        joined[field] = (joined[field][0], sum(part[field][1] for part in parts))
    if _ORDINAL in joined:
        joined[_ORDINAL] = (joined[_ORDINAL][0], number)
    return joined


def find_begin(group: Struct) -> int:
    """Where a row group begins."""
    begin: int = group[_BEGIN][1]
    return begin


def find_end(group: Struct) -> int:
    """Where a row group ends."""
    size: int = group[_PACKED][1]
    return find_begin(group) + size


def list_groups(footer: bytes) -> list[Struct]:
    """What a footer says of each row group."""
    return list(read_struct(footer)[_GROUPS][1])


def make_footer(schema: pa.Schema, groups: Sequence[Struct], open_writer: OpenWriter) -> bytes:
    """The footer of a file with these row groups."""
    footer = _begin_footer(schema, open_writer)
    return _end_footer(footer, groups, sum(group[_ROWS_OF_GROUP][1] for group in groups))


def _begin_footer(schema: pa.Schema, open_writer: OpenWriter) -> Struct:
    empty = io.BytesIO()
    open_writer(empty, schema).close()
    return read_struct(split_file(empty.getbuffer())[1])


def _end_footer(footer: Struct, groups: Sequence[Struct], rows: int) -> bytes:
    kind, _ = footer[_ROWS]
    footer[_ROWS] = (kind, rows)
    kind, _ = footer[_GROUPS]
    footer[_GROUPS] = (kind, Elements(STRUCT, list(groups)))
    return write_struct(footer)


def paste(folder: Path, name: str, offset: int, bodies: Iterator[bytes]) -> None:
    """Puts row groups that follow each other in their place. Whoever does it again writes the same bytes."""
    path = partial_name(table_path(folder, name))
    with storing(path):
        descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _write_at(descriptor, offset, bodies)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_at(descriptor: int, offset: int, bodies: Iterator[bytes]) -> None:
    for body in bodies:
        with memoryview(body) as left:
            written = 0
            while written < len(left):
                written += os.pwrite(descriptor, left[written:], offset + written)
        offset += len(body)


class JoinedTable:
    """One table, in a `with` block: first all its row groups are added, in order, then others paste them. It appears
    under its name at the end of the block, or never.

    Memory: what the footer says of each row group, about a hundred bytes for each column.
    """

    def __init__(self, folder: Path, name: str, schema: pa.Schema, *, on_the_way: bool) -> None:
        check_schema(name, schema)
        self.path = table_path(folder, name)
        self.rows = 0
        self._footer = _begin_footer(schema, partial(new_writer, on_the_way=on_the_way))
        self._groups: list[Struct] = []
        self._end = len(MAGIC)

    def __enter__(self) -> Self:
        with storing(self.path):
            self._new = NewFile(self.path, alone=True)
        return self

    def add_all(self, groups: Iterable[tuple[bytes, int]]) -> int:
        """The next row groups: what `pack_group` says of each, and its bytes. Returns where the first begins."""
        begin = self._end
        for said, size in groups:
            group = read_struct(said)
            _move(group, self._end - len(MAGIC))
            if _ORDINAL in group:
                group[_ORDINAL] = (group[_ORDINAL][0], len(self._groups))
            self._groups.append(group)
            self._end += size
            self.rows += group[_ROWS_OF_GROUP][1]
        return begin

    def write(self, offset: int, bodies: Iterator[bytes]) -> None:
        """Puts row groups in their place, where nobody else can."""
        with storing(self.path):
            _write_at(self._new.file.fileno(), offset, bodies)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                with storing(self.path):
                    self._complete()
        finally:
            self._new.discard()

    def _complete(self) -> None:
        footer = _end_footer(self._footer, self._groups, self.rows)
        file = self._new.file
        file.write(MAGIC)
        file.seek(self._end)
        file.write(footer + len(footer).to_bytes(4, "little") + MAGIC)
        seal_footer(file)
        self._new.complete()


def _move(group: Struct, by: int) -> None:
    """Adapts what is said of a row group to a place so many bytes behind that of the first one."""
    _move_field(group, _BEGIN, by)
    for chunk in group[_COLUMNS][1]:
        _move_field(chunk, _COLUMN_BEGIN, by)
        for field in _OFFSETS:
            _move_field(chunk[_COLUMN][1], field, by)


def _move_field(struct: Struct, field: int, by: int) -> None:
    kind, value = struct.get(field, (0, 0))
    if value:  # 0 stands for nowhere
        struct[field] = (kind, value + by)
