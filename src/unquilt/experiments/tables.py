"""What experiments have in common: the corpus that they begin with, and tables of rows that are counted in Python."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from unquilt.jobs.named import Inputs, name_paths, open_corpus
from unquilt.jobs.options import JobOptions
from unquilt.jobs.places import CORPUS, choose_place
from unquilt.jobs.work import ingest
from unquilt.runs import Run
from unquilt.tables import Table


def read_corpus(inputs: Inputs, output: str | Path | None, options: JobOptions) -> tuple[Path, Run]:
    """Where an experiment goes, and the corpus that it is about. What is read becomes a corpus beside it, so that
    whoever runs another experiment, or goes on with this one, need not read it again."""
    place = choose_place(output, name_paths(inputs))
    corpus = open_corpus(inputs)
    if corpus is None:
        corpus = ingest(inputs, place.with_name(f"{place.name}-{CORPUS}"), replace(options, overwrite=False))
    return place, corpus


def keep_rows(run: Run, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table of a stage with its name."""
    with run.stage(table.name) as stage:
        with run.writer(table.name, table.schema) as writer:
            writer.write(pa.Table.from_pylist([dict(row) for row in rows], schema=table.schema))
        stage.record(rows=len(rows))
    run.mark(table.name, [table.name])


@contextmanager
def beside(output: str | Path | None, place: Path) -> Iterator[Path]:
    """The folder for the runs that are compared: beside that of the experiment, or a temporary one without it."""
    if output is not None:
        yield place.parent
        return
    with tempfile.TemporaryDirectory(prefix="unquilt-") as folder:
        yield Path(folder)
