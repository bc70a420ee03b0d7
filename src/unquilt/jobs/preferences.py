"""The order of documents by columns of the corpus: which of several copies is preferred (`analyses.preference`).

The columns are sorted by DuckDB, which writes what does not fit into its memory to the folder of the run, and each
document gets its place as a rank. Values are ordered as they are: numbers and dates by size, texts by their bytes.
Missing values, and numbers that are none (NaN), come last, also where the largest come first.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

import pyarrow as pa

from unquilt.analyses.preference import KEEP
from unquilt.corpus.given import JSON, find_column, list_parts
from unquilt.corpus.options import Fields
from unquilt.errors import ParameterError, StorageError
from unquilt.flow.kept import Kept
from unquilt.jobs.conditions import Key, quote, read_keys
from unquilt.jobs.corpora import open_table
from unquilt.runs import Run
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.neardups import PREFERENCES

_ROWS = 65_536


def check_order(keep: str, schema: pa.Schema) -> list[Key]:
    """The columns of an order; ParameterError if one of them is not there, or has no order."""
    keys = read_keys(keep)
    for key in keys:
        if key.column not in schema.names:
            close = difflib.get_close_matches(key.column, [*KEEP, *schema.names], n=1)
            meant = find_column(schema, key.column) or (close[0] if close else None)
            hint = f"did you mean {meant}?" if meant else f"there are: {', '.join(_list_ordered(schema))}"
            raise ParameterError(f"keep: the corpus has no column {key.column[:60]!r}; {hint}")
        field = schema.field(key.column)
        if pa.types.is_nested(field.type):
            raise ParameterError(f"keep: {key.column} has no order, as its values have parts; choose another column")
        if JSON in (field.metadata or {}):
            raise ParameterError(f"keep: {key.column} has no order, as its values are of several types; choose another")
    return keys


def _list_ordered(schema: pa.Schema) -> list[str]:
    """The columns that have an order, those of the inputs first; ids and texts as they were given are seldom meant."""
    known, parts = DOCUMENTS.schema.names, {f"{part}_given" for part in list_parts(Fields()).values()}
    plain = [field for field in schema if not pa.types.is_nested(field.type) and JSON not in (field.metadata or {})]
    return [field.name for field in sorted(plain, key=lambda field: field.name in known) if field.name not in parts]


def order_documents(documents: Kept, keep: str, run: Run) -> Kept:
    """The ranks of documents by columns, as a table of the run; made unless it is there already."""
    assert documents.schema is not None
    keys = check_order(keep, documents.schema)
    if not run.done(PREFERENCES.name):
        missing = dict.fromkeys((key.column for key in keys), 0)
        with (
            run.stage(PREFERENCES.name) as stage,
            run.writer(PREFERENCES.name, PREFERENCES.schema, on_the_way=True) as writer,
        ):
            for batch in _rank(documents, keys, run, missing):
                writer.write(batch)
            stage.record(rows=writer.rows)
        run.mark(PREFERENCES.name, tables=[PREFERENCES.name], values=missing)
    return open_table(run, PREFERENCES.name, PREFERENCES)


def count_missing(run: Run) -> dict[str, int]:
    """How many documents have no value, by column, of those that have any missing."""
    found: dict[str, int] = run.values(PREFERENCES.name)
    return {column: count for column, count in found.items() if count}


def _rank(documents: Kept, keys: Sequence[Key], run: Run, missing: dict[str, int]) -> Iterator[pa.Table]:
    """Rows of `preferences`; also counts missing values."""
    import duckdb

    assert documents.schema is not None
    fields = [documents.schema.field(name) for name in dict.fromkeys(("doc", *missing))]
    floats = {field.name for field in fields if pa.types.is_floating(field.type)}

    def read() -> Iterator[pa.RecordBatch]:
        for split in documents.splits():
            table = split.read([field.name for field in fields])
            for column in missing:
                values = table.column(column)
                missing[column] += values.null_count if column not in floats else _count_none(values)
            yield from table.combine_chunks().to_batches()

    def order(key: Key) -> str:
        name = quote(key.column)
        value = f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END" if key.column in floats else name
        return f"{value} {'DESC' if key.falling else 'ASC'} NULLS LAST"

    by = ", ".join(map(order, keys))
    ranked = f"SELECT doc, row_number() OVER (ORDER BY {by}, doc) - 1 AS rank FROM documents"  # noqa: S608
    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": str(run.spill / "order"),
        "memory_limit": "1GB",
        "threads": "2",
        "autoload_known_extensions": "false",
    }
    with duckdb.connect(":memory:", config=config) as connection:
        connection.register("documents", pa.RecordBatchReader.from_batches(pa.schema(fields), read()))
        try:
            found = connection.sql(f"SELECT doc, rank, 0 AS within FROM ({ranked}) ORDER BY doc")  # noqa: S608
            for batch in found.to_arrow_reader(_ROWS):
                yield pa.Table.from_batches([batch]).cast(PREFERENCES.schema)
        except duckdb.Error as error:
            raise StorageError(f"{run.path}: cannot be ordered: {str(error).splitlines()[0][:200]}") from error


def _count_none(values: pa.ChunkedArray) -> int:
    import pyarrow.compute as pc

    return int(pc.sum(pc.is_null(values, nan_is_null=True)).as_py() or 0)
