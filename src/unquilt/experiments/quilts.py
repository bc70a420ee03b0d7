"""The evaluation of quilts (Najork, SIGIR 2012) on any corpus: the sweep (Table 1, Figure 3), and how many quilts there
are by four definitions: as published, with sources of other domains or of other addresses only, and by default.

The runs of the four definitions and the sweep are folders of their own beside that of the experiment, so that an
interrupted experiment goes on where it was, and that people can judge a sample of each (Table 2). Time: four runs of
`quilts` and one of `sweep`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from unquilt.analyses.analysis import Analysis
from unquilt.analyses.quilts import DECLARATION as QUILTS_ANALYSIS
from unquilt.analyses.quilts import PUBLISHED, QuiltParameters
from unquilt.analyses.quilts_experiment import DECLARATION, QuiltsExperimentParameters
from unquilt.analyses.sweep import DECLARATION as SWEEP_ANALYSIS
from unquilt.analyses.sweep import SweepParameters
from unquilt.experiments.tables import Row, beside, keep_rows, read_corpus
from unquilt.jobs.corpora import measures
from unquilt.jobs.inputs import Inputs
from unquilt.jobs.options import JobOptions
from unquilt.jobs.work import analyse, open_run
from unquilt.parameters import Parameters
from unquilt.runs import InputRecord, Run
from unquilt.tables import QUILTS, SWEEP, VARIANTS

CarryOut = Callable[[Analysis, Parameters, str], Run]
DEFINITIONS: Mapping[str, Mapping[str, Any]] = {
    "published": PUBLISHED,
    "published-domain": {**PUBLISHED, "foreign": "domain"},
    "published-ip": {**PUBLISHED, "foreign": "ip"},
    "default": {},
}
"""The definitions that are compared, each with its parameters; the first one is that of the paper."""


def run_quilts(
    given: QuiltsExperimentParameters,
    inputs: Inputs,
    output: str | Path | None = None,
    options: JobOptions | None = None,
) -> Run:
    """Carries the experiment out over inputs, or over a corpus folder, into a run folder. What is read becomes a corpus
    beside it."""
    options = options or JobOptions()
    place, corpus = read_corpus(inputs, output, options)
    record = InputRecord(str(corpus.path), measures(corpus)["bytes"], corpus.manifest["fingerprint"])
    with open_run(DECLARATION.name, given.to_dict(), [record], place, options) as run, beside(output, place) as parts:
        if not run.complete:

            def carry_out(analysis: Analysis, parameters: Parameters, name: str) -> Run:
                return analyse(analysis, parameters, corpus.path, parts / f"{place.name}-{name}", options)

            keep_rows(run, VARIANTS, compare(carry_out, measures(corpus)["documents"]))
            swept = carry_out(SWEEP_ANALYSIS, SweepParameters.from_dict(given.to_dict()), SWEEP.name)
            keep_rows(run, SWEEP, swept.table(SWEEP.name).to_pylist())
            rows = {table.name: run.table(table.name).num_rows for table in DECLARATION.results}
            run.finish(measures(corpus) | rows, results=rows)
    return run


def compare(carry_out: CarryOut, documents: int) -> list[Row]:
    """How many quilts there are by each definition."""
    rows: list[Row] = []
    published: set[int] = set()
    for name, parameters in DEFINITIONS.items():
        found = carry_out(QUILTS_ANALYSIS, QuiltParameters.from_dict(dict(parameters)), name).table(QUILTS.name)
        quilts = [row for row in found.select(["doc", "verdict", "sources"]).to_pylist() if row["verdict"] == "quilt"]
        docs = {row["doc"] for row in quilts}
        published = published or docs
        rows.append(
            {
                "definition": name,
                "quilts": len(docs),
                "share": len(docs) / max(1, documents),
                "mean_sources": sum(row["sources"] for row in quilts) / len(docs) if docs else None,
                "of_published": len(docs & published) / len(published) if published else None,
                "in_part": found.num_rows - len(docs),
            }
        )
    return rows
