"""Analyses are gone through without data before they run, so that a misfit shows before anything is written."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from unquilt.analyses.analysis import Analysis
from unquilt.analyses.catalogue import jobs
from unquilt.analyses.neardups import DECLARATION as NEARDUPS
from unquilt.analyses.outcome import Outcome
from unquilt.analyses.quilts import DECLARATION as QUILTS
from unquilt.analyses.quilts import QuiltParameters
from unquilt.analyses.reworded import DECLARATION as REWORDED
from unquilt.analyses.sweep import DECLARATION as SWEEP
from unquilt.errors import ParameterError, PlanError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.rehearsal import rehearse
from unquilt.flow.verbs import Verbs
from unquilt.jobs.work import analyse
from unquilt.tables import EDGES, PAIRS

SITES = [
    {"foreign": foreign, "collapse": collapse}
    for foreign, collapse in itertools.product(("none", "host", "domain", "ip"), ("none", "exact", "near"))
]
CASES: list[tuple[Analysis, dict[str, Any]]] = [
    *((QUILTS, sites | more) for sites in SITES for more in ({}, {"patches": False}, {"max_attributed": 0.5})),
    *((SWEEP, sites) for sites in SITES),
    *((NEARDUPS, {"method": method, "pairs": pairs}) for method in ("shingles", "imatch") for pairs in (True, False)),
    (NEARDUPS, {"similarity": False, "family": "rabin"}),
    *((REWORDED, sites) for sites in SITES),
    (REWORDED, {"boilerplate": 0, "between": ("a", "b")}),
]


@pytest.mark.parametrize(("analysis", "given"), CASES)
def test_analyses_fit_whatever_they_are_asked(analysis: Analysis, given: dict[str, Any]) -> None:
    parameters = analysis.parameters(**given)
    rehearse(lambda verbs, corpus: analysis.function(verbs, corpus, parameters))


def test_every_analysis_fits_with_its_defaults() -> None:
    for analysis in jobs():
        if not isinstance(analysis, Analysis):
            continue  # ingest
        try:
            usual = analysis.parameters()
        except ParameterError:  # nothing is usual: it has to be told what to look for
            continue
        rehearse(lambda verbs, corpus, each=analysis, given=usual: each.function(verbs, corpus, given))


def test_a_misfit_at_the_end_shows_before_anything_is_written(tmp_path: Path) -> None:
    """The first table could be kept; the second cannot."""

    def misfit(verbs: Verbs, corpus: Kept, _: QuiltParameters) -> Outcome:
        (rows,) = verbs.map(corpus, Kernel("select", ("doc", "path")))
        (ends,) = verbs.map(verbs.keep(verbs.map(corpus, Kernel("select", ("doc", "words")))[0], EDGES), Kernel("ends"))
        return Outcome([verbs.keep(ends, EDGES), verbs.keep(rows, PAIRS)], {})

    analysis = Analysis(name="misfit", parameters=QuiltParameters, function=misfit, results=(PAIRS,), labels={})
    with pytest.raises(PlanError, match="table edges has other behind its key; rows of select have words"):
        analyse(analysis, QuiltParameters(), pa.table({"id": ["a"], "text": ["b"]}), tmp_path / "run")
    assert not (tmp_path / "run").exists()
