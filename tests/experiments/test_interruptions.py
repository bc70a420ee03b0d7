"""An experiment that is interrupted again and again goes on where it was, and ends with the same tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import unquilt
from unquilt.demo import write_jsonl
from unquilt.engines.progress import Step
from unquilt.jobs.options import JobOptions
from unquilt.results.run import ReadableRun

PARAMETERS: dict[str, dict[str, Any]] = {
    "imatch": {"queries": 40},
    "passages": {"pairs": 6, "tau": (0.9,), "n": (3,), "least_nidf": (0.1,), "antecedents": (1000,), "shares": (1.0,)},
    "phrases": {"least": 1},
    "quilts": {"k": (5,), "m": (50,), "c": (2, 4), "sigma": (0.5,)},
    "reuse": {"runs": 2, "most": 2.0},
}
STAGES = {"imatch": 10, "passages": 60}
"""After so many stages that were not done before, or 25, the experiment is interrupted."""


class Interrupting:
    """Progress that interrupts, as Ctrl-C does, after some stages."""

    def __init__(self, most: int) -> None:
        self.left = most

    @contextmanager
    def stage(self, name: str, total: int, unit: str = "") -> Iterator[Step]:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        yield lambda units, documents=0, *, before=False: None

    def say(self, text: str) -> None:
        pass


@pytest.mark.slow
@pytest.mark.parametrize("name", PARAMETERS)
def test_an_interrupted_experiment_goes_on(name: str, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl.gz", 80, words=250)
    carry_out = getattr(unquilt.experiment, name)

    def attempt(place: str, options: JobOptions) -> ReadableRun:
        run: ReadableRun = carry_out(
            tmp_path / "pages.jsonl.gz", tmp_path / place / "run", options=options, **PARAMETERS[name]
        )
        return run

    whole = attempt("whole", JobOptions())
    attempts = 0
    while True:
        attempts += 1
        try:
            run = attempt("parts", JobOptions(progress=Interrupting(STAGES.get(name, 25))))
            break
        except KeyboardInterrupt:
            assert attempts < 30, "it does not get on"
    assert attempts > 1, "it was not interrupted"
    for table in whole.tables:
        seconds = [column for column in whole.table(table).column_names if "seconds" in column]
        assert run.table(table).drop_columns(seconds) == whole.table(table).drop_columns(seconds)
