"""Rows of a table by what stands in one of its columns: read row group by row group, no further than needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.flow.kept import Kept


def find_rows(
    table: Kept, column: str, values: Sequence[object], columns: Sequence[str], limit: int
) -> list[dict[str, Any]]:
    """The first rows that have one of these values in a column; reads row group by row group, the column and those
    asked for."""

    def has_one(there: pa.ChunkedArray) -> pa.ChunkedArray:
        return pc.is_in(there, value_set=pa.array(values, there.type))

    return _find(table, column, has_one, columns, limit) if values else []


def find_within(table: Kept, column: str, text: str, limit: int) -> list[str]:
    """The first texts of a column that contain this one, whatever the case."""
    found = _find(table, column, lambda there: pc.match_substring(there, text, ignore_case=True), [column], limit)
    return [row[column] for row in found]


def _find(
    table: Kept, column: str, test: Callable[[pa.ChunkedArray], Any], columns: Sequence[str], limit: int
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for split in table.splits():
        part = split.read(list(dict.fromkeys([column, *columns])))
        true = part.filter(test(part.column(column)))
        found += true.slice(0, limit - len(found)).select(list(columns)).to_pylist()
        if len(found) >= limit:
            break
    return found
