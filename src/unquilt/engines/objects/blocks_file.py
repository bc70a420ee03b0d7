"""The format of an object: the blocks of a task, sorted by port and partition, then an index.

    uqOB  block block …  entry entry …

Before each block are its length and its checksum. The index has, for each port, an entry for each partition and one
more: where its blocks begin, how many they are, and a checksum over both and over port and partition. Entries have one
size, and the size of the object is in the marker of its stage. So whoever needs the partitions 40 to 43 of a port reads
five entries, then one range, and any damage to either is noticed.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, cast

from unquilt.errors import RunError
from unquilt.remote.files import RangedFile
from unquilt.remote.names import is_url
from unquilt.runs import storing

_MAGIC = b"uqOB"
_FRAME = struct.Struct("<QI")
_ENTRY = struct.Struct("<QII")
_PLACE = struct.Struct("<IIQI")


@dataclass(frozen=True)
class Object:
    """An object that counts: where it is, its size, and for how many ports and partitions it has entries."""

    path: Path
    size: int
    ports: int
    partitions: int


@dataclass(frozen=True)
class Ranges:
    """Where an object has the blocks of some partitions of a port that follow each other."""

    path: Path
    offsets: tuple[int, ...]
    """Of each partition, and where the last one ends."""
    counts: tuple[int, ...]


def write_object(
    file: BinaryIO, ports: int, partitions: int, take: Callable[[int, int], Iterator[bytes]]
) -> list[list[int]]:
    """Writes the blocks that `take(port, partition)` gives. Returns the bytes of each port by partition."""
    file.write(_MAGIC)
    at, index, sizes = len(_MAGIC), bytearray(), []
    for port in range(ports):
        starts = []
        for partition in range(partitions):
            begin, count = at, 0
            for block in take(port, partition):
                file.write(_FRAME.pack(len(block), zlib.crc32(block)))
                file.write(block)
                at, count = at + _FRAME.size + len(block), count + 1
            index += _entry(port, partition, begin, count)
            starts.append(begin)
        index += _entry(port, partitions, at, 0)
        sizes.append([end - begin for begin, end in zip(starts, [*starts[1:], at], strict=True)])
    file.write(index)
    return sizes


def _entry(port: int, partition: int, offset: int, count: int) -> bytes:
    return _ENTRY.pack(offset, count, zlib.crc32(_PLACE.pack(port, partition, offset, count)))


def find_ranges(made: Object, port: int, first: int, last: int) -> Ranges:
    """Where the blocks of the partitions first..last-1 are."""
    begin = made.size - _ENTRY.size * ((made.partitions + 1) * (made.ports - port) - first)
    with _reading(made.path) as file:
        file.seek(begin)
        read = file.read(_ENTRY.size * (last - first + 1))
    if len(read) != _ENTRY.size * (last - first + 1):
        raise damaged_object(made.path, "its index is cut off")
    offsets, counts = [], []
    for number, (offset, count, check) in enumerate(_ENTRY.iter_unpack(read), first):
        if check != zlib.crc32(_PLACE.pack(port, number, offset, count)):
            raise damaged_object(made.path, "its index does not match its checksum")
        offsets.append(offset)
        counts.append(count)
    return Ranges(made.path, tuple(offsets), tuple(counts[:-1]))


def read_blocks(ranges: Ranges, first: int, last: int) -> Iterator[tuple[int, bytes]]:
    """The blocks of the ranges first..last-1, each with the number of its range: one read."""
    begin, end = ranges.offsets[first], ranges.offsets[last]
    if begin == end:
        return
    with _reading(ranges.path) as file:
        file.seek(begin)
        data = memoryview(file.read(end - begin))
    if len(data) != end - begin:
        raise damaged_object(ranges.path, "it is cut off")
    for number in range(first, last):
        at, until = ranges.offsets[number] - begin, ranges.offsets[number + 1] - begin
        for _ in range(ranges.counts[number]):
            if at + _FRAME.size > until:
                raise damaged_object(ranges.path, "a block is cut off")
            length, check = _FRAME.unpack_from(data, at)
            block = bytes(data[at + _FRAME.size : at + _FRAME.size + length])
            at += _FRAME.size + length
            if at > until or zlib.crc32(block) != check:
                raise damaged_object(ranges.path, "a block does not match its checksum")
            yield number, block


@contextmanager
def _reading(path: Path) -> Iterator[BinaryIO]:
    """Trouble with a file that is there, such as memory that is short, is no damage."""
    with storing(path):
        try:
            with _open_stored(str(path)) if is_url(path) else path.open("rb") as file:
                yield file
        except FileNotFoundError as error:
            raise missing_object(path) from error


@contextmanager
def _open_stored(url: str) -> Iterator[BinaryIO]:
    file = _find_stored(url)
    file.seek(0)
    yield cast(BinaryIO, file)


@lru_cache(maxsize=1024)
def _find_stored(url: str) -> RangedFile:
    """Looked for once: tasks read several ranges of an object, which is never written again."""
    return RangedFile(url)


def missing_object(path: Path) -> RunError:
    """The complaint about what was there: somebody, or a store, has lost it."""
    return RunError(f"{path} is missing; run again: what it was made of is made anew")


def damaged_object(path: Path, what: str) -> RunError:
    return RunError(f"{path} is damaged: {what}; remove it and run again: what it was made of is made anew")


def add_up(sizes: Sequence[int], bins: int) -> list[int]:
    """Sums of sizes that follow each other, in so many bins of about equal numbers; fewer, if there are fewer sizes."""
    bins = max(1, min(bins, len(sizes)))
    cuts = [number * len(sizes) // bins for number in range(bins + 1)]
    return [sum(sizes[begin:end]) for begin, end in pairwise(cuts)]
