"""Opens a run folder to make a run in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unquilt.runs import InputRecord, Run

if TYPE_CHECKING:
    from unquilt.jobs.options import JobOptions


def open_run(
    name: str, parameters: Mapping[str, Any], records: Sequence[InputRecord], output: str | Path, options: JobOptions
) -> Run:
    from unquilt._native import UNICODE_VERSION
    from unquilt.corpus.extract.urls import list_date

    return Run.open(
        output,
        analysis=name,
        parameters=parameters,
        inputs=records,
        overwrite=options.overwrite,
        versions={"unicode": UNICODE_VERSION, "public suffix list": list_date()},
        settings=options.settings.to_dict(),
        shared=options.settings.engine != "local",
    )
