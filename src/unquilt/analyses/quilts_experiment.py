"""What people are told of the experiment with quilts; how it is done is up to `experiments.quilts`."""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.analyses.analysis import Job
from unquilt.analyses.sweep import SweepParameters
from unquilt.parameters import Parameters, parameter
from unquilt.tables import SWEEP, VARIANTS


@dataclass(frozen=True)
class QuiltsExperimentParameters(Parameters):
    """The grid of the sweep; each parameter is varied around 5, 50, 4 and 0.5."""

    k: tuple[int, ...] = parameter(SweepParameters.k, "words in a gram", at_least=1, at_most=2**20)
    m: tuple[int, ...] = parameter(
        SweepParameters.m, "maximum number of documents that share a patch gram", at_least=2, at_most=2**32
    )
    c: tuple[int, ...] = parameter(SweepParameters.c, "minimum number of sources of a quilt", at_least=1, at_most=2**32)
    sigma: tuple[float, ...] = parameter(
        SweepParameters.sigma, "minimum share of the grams that sources cover", at_least=0, at_most=1
    )


DECLARATION = Job(
    name="quilts_experiment",
    results=(VARIANTS, SWEEP),
    parameters=QuiltsExperimentParameters,
    report="unquilt.page.report.sections.experiments:show_quilts",
    labels={"variants": "comparing definitions", "sweep": "counting quilts"},
)
