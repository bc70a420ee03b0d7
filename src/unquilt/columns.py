"""Between Arrow's columns and the core, which takes and gives plain buffers.

The core has no Arrow crate, which would be its largest dependency: the functions here pass buffers instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt import _native
from unquilt.flow.kernels import Fields


def buffers(column: pa.Array | pa.ChunkedArray) -> tuple[str, int, Any, Any, Any]:
    """A column as the core takes it: lists of strings as lines, lists of hashes or of spans as their bytes. Copies only
    what has to be cast or is a slice."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_list(array.type):
        array = pc.binary_join(array, "\n") if pa.types.is_string(array.type.value_type) else _join_values(array)
    number = pa.types.is_integer(array.type) or pa.types.is_boolean(array.type)
    target = pa.int64() if number else _wide(array.type)
    if array.type != target:
        array = pc.cast(array, target)
    if array.offset:
        array = pa.concat_arrays([pa.array([], target), array])
    if number:
        return "number", len(array), array.buffers()[1], None, None
    validity, offsets, data = array.buffers()
    return "bytes", len(array), data, offsets, validity if array.null_count else None


def _join_values(lists: pa.ListArray) -> pa.Array:
    """Lists of values of one width, each list as the bytes of its values."""
    if lists.offset or lists.null_count:
        lists = pa.concat_arrays([pa.array([], lists.type), lists.fill_null([])])
    values = lists.values
    if pa.types.is_struct(values.type):  # spans: two 32-bit numbers, the first in the lower half
        low, high = (pc.cast(values.field(number), pa.int64()) for number in (0, 1))
        values = pc.bit_wise_or(low, pc.shift_left(high, pa.scalar(32, pa.int64())))
    width = values.type.bit_width // 8
    if values.offset:
        values = pa.concat_arrays([pa.array([], values.type), values])
    offsets = pc.multiply(pc.cast(lists.offsets, pa.int64()), pa.scalar(width, pa.int64()))
    data = values.buffers()[1]
    return pa.Array.from_buffers(pa.large_binary(), len(lists), [None, offsets.buffers()[1], data])


def _wide(kind: pa.DataType) -> pa.DataType:
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return pa.large_string() if text else pa.large_binary()


def pack(column: pa.Array | pa.ChunkedArray) -> bytes:
    """The values of a column one behind the other, as Arrow stores them: numbers little-endian, hashes as they are.

    All values have one width, and none is missing. (pyarrow's own way, `to_numpy`, needs NumPy, which we do not.)

    >>> pack(pa.array([7, 1, 2], pa.uint32())[1:]).hex()
    '0100000002000000'
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    data, width = array.buffers()[1], array.type.bit_width // 8
    if data is None:
        return b""
    return bytes(data[array.offset * width : (array.offset + len(array)) * width])


def measure(texts: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Number of words and digest of the word sequence (see `sequences.rs`) of each text."""
    counts, digests = _native.measure(buffers(texts))
    rows = len(texts)
    return (
        pa.Array.from_buffers(pa.int64(), rows, [None, pa.py_buffer(counts)]),
        pa.Array.from_buffers(pa.binary(16), rows, [None, pa.py_buffer(digests)]),
    )


def store(partition: _native.Partition, schema: pa.Schema, fields: Fields) -> pa.RecordBatch:
    """The sorted rows of a partition as a batch: its columns are the key and the fields of the tails, in that order."""
    filled = partition.columns([field.kind for field in fields])
    arrays = [_array(column.type, each) for column, each in zip(schema, filled, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(kind: pa.DataType, filled: Sequence[Any]) -> pa.Array:
    rows, nulls, validity, offsets, data = filled
    parts = [None if part is None else pa.py_buffer(part) for part in (validity, offsets, data)]
    if offsets is not None:
        wide = pa.large_string() if pa.types.is_string(kind) or pa.types.is_large_string(kind) else pa.large_binary()
        return pc.cast(pa.Array.from_buffers(wide, rows, parts, nulls), kind)
    wide = pa.float64() if pa.types.is_floating(kind) else pa.int64()
    return pc.cast(pa.Array.from_buffers(wide, rows, [parts[0], parts[2]], nulls), kind)
