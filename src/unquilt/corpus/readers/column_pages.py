"""How large the values of a Parquet column become, told by the headers of its pages before any of them is decoded.

A column of a row group is a sequence of pages. The header of a page says how many values it has, how they are encoded,
and how many bytes they take before compression. Decoded, they may take far more: an index into a dictionary has a few
bits, whatever it stands for, and DELTA_BYTE_ARRAY repeats the beginning of the value before. But no value is larger
than the page that spells it out; this bound is enough to choose how many rows to decode at once. The decoder goes by
these headers as well, so they can be relied on; the footer cannot.

A header is a struct in Thrift's compact protocol: some 30 bytes, more if it has statistics. Nothing else is read here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
_BY_INDEX = (2, 8)  # PLAIN_DICTIONARY, RLE_DICTIONARY
_DELTA_BYTE_ARRAY = 7
_FIRST_LOOK, _LONGEST_HEADER = 1 << 8, 1 << 24  # bytes; Arrow reads no longer header either
_DEEPEST = 16
_MOST_PAGES = 1 << 16
"""A column of more pages is not measured, as if its headers could not be read: no writer makes pages that small."""


@dataclass
class Extent:
    """What is known of a column of a row group: where its pages begin, and what its values can become.

    `begins` are the numbers of the rows that pages begin with, from 0, and behind them the number of all rows.
    `complete` is False if the pages could not be followed to the end. The others are bytes: of the largest page whose
    values are spelt out (`plain`), of the largest dictionary (`indexed`), and of the largest page whose values share
    beginnings (`prefixed`). A value of the last two kinds may occur any number of times.
    """

    begins: list[int] = field(default_factory=lambda: [0])
    complete: bool = False
    plain: int = 0
    indexed: int = 0
    prefixed: int = 0

    @property
    def rows(self) -> int:
        return self.begins[-1]

    def loaded(self, row: int) -> int:
        """Up to which row pages were decoded, if the rows before `row` were."""
        return self.begins[bisect_left(self.begins, row, hi=len(self.begins) - 1)]

    def size(self, count: int, *, as_dictionary: bool) -> int:
        """How many bytes `count` consecutive rows take at most; `as_dictionary` if indices are left as they are."""
        within_two = all(end - begin >= count for begin, end in pairwise(self.begins[:-1]))
        pages = min(count, 2) if within_two else count
        return pages * self.plain + count * (self.prefixed + (0 if as_dictionary else self.indexed))


def measure_extent(file: pa.NativeFile, column: pq.ColumnChunkMetaData) -> Extent:
    """The extent of a column of a row group, as far as its pages can be followed."""
    extent = Extent()
    dictionary = 0
    try:
        for header in _headers(file, column):
            if header[1] == _DICTIONARY:
                dictionary = header[2]
            elif header[1] == _DATA:
                _add(extent, header[2], dictionary, rows=header[5][1], encoding=header[5][2])
            elif header[1] == _DATA_V2:
                _add(extent, header[2], dictionary, rows=header[8][3], encoding=header[8][4])
            if len(extent.begins) > _MOST_PAGES:
                return extent
    except (KeyError, TypeError, IndexError, ValueError, OSError):
        return extent
    extent.complete = True
    return extent


def _add(extent: Extent, size: int, dictionary: int, *, rows: int, encoding: int) -> None:
    if rows < 0:
        raise ValueError("a page cannot have a negative number of rows")
    if encoding in _BY_INDEX:
        extent.indexed = dictionary
    elif encoding == _DELTA_BYTE_ARRAY:
        extent.prefixed = max(extent.prefixed, size)
    else:
        extent.plain = max(extent.plain, size)
    extent.begins.append(extent.begins[-1] + rows)


def _headers(file: pa.NativeFile, column: pq.ColumnChunkMetaData) -> Iterator[dict[int, Any]]:
    """The headers of a column's pages, by the numbers of their fields. Raises what parsing nonsense raises."""
    starts = [column.data_page_offset, column.dictionary_page_offset if column.has_dictionary_page else None]
    at = min(start for start in starts if start)
    end = at + column.total_compressed_size
    while at < end:
        header, length = _header(file, at, end)
        if header[2] < 0 or header[3] < 0:
            raise ValueError("a page of a negative size")
        yield header
        at += length + header[3]


def _header(file: pa.NativeFile, at: int, end: int) -> tuple[dict[int, Any], int]:
    look = _FIRST_LOOK
    while True:
        file.seek(at)
        data = file.read(min(look, end - at))
        try:
            return _struct(data, 0, _DEEPEST)
        except IndexError:
            if look >= min(_LONGEST_HEADER, end - at):
                raise
        look *= 16


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """The struct that begins at this byte, by the numbers of its fields, and where it ends. Raises `IndexError` if it
    goes on behind the data."""
    fields: dict[int, Any] = {}
    number = 0
    while data[at]:
        step, kind = data[at] >> 4, data[at] & 15
        at += 1
        if step:
            number += step
        else:
            number, at = _integer(data, at)
        if kind in (1, 2):  # a truth value: the type is the value
            fields[number] = kind == 1
        else:
            fields[number], at = _value(data, at, kind, depth)
    return fields, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if not depth:
        raise ValueError("nested too deeply")
    if kind in (4, 5, 6):
        return _integer(data, at)
    if kind == 12:
        return _struct(data, at, depth - 1)
    if kind in (1, 2, 3, 7):  # a truth value in a list, a byte, a double
        return None, _within(data, at + (8 if kind == 7 else 1))
    if kind == 8:
        length, at = _varint(data, at)
        return None, _within(data, at + length)
    if kind in (9, 10):
        return None, _pass_list(data, at, depth)
    raise ValueError(f"no type {kind} in page headers")


def _pass_list(data: bytes, at: int, depth: int) -> int:
    count, kind = data[at] >> 4, data[at] & 15
    at += 1
    if count == 15:
        count, at = _varint(data, at)
    for _ in range(count):
        _, at = _value(data, at, kind, depth - 1)
    return at


def _within(data: bytes, at: int) -> int:
    if at > len(data):
        raise IndexError
    return at


def _integer(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")
