"""The engine: it plans the tasks of a stage, has a scheduler call them, and writes down what counts.

What passes through it are names, sizes and counters. The objects of a stage are removed when all that left it has been
read by stages that are done, or kept; what is left of them goes when the run is finished.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, Self

import pyarrow as pa

from unquilt.engines.engine import Engine, read_twice
from unquilt.engines.objects import plan
from unquilt.engines.objects.making import Made, Task, add_counters
from unquilt.engines.objects.names import StageNames, say_pack
from unquilt.engines.objects.plan import count_partitions, cut_partitions, cut_table
from unquilt.engines.objects.stages import (
    SIDES,
    Marker,
    begin_stage,
    end_folder,
    end_stage,
    objects,
    read_marker,
    say_schema,
)
from unquilt.engines.objects.tables import JOIN, PASTE, read_batches, read_footers
from unquilt.engines.progress import Progress, Step
from unquilt.engines.tasks import Scale, forget_sides
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Side
from unquilt.flow.verbs import MapStage, Rows, Stage
from unquilt.guard import Item, Result
from unquilt.remote.names import is_url
from unquilt.runs import Run, created
from unquilt.runs.row_groups import JoinedTable
from unquilt.runs.storage import make_folder
from unquilt.tables.table import Table


class Scheduler(Protocol):
    """Whatever calls a function with each task, and tries again what was lost."""

    slots: int
    """How many tasks run at once, as far as is known."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def run(self, tasks: Sequence[Task], name: str, step: Step) -> Iterable[Made]:
        """What each task of a stage has made, in any order; calls `step(1)` when one is done."""

    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        """`function` of every item, in order."""


class Objects(Engine):
    """The verbs as tasks that leave objects. Use in a `with` block."""

    def __init__(
        self,
        run: Run,
        scale: Scale,
        scheduler: Scheduler,
        *,
        progress: Progress | None = None,
        partitions: int | None = None,
    ) -> None:
        super().__init__(run, scale, progress)
        self._scheduler = scheduler
        self._partitions = partitions or count_partitions(scale)
        self._names = StageNames(run.manifest["fingerprint"], scale, self._partitions)
        self._made: dict[Stage, Marker] = {}
        self._read: set[Rows] = set()
        self._over: defaultdict[Stage, set[int]] = defaultdict(set)

    def __enter__(self) -> Self:
        self._scheduler.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._scheduler.__exit__(*error)
        forget_sides()

    def keep(self, rows: Rows, table: Table) -> Kept:
        kept = super().keep(rows, table)
        if rows in self._read:  # else it was there, and nothing was made for it
            stored = self._names.store(rows, table.schema)
            for name in (stored, self._names.pack(stored, table)):
                end_folder(self._folder / name)
            self._release([rows])
        return kept

    def side(self, name: str, make: Callable[[], bytes | memoryview]) -> Side:
        """A file that is called by its content, as stages are by theirs."""
        content = make()
        path = self._folder / SIDES / f"{name}-{hashlib.sha256(content).hexdigest()[:32]}"
        make_folder(path.parent)
        if not path.exists():
            with created(path) as file:
                file.write(content)
        return Side(name, str(path))

    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        return self._scheduler.each(function, items) if items else ()

    def _counters(self, stage: Stage, name: str) -> dict[str, int]:  # noqa: ARG002 - shown by its kernel
        return {counted: value for counted, (_, value) in self._make(stage).counters.items()}

    def _sorted(self, rows: Rows, name: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        self._store(rows, name, schema)
        yield from read_batches(self._folder / self._names.store(rows, schema), schema)

    def _write(self, rows: Rows, table: Table) -> int:
        """A table of many bytes is written by tasks; of these, the driver sees sizes, and what is in the footer."""
        self._take([rows])
        stored = self._names.store(rows, table.schema)
        packed = self._folder / self._names.pack(stored, table)
        if read_marker(packed) is None:
            marker = self._store(rows, table.name, table.schema)
            if marker.bytes <= plan.WRITTEN_HERE or not any(marker.rows):
                return super()._write(rows, table)
            self._pack(packed, say_pack(stored, table), marker, table.name)
            end_folder(self._folder / stored)
        return self._join(packed, table)

    def _store(self, rows: Rows, name: str, schema: pa.Schema) -> Marker:
        folder = self._folder / self._names.store(rows, schema)
        marker = read_marker(folder)
        return marker or self._group(folder, self._names.say_store(rows, schema), [rows], name)

    def _pack(self, folder: Path, does: dict[str, Any], stored: Marker, name: str) -> None:
        begin_stage(folder, does)
        cut = plan.cut_groups(sum(stored.rows), does["rows_per_group"], stored.bytes, self._scheduler.slots)
        self._carry_out(folder, [Task(folder, number, partitions=each) for number, each in enumerate(cut)], name, 0)

    def _join(self, packed: Path, table: Table) -> int:
        """Makes a table of row groups that are packed, and never sees them."""
        folder = packed.with_name(f"{packed.name}-paste")
        if is_url(packed):  # where nobody can write a part of an object
            does = {"does": JOIN, "packed": packed.name, "table": table.name, "on_the_way": table.on_the_way}
            begin_stage(folder, does | {"schema": say_schema(table.schema)})
            self._run_all([Task(folder, 0, away=True)], table.name)
            end_folder(folder)
            marker = read_marker(packed)
            return sum(marker.rows) if marker else 0
        with JoinedTable(self._run.path, table.name, table.schema, on_the_way=table.on_the_way) as joined:
            offsets = [joined.add_all(read_footers(made)) for made in objects(packed, 2)]
            begin_stage(folder, {"does": PASTE, "packed": packed.name, "table": table.name, "offsets": offsets})
            self._run_all([Task(folder, each) for each in range(len(offsets))], table.name)
        end_folder(folder)
        return joined.rows

    def _run_all(self, tasks: Sequence[Task], name: str) -> None:
        """Carries out tasks that leave no objects."""
        with self._progress.stage(name, len(tasks)) as step:
            for _ in self._scheduler.run(tasks, name, step):
                pass

    @property
    def _folder(self) -> Path:
        return self._run.pieces.absolute()

    def _make(self, stage: Stage) -> Marker:
        """Has a stage made, unless it was before this run was interrupted."""
        if stage not in self._made:
            folder = self._folder / self._names.stage(stage)
            marker = read_marker(folder)
            if isinstance(stage, MapStage):
                self._made[stage] = marker or self._map(folder, stage)
            else:
                self._take(stage.tables)
                does = self._names.say(stage)
                self._made[stage] = marker or self._group(folder, does, stage.tables, stage.kernel.name)
                self._release(stage.tables)
        return self._made[stage]

    def _map(self, folder: Path, stage: MapStage) -> Marker:
        begin_stage(folder, self._names.say(stage))
        cut = cut_table(stage.table, stage.kernel.columns, self._scheduler.slots)
        tasks = [Task(folder, number, tuple(pieces)) for number, pieces in enumerate(cut)]
        return self._carry_out(folder, tasks, stage.kernel.name, len(stage.kernel.ports))

    def _group(self, folder: Path, does: dict[str, Any], tables: Sequence[Rows], name: str) -> Marker:
        sizes = [self._make(rows.stage).sizes[rows.port] for rows in tables]
        begin_stage(folder, does)
        together = [sum(each) for each in zip(*(size for size in sizes if size), strict=True)] or [0]
        cut = cut_partitions(together, self._partitions, self._scheduler.slots)
        tasks = [Task(folder, number, partitions=range_) for number, range_ in enumerate(cut)]
        return self._carry_out(folder, tasks, name, len(does["ports"]))

    def _carry_out(self, folder: Path, tasks: Sequence[Task], name: str, ports: int) -> Marker:
        made: dict[int, Made] = {}
        counters: dict[str, tuple[str, int]] = {}
        sizes: list[list[int]] = [[] for _ in range(ports)]
        with self._progress.stage(name, len(tasks)) as step:
            for each in self._scheduler.run(tasks, name, step):
                if each.number not in made:
                    made[each.number] = replace(each, sizes=())  # which would be gigabytes for tasks by the thousands
                    add_counters(counters, each.counters)
                    for port, more in enumerate(each.sizes[:ports]):
                        sizes[port] = (
                            [a + b for a, b in zip(sizes[port], more, strict=True)] if sizes[port] else [*more]
                        )
        listed = tuple((each.name, each.size, each.partitions) for _, each in sorted(made.items()))
        rows = tuple(count for _, each in sorted(made.items()) for count in each.rows)
        marker = Marker(listed, tuple(map(tuple, sizes)), counters, rows)
        end_stage(folder, marker)
        return marker

    def _take(self, tables: Iterable[Rows]) -> None:
        for rows in tables:
            if rows in self._read:
                raise read_twice(rows)
            self._read.add(rows)

    def _release(self, tables: Iterable[Rows]) -> None:
        """Notes that these rows are not needed any more, as what was made of them is there."""
        for rows in tables:
            over = self._over[rows.stage]
            over.add(rows.port)
            if len(over) == len(rows.stage.kernel.ports):
                end_folder(self._folder / self._names.stage(rows.stage))
