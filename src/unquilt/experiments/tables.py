"""What experiments have in common: the corpus that they begin with, the runs that they compare, and tables of rows that
are counted in Python."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from unquilt.analyses.analysis import Analysis, Job
from unquilt.corpus.options import PLAIN, Reading
from unquilt.errors import InputError
from unquilt.flow.kept import Kept
from unquilt.jobs.corpora import CORPUS, has_plain_words, measures
from unquilt.jobs.named import Inputs, name_paths, open_corpus
from unquilt.jobs.opening import open_run
from unquilt.jobs.options import JobOptions
from unquilt.jobs.places import choose_place
from unquilt.jobs.work import analyse, ingest
from unquilt.parameters import Parameters
from unquilt.runs import InputRecord, Run
from unquilt.tables.table import Table


def read_corpus(inputs: Inputs, output: str | Path | None, options: JobOptions) -> tuple[Path, Run]:
    """Where an experiment goes, and the corpus that it is about. What is read becomes a corpus beside it, so that
    whoever runs another experiment, or goes on with this one, need not read it again."""
    place = choose_place(output, name_paths(inputs))
    corpus = open_corpus(inputs)
    if corpus is None:
        corpus = ingest(inputs, place.with_name(f"{place.name}-{CORPUS}"), replace(options, overwrite=False))
    return place, corpus


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


def keep_rows(run: Run, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table of a stage with its name."""
    with run.stage(table.name) as stage:
        with run.writer(table.name, table.schema) as writer:
            writer.write(pa.Table.from_pylist([dict(row) for row in rows], schema=table.schema))
        stage.record(rows=len(rows))
    run.mark(table.name, [table.name])


@dataclass(frozen=True)
class Begun:
    """An experiment that is carried out: its run, the folder for the runs that it compares, and what else its summary
    says."""

    run: Run
    parts: Path
    facts: dict[str, int] = field(default_factory=dict)

    @property
    def is_left(self) -> bool:
        """Whether there is something left to do."""
        return not self.run.complete


@contextmanager
def carrying_out(
    job: Job,
    given: Parameters,
    corpora: Sequence[Run],
    output: str | Path | None,
    place: Path,
    options: JobOptions,
    on_the_way: Collection[Table] = (),
) -> Iterator[Begun]:
    """Opens the run folder of an experiment about the first of these corpora. The block keeps the tables of the job;
    behind it the run is finished, without those that were of use only on the way."""
    records = [
        InputRecord(str(corpus.path), measures(corpus)["bytes"], corpus.manifest["fingerprint"]) for corpus in corpora
    ]
    with (
        open_run(job.name, given.to_dict(), records, place, options) as run,
        _abandoning(run),
        _beside(output, place) as parts,
    ):
        begun = Begun(run, parts)
        yield begun
        if begun.is_left:
            rows = {table.name: run.table(table.name).num_rows for table in job.tables if table not in on_the_way}
            run.finish(measures(corpora[0]) | rows | begun.facts, results=rows)


@contextmanager
def _abandoning(run: Run) -> Iterator[None]:
    """Leaves no folder behind if a corpus does not suit an experiment: whoever then asks for less needs the name."""
    try:
        yield
    except InputError:
        run.abandon()
        raise


@contextmanager
def _beside(output: str | Path | None, place: Path) -> Iterator[Path]:
    """The folder for the runs that are compared: beside that of the experiment, or a temporary one without it."""
    if output is not None:
        yield place.parent
        return
    with tempfile.TemporaryDirectory(prefix="unquilt-") as folder:
        yield Path(folder)
