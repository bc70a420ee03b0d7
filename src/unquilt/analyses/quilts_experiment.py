"""What people are told of the experiment with quilts; how it is done is up to `experiments.quilts`."""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.analyses.analysis import Job
from unquilt.analyses.sweep import SweepParameters
from unquilt.parameters import Parameters, parameter
from unquilt.tables.experiments import PLANTED_QUILTS, VARIANTS
from unquilt.tables.sweep import SWEEP


@dataclass(frozen=True)
class QuiltsExperimentParameters(Parameters):
    """The grid of the sweep, each parameter of which is varied around 5, 50, 4 and 0.5; and which pages are planted."""

    k: tuple[int, ...] = parameter(SweepParameters.k, "words in a gram", at_least=1, at_most=2**20)
    m: tuple[int, ...] = parameter(
        SweepParameters.m, "maximum number of documents that share a patch gram", at_least=2, at_most=2**32
    )
    c: tuple[int, ...] = parameter(SweepParameters.c, "minimum number of sources of a quilt", at_least=1, at_most=2**32)
    sigma: tuple[float, ...] = parameter(
        SweepParameters.sigma, "minimum share of the grams that sources cover", at_least=0, at_most=1
    )
    planted: int = parameter(
        20, "number of pages that are stitched together for each number below; 0 for none", at_least=0, at_most=10**6
    )
    among: int = parameter(
        10_000, "maximum number of documents, drawn at random, among which these stand", at_least=1, at_most=10**9
    )
    sources: tuple[int, ...] = parameter(
        (2, 4, 8, 16, 32), "number of sources of a planted page", at_least=1, at_most=1000
    )
    shares: tuple[float, ...] = parameter(
        (0.3, 0.5, 0.6, 0.75, 0.9, 1.0), "share of copied words in a planted page", above=0, at_most=1
    )
    edits: tuple[float, ...] = parameter(
        (0.0, 0.02, 0.05, 0.1, 0.2), "share of the copied words that are replaced", at_least=0, at_most=1
    )
    seed: int = parameter(0, "seed of what is planted", at_least=0, at_most=2**63 - 1)


DECLARATION = Job(
    name="quilts_experiment",
    results=(VARIANTS, SWEEP, PLANTED_QUILTS),
    parameters=QuiltsExperimentParameters,
    report="unquilt.page.report.sections.experiments:show_quilts",
    labels={
        "variants": "comparing definitions",
        "sweep": "counting quilts",
        "planted_pages": "stitching pages together",
        "planted_quilts": "counting planted quilts",
    },
)
