"""What engines have in common: tables and folded values are kept in the run folder, and made only if they are missing.

This is where resuming is decided, once for all engines: a stage is timed, written, and marked as done last of all.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from unquilt import _native
from unquilt.engines.progress import Progress, Silent
from unquilt.engines.tasks import Scale
from unquilt.errors import EngineError
from unquilt.flow.fitting import check_table
from unquilt.flow.kept import Kept
from unquilt.flow.verbs import Rows, Stage, Verbs
from unquilt.runs import ROWS_PER_GROUP, Run, TableWriter
from unquilt.tables.table import Table

LONG_ROWS_PER_GROUP = 4096
"""Rows of a row group of tables with large binaries, which kernels pack for each other: few, as a task that reads such
a table beside its own needs few of them."""


class Engine(Verbs):
    """The verbs over a run folder."""

    def __init__(self, run: Run, scale: Scale, progress: Progress | None = None) -> None:
        self._run = run
        self._scale = scale
        self._progress = progress or Silent()

    def fold(self, rows: Rows, name: str) -> dict[str, int]:
        if not self._run.done(name):
            with self._run.stage(name) as stage, _naming(name):
                counters = self._counters(rows.stage, name)
                stage.record(counters=counters)
            self._run.mark(name, values={key: count for key, count in counters.items() if key != "spilled"})
        return self._run.values(name)

    def keep(self, rows: Rows, table: Table) -> Kept:
        check_table(rows.fields, table, rows.stage.kernel)
        name = table.name
        if not self._run.done(name):
            with self._run.stage(name) as stage, _naming(name):
                stage.record(rows=self._write(rows, table))
            self._run.mark(name, tables=[name])
        return Kept.of(name, self._run.path / f"{name}.parquet").checked(table)

    def _write(self, rows: Rows, table: Table) -> int:
        """Writes a table; returns how many rows it has."""
        with self._writer(table) as writer:
            for part in self._sorted(rows, table.name, table.schema):
                writer.write(part)
        return writer.rows

    def _writer(self, table: Table) -> TableWriter:
        size = count_rows_per_group(table)
        return self._run.writer(table.name, table.schema, rows_per_group=size, on_the_way=table.on_the_way)

    @abstractmethod
    def _counters(self, stage: Stage, name: str) -> dict[str, int]:
        """What a stage counted; its rows can still be read."""

    @abstractmethod
    def _sorted(self, rows: Rows, name: str, schema: pa.Schema) -> Iterator[pa.RecordBatch | pa.Table]:
        """The rows of a table in order, partition by partition."""


def count_rows_per_group(table: Table) -> int:
    long = any(pa.types.is_large_binary(field.type) for field in table.schema)
    return LONG_ROWS_PER_GROUP if long else ROWS_PER_GROUP


@contextmanager
def _naming(stage: str) -> Iterator[None]:
    """Says in which stage a kernel found rows that are not what it reads."""
    try:
        yield
    except _native.DamagedRowsError as error:
        raise EngineError(f"stage {stage} failed: {error}; this is a bug in unquilt, please report it") from error


def read_twice(rows: Rows) -> RuntimeError:
    """The complaint about rows that an analysis should have kept."""
    return RuntimeError(f"the rows of {rows.stage.kernel.name} have been read before: keep them")
