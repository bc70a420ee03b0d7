"""How large tasks are: by the bytes that they read, so that neither their number nor their size runs away.

At 500 million pages, maps of 512 MiB and groups of 1 GiB are a few thousand tasks each, and a group task reads some 200
kB of each object. Small stages are cut into a few tasks for each slot of the scheduler, none below `LEAST`: to start a
task takes milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from unquilt.engines.tasks import Scale
from unquilt.flow.kept import Kept
from unquilt.remote.paths import place

MAP_BYTES = 512 << 20
GROUP_BYTES = 1 << 30
LEAST = 2 << 20
WRITTEN_HERE = 8 << 20
"""Tables of no more bytes are written where the driver is: several tasks would take longer."""
TASKS_PER_SLOT = 2
BINS = 1024
"""The sizes of partitions come to the driver as sums over neighbours, at most so many for each port."""
ROWS_IN_CACHE = 2 << 20
MOST_FOR_CACHE = 32
SORTING, SORTED_AT_ONCE = 44, 4 << 30
"""Bytes that a gram takes while its partition is sorted, and those that a partition may take. A process that has less
memory sorts it on disk. With more partitions, the blocks that a row group leaves would be too small."""


@dataclass(frozen=True)
class RowGroups:
    """Row groups of one file that follow each other, by their places among those that are not empty."""

    path: str
    first: int
    last: int


def count_partitions(scale: Scale) -> int:
    """By the corpus alone, so that a run which is resumed on another machine finds its stages again."""
    for_memory = math.ceil(scale.words * SORTING / SORTED_AT_ONCE)
    for_cache = min(MOST_FOR_CACHE, math.ceil(scale.words / ROWS_IN_CACHE))
    return max(1, for_memory, for_cache)


def count_tasks(size: int, at_most: int, slots: int) -> int:
    """How many tasks read `size` bytes, of which a task should read at most so many."""
    return max(1, math.ceil(size / at_most), min(TASKS_PER_SLOT * slots, math.ceil(size / LEAST)))


def cut_table(table: Kept, columns: Sequence[str], slots: int, at_most: int = MAP_BYTES) -> list[list[RowGroups]]:
    """The row groups of a table as tasks of about equal size; a task may read several files."""
    found = ((str(place(path).absolute()), replace(table, paths=(path,)).sizes(columns)) for path in table.paths)
    sizes = [(path, each) for path, each in found if each]
    total = sum(sum(each) for _, each in sizes)
    wanted = total / count_tasks(total, at_most, slots) if total else 1.0
    return list(_gather(sizes, wanted))


def _gather(sizes: Sequence[tuple[str, Sequence[int]]], wanted: float) -> Iterator[list[RowGroups]]:
    task: list[RowGroups] = []
    held, given = 0, 0.0
    for path, each in sizes:
        first = 0
        for number, size in enumerate(each):
            held += size
            if held >= given + wanted - 0.5:  # by the sum so far, so that what is left over does not add up
                yield [*task, RowGroups(path, first, number + 1)]
                task, first = [], number + 1
                given += wanted * max(1, round((held - given) / wanted))
        if first < len(each):
            task.append(RowGroups(path, first, len(each)))
    if task:
        yield task


def cut_partitions(
    sizes: Sequence[int], partitions: int, slots: int, at_most: int = GROUP_BYTES
) -> list[tuple[int, int]]:
    """Ranges of partitions of about equal size, of the sums over neighbours that are known (`add_up`)."""
    tasks = min(partitions, count_tasks(sum(sizes), at_most, slots))
    bins = len(sizes)
    starts = [number * partitions // bins for number in range(bins + 1)]
    wanted, cuts, before, bin_ = sum(sizes) / tasks, [0], 0.0, 0
    for task in range(1, tasks):
        while bin_ < bins - 1 and before + sizes[bin_] < task * wanted:
            before, bin_ = before + sizes[bin_], bin_ + 1
        share = (task * wanted - before) / sizes[bin_] if sizes[bin_] else 1.0
        cut = starts[bin_] + round(share * (starts[bin_ + 1] - starts[bin_]))
        cuts.append(max(cuts[-1], min(cut, partitions)))
    cuts.append(partitions)
    return [(begin, end) for begin, end in pairwise(cuts) if begin < end]


def cut_groups(
    rows: int, rows_per_group: int, size: int, slots: int, at_most: int = MAP_BYTES
) -> list[tuple[int, int]]:
    """Ranges of the row groups of a table that takes so many bytes."""
    groups = max(1, math.ceil(rows / rows_per_group))
    tasks = min(groups, count_tasks(size, at_most, slots))
    return list(pairwise(number * groups // tasks for number in range(tasks + 1)))
