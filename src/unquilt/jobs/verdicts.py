"""Quilts of a finished run by other limits (see `analyses.judging`), as a table that is judged as it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from unquilt.analyses.judging import change_limits, judge
from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.errors import RunError
from unquilt.flow.kept import Kept, Split
from unquilt.jobs.corpora import open_table
from unquilt.runs import Run
from unquilt.tables.quilts import SOURCES, VERDICTS
from unquilt.tables.table import Table


@dataclass(frozen=True)
class Judge:
    """What verdicts are judged by again; with `quilts_only`, others are left out."""

    sources: Kept
    made: Mapping[str, Any]
    limits: QuiltParameters
    quilts_only: bool = False

    def judge(self, verdicts: pa.Table) -> pa.Table:
        """Verdicts of documents that follow each other."""
        first, last = (verdicts["doc"][end].as_py() if verdicts.num_rows else 0 for end in (0, -1))
        found = judge(verdicts, self.sources.between(first, last), self.made, self.limits)
        return found.filter(found["quilt"]) if self.quilts_only else found


@dataclass(frozen=True)
class JudgedSplit(Split):
    """A row group of verdicts, judged again."""

    judge: Judge | None = None

    def read(self, columns: Sequence[str], *, seen: bool = False) -> pa.Table:  # noqa: ARG002
        assert self.judge is not None
        return self.judge.judge(super().read(VERDICTS.schema.names)).select(list(columns))


@dataclass(frozen=True)
class JudgedTable(Kept):
    """The verdicts of a run, judged again."""

    judge: Judge | None = None

    def splits(self) -> list[Split]:
        return [
            JudgedSplit(split.path, split.row_group, split.rows, split.numbered, split.keys, judge=self.judge)
            for split in super().splits()
        ]

    @property
    def rows(self) -> int:
        return sum(split.read(["doc"]).num_rows for split in self.splits())

    def between(self, first: int, last: int, columns: Sequence[str] | None = None) -> pa.Table:
        assert self.judge is not None
        return self.judge.judge(super().between(first, last)).select(list(columns or VERDICTS.schema.names))


def judge_run(
    run: Run, asked: Mapping[str, Any], *, quilts_only: bool = False, opened: Mapping[str, Kept] | None = None
) -> JudgedTable:
    """The verdicts of a run by the limits that it was made with, but for those that are `asked` for. Tables of the run
    that are `opened` already are not looked at again."""
    known = opened or {}
    verdicts, sources = (known.get(table.name) or _table(run, table) for table in (VERDICTS, SOURCES))
    made = run.manifest["parameters"]
    by = Judge(sources, made, change_limits(made, asked), quilts_only)
    return JudgedTable(verdicts.name, verdicts.paths, verdicts.numbered, known=verdicts.known, judge=by)


def _table(run: Run, table: Table) -> Kept:
    if run.manifest["analysis"] != "quilts":
        raise RunError(f"{run.path} is a run of {run.manifest['analysis']}, not of quilts: it has no verdicts")
    if table.name not in run.tables:
        raise RunError(f"{run.path} has no table {table.name}: it is not complete; run unquilt quilts again")
    return open_table(run, table.name, table)
