"""Tables at rest: Parquet files in the order of their primary key, read by pieces."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from unquilt.parquet import opened, read_footer, read_schema


@dataclass(frozen=True)
class Split:
    """A row group: what one task of a map reads."""

    path: str
    row_group: int
    rows: int

    def read(self, columns: Sequence[str]) -> pa.Table:
        with opened(self.path) as file:
            return file.read_row_group(self.row_group, columns=list(columns), use_threads=False).select(list(columns))


@dataclass(frozen=True)
class Kept:
    """A table in one or more Parquet files, one after the other in the order of its first column."""

    name: str
    paths: tuple[str, ...]

    @classmethod
    def of(cls, name: str, *paths: Path | str) -> Kept:
        return cls(name, tuple(str(path) for path in paths))

    def splits(self) -> list[Split]:
        """Its row groups, in order; empty ones left out."""
        found = []
        for path in self.paths:
            metadata = read_footer(path)
            groups = ((number, metadata.row_group(number).num_rows) for number in range(metadata.num_row_groups))
            found += [Split(path, number, rows) for number, rows in groups if rows]
        return found

    @property
    def rows(self) -> int:
        return sum(read_footer(path).num_rows for path in self.paths)

    def between(self, first: int, last: int) -> pa.Table:
        """The rows whose first column lies in first..last, both included; reads only row groups that can hold some."""
        parts = [part for path in self.paths for part in _between(path, first, last)]
        return pa.concat_tables(parts) if parts else read_schema(self.paths[0]).empty_table()


def _between(path: str, first: int, last: int) -> Iterator[pa.Table]:
    footer = _footer(path, Path(path).stat().st_mtime_ns)
    groups = range(bisect_left(footer.greatest, first), bisect_right(footer.least, last))
    if not groups:
        return
    with opened(path, footer.metadata) as file:
        for number in groups:
            table = file.read_row_group(number, use_threads=False)
            keys = table.column(0).combine_chunks()
            yield table.slice(*_slice(keys, first, last))


@dataclass(frozen=True)
class _Footer:
    """What a file says of itself, and the least and greatest key of each of its row groups, none of which is empty."""

    metadata: pq.FileMetaData
    least: Sequence[int]
    greatest: Sequence[int]


@lru_cache(maxsize=64)
def _footer(path: str, _changed: int) -> _Footer:
    """Read once: every task of a map asks for a few rows of the same table."""
    metadata = read_footer(path)
    keys = [metadata.row_group(number).column(0).statistics for number in range(metadata.num_row_groups)]
    return _Footer(metadata, [key.min for key in keys], [key.max for key in keys])


def _slice(keys: pa.Array, first: int, last: int) -> tuple[int, int]:
    """Offset and length of the ascending keys within first..last."""
    below = _count_below(keys, first)
    return below, _count_below(keys, last + 1) - below


def _count_below(keys: pa.Array, bound: int) -> int:
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle].as_py() < bound:
            low = middle + 1
        else:
            high = middle
    return low
