"""What people are told of the experiments of reuse; how they are done is up to `experiments.reuse`."""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.analyses.analysis import Job
from unquilt.parameters import Parameters, parameter
from unquilt.tables import INJECTIONS, MUTATIONS, TOLERANCES


@dataclass(frozen=True)
class ReuseExperimentParameters(Parameters):
    """What is copied how often, and how much the copies are changed."""

    site: str = parameter(
        "", "beginning of the URLs of the pages that are copied, without http://", usual="the host with the most pages"
    )
    pages: int = parameter(1000, "most pages of the site that are copied, the first", at_least=1, at_most=10**6)
    copies: tuple[int, ...] = parameter(
        (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000),
        "how many times they are copied",
        at_least=1,
        at_most=10**9,
    )
    file_threshold: int = parameter(1000, "files that occur more often than this are discovered", at_least=0)
    chunk_threshold: int = parameter(100_000, "chunks that occur more often are discovered", at_least=0)
    blind_copies: int = parameter(50_000, "copies of which blind labels are discovered", at_least=1, at_most=10**9)
    page_threshold: float = parameter(0.144, "a page is a target above this share", at_least=0, at_most=1)
    neighbourhood_threshold: float = parameter(0.163, "the site is bad above this", at_least=0, at_most=1)
    most: float = parameter(8.0, "most chunks changed, in mean chunks per page", above=0, at_most=1000)
    step: float = parameter(0.25, "step from one number of changed chunks to the next, likewise", above=0, at_most=1000)
    runs: int = parameter(10, "runs whose mean is taken", at_least=1, at_most=10**4)
    seed: int = parameter(0, "seed of what is drawn", at_least=0)


DECLARATION = Job(
    name="reuse_experiment",
    results=(TOLERANCES, MUTATIONS, INJECTIONS),
    labels={"injections": "counting copies", "mutations": "changing chunks", "tolerances": "comparing with thresholds"},
)
