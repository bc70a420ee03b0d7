"""The scheduler for one machine: a pool of processes. One that is lost is replaced, and its task is tried again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from unquilt.engines.objects.making import Made, Means, Task
from unquilt.engines.objects.tasks import perform
from unquilt.engines.progress import Step
from unquilt.engines.workers import Workers
from unquilt.guard import Item, Result

LEAST_FOR_A_PROCESS = 32 << 20
"""Bytes that a process needs to read a row group and pack its grams; where there is less, fewer processes work."""


class Processes:
    """So many processes at most, that share this memory. Temporary files go to a folder of theirs."""

    def __init__(self, count: int, memory: int, scratch: Path) -> None:
        self.slots = max(1, min(count, memory // LEAST_FOR_A_PROCESS))
        self.means = Means(memory // self.slots, str(scratch))
        self._workers = Workers(self.slots)

    def __enter__(self) -> Self:
        self._workers.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._workers.__exit__(None)

    def run(self, tasks: Sequence[Task], name: str, step: Step) -> Iterator[Made]:  # noqa: ARG002
        for made in self._workers.map(partial(perform, means=self.means), tasks):
            step(1)
            yield made

    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        return self._workers.map(function, items)
