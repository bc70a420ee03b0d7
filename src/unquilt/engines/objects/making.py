"""What all tasks have in common: what they are told, what they may use, and what comes of them."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from unquilt import _native
from unquilt.engines.objects.blocks_file import Ranges, add_up, find_ranges, read_blocks, write_object
from unquilt.engines.objects.plan import BINS, RowGroups
from unquilt.engines.objects.stages import Counters, objects
from unquilt.remote.names import is_url
from unquilt.runs import created, storing


@dataclass(frozen=True)
class Task:
    """The folder of a stage, and which row groups (of a map) or which partitions are this task's; of a table that is
    packed, which of the row groups that it will have."""

    folder: Path
    number: int
    pieces: tuple[RowGroups, ...] = ()
    partitions: tuple[int, int] = (0, 0)
    away: bool = False
    """Whether it is too large to be done where the driver is, although it is the only one of its stage."""

    def __str__(self) -> str:
        return f"task {self.number} of stage {self.folder.name}"


@dataclass(frozen=True)
class Means:
    """What a process may use: bytes of memory, and a folder for temporary files (None: the system's)."""

    memory: int
    scratch: str | None = None


@dataclass(frozen=True)
class Made:
    """What an attempt at a task has made."""

    number: int
    name: str
    size: int
    partitions: int
    sizes: tuple[tuple[int, ...], ...]
    counters: Counters
    rows: tuple[int, ...] = ()
    """Of a table: those of each partition or row group."""


def write_made(
    task: Task,
    ports: int,
    partitions: int,
    take: Callable[[int, int], Iterator[bytes]],
    counters: Counters,
    rows: Sequence[int] = (),
) -> Made:
    """Writes the object of a task. `rows` is read when all blocks have been taken."""
    name = f"{task.number:05}-{uuid.uuid4().hex}.object"
    path = task.folder / name
    with created(path) if is_url(path) else _created_at_once(path) as file:
        sizes = write_object(file, ports, partitions, take)
        size = file.tell()
    sums = tuple(tuple(add_up(each, BINS)) for each in sizes)
    return Made(task.number, name, size, partitions, sums, counters, tuple(rows))


@contextmanager
def _created_at_once(path: Path) -> Iterator[BinaryIO]:
    """A file under its own name, as nobody looks at it before the marker of its stage says so."""
    with storing(path), path.open("xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def fill_partitions(
    kernel: str, task: Task, does: Mapping[str, Any], memory: int, scratch: str
) -> Iterator[tuple[int, _native.Partition]]:
    """The partitions of a task in order, filled, also those that are empty.

    Of each object, as many partitions are read at once as memory has room for.
    """
    first, last = task.partitions
    found = [
        (number, find_ranges(made, port, first, last))
        for number, (stage, ports, port) in enumerate(does["inputs"])
        for made in objects(task.folder.parent / stage, ports)
    ]
    for begin, end in _cut([ranges for _, ranges in found], last - first, memory // 5):
        held: list[list[tuple[int, bytes]]] = [[] for _ in range(begin, end)]
        for table, ranges in found:
            for number, block in read_blocks(ranges, begin, end):
                held[number - begin].append((table, block))
        for number, blocks in enumerate(held, begin):
            filled = _native.Partition(kernel, memory * 2 // 5, scratch)
            with storing(Path(scratch)):
                while blocks:  # one by one, so that a block can be freed before the next is taken
                    filled.push(*blocks.pop())
            yield first + number, filled


def _cut(found: Sequence[Ranges], partitions: int, room: int) -> Iterator[tuple[int, int]]:
    """Ranges of partitions whose blocks together take no more than there is room for; at least one partition each."""
    begin, held = 0, 0
    for number in range(partitions):
        size = sum(ranges.offsets[number + 1] - ranges.offsets[number] for ranges in found)
        if number > begin and held + size > room:
            yield begin, number
            begin, held = number, 0
        held += size
    if begin < partitions:
        yield begin, partitions


def add_counters(into: Counters, counters: Mapping[str, tuple[str, int]]) -> None:
    """Adds what a kernel counted, and keeps how it is to be added."""
    for name, (how, value) in counters.items():
        before = into.get(name, (how, 0))[1]
        into[name] = (how, max(before, value) if how == "greatest" else before + value)
