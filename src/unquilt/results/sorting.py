"""Rows in another order than that of the table: the first few, or all of them.

`host,-patchfrac` is by host, and within a host by falling patchfrac. Missing values come last either way, and what is
equal stays in the order of the table. The first few are kept while rows pass by; to sort all, DuckDB writes what does
not fit into its memory to the folder for temporary files. Where there is a limit of time, as on the page, all is sorted
for one request after the other, so that their number does not multiply this memory.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.errors import ParameterError, StorageError
from unquilt.jobs.conditions import Key, quote
from unquilt.jobs.patience import interrupting, taking_turns

_SORTING = {"memory_limit": "64MB", "threads": "2", "autoload_known_extensions": "false"}
_PLACE = "place in the table"
_ROWS = 16_384
_SORTS = threading.Lock()


def check_keys(keys: Sequence[Key], schema: pa.Schema) -> None:
    """Raise ParameterError if one of the columns has no order."""
    for key in keys:
        kind = schema.field(key.column).type
        if pa.types.is_nested(kind):
            raise ParameterError(f"{key.column} cannot be sorted by: its values have parts")


def take_first(batches: Iterable[pa.Table], keys: Sequence[Key], limit: int) -> pa.Table | None:
    """The first rows by these columns; None if there are no rows at all. Memory: these, and a batch."""
    best: pa.Table | None = None
    order = [(key.column, "descending" if key.falling else "ascending") for key in keys]
    for batch in batches:
        if best is not None and best.num_rows == limit:
            batch = _drop_late(batch, keys[0], best.column(keys[0].column)[-1])
        both = batch if best is None else pa.concat_tables([best, batch])
        best = both.take(pc.sort_indices(both, sort_keys=order)[:limit]).combine_chunks()
    return best


def _drop_late(batch: pa.Table, key: Key, last: pa.Scalar) -> pa.Table:
    """A batch without rows that come behind the last of the best, whose first key this is: most of them, as a rule."""
    if not last.is_valid or last.as_py() != last.as_py():
        return batch
    test = pc.greater_equal if key.falling else pc.less_equal
    return batch.filter(test(batch.column(key.column), last))


def take_part(
    batches: Iterator[pa.Table], schema: pa.Schema, keys: Sequence[Key], begin: int, end: int
) -> pa.Table | None:
    """Rows `begin` to `end` by these columns, of very many; None if there are not so many."""
    found, first = [], 0
    for batch in sort_all(batches, schema, keys):
        found.append(batch.slice(max(0, begin - first), max(0, end - max(begin, first))))
        first += batch.num_rows
        if first >= end:
            break
    return pa.concat_tables(found) if first > begin else None


def sort_all(batches: Iterator[pa.Table], schema: pa.Schema, keys: Sequence[Key]) -> Iterator[pa.Table]:
    """All rows by these columns."""
    import duckdb

    by = ", ".join(f"{quote(key.column)} {'DESC' if key.falling else 'ASC'} NULLS LAST" for key in keys)
    columns = ", ".join(map(quote, schema.names))
    with taking_turns(_SORTS), tempfile.TemporaryDirectory(prefix="unquilt-sort-") as folder:
        config: dict[str, str | bool | int | float | list[str]] = {"temp_directory": folder, **_SORTING}
        with duckdb.connect(":memory:", config=config) as connection:
            connection.register("rows", pa.RecordBatchReader.from_batches(*_numbered(batches, schema)))
            try:
                found = connection.sql(f'SELECT {columns} FROM rows ORDER BY {by}, "{_PLACE}"')  # noqa: S608
                with interrupting(connection):
                    sorted_rows = found.to_arrow_reader(_ROWS)
                for batch in sorted_rows:
                    yield pa.Table.from_batches([batch]).cast(schema)
            except duckdb.Error as error:
                raise StorageError(f"{folder}: cannot be sorted: {str(error).splitlines()[0][:200]}") from error


def _numbered(batches: Iterator[pa.Table], schema: pa.Schema) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The schema and the batches with the place of each row."""

    def number() -> Iterator[pa.RecordBatch]:
        first = 0
        for table in batches:
            places = pa.array(range(first, first + table.num_rows), pa.int64())
            yield from table.append_column(_PLACE, places).combine_chunks().to_batches()
            first += table.num_rows

    return schema.append(pa.field(_PLACE, pa.int64())), number()
