"""The engine that needs nothing but this machine: threads, and spill files within a memory budget.

Kernels release the interpreter's lock, so threads are enough. Of the budget, two fifths hold blocks between stages
(what exceeds them goes to disk), two fifths are for sorting, shared by the threads, and the rest is for reading and
results.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from unquilt import _native
from unquilt.columns import store as store_columns
from unquilt.engines.blocks import Blocks, Ledger
from unquilt.engines.engine import Engine, read_twice
from unquilt.engines.progress import Progress
from unquilt.engines.tasks import STORE, Scale, forget_sides, kernel_parameters, map_split
from unquilt.engines.workers import Workers
from unquilt.flow.kept import Split
from unquilt.flow.kernels import Side
from unquilt.flow.verbs import GroupStage, MapStage, Rows, Stage, fold_counters
from unquilt.guard import Item, Result
from unquilt.runs import Run, storing

ROWS_IN_CACHE = 2 << 20
"""Rows of a partition that is sorted within the cache. There are as many partitions as that takes, but more than
`MOST_FOR_CACHE` only where memory is short."""
MOST_FOR_CACHE = 32
MOST = 4096
LEAST_FOR_A_THREAD = 32 << 20
"""Bytes that a thread needs to read a row group and pack its grams; where there is less, fewer threads work."""
SORTING = 44
"""Bytes that a gram takes while its partition is sorted."""


@dataclass
class _Made:
    """What a stage has left behind: the blocks of each port until they are read, and its counters."""

    ports: list[Blocks | None]
    counters: dict[str, int] = field(default_factory=dict)


class Local(Engine):
    """The verbs on this machine. Use in a `with` block; its spill files go with it."""

    def __init__(
        self,
        run: Run,
        scale: Scale,
        *,
        threads: int,
        memory: int,
        progress: Progress | None = None,
        partitions: int | None = None,
    ) -> None:
        super().__init__(run, scale, progress)
        self._threads = max(1, min(threads, memory // LEAST_FOR_A_THREAD))
        self._sorting = memory * 2 // 5 // self._threads
        self._ledger = Ledger(memory * 2 // 5)
        self._partitions = partitions or _partitions(scale, self._sorting)
        self._made: dict[Stage, _Made] = {}

    def __enter__(self) -> Local:
        self._spill = tempfile.TemporaryDirectory(prefix="local-", dir=self._run.spill)
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="unquilt")
        self._workers: Workers | None = None
        self._closing = ExitStack()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.__exit__(kind, error, trace)
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._made.clear()
        forget_sides()
        self._spill.cleanup()

    def _counters(self, stage: Stage, name: str) -> dict[str, int]:  # noqa: ARG002 - shown by its kernel
        return self._make(stage).counters

    def _sorted(self, rows: Rows, name: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        blocks = self._take(rows)

        def store(partition: int) -> pa.RecordBatch:
            with self._spilling():
                return store_columns(self._fill(STORE, [blocks], partition), schema, rows.fields)

        with self._progress.stage(name, self._partitions) as step:
            for batch in self._ordered(store, range(self._partitions), ahead=self._threads):
                yield batch
                step(1)
        blocks.close()

    def side(self, name: str, make: Callable[[], bytes | memoryview]) -> Side:
        descriptor, path = tempfile.mkstemp(prefix=f"{name}-", dir=self._spill.name)
        with self._spilling(), os.fdopen(descriptor, "wb") as file:
            file.write(make())
        return Side(name, path)

    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        if not items:
            return ()
        if self._workers is None:  # once for the engine's life: processes take time to start
            self._workers = self._closing.enter_context(Workers(self._threads))
        return self._workers.map(function, items)

    def _make(self, stage: Stage) -> _Made:
        if stage not in self._made:
            ports: list[Blocks | None] = [Blocks(self._ledger, Path(self._spill.name)) for _ in stage.kernel.ports]
            made = _Made(ports)
            if isinstance(stage, MapStage):
                self._map(stage, made)
            else:
                self._group(stage, made)
            self._made[stage] = made
        return self._made[stage]

    def _take(self, rows: Rows) -> Blocks:
        ports = self._make(rows.stage).ports
        blocks, ports[rows.port] = ports[rows.port], None
        if blocks is None:
            raise read_twice(rows)
        return blocks

    def _map(self, stage: MapStage, made: _Made) -> None:
        splits = stage.table.splits()
        ports = self._scale.ports(stage.kernel, self._partitions)
        with self._progress.stage(stage.kernel.name, sum(split.rows for split in splits)) as step:

            def task(split: Split) -> tuple[_native.Counters, int]:
                return map_split(stage, split, ports, self._sink(made)), split.rows

            for counters, rows in self._ordered(task, splits):
                fold_counters(made.counters, counters)
                step(rows)

    def _group(self, stage: GroupStage, made: _Made) -> None:
        tables = [self._take(table) for table in stage.tables]
        ports = self._scale.ports(stage.kernel, self._partitions)
        kernel = stage.kernel
        with self._progress.stage(kernel.name, self._partitions) as step:

            def task(partition: int) -> _native.Counters:
                with self._spilling():
                    filled = self._fill(kernel.name, tables, partition)
                    return filled.run(kernel_parameters(kernel), ports, self._sink(made))

            for counters in self._ordered(task, range(self._partitions)):
                fold_counters(made.counters, counters)
                step(1)
        for table in tables:
            table.close()

    def _sink(self, made: _Made) -> _native.Sink:
        def put(port: int, partition: int, block: bytes) -> None:
            blocks = made.ports[port]
            assert blocks is not None
            blocks.put(partition, block)

        return put

    def _fill(self, kernel: str, tables: Sequence[Blocks], partition: int) -> _native.Partition:
        filled = _native.Partition(kernel, self._sorting, self._spill.name)
        for number, blocks in enumerate(tables):
            for block in blocks.take(partition):
                filled.push(number, block)
        return filled

    def _spilling(self) -> AbstractContextManager[None]:
        """For what may write spill files: trouble with them names the folder."""
        return storing(Path(self._spill.name))

    def _ordered(
        self, task: Callable[[Item], Result], items: Iterable[Item], ahead: int | None = None
    ) -> Iterator[Result]:
        """Results in the order of items; a few tasks ahead, so that results do not pile up behind a slow one."""
        ahead = ahead or 2 * self._threads
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(self._pool.submit(task, item))
                if len(waiting) > ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _partitions(scale: Scale, sorting: int) -> int:
    """As many as memory asks for; more, up to a point, so that each sorts in cache."""
    for_memory = math.ceil(scale.words * SORTING / max(1, sorting))
    for_cache = min(MOST_FOR_CACHE, math.ceil(scale.words / ROWS_IN_CACHE))
    return max(1, min(MOST, max(for_memory, for_cache)))
