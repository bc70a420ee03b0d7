"""Merging runs of detection: parts of a corpus that were looked at apart become one result, that of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unquilt.analyses.detect import JudgingParameters, judge
from unquilt.engines.tasks import Scale
from unquilt.errors import InputError
from unquilt.flow.kept import Kept
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import measures, open_table
from unquilt.jobs.merged_tables import MergedTables, RunPart
from unquilt.jobs.opening import open_run
from unquilt.jobs.options import JobOptions
from unquilt.jobs.places import choose_place
from unquilt.jobs.work import engine
from unquilt.runs import InputRecord, Run
from unquilt.runs.storage import shown
from unquilt.tables.corpus import OTHER_TEXTS
from unquilt.tables.reuse import (
    CONTENTS,
    NEIGHBOURHOOD_SUMS,
    NEIGHBOURHOODS,
    OBJECT_SITES,
    OBJECTS,
    OCCURRENCES,
    ORIGINS,
    PATH_LENGTHS,
)

_MERGED = "merged_labels"
"""The parameter of a merged run that has the digest of the labels."""
_SUMMED = (
    "documents",
    OTHER_TEXTS.name,
    "words",
    "bytes",
    "rejects",
    "recursive",
    "without_url",
    "chunks",
    "matched",
    "excluded",
)


def merge_runs(
    given: JudgingParameters,
    runs: Sequence[str | Path],
    output: str | Path | None = None,
    options: JobOptions | None = None,
) -> Run:
    """Merges finished runs of detection with the same labels; documents are numbered in the order of the runs."""
    options = options or JobOptions()
    if not runs:
        raise InputError("there are no runs to merge")
    parts = [_open(path) for path in runs]
    for run in parts[1:]:
        if _labels(run) != _labels(parts[0]):
            raise InputError(f"{shown(run.path)} was detected with other labels than {shown(parts[0].path)}")
        if _site(run) != _site(parts[0]):
            sites = f"a site is a {_site(run)}, in {shown(parts[0].path)} a {_site(parts[0])}"
            raise InputError(f"in {shown(run.path)} {sites}: they do not fit together")
        if _stop_of(run) != _stop_of(parts[0]):
            names = f"{shown(run.path)} and {shown(parts[0].path)}"
            raise InputError(f"{names} were not both made with --stop-of {_stop_of(run)}: they do not fit together")
    output = choose_place(output, [run.path for run in parts])
    summaries = [measures(run) for run in parts]
    summary: dict[str, Any] = {name: sum(each.get(name, 0) for each in summaries) for name in _SUMMED}
    summary["pages_of_ours"] = max(each.get("pages_of_ours", 0) for each in summaries)
    records = [InputRecord(str(run.path), measures(run)["bytes"], run.manifest["fingerprint"]) for run in parts]
    pages = [each["documents"] for each in summaries]
    others = [each.get(OTHER_TEXTS.name, 0) for each in summaries]
    befores = [(sum(pages[:number]), sum(pages) + sum(others[:number])) for number in range(len(parts))]
    opened = [_part(run, count, *before) for run, count, before in zip(parts, pages, befores, strict=True)]
    asked = given.to_dict() | {_MERGED: _labels(parts[0]), "site": _site(parts[0])}
    asked["stop_of"] = _stop_of(parts[0])
    with open_run("detect", asked, records, output, options) as run:
        if not run.complete:
            scale = Scale(sum(pages) + sum(others), summary["words"])
            with engine(run, scale, options) as verbs, MergedTables(run, opened, options.settings) as whole:
                tables, statistics = _merge(verbs, whole, opened, given)
            rows = {table.name: table.rows for table in tables}
            run.finish(summary | statistics | rows, results=rows)
    return run


def _merge(
    verbs: Verbs, whole: MergedTables, parts: Sequence[RunPart], given: JudgingParameters
) -> tuple[list[Kept], dict[str, int]]:
    """The tables of the whole: counts add up, verdicts are given anew. Sites that parts share are counted once."""
    contents, sums = whole.merge(CONTENTS), whole.merge(NEIGHBOURHOOD_SUMS)
    counted, badness = whole.count_shares(CONTENTS), whole.count_shares(NEIGHBOURHOOD_SUMS, given.bad_by)
    tables, statistics = judge(verbs, contents, sums, counted, badness, given)
    merged = [PATH_LENGTHS, OBJECT_SITES, OBJECTS, ORIGINS]
    if all(OCCURRENCES.name in part.tables for part in parts):
        merged.append(OCCURRENCES)
    return [contents, *tables, *map(whole.merge, merged)], statistics


def _open(path: str | Path) -> Run:
    run = Run.read(path)
    if run.manifest["analysis"] != "detect":
        raise InputError(f"{shown(path)} is not a run of unquilt reuse detect")
    if not run.complete:
        raise InputError(f"{shown(path)} is a run that was not finished; run it again first")
    if OBJECT_SITES.name not in run.tables:
        raise InputError(f"{shown(path)} has no table {OBJECT_SITES.name}; run it again")
    return run


def _labels(run: Run) -> str:
    """The digest of the labels, which are the last input; what was merged keeps that of its parts."""
    digest: str = run.manifest["parameters"].get(_MERGED) or run.manifest["inputs"][-1]["sha256"]
    return digest


def _site(run: Run) -> str:
    """What counts as one site."""
    site: str = run.manifest["parameters"]["site"]
    return site


def _stop_of(run: Run) -> str:
    """What stop chunks were taken out of."""
    stop_of: str = run.manifest["parameters"]["stop_of"]
    return stop_of


def _part(run: Run, pages: int, offset: int, other_offset: int) -> RunPart:
    read = (CONTENTS, NEIGHBOURHOODS, PATH_LENGTHS, OBJECT_SITES, OBJECTS, ORIGINS, OCCURRENCES)
    tables = {table.name: open_table(run, table.name, table) for table in read if table.name in run.tables}
    return RunPart(tables, pages, offset, other_offset)
