"""Parquet: a row is a document.

The footer is read when the file is cut, so a file without one, or without the column of the texts, ends the run before
it begins. Files are cut between row groups. Within a row group, each column is decoded by itself, as many rows at a
time as surely take less than 64 MiB, and at least one (see `column_pages`). A dictionary makes that necessary: 10,000
rows may be 5 pages and 10,000 indices.

Every row that the footer promises becomes a page or a reject. Pages of the file that have a checksum are compared with
it. If a row cannot be decoded, it and all that follow in its row group become rejects.

Memory: what is decoded at once, and of each column one page of the file, compressed and not, and one dictionary; both
are as large as the writer of the file made them (of most, 1 MiB).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain, repeat
from operator import methodcaller
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unquilt.corpus.given import find_stored_type, list_parts
from unquilt.corpus.options import MIB, NONE, Fields, Reading, advise_field, list_names
from unquilt.corpus.readers import column_pages
from unquilt.corpus.readers.column_pages import Extent
from unquilt.corpus.records import Found, GivenRow, Page, Reject, identify, string, too_large, undecodable
from unquilt.corpus.sources import SMALLEST, Glimpse, Slice, Source
from unquilt.errors import Advice, InputError
from unquilt.remote.copies import PartialCopy
from unquilt.remote.names import is_url

SUFFIXES = (".parquet",)
MAGIC = b"PAR1"
AT_ONCE_BYTES = 64 * MIB
_END = 4 + len(MAGIC)
"""Behind the footer: its length, and what the file ends with."""
_FOOTER = 1 << 16
"""How many bytes at the end of a file at a store are fetched at first: most footers are smaller."""
AT_ONCE_ROWS = 64
"""Rows to decode at once. Each call of the decoder has a fixed cost; with more rows a call it is hardly less a row."""
AT_ONCE_INDICES = 8192
"""Rows to decode at once of a column that stays indices into a dictionary, which comes along each time."""
SINGLY = 1 << 17
"""If a row group breaks off, its rows are decoded again one by one, so that no intact one is lost; but only if
it broke off within this many rows, as that costs time."""

BELIEVED, BELIEVED_A_BYTE = 1 << 20, 64
"""How many rows a footer may claim: so many, and so many more for each byte of the file. The format has no limit, as
equal rows take next to no room; but each row becomes a document or a reject, and a footer of 2^60 rows is damaged."""

_TEXT_TYPES = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_null,
)


class _DamagedError(Exception):
    """Why a row group cannot be decoded; never leaves this module."""


class _Large:
    """Stands for a value over the limit, which never becomes a Python object."""


LARGE = _Large()


class _RowGroup(NamedTuple):
    """A row group: its number, and the numbers of its rows in the file, half-open."""

    group: int
    begin: int
    end: int


class _ReadColumn(NamedTuple):
    """A column that is read: its name, its number in the file, and what its values are."""

    name: str
    number: int
    is_text: bool
    is_binary: bool
    is_dictionary: bool


class _File(NamedTuple):
    """An open file, and the columns of it that are read, by name; the columns that are kept beside documents, and the
    schema of all that is given."""

    disk: pa.NativeFile
    parquet: pq.ParquetFile
    columns: dict[str, _ReadColumn]
    beside: list[str]
    given: pa.Schema
    copy: PartialCopy | None = None
    """Of a file at a store: what was fetched of it, which is what the others read."""

    def fetch(self, rows: _RowGroup) -> None:
        """Fetch the columns that are read of a row group, if the file is at a store."""
        if self.copy is None:
            return
        group, wanted = self.parquet.metadata.row_group(rows.group), {*self.columns, *self.beside}
        for number in range(group.num_columns):
            column = group.column(number)
            if column.path_in_schema.partition(".")[0] in wanted:
                begins = (column.data_page_offset, column.dictionary_page_offset)
                begin = min(begin for begin in begins if begin)
                self.copy.fetch(begin, begin + max(0, column.total_compressed_size))


def recognise(glimpse: Glimpse) -> bool:
    """By its magic bytes at the end, behind the length of a footer that fits; or at the beginning, which may be broken,
    since nothing there is needed. Parquet compresses by itself, so a Parquet file inside gzip is not read.
    """
    if glimpse.compression is not None:
        return False
    footer = int.from_bytes(glimpse.tail[:4], "little")
    ends = glimpse.tail[4:] == MAGIC and 0 < footer <= glimpse.size - len(MAGIC) - len(glimpse.tail)
    return ends or glimpse.head.startswith(MAGIC)


def cut(source: Source, reading: Reading, size: int) -> list[Slice]:
    """Neighbouring row groups of about `size` uncompressed bytes together. Reads the footer; `InputError` if it is
    damaged."""
    with _open(source, reading) as file:
        metadata = file.parquet.metadata
        groups = [max(0, metadata.row_group(i).total_byte_size) for i in range(metadata.num_row_groups)]
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


def read_given_schema(source: Source, reading: Reading) -> pa.Schema:
    """The columns of a file that documents are given with."""
    with _open(source, reading) as file:
        return file.given


def read(part: Slice, reading: Reading) -> Iterator[Found]:
    """The rows of the slice's row groups, a page or a reject each: as many as the footer says."""
    with _open(part.source, reading) as file:
        for rows in _row_groups(file, part):
            yield from _read_group(file, rows, reading, part.source.name)


def skip(part: Slice, reading: Reading, offset: int, detail: str, reason: str = "crashed") -> Iterator[Found]:
    """What `read` yields from row `offset` on, without decoding the row group that it lies in: the rest of that one
    becomes rejects. For a row group that ends the process that decodes it.
    """
    with _open(part.source, reading) as file:
        groups = [rows for rows in _row_groups(file, part) if rows.end > offset]
        for rows in groups[:1]:
            yield from _lost(part.source.name, rows, max(offset, rows.begin), reason, detail)
        for rows in groups[1:]:
            yield from _read_group(file, rows, reading, part.source.name)


def _row_groups(file: _File, part: Slice) -> Iterator[_RowGroup]:
    metadata = file.parquet.metadata
    begin = 0
    for group in range(metadata.num_row_groups if part.end is None else part.end):
        end = begin + metadata.row_group(group).num_rows
        if group >= part.begin and end > begin:
            yield _RowGroup(group, begin, end)
        begin = end


@contextmanager
def _open(source: Source, reading: Reading) -> Iterator[_File]:
    with ExitStack() as stack:
        copy = stack.enter_context(PartialCopy(source.path)) if is_url(source.path) else None
        if copy is not None:
            _fetch_footer(copy)
        try:
            disk = stack.enter_context(pa.OSFile(os.fsencode(copy.path if copy else source.path)))
        except OSError as error:
            raise InputError(f"{source.name}: {(error.strerror or str(error)).lower()}") from error
        source.check_size(disk.size())
        try:
            file = pq.ParquetFile(disk, pre_buffer=False, page_checksum_verification=True)
            columns = _columns(source.name, file.schema, file.schema_arrow, reading.fields)
            beside, given = find_given(source.name, file.schema_arrow, reading)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last for the name of a column
            raise InputError(f"{source.name}: not a complete Parquet file: {_one_line(error)}") from error
        _check_rows(source, file.metadata)
        yield _File(disk, file, columns, beside, given, copy)


def _fetch_footer(copy: PartialCopy) -> None:
    copy.fetch(copy.size - _FOOTER, copy.size)
    with copy.path.open("rb") as file:
        file.seek(max(0, copy.size - _END))
        length = int.from_bytes(file.read(4), "little") + _END
    if _FOOTER < length <= copy.size:
        copy.fetch(copy.size - length, copy.size - _FOOTER)


def _check_rows(source: Source, metadata: pq.FileMetaData) -> None:
    """The footer must agree with itself on the number of rows, and not claim more than anybody wrote."""
    groups = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    if metadata.num_rows != sum(groups) or any(rows < 0 for rows in groups):
        raise InputError(f"{source.name}: damaged: its footer contradicts itself on the number of rows")
    if metadata.num_rows > BELIEVED + BELIEVED_A_BYTE * source.size:
        claim = f"{metadata.num_rows} rows in {source.size} bytes"
        raise InputError(f"{source.name}: damaged: its footer claims {claim}; write it in smaller files if that is so")


def choose_columns(name: str, schema: pa.Schema, fields: Fields) -> list[int]:
    """The numbers of the columns to read of a table; `InputError` if there is no column of texts, or not just one.

    Columns of ids, URLs and addresses that are neither texts nor numbers are not read.
    """
    contents = dict.fromkeys(field for _, field in fields.contents)
    wanted = {*contents, fields.id, fields.url, fields.ip}
    numbers = {column: i for i, column in enumerate(schema.names) if column in wanted}
    if not any(column in numbers for column in contents):
        missing = " or ".join(ascii(column) for column in contents)
        texts = [each.name for each in schema if is_text(each.type) and each.name not in (fields.id, fields.url)]
        advice = advise_field(texts[0] if len(texts) == 1 else "COLUMN")
        raise InputError(f"{name}: no column {missing}; it has {list_names(schema.names) or 'none'}", advice=advice)
    for column in numbers:
        count = schema.names.count(column)
        if count > 1:
            raise InputError(f"{name}: {count} columns are called {column!a}; rename all but one")
    for column in contents:
        kind = schema.field(numbers[column]).type if column in numbers else pa.null()
        if not is_text(kind):
            raise InputError(f"{name}: column {column!a} is {_one_line(kind)}, not a string")
    return [i for i in sorted(numbers.values()) if is_text(schema.field(i).type) or _is_number(schema.field(i).type)]


def find_given(name: str, schema: pa.Schema, reading: Reading) -> tuple[list[str], pa.Schema]:
    """The columns of a table that are kept beside documents, and the schema of all that are given, in order; a column
    that the text was read from is not kept a second time, and is called as text is."""
    fields, parts = reading.fields, list_parts(reading.fields)
    if reading.carry == NONE:
        return [], pa.schema([])
    given, beside = [], []
    named = {field.name: field for field in schema}  # a look-up in the schema goes through all columns
    for field in schema:
        if field.name == fields.html and fields.text not in named:
            given.append(field.with_name(fields.text))
            continue
        if field.name in parts or reading.carries(field.name):
            given.append(field)
            beside += [] if field.name == fields.text else [field.name]
    counts = Counter(schema.names)
    for column in beside:
        if counts[column] == 1 and find_stored_type(kind := named[column].type) is None:
            raise InputError(
                f"{name}: column {column!a} is {_one_line(kind)}, which cannot be kept",
                advice=Advice("say which columns to keep: carry='A,B'", "say which columns to keep: --carry A,B"),
            )
        if counts[column] > 1:
            raise InputError(f"{name}: {counts[column]} columns are called {column!a}; rename all but one")
    return beside, pa.schema(given, {key: each for key, each in (schema.metadata or {}).items() if key != b"pandas"})


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds strings or bytes, itself or in a dictionary."""
    return any(test(_value_type(kind)) for test in _TEXT_TYPES)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(_value_type(kind)) or pa.types.is_floating(_value_type(kind)))


def is_binary(kind: pa.DataType) -> bool:
    """Whether it holds bytes, which need not be UTF-8."""
    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view)
    return any(test(_value_type(kind)) for test in tests)


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _columns(name: str, parquet: pq.ParquetSchema, schema: pa.Schema, fields: Fields) -> dict[str, _ReadColumn]:
    leaves = {parquet.column(i).path: i for i in range(len(parquet))}
    found = [schema.field(i) for i in choose_columns(name, schema, fields)]
    return {
        each.name: _ReadColumn(
            each.name,
            leaves[each.name],
            is_text=is_text(each.type),
            is_binary=is_binary(each.type),
            is_dictionary=pa.types.is_dictionary(each.type),
        )
        for each in found
    }


def _one_line(what: object) -> str:
    return " ".join(str(what).split())[:200]


def _read_group(file: _File, rows: _RowGroup, reading: Reading, name: str) -> Iterator[Page | Reject]:
    """The rows of a row group; the first that cannot be decoded and all behind it are rejects.

    Rows are decoded several at a time. If that fails, those before the broken page of the file are decoded one by one,
    so that none is lost; rows of the broken page are not trusted, even if they could be decoded.
    """
    file.fetch(rows)
    done = rows.begin
    extents: dict[str, Extent] = {}
    fault = _Breakage()
    with fault:
        extents |= {column.name: _measure(file, rows, column) for column in file.columns.values()}
        extents |= _measure_beside(file, rows)
        for record in _pages(file, rows, extents, reading, name):
            box, behind = [record], record.offset + 1
            del record  # it may be large
            yield box.pop()
            done = behind
    intact = rows.begin + min((extent.loaded(done - rows.begin) for extent in extents.values()), default=0)
    if done < intact < rows.end and done - rows.begin < SINGLY:
        with _Breakage():
            singly = _RowGroup(rows.group, rows.begin, intact)
            for record in _pages(file, singly, {}, reading, name):
                if record.offset >= done:
                    yield record
                    done = record.offset + 1
    yield from _lost(name, rows, done, fault.reason, fault.why)


class _Breakage:
    """A `with` block in which a row group is decoded: it notes what is wrong with the row group, and raises all
    else."""

    reason, why = "corrupt parquet", "its pages have fewer rows than the footer says"

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> bool:
        if isinstance(error, OSError) and error.errno:  # of the disk, not of what is on it
            return False
        if isinstance(error, MemoryError):
            self.reason = "out of memory"
        elif not isinstance(error, pa.ArrowException | OSError | UnicodeDecodeError | _DamagedError):
            return False
        self.why = _one_line(error)
        return True


def _lost(name: str, rows: _RowGroup, done: int, reason: str, why: str) -> Iterator[Reject]:
    detail = f"row group {rows.group} was given up at row {done}: {why}"
    return (Reject(name, row, reason, detail) for row in range(done, rows.end))


def _measure(file: _File, rows: _RowGroup, column: _ReadColumn) -> Extent:
    """The extent of a column of a row group. Raises if its pages have more or fewer rows than the footer says: a page
    that has lost a row would give all rows behind it the ids of others.
    """
    # A footer that contradicts itself raises here. Without this, Arrow would end the process in the next line.
    next(_batches(file, rows, column, 1), None)
    extent = column_pages.measure_extent(file.disk, file.parquet.metadata.row_group(rows.group).column(column.number))
    _check_extent(column.name, extent, rows)
    return extent


def _check_extent(name: str, extent: Extent, rows: _RowGroup) -> None:
    """Raise if the pages of a column have more or fewer rows than the footer says."""
    if extent.complete and extent.rows != rows.end - rows.begin:
        promised = rows.end - rows.begin
        raise _DamagedError(f"column {name!a} has pages for {extent.rows} rows, the footer says {promised}")


def _batches(file: _File, rows: _RowGroup, column: _ReadColumn, count: int) -> Iterator[pa.Array]:
    """A column of a row group, `count` rows at a time. None is held while the next is decoded."""
    groups, columns = [rows.group], [column.name]
    batches = file.parquet.iter_batches(count, row_groups=groups, columns=columns, use_threads=False)
    return map(methodcaller("column", column.name), batches)


def _pages(
    file: _File, rows: _RowGroup, extents: Mapping[str, Extent], reading: Reading, name: str
) -> Iterator[Page | Reject]:
    """The rows of a row group, as far as they can be decoded; one by one, if there are no extents."""
    fields = reading.fields
    columns = [file.columns.get(field) for field in (fields.id, fields.url, fields.ip, *dict(fields.contents).values())]
    values = [
        repeat(None)
        if column is None
        else _values(column, _batches(file, rows, column, _at_once(extents.get(column.name), column)), reading)
        for column in columns
    ]
    beside = _rows_beside(file, rows, extents) if file.given.names else repeat(None)
    each: Any
    for row, each, given in zip(range(rows.begin, rows.end), zip(*values, strict=False), beside, strict=False):
        found = _page(each, row, columns, reading, name)
        each = None  # it may be large
        box = [found if isinstance(found, Reject) else found._replace(given=given)]
        del found
        yield box.pop()


def _measure_beside(file: _File, rows: _RowGroup) -> dict[str, Extent]:
    """The extents of the columns that are kept beside documents, by their paths."""
    group, beside = file.parquet.metadata.row_group(rows.group), set(file.beside)
    found = {}
    for number in range(group.num_columns):
        column = group.column(number)
        if column.path_in_schema.partition(".")[0] in beside and column.path_in_schema not in file.columns:
            extent = column_pages.measure_extent(file.disk, column)
            if file.parquet.schema.column(number).max_repetition_level == 0:  # else there are more values than rows
                _check_extent(column.path_in_schema, extent, rows)
            found[column.path_in_schema] = extent
    return found


def _rows_beside(file: _File, rows: _RowGroup, extents: Mapping[str, Extent]) -> Iterator[GivenRow]:
    """The columns of rows that are kept beside documents, as many rows at a time as surely take little."""
    if not file.beside:
        nothing = pa.RecordBatch.from_arrays([pa.nulls(1)], names=[""])
        return repeat(GivenRow(nothing, 0, file.given))
    known = [extent for name, extent in extents.items() if name.partition(".")[0] in file.beside]
    count = AT_ONCE_ROWS if known and all(extent.complete for extent in known) else 1
    while count > 1 and sum(extent.size(count, as_dictionary=False) for extent in known) > AT_ONCE_BYTES:
        count //= 2
    # A reader of its own: all batches of one reader have the size that was asked for last.
    own = pq.ParquetFile(file.disk, metadata=file.parquet.metadata, pre_buffer=False, page_checksum_verification=True)
    batches = own.iter_batches(count, row_groups=[rows.group], columns=file.beside, use_threads=False)
    return (
        GivenRow(batch, row, file.given)
        for batch in map(partial(_decoded, names=file.beside), batches)
        for row in range(batch.num_rows)
    )


def _decoded(batch: pa.RecordBatch, names: Sequence[str]) -> pa.RecordBatch:
    """Columns without dictionaries and views, which differ from batch to batch."""
    columns = []
    for name in names:
        column = batch.column(name)
        kind = find_stored_type(column.type)
        column = column.storage if isinstance(column, pa.ExtensionArray) else column
        columns.append(column if kind is None or kind == column.type else column.cast(kind))
    return pa.RecordBatch.from_arrays(columns, names=list(names))


def _at_once(extent: Extent | None, column: _ReadColumn) -> int:
    """How many rows of a column to decode at once: halved until they are surely not too large. Numbers never are."""
    if extent is None or not extent.complete:
        return 1
    count = AT_ONCE_INDICES if column.is_dictionary else AT_ONCE_ROWS
    while count > 1 and column.is_text and extent.size(count, as_dictionary=column.is_dictionary) > AT_ONCE_BYTES:
        count //= 2
    return count


def _values(column: _ReadColumn, batches: Iterable[pa.Array], reading: Reading) -> Iterator[Any]:
    """A column's values: strings as bytes (Parquet does not promise that they are UTF-8), numbers, None; `LARGE` for a
    string over the limit.
    """
    most = reading.limits.max_bytes
    if not column.is_text:
        return chain.from_iterable(map(methodcaller("to_pylist"), batches))
    listed = _looked_up if column.is_dictionary else _listed
    return chain.from_iterable(map(partial(listed, most=most), batches))  # which holds none of them


def _looked_up(array: pa.DictionaryArray, most: int) -> Iterator[bytes | _Large | None]:
    """The values that indices stand for, some at a time."""
    dictionary = array.dictionary.cast(pa.large_binary())
    largest = pc.max(pc.binary_length(dictionary)).as_py() or 0
    count = max(1, min(AT_ONCE_ROWS, AT_ONCE_BYTES // (largest + 1)))
    for begin in range(0, len(array), count):
        yield from _listed(dictionary.take(array.indices.slice(begin, count)), most)


def _listed(array: pa.Array, most: int) -> list[bytes | _Large | None]:
    values = array.cast(pa.large_binary())
    lengths = pc.binary_length(values)
    if (pc.max(lengths).as_py() or 0) <= most:
        return list(values.to_pylist())
    return [
        LARGE if (size or 0) > most else value.as_py() for size, value in zip(lengths.to_pylist(), values, strict=True)
    ]


def _page(
    values: Sequence[Any], row: int, columns: Sequence[_ReadColumn | None], reading: Reading, name: str
) -> Page | Reject:
    """The page of a row. Strings are UTF-8; HTML in a column of bytes may be in any charset."""
    fields, most = reading.fields, reading.limits.max_bytes
    contents = zip(fields.contents, columns[3:], values[3:], strict=True)
    found = next(((media, column, value) for (media, _), column, value in contents if value is not None), None)
    if found is None:
        return Reject(name, row, "no text", f"column {fields.text!a} is null")
    media, column, content = found
    if content is LARGE:
        return too_large(media, most, name, row)
    for what, value in zip(("id", "url", "ip"), values[:3], strict=True):
        if value is LARGE:
            return too_large(what, most, name, row)
    try:
        ident, url, ip = (str(value, "utf-8") if isinstance(value, bytes) else value for value in values[:3])
        as_found = media == "html" and column is not None and column.is_binary
        text = content if as_found else str(content, "utf-8")
    except UnicodeDecodeError as error:
        return undecodable(error, name, row)
    return Page(name, row, identify(ident, name, row), string(url), string(ip), media, text)
