"""Documents as their inputs gave them: which columns, under which names, of which types (see `corpus.given`)."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from unquilt.corpus.given import COLUMN, JSON, USUAL_TOO, read_given
from unquilt.flow.kept import Kept

FIELDS = ("id", "url", "ip", "text")
"""What a document is for others if its input was not a table, and what unquilt reads again: under these names in JSONL
and Parquet."""


def choose_columns(documents: Kept | None) -> tuple[str, ...]:
    """The columns of documents that are written unless others are asked for: all that their inputs had, in order."""
    given = read_given(documents.schema) if documents is not None else None
    return FIELDS if given is None else tuple(_column(field) for field in given)


def find_output(documents: pa.Schema, columns: Sequence[str], own: pa.Schema) -> pa.Schema:
    """What some columns of documents are written as: with the names and types that they were given with, unless a name
    is that of another column among them. `own` are the fields as they are stored."""
    given = read_given(documents)
    if given is None:
        return own
    known = {_column(field): field for field in given}
    fields, taken = [], set(columns)
    for name in columns:
        field = known.get(name)
        if field is None or (field.name != name and field.name in taken):
            fields.append(own.field(name))
        else:
            taken.add(field.name)
            mark = {key: value for key, value in field.metadata.items() if key == JSON}
            fields.append(field.with_metadata(mark or None))
    whole = tuple(columns) == tuple(map(_column, given))
    noted = {key: value for key, value in (given.metadata or {}).items() if key != USUAL_TOO}
    return pa.schema(fields, noted if whole and noted else None)


def _column(field: pa.Field) -> str:
    name: str = field.metadata[COLUMN].decode()
    return name


def give_back(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows with the names and types of a schema."""
    columns = [_cast(column, field.type) for column, field in zip(rows.columns, schema, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if column.type == kind:
        return column
    if isinstance(kind, pa.BaseExtensionType):
        inner = _cast(column, kind.storage_type)
        return pa.chunked_array([pa.ExtensionArray.from_storage(kind, part) for part in inner.chunks], kind)
    if pa.types.is_dictionary(kind):
        return pa.chunked_array(
            [part.cast(kind.value_type).dictionary_encode().cast(kind) for part in column.chunks], kind
        )
    if pa.types.is_binary(kind):
        column = column.cast(pa.large_binary())
    return column.cast(kind)


def list_rows(rows: pa.Table) -> list[dict[str, object]]:
    """Rows for Python. Times of nanoseconds, which it does not have, are texts."""
    for number, field in enumerate(rows.schema):
        if _has_nanoseconds(field.type):
            kind = _without_nanoseconds(field.type)
            rows = rows.set_column(number, field.name, rows.column(number).cast(kind, safe=False))
    listed: list[dict[str, object]] = rows.to_pylist()
    return listed


def _has_nanoseconds(kind: pa.DataType) -> bool:
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind) or pa.types.is_duration(kind):
        return bool(kind.unit == "ns")
    return any(_has_nanoseconds(kind.field(number).type) for number in range(kind.num_fields))


def _without_nanoseconds(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return pa.string() if kind.unit == "ns" else kind
    if pa.types.is_duration(kind):
        return pa.duration("us")
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_without_nanoseconds(field.type)) for field in kind])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_without_nanoseconds(kind.value_type))
    return kind
