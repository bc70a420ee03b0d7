"""The evaluation of quilts (Najork, SIGIR 2012) on any corpus: the sweep (Table 1, Figure 3), how many quilts there are
by four definitions (as published, with sources of other domains or of other addresses only, and by default), and how
many planted ones are found.

The runs of the four definitions and the sweep are folders of their own beside that of the experiment, so that an
interrupted experiment goes on where it was, and that people can judge a sample of each (Table 2). Time: four runs of
`quilts` and one of `sweep`, and two of `quilts` on a sample with planted pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unquilt.analyses.quilt_parameters import DECLARATION as QUILTS_ANALYSIS
from unquilt.analyses.quilt_parameters import PUBLISHED, QuiltParameters
from unquilt.analyses.quilts_experiment import DECLARATION, QuiltsExperimentParameters
from unquilt.analyses.sweep import DECLARATION as SWEEP_ANALYSIS
from unquilt.analyses.sweep import SweepParameters
from unquilt.experiments.experiment import Begun, Experiment
from unquilt.experiments.planted_quilts import count_found, plant_quilts
from unquilt.experiments.tables import Row, Runs
from unquilt.figures import quilts_experiment
from unquilt.jobs.corpora import measures
from unquilt.runs import Run
from unquilt.tables.experiments import PLANTED_QUILTS, VARIANTS
from unquilt.tables.quilts import QUILTS
from unquilt.tables.sweep import SWEEP

DEFINITIONS: Mapping[str, Mapping[str, Any]] = {
    "published": PUBLISHED,
    "published-domain": {**PUBLISHED, "foreign": "domain"},
    "published-ip": {**PUBLISHED, "foreign": "ip"},
    "default": {},
}
"""The definitions that are compared, each with its parameters; the first one is that of the paper."""


LOOKING_FOR_PLANTED = ("published", "default")
"""The definitions by which planted pages are looked for."""


def _plant(corpus: Run, given: QuiltsExperimentParameters, runs: Runs) -> Run:
    """A corpus of documents of another one, and planted pages."""
    file = runs.place("planted.jsonl")
    plant_quilts(corpus, given, file, runs.options.progress)
    return runs.ingest(str(file), "planted")


def _look_for_planted(planted: Run, given: QuiltsExperimentParameters, runs: Runs) -> Iterator[Row]:
    for definition in LOOKING_FOR_PLANTED:
        asked = QuiltParameters.from_dict(dict(DEFINITIONS[definition]))
        found = runs.carry_out(QUILTS_ANALYSIS, asked, f"planted-{definition}", planted)
        yield from count_found(definition, found, given)


def compare(runs: Runs, documents: int) -> list[Row]:
    """How many quilts there are by each definition."""
    rows: list[Row] = []
    published: set[int] = set()
    for name, parameters in DEFINITIONS.items():
        asked = QuiltParameters.from_dict(dict(parameters))
        found = runs.carry_out(QUILTS_ANALYSIS, asked, name).table(QUILTS.name)
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


def _fill(begun: Begun, given: QuiltsExperimentParameters) -> None:
    corpus = begun.corpus
    runs = begun.compare(len(DEFINITIONS) + 1 + bool(given.planted) * len(LOOKING_FOR_PLANTED))
    with begun.run.stage("planted_pages"):  # first: a corpus can be too small
        planted = _plant(corpus, given, runs) if given.planted else None
    begun.keep(VARIANTS, lambda: compare(runs, measures(corpus)["documents"]))
    grid = SweepParameters(given.k, given.m, given.c, given.sigma)
    begun.keep(SWEEP, lambda: runs.carry_out(SWEEP_ANALYSIS, grid, SWEEP.name).table(SWEEP.name).to_pylist())
    begun.keep(PLANTED_QUILTS, lambda: _look_for_planted(planted, given, runs) if planted else ())


EXPERIMENT = Experiment(DECLARATION, _fill, quilts_experiment.plot, quilts_experiment.NAMES)
