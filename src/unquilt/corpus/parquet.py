"""Parquet: a row is a document.

The footer is read when the file is cut, so a file without one, or without the column of the texts, ends the run before
it begins. Row groups are the units of cutting; within one, rows come in batches of about 8 MiB.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from unquilt.corpus.options import MIB, Fields, Reading
from unquilt.corpus.records import Found, Page, Reject, identify, string, too_large, undecodable
from unquilt.corpus.sources import SMALLEST, Glimpse, Slice, Source
from unquilt.errors import InputError

SUFFIXES = (".parquet",)
MAGIC = b"PAR1"
BATCH_BYTES = 8 * MIB
BATCH_ROWS = 8192

_TEXT_TYPES = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_null,
)


def recognise(glimpse: Glimpse) -> bool:
    """By its magic bytes: at the beginning, where they hold nothing and may be broken, or at the end, behind the length
    of a footer that fits. Parquet compresses by itself, one inside gzip is not read.
    """
    if glimpse.compression is not None:
        return False
    footer = int.from_bytes(glimpse.tail[:4], "little")
    ends = glimpse.tail[4:] == MAGIC and 0 < footer <= glimpse.size - len(MAGIC) - len(glimpse.tail)
    return ends or glimpse.head.startswith(MAGIC)


def cut(source: Source, reading: Reading, size: int) -> list[Slice]:
    """Runs of row groups of about `size` uncompressed bytes. Reads the footer; `InputError` if it is of no use."""
    with _open(source, reading.fields) as file:
        groups = [file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups)]
    slices: list[Slice] = []
    begin = weight = 0
    for i, group in enumerate(groups):
        if weight and weight + group > size:
            slices.append(Slice(source, begin, i, max(weight, SMALLEST)))
            begin, weight = i, 0
        weight += group
    if begin < len(groups):
        slices.append(Slice(source, begin, len(groups), max(weight, SMALLEST)))
    return slices


def read(part: Slice, reading: Reading) -> Iterator[Found]:
    """The rows of the slice's row groups. A row group that cannot be decoded is given up from there, not the file."""
    name = part.source.name
    with _open(part.source, reading.fields) as file:
        rows = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
        row = sum(rows[: part.begin])
        for group in range(part.begin, len(rows) if part.end is None else part.end):
            first, row = row, row + rows[group]
            done = first
            try:
                for record in _rows(file, group, first, reading, name):
                    yield record
                    done = record.offset + 1
            except (pa.ArrowException, OSError) as error:
                lost = f"{row - done} rows lost in row group {group}: {_one_line(error)}"
                yield Reject(name, done, "corrupt parquet", lost)


@contextmanager
def _open(source: Source, fields: Fields) -> Iterator[pq.ParquetFile]:
    try:
        disk = pa.OSFile(os.fsencode(source.path))
    except OSError as error:
        raise InputError(f"{source.name}: {(error.strerror or str(error)).lower()}") from error
    with disk:
        source.check_size(disk.size())
        try:
            file = pq.ParquetFile(disk, pre_buffer=False)
            schema = file.schema_arrow
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{source.name}: not a complete Parquet file: {_one_line(error)}") from error
        _check_columns(source, schema, fields)
        yield file


def _check_columns(source: Source, schema: pa.Schema, fields: Fields) -> None:
    columns = [field for _, field in fields.contents if field in schema.names]
    if not columns:
        has, wanted = ", ".join(schema.names[:20]), " or ".join(ascii(field) for _, field in fields.contents)
        raise InputError(f"{source.name}: no column {wanted} (it has {has}); name it with --field text=COLUMN")
    for column in columns:
        if schema.names.count(column) > 1:
            count = schema.names.count(column)
            raise InputError(f"{source.name}: {count} columns are called {column!a}; rename all but one")
        kind = schema.field(column).type
        if not _is_text(kind):
            raise InputError(f"{source.name}: column {column!a} is {kind}, not a string")


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return any(test(kind) for test in _TEXT_TYPES)


def _is_binary(kind: pa.DataType) -> bool:
    return any((pa.types.is_binary(kind), pa.types.is_large_binary(kind), pa.types.is_binary_view(kind)))


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def _rows(file: pq.ParquetFile, group: int, first: int, reading: Reading, name: str) -> Iterator[Page | Reject]:
    fields = reading.fields
    wanted = (fields.id, fields.url, fields.ip, *(field for _, field in fields.contents))
    columns = [column for column in dict.fromkeys(wanted) if column in file.schema_arrow.names]
    raw = {column for column in columns if _is_binary(file.schema_arrow.field(column).type)}
    statistics = file.metadata.row_group(group)
    size = max(1, min(BATCH_ROWS, BATCH_BYTES * statistics.num_rows // max(statistics.total_byte_size, 1)))
    for batch in file.iter_batches(size, row_groups=[group], columns=columns, use_threads=False):
        for row, values in enumerate(zip(*(_values(batch, column) for column in wanted), strict=True), first):
            yield _page(values, row, raw, reading, name)
        first += batch.num_rows


def _values(batch: pa.RecordBatch, column: str) -> list[Any]:
    """A column as Python values: strings as bytes (Parquet does not promise that they are UTF-8), numbers, or None."""
    if column not in batch.schema.names:
        return [None] * batch.num_rows
    values = batch.column(column)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if _is_text(values.type):
        return list(values.cast(pa.large_binary()).to_pylist())
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        return list(values.to_pylist())
    return [None] * batch.num_rows


def _page(values: Sequence[Any], row: int, raw: Set[str], reading: Reading, name: str) -> Page | Reject:
    """The page of a row. HTML in one of the `raw` columns is bytes as a crawler got them; a string is UTF-8."""
    fields = reading.fields
    contents = zip(fields.contents, values[3:], strict=True)
    found = next(((media, field, value) for (media, field), value in contents if value is not None), None)
    if found is None:
        return Reject(name, row, "no text", f"column {fields.text!a} is null")
    media, field, content = found
    if len(content) > reading.limits.max_bytes:
        return too_large(media, reading.limits.max_bytes, name, row)
    try:
        ident, url, ip = (str(value, "utf-8") if isinstance(value, bytes) else value for value in values[:3])
        text = content if media == "html" and field in raw else str(content, "utf-8")
    except UnicodeDecodeError as error:
        return undecodable(error, name, row)
    return Page(name, row, identify(ident, name, row), string(url), string(ip), media, text)
