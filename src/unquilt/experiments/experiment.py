"""What an experiment is, and how each is carried out: over a corpus, into a run folder, with the runs that it compares
beside that, so that an interrupted one goes on where it was."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unquilt.analyses.analysis import Job
from unquilt.errors import InputError
from unquilt.experiments.tables import Row, Runs, keep_rows
from unquilt.figures.figure import Figure
from unquilt.jobs.corpora import CORPUS, measures
from unquilt.jobs.named import Inputs, name_paths, open_corpus
from unquilt.jobs.opening import open_run
from unquilt.jobs.options import JobOptions
from unquilt.jobs.places import choose_place
from unquilt.jobs.work import ingest
from unquilt.runs import InputRecord, Run
from unquilt.tables.table import Table


@dataclass(frozen=True)
class Begun:
    """An experiment that is carried out: its run, the corpus that it is about, other corpora by name, its own folder,
    and the one for the runs that it compares. `facts` is what else its summary says."""

    run: Run
    corpus: Run
    others: Mapping[str, Run]
    place: Path
    folder: Path
    options: JobOptions
    facts: dict[str, int] = field(default_factory=dict)

    def compare(self, number: int, folder: Path | None = None) -> Runs:
        """The runs that it compares, so many of them; in a folder of their own if one is given."""
        prefix = "" if folder else f"{self.place.name}-"
        return Runs(self.corpus, folder or self.folder, prefix, number, self.options)

    def keep(self, table: Table, make: Callable[[], Iterable[Row]]) -> None:
        """Makes and keeps one of the tables of its job, as a stage of the run."""
        keep_rows(self.run, table, make)


def _without_others(_given: Any, _place: Path, _options: JobOptions) -> dict[str, Run]:
    return {}


@dataclass(frozen=True)
class Experiment:
    """One of the experiments: `fill` keeps all tables of its job; `draw` makes its figures, of which `figures` are the
    names that there can be; `others` reads the corpora that it looks at beside its own one."""

    job: Job
    fill: Callable[[Begun, Any], None]
    draw: Callable[[Run], Sequence[Figure]]
    figures: Sequence[str]
    others: Callable[[Any, Path, JobOptions], dict[str, Run]] = _without_others

    def carry_out(
        self, given: Any, inputs: Inputs, output: str | Path | None = None, options: JobOptions | None = None
    ) -> Run:
        """Carries it out with these parameters over inputs, or over a corpus folder, into a run folder. What is read
        becomes a corpus beside it."""
        options = options or JobOptions()
        place, corpus = read_corpus(inputs, output, options)
        others = self.others(given, place, options)
        records = [
            InputRecord(str(each.path), measures(each)["bytes"], each.manifest["fingerprint"])
            for each in (corpus, *others.values())
        ]
        with (
            open_run(self.job.name, given.to_dict(), records, place, options) as run,
            _abandoning(run),
            _beside(output, place) as folder,
        ):
            if not run.complete:
                begun = Begun(run, corpus, others, place, folder, options)
                self.fill(begun, given)
                rows = {table.name: run.table(table.name).num_rows for table in self.job.tables if not table.on_the_way}
                run.finish(measures(corpus) | rows | begun.facts, results=rows)
        return run


def read_corpus(inputs: Inputs, output: str | Path | None, options: JobOptions) -> tuple[Path, Run]:
    """Where an experiment goes, and the corpus that it is about. What is read becomes a corpus beside it, so that
    whoever runs another experiment, or goes on with this one, need not read it again."""
    place = choose_place(output, name_paths(inputs))
    corpus = open_corpus(inputs)
    if corpus is None:
        corpus = ingest(inputs, place.with_name(f"{place.name}-{CORPUS}"), replace(options, overwrite=False))
    return place, corpus


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
