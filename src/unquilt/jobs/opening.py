"""Opens run folders to make a run in, and tables of runs. It imports no reader and no analysis, so that commands which
only look at finished runs start quickly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from unquilt import _native
from unquilt.corpus.extract.urls import list_date
from unquilt.errors import MisfitError, RunError
from unquilt.flow.kept import Kept
from unquilt.jobs.options import JobOptions
from unquilt.runs import InputRecord, Run
from unquilt.runs.manifest import unquilt_version
from unquilt.runs.storage import shown
from unquilt.tables.table import Table


def open_run(
    name: str, parameters: Mapping[str, Any], records: Sequence[InputRecord], output: str | Path, options: JobOptions
) -> Run:
    return Run.open(
        output,
        analysis=name,
        parameters=parameters,
        inputs=records,
        overwrite=options.overwrite,
        versions={"unicode": _native.UNICODE_VERSION, "public suffix list": list_date()},
        settings=options.settings.to_dict(),
        shared=options.settings.engine != "local",
    )


def open_table(run: Run, name: str, table: Table | None, files: Iterable[str] = ()) -> Kept:
    """A table of a run, by default its one file, checked if it is known what it should be. Other columns than this
    unquilt gives it are no damage if another version wrote them."""
    found = Kept.of(name, *(run.path / file for file in files or (f"{name}.parquet",)))
    try:
        return found.checked(table)
    except MisfitError as error:
        theirs, ours = run.manifest["unquilt"], unquilt_version()
        if theirs == ours:
            raise
        made = f"{shown(run.path)} was made by unquilt {theirs}, whose table {name} is another than that of {ours}"
        raise RunError(f"{made}; run unquilt {run.manifest['analysis']} again") from error
