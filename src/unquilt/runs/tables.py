"""Tables on disk: Parquet, zstd, and bytes that depend on the rows alone.

In whatever batches rows come, they are gathered into row groups of a fixed number of rows, and each group is written
from one contiguous piece; so pages, dictionaries and statistics are always the same. Two engines, or a run and its
resumption, thus give the same file, byte for byte (with the same version of pyarrow, whose name is in the file).

Memory: the rows of one group, twice while they are put together.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import pyarrow as pa
import pyarrow.parquet as pq

from unquilt.errors import RunError
from unquilt.parquet import opened, seal_footer
from unquilt.runs.storage import NewFile, check_name, inside, shown, storing

ROWS_PER_GROUP = 65_536


_ON_THE_WAY: dict[str, Any] = {"compression": "lz4", "use_dictionary": False}
"""How a table is packed that is read once and goes when the run is finished: quickly."""


def _pack_well(schema: pa.Schema) -> dict[str, Any]:
    """How a table is packed that stays: small, and without dictionaries of hashes, which hardly ever repeat."""
    repeated = [field.name for field in schema if not pa.types.is_fixed_size_binary(field.type)]
    return {"compression": "zstd", "compression_level": 1, "use_dictionary": repeated}


def new_writer(file: BinaryIO, schema: pa.Schema, *, on_the_way: bool) -> pq.ParquetWriter:
    """A writer whose bytes depend on row groups alone; `on_the_way` is for tables that go when the run is finished."""
    packing = _ON_THE_WAY if on_the_way else _pack_well(schema)
    return pq.ParquetWriter(file, schema, write_page_checksum=True, **packing)


def check_schema(name: str, schema: pa.Schema) -> None:
    if any(pa.types.is_dictionary(field.type) for field in schema):
        raise TypeError(f"table {name} has a dictionary column: its bytes would depend on the batches")


class Gathering:
    """Rows that wait until there are enough for a row group."""

    def __init__(self, schema: pa.Schema, rows_per_group: int) -> None:
        self._schema, self._size = schema, rows_per_group
        self._tables: list[pa.Table] = []
        self._rows = 0

    def add(self, table: pa.Table) -> None:
        self._tables.append(table)
        self._rows += table.num_rows

    def take(self, *, last: bool = False) -> Iterator[pa.Table]:
        """The groups that are full; when no more rows come, the rest as well. Each is one contiguous piece."""
        if self._rows < self._size and not last:
            return
        waiting = pa.concat_tables(self._tables or [self._schema.empty_table()])
        end = waiting.num_rows if last else waiting.num_rows - waiting.num_rows % self._size
        self._tables = [waiting.slice(end)] if end < waiting.num_rows else []
        self._rows = waiting.num_rows - end
        for begin in range(0, end, self._size):
            yield waiting.slice(begin, self._size).combine_chunks()


def table_path(folder: Path, name: str) -> Path:
    """Where the table called `name` lies."""
    return folder / f"{check_name(name)}.parquet"


def safe_table_path(folder: Path, name: str) -> Path:
    """Where the table called `name` lies, to be read: RunError if it is a link."""
    return inside(folder, table_path(folder, name).name)


def read_table(folder: Path, name: str) -> pa.Table:
    """Read a whole table into memory."""
    with opened(safe_table_path(folder, name)) as file:
        return file.read()


class TableWriter:
    """Write one table, batch by batch, in a `with` block; it appears under its name at the end of the block, or never.

    `rows` counts what was written, `bytes` is the size of the file once it is there. Not for several threads at once.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        schema: pa.Schema,
        rows_per_group: int = ROWS_PER_GROUP,
        *,
        on_the_way: bool = False,
    ) -> None:
        check_schema(name, schema)
        self.path = table_path(folder, name)
        self.rows = 0
        self.bytes = 0
        self._schema = schema
        self._rows_per_group = rows_per_group
        self._on_the_way = on_the_way
        self._waiting = Gathering(schema, rows_per_group)
        self._intact = True

    def __enter__(self) -> Self:
        with storing(self.path):
            self._new = NewFile(self.path, alone=True)
        try:
            self._parquet = new_writer(self._new.file, self._schema, on_the_way=self._on_the_way)
        except BaseException:  # a type that Parquet does not have
            self._new.discard()
            raise
        return self

    def write(self, data: Any) -> None:
        """Append a RecordBatch, a Table or whatever has Arrow's PyCapsule interface, cast to the schema if need be."""
        table = pa.table(data)
        table = table if table.schema.equals(self._schema, check_metadata=True) else table.cast(self._schema)
        self._waiting.add(table)
        self.rows += table.num_rows
        self._write_groups()

    def _write_groups(self, *, last: bool = False) -> None:
        """Write the full groups that are waiting; when no more rows come, the rest as well."""
        self._intact = False
        with storing(self.path):
            for group in self._waiting.take(last=last):
                self._parquet.write_table(group, row_group_size=self._rows_per_group)
        self._intact = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._complete()
        finally:
            self._abandon()

    def _complete(self) -> None:
        if not self._intact:
            raise RunError(f"{shown(self.path)} was not written: an earlier write failed")
        self._write_groups(last=True)
        with storing(self.path):
            self._parquet.close()
            seal_footer(self._new.file)
            self.bytes = self._new.file.tell()
            self._new.complete()

    def _abandon(self) -> None:
        """Close what is open and leave no partial file; nothing is left to do after `_complete`."""
        with contextlib.suppress(OSError, ValueError, pa.ArrowException):
            self._parquet.close()
        self._new.discard()
