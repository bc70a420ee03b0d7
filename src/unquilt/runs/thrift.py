"""Thrift's compact protocol, as far as footers of Parquet files use it: read into plain values, and written again.

A struct is a dict from the number of a field to its type and value. What was read and is written again has the same
bytes, as there is one way to write a value.
"""

from __future__ import annotations

from typing import Any

TRUE, FALSE, BYTE, SHORT, INT, LONG, DOUBLE, BINARY, LIST, SET, _MAP, STRUCT = range(1, 13)
Struct = dict[int, tuple[int, Any]]
_WHOLE = (SHORT, INT, LONG)
_LISTS = (LIST, SET)


class Elements(list[Any]):
    """The elements of a list, which all have one type."""

    def __init__(self, of: int, values: list[Any]) -> None:
        super().__init__(values)
        self.of = of


def read_struct(data: bytes) -> Struct:
    """A struct and all that is in it. IndexError or ValueError if it is none."""
    return _Reader(data).struct()


def write_struct(struct: Struct) -> bytes:
    out = bytearray()
    _write(out, STRUCT, struct)
    return bytes(out)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def struct(self) -> Struct:
        found: Struct = {}
        field = 0
        while head := self._byte():
            delta, kind = head >> 4, head & 15
            field = field + delta if delta else self._whole()
            found[field] = (kind, self._value(kind))
        return found

    def _value(self, kind: int) -> Any:
        if kind in (TRUE, FALSE):  # the type says it
            return None
        if kind in _WHOLE:
            return self._whole()
        if kind == BINARY:
            return self._bytes(self._varint())
        if kind in _LISTS:
            head = self._byte()
            size = head >> 4 if head < 0xF0 else self._varint()
            of = head & 15
            return Elements(of, [self._byte() if of in (TRUE, FALSE) else self._value(of) for _ in range(size)])
        if kind == STRUCT:
            return self.struct()
        if kind == BYTE:
            return self._byte()
        if kind == DOUBLE:
            return self._bytes(8)
        raise ValueError(f"a footer of Parquet has no type {kind}")

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def _whole(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)


def _write(out: bytearray, kind: int, value: Any) -> None:
    if kind in _WHOLE:
        _write_whole(out, value)
    elif kind == BINARY:
        _write_varint(out, len(value))
        out += value
    elif kind in _LISTS:
        out.append(min(len(value), 15) << 4 | value.of)
        if len(value) >= 15:
            _write_varint(out, len(value))
        for each in value:
            _write(out, BYTE if value.of in (TRUE, FALSE) else value.of, each)
    elif kind == STRUCT:
        before = 0
        for field, (type_, content) in value.items():
            if 0 < field - before < 16:
                out.append(field - before << 4 | type_)
            else:
                out.append(type_)
                _write_whole(out, field)
            before = field
            _write(out, type_, content)
        out.append(0)
    elif kind == BYTE:
        out.append(value)
    elif kind == DOUBLE:
        out += value


def _write_whole(out: bytearray, value: int) -> None:
    _write_varint(out, value << 1 if value >= 0 else (-value << 1) - 1)


def _write_varint(out: bytearray, value: int) -> None:
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
