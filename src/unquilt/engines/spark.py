"""The engine for corpora that outgrow one machine: Apache Spark as transport for the same kernels and blocks.

Spark sees rows (port, partition, block) and two operations: `mapInArrow` runs a kernel in a Python worker, one thread
per task, and `repartitionById` brings the blocks of a partition together. It never sorts, sums, hashes or draws random
numbers, so a lost executor costs time and never changes a result. Kernels' counters travel as rows of port -1: only
those of tasks that succeeded arrive.

The corpus and the run folder must be readable and writable from all executors, and unquilt installed there. Workers go
to the folder in which the driver was started, so that relative paths mean the same there. A task sorts within the
memory that the settings leave a thread, or its own machine if that is less, spills to Spark's local folder, and holds
the blocks it emits until it has read its input.
"""

from __future__ import annotations

import gc
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from unquilt import _native, columns
from unquilt.engines.engine import Engine, read_twice
from unquilt.engines.progress import Progress
from unquilt.engines.spark_session import check_workers, find_reason, open_session
from unquilt.engines.tasks import STORE, Scale, kernel_parameters, map_split
from unquilt.engines.workers import Workers, keeping
from unquilt.errors import EngineError, UnquiltError
from unquilt.flow.kept import Split
from unquilt.flow.kernels import Fields, Kernel, Side
from unquilt.flow.verbs import MapStage, Rows, Stage, fold_counters
from unquilt.guard import Item, Result
from unquilt.runs import Run, publish, storing
from unquilt.settings import Settings, cores, memory_limit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BLOCKS = pa.schema([("port", pa.int32()), ("partition", pa.int32()), ("block", pa.binary())])
BLOCKS_DDL = "port int, partition int, block binary"
COUNTERS = -1
BYTES_PER_PARTITION = 64 << 20
BYTES_PER_GRAM = 9
BYTES_PER_BATCH = 16 << 20


class Spark(Engine):
    """The verbs on Spark: in the session that is active, or in one of its own. Use in a `with` block."""

    def __init__(
        self,
        run: Run,
        scale: Scale,
        settings: Settings,
        *,
        progress: Progress | None = None,
        partitions: int | None = None,
    ) -> None:
        super().__init__(run, scale, progress)
        self._settings = settings
        by_size = math.ceil(scale.words * BYTES_PER_GRAM / BYTES_PER_PARTITION)
        self._partitions = partitions or max(by_size, min(2 * settings.threads, math.ceil(scale.words / 100_000)), 1)
        self._frames: dict[Stage, DataFrame] = {}
        self._read: set[Rows] = set()

    def __enter__(self) -> Spark:
        self._session = open_session(self._settings, self._progress)
        check_workers(self._session, self._run.spill, self._progress)
        return self

    def __exit__(self, *_: object) -> None:
        for frame in self._frames.values():
            if frame.is_cached:
                frame.unpersist()

    def _counters(self, stage: Stage, name: str) -> dict[str, int]:
        counters: dict[str, int] = {}
        with self._job(name):
            frame = self._frame(stage)
            if not frame.is_cached:
                frame.persist(_on_disk())
            for row in frame.filter(f"port = {COUNTERS}").select("block").collect():
                fold_counters(counters, json.loads(row.block))
        return counters

    def _sorted(self, rows: Rows, name: str, schema: pa.Schema) -> Iterator[pa.Table]:
        folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self._run.spill))
        with self._job(name):
            done = (
                self._meet([rows])
                .mapInArrow(_Store(schema, rows.fields, self._sorting(), folder), "partition int")
                .collect()
            )
        for partition in sorted(row.partition for row in done):
            path = folder / f"{partition}.arrow"
            with pa.memory_map(str(path)) as file:
                yield pa.ipc.open_file(file).read_all()
            path.unlink()

    def side(self, name: str, make: Callable[[], bytes | memoryview]) -> Side:
        """Spark takes the file to each executor, once, when a task there first asks for it."""
        descriptor, path = tempfile.mkstemp(prefix=f"{name}-", dir=self._run.spill)
        with storing(Path(path)), os.fdopen(descriptor, "wb") as file:
            file.write(make())
        self._session.sparkContext.addFile(path)
        return Side(name, path)

    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        if not items:
            return []
        with self._job("read"):
            answers = self._session.sparkContext.parallelize(items, len(items)).map(_Guarded(function)).collect()
        return [answer.result() for answer in answers]

    def _frame(self, stage: Stage) -> DataFrame:
        if stage not in self._frames:
            ports = self._scale.ports(stage.kernel, self._partitions)
            if isinstance(stage, MapStage):
                splits = stage.table.splits()
                tasks = self._session.range(0, len(splits), 1, max(1, len(splits)))
                frame = tasks.mapInArrow(_Map(stage, splits, ports), BLOCKS_DDL)
            else:
                frame = self._meet(stage.tables).mapInArrow(_Group(stage.kernel, ports, self._sorting()), BLOCKS_DDL)
            if len(ports) > 1:
                frame.persist(_on_disk())  # one stage, several readers
            self._frames[stage] = frame
        return self._frames[stage]

    def _meet(self, tables: Sequence[Rows]) -> DataFrame:
        """The blocks of all tables, those of one partition together; `port` is then the table's place in the list."""
        for rows in tables:
            if rows in self._read:
                raise read_twice(rows)
            self._read.add(rows)
        frames = [
            self._frame(rows.stage).filter(f"port = {rows.port}").selectExpr(f"{number} as port", "partition", "block")
            for number, rows in enumerate(tables)
        ]
        union = frames[0]
        for frame in frames[1:]:
            union = union.unionAll(frame)
        return union.repartitionById(self._partitions, "partition")

    def _sorting(self) -> int:
        return self._settings.memory * 2 // 5 // self._settings.threads

    def _job(self, name: str) -> Any:
        return _Job(self._session, name, self._progress)


class _Job:
    """Turns Spark's failures into one line, and shows for how long it has been working."""

    def __init__(self, session: SparkSession, name: str, progress: Progress) -> None:
        self._session = session
        self._stage = progress.stage(name, 0)
        self._name = name

    def __enter__(self) -> None:
        self._session.sparkContext.setJobDescription(f"unquilt: {self._name}")
        self._stage.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: Any) -> None:
        from pyspark.errors import PySparkException

        self._stage.__exit__(None, None, None)
        if isinstance(error, PySparkException) or (kind is not None and kind.__name__ == "Py4JJavaError"):
            raise EngineError(f"Spark failed in {self._name}: {find_reason(str(error))}") from error


class _Answer:
    """What a function gave or raised."""

    def __init__(self, value: Any, raised: UnquiltError | None) -> None:
        self._value, self._raised = value, raised

    def result(self) -> Any:
        if self._raised is not None:
            raise self._raised
        return self._value


class _Guarded:
    """A function whose errors, where they are meant for the user, come back as they are and not as Spark's.

    It runs in a process of its own, which may be lost: an item with a method `retry` says how to go on without what
    ended the process.
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._folder = str(Path.cwd())

    def __call__(self, item: Any) -> _Answer:
        _settle(self._folder)
        _keep_workers()
        try:
            with Workers(1) as workers:
                (value,) = workers.map(self._function, [item])
            return _Answer(value, None)
        except UnquiltError as error:
            return _Answer(None, error)


@cache
def _keep_workers() -> AbstractContextManager[None]:
    """Keeps the processes that work on items for as long as this one lives, which Spark uses for many tasks, too."""
    kept = keeping()
    kept.__enter__()
    return kept


def _batches(rows: Iterable[tuple[int, int, bytes]]) -> Iterator[pa.RecordBatch]:
    """Blocks in batches of a size that suits the pipe to the JVM."""
    waiting: list[tuple[int, int, bytes]] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += len(row[2])
        if size > BYTES_PER_BATCH:
            yield _batch(waiting)
            waiting, size = [], 0
    if waiting:
        yield _batch(waiting)


def _batch(rows: list[tuple[int, int, bytes]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, BLOCKS, strict=True)], schema=BLOCKS
    )


def _distributed(side: Side) -> str:
    """Where Spark has put the file of a side, on this machine."""
    from pyspark import SparkFiles

    return str(SparkFiles.get(Path(side.path).name))


@cache
def _settle(folder: str) -> None:
    """Makes a worker ready. It goes to the driver's folder, for relative paths; where that is not there, they are
    reported as missing. What it has loaded stays: Spark has it look for garbage after each task, which would take
    longer than a small task does."""
    with suppress(OSError):
        os.chdir(folder)
    gc.freeze()


def _limit(budget: int) -> int:
    """The memory to sort in: the driver's budget, unless this machine could not give it to all of its cores."""
    return min(budget, memory_limit() * 2 // 5 // cores())


def _scratch() -> str | None:
    """The folder in which Spark has temporary files on this machine; None if it has none that we could use."""
    for name in ("SPARK_LOCAL_DIRS", "LOCAL_DIRS"):
        for folder in filter(None, os.environ.get(name, "").split(",")):
            if Path(folder).is_dir() and os.access(folder, os.W_OK):
                return folder
    return None


class _Map:
    """A map's task, in a Python worker: one row group a task."""

    def __init__(self, stage: MapStage, splits: list[Split], ports: list[tuple[int, int]]) -> None:
        self._stage, self._splits, self._ports = stage, splits, ports
        self._folder = str(Path.cwd())

    def __call__(self, tasks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        _settle(self._folder)
        for batch in tasks:
            for number in batch.column(0).to_pylist():
                rows: list[tuple[int, int, bytes]] = []
                sink = _collect(rows)
                counters = map_split(self._stage, self._splits[number], self._ports, sink, _distributed)
                rows.append((COUNTERS, 0, json.dumps(counters).encode()))
                yield from _batches(rows)


class _Group:
    """A group's task, in a Python worker: the blocks of a partition."""

    def __init__(self, kernel: Kernel, ports: list[tuple[int, int]], budget: int) -> None:
        self._kernel, self._ports, self._budget = kernel, ports, budget
        self._folder = str(Path.cwd())

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        _settle(self._folder)
        with tempfile.TemporaryDirectory(prefix="unquilt-", dir=_scratch()) as spill:
            for _, filled in _partitions(self._kernel.name, batches, _limit(self._budget), spill):
                rows: list[tuple[int, int, bytes]] = []
                parameters = kernel_parameters(self._kernel, _distributed)
                counters = filled.run(parameters, self._ports, _collect(rows))
                rows.append((COUNTERS, 0, json.dumps(counters).encode()))
                yield from _batches(rows)


class _Store:
    """The last task of a table: leaves its partition as an Arrow file that the driver puts in its place."""

    def __init__(self, schema: pa.Schema, fields: Fields, budget: int, folder: Path) -> None:
        self._schema, self._fields, self._budget, self._target = schema, fields, budget, folder.absolute()
        self._folder = str(Path.cwd())

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        _settle(self._folder)
        with tempfile.TemporaryDirectory(prefix="unquilt-", dir=_scratch()) as spill:
            for partition, filled in _partitions(STORE, batches, _limit(self._budget), spill):
                batch = columns.store(filled, self._schema, self._fields)
                descriptor, partial = tempfile.mkstemp(prefix=f"{partition}-", dir=self._target)
                with os.fdopen(descriptor, "wb") as file, pa.ipc.new_file(file, self._schema) as writer:
                    writer.write_batch(batch)
                publish(Path(partial), self._target / f"{partition}.arrow")
                yield pa.RecordBatch.from_arrays([pa.array([partition], pa.int32())], names=["partition"])


def _partitions(
    kernel: str, batches: Iterator[pa.RecordBatch], budget: int, spill: str
) -> Iterator[tuple[int, _native.Partition]]:
    """The partitions of a task, filled; Spark gives a task one partition, unless it has put small ones together."""
    filled: dict[int, _native.Partition] = {}
    for batch in batches:
        tables, partitions, blocks = (column.to_pylist() for column in batch.columns)
        for table, partition, block in zip(tables, partitions, blocks, strict=True):
            if partition not in filled:
                filled[partition] = _native.Partition(kernel, budget, spill)
            filled[partition].push(table, block)
    for partition in sorted(filled):
        yield partition, filled.pop(partition)


def _collect(rows: list[tuple[int, int, bytes]]) -> _native.Sink:
    def put(port: int, partition: int, block: bytes) -> None:
        rows.append((port, partition, block))

    return put


def _on_disk() -> Any:
    from pyspark import StorageLevel

    return StorageLevel.DISK_ONLY
