"""Ways to run `quilts` on an engine of one's own making, and to read what it found."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from twin import Found

from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.analyses.quilts import quilts
from unquilt.engines.local import Local
from unquilt.engines.progress import Silent
from unquilt.engines.tasks import Scale
from unquilt.errors import RunError
from unquilt.flow.rehearsal import Rehearsal
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import documents
from unquilt.runs import InputRecord, Run
from unquilt.settings import Settings

PLAIN: dict[str, Any] = {"min_share": 0.0, "min_grams": 1, "max_largest": 1.0}
PLAIN |= {"max_own": 1.0, "max_sections": 1.0, "min_sewn": 0.0, "max_reads_on": 1.0, "min_part": 0}
PLAIN |= {"edits": "exact", "homes": False, "sigma_of": "covered"}
"""All sources count, and one may explain it all: for tests of a few words, and of what is as published."""
ASKED: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0.3, "foreign": "ip"} | PLAIN
DEBIAN = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "unquilt-bench" / "debian-small.jsonl.gz"


def fit(asked: dict[str, Any]) -> dict[str, Any]:
    """Drawn parameters without contradictions, which are refused: sources that add much are few, and one holds much."""
    share = asked.get("min_share", 0.0)
    fitted = {"c": min(asked["c"], int(1 / share))} if share and "c" in asked else {}
    if "max_largest" in asked:
        fitted["max_largest"] = max(asked["max_largest"], share, 0.1)
    return asked | fitted


def stop_after_rehearsal(step: Callable[..., Any]) -> Callable[..., Any]:
    """A step of an analysis that fails when the analysis really runs."""

    def stopping(verbs: Verbs, *rest: Any, **given: Any) -> Any:
        if isinstance(verbs, Rehearsal):
            return step(verbs, *rest, **given)
        raise RunError("stop here")

    return stopping


def read_found(run: Run) -> Found:
    """The tables of a run, as the twin has them."""

    def rows(table: str) -> list[Any]:
        return [tuple(row.values()) for row in run.table(table).to_pylist()] if table in run.tables else []

    return Found(*(rows(table) for table in Found._fields))


def read_files(run: Run) -> dict[str, bytes]:
    """The tables of a run, byte for byte."""
    return {path.name: path.read_bytes() for path in sorted(run.path.glob("*.parquet"))}


def measure(corpus: Run) -> Scale:
    summary = corpus.manifest["summary"]
    return Scale(summary["documents"], summary["words"])


def open_run(corpus: Run, folder: Path, parameters: Mapping[str, Any]) -> Run:
    record = InputRecord(str(corpus.path), 0, corpus.manifest["fingerprint"])
    return Run.open(folder, analysis="quilts", parameters=dict(parameters), inputs=[record])


def run_quilts(corpus: Run, folder: Path, engine: Callable[[Run], Verbs], **parameters: Any) -> Run:
    """Runs quilts on an engine of one's own making."""
    with open_run(corpus, folder, parameters) as run:
        with engine(run) as verbs:  # type: ignore[attr-defined]
            outcome = quilts(verbs, documents(corpus), QuiltParameters.from_dict(parameters))
        run.finish({}, results=[table.name for table in outcome.tables])
    return run


def local(corpus: Run, *, threads: int = 2, memory: int = 1 << 30, partitions: int | None = None) -> Any:
    """Makes the local engine for a run."""
    return lambda run: Local(run, measure(corpus), threads=threads, memory=memory, partitions=partitions)


def tasks_on_spark(scale: Scale, settings: Settings, partitions: int) -> Callable[[Run], Verbs]:
    """Makes the engine of tasks and objects, with Spark as its scheduler, for a run."""
    from unquilt.engines.objects.engine import Objects
    from unquilt.engines.spark import SparkTasks

    return lambda run: Objects(run, scale, SparkTasks(run, settings, Silent()), partitions=partitions)
