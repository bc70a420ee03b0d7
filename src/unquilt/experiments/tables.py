"""The runs that an experiment compares, and tables of rows that are counted in Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from unquilt.analyses.analysis import Analysis
from unquilt.corpus.options import PLAIN, Reading
from unquilt.flow.kept import Kept
from unquilt.jobs.corpora import has_plain_words
from unquilt.jobs.named import Inputs
from unquilt.jobs.options import JobOptions
from unquilt.jobs.work import analyse, ingest
from unquilt.parameters import Parameters
from unquilt.runs import Run
from unquilt.tables.table import Table

PATIENCE = 2.0
"""Seconds before it is told which run is under way, as for stages."""
Row = dict[str, Any]
"""A row of a table, by the names of its columns."""


class Runs:
    """The runs that an experiment compares. They are folders, so that an interrupted experiment goes on with the run
    that it was at. `number` is how many there will be."""

    def __init__(self, corpus: Run, folder: Path, prefix: str, number: int, options: JobOptions) -> None:
        self.options = options
        self._corpus = corpus
        self._folder = folder
        self._prefix = prefix
        self._number = number
        self._begun = 0
        self._started = time.monotonic()

    def place(self, name: str) -> Path:
        """The folder of the run of this name."""
        return self._folder / f"{self._prefix}{name}"

    def ingest(self, inputs: Inputs, name: str) -> Run:
        """A corpus that an experiment made, read as such files are usually read, with words as in its own corpus."""
        reading = Reading(words=PLAIN if has_plain_words(self._corpus) else Reading().words)
        return ingest(inputs, self.place(name), replace(self.options, reading=reading))

    def carry_out(self, analysis: Analysis, parameters: Parameters, name: str, corpus: Run | None = None) -> Run:
        """A run over the corpus of the experiment, or over another one."""
        self._begun += 1
        if time.monotonic() - self._started > PATIENCE:
            self.options.progress.say(f"{name}: run {self._begun} of {self._number}")
        return analyse(analysis, parameters, (corpus or self._corpus).path, self.place(name), self.options)


def read_rows(run: Run, table: Table, columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a table of another run, read part by part, so that it need not fit into memory."""
    for split in Kept.of(table.name, run.path / f"{table.name}.parquet").splits():
        yield from split.read(columns).to_pylist()


def keep_rows(run: Run, table: Table, make: Callable[[], Iterable[Row]]) -> None:
    """Make and write a table, in a stage with its name."""
    keep_columns(run, table, lambda: pa.Table.from_pylist([dict(row) for row in make()], schema=table.schema))


def keep_columns(run: Run, table: Table, make: Callable[[], pa.Table]) -> None:
    """The same for many rows, which are columns already."""
    with run.stage(table.name) as stage:
        columns = make()
        with run.writer(table.name, table.schema) as writer:
            writer.write(columns)
        stage.record(rows=len(columns))
    run.mark(table.name, [table.name])
