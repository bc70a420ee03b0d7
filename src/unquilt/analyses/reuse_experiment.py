"""What people are told of the experiments of reuse; how they are done is up to `experiments.reuse`."""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.analyses.analysis import Job
from unquilt.parameters import Parameters, parameter
from unquilt.tables.reuse import FREQUENCIES
from unquilt.tables.reuse_experiment import CLEANINGS, INJECTED, INJECTIONS, MUTATIONS, TOLERANCES


@dataclass(frozen=True)
class ReuseExperimentParameters(Parameters):
    """What is copied how often, and how much the copies are changed."""

    site: str = parameter(
        "", "prefix of the URLs of the pages to copy, without http://", usual="the host with the most pages"
    )
    pages: int = parameter(
        1000, "maximum number of pages of the site that are copied, from the first on", at_least=1, at_most=10**6
    )
    copies: tuple[int, ...] = parameter(
        (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000),
        "number of copies of each page",
        at_least=1,
        at_most=10**9,
    )
    file_threshold: int = parameter(1000, "a file is discovered if it occurs more often than this", at_least=0)
    chunk_threshold: int = parameter(100_000, "a chunk is discovered if it occurs more often than this", at_least=0)
    blind_copies: int = parameter(
        50_000, "number of copies from which blind labels are discovered", at_least=1, at_most=10**9
    )
    page_threshold: float = parameter(
        0.144, "minimum share of labelled content of a target, exclusive", at_least=0, at_most=1
    )
    neighbourhood_threshold: float = parameter(0.163, "minimum badness of a bad site, exclusive", at_least=0, at_most=1)
    labelled: int = parameter(
        2121,
        "number of most frequent chunks of the corpus that are labels when all of it is searched, with and without "
        "stop chunks",
        at_least=1,
        at_most=10**7,
    )
    most: float = parameter(
        8.0,
        "maximum number of changed chunks, as a multiple of the mean number of chunks per page",
        above=0,
        at_most=1000,
    )
    step: float = parameter(0.25, "step between numbers of changed chunks, in the same unit", above=0, at_most=1000)
    runs: int = parameter(10, "number of runs to average", at_least=1, at_most=10**4)
    seed: int = parameter(0, "random seed", at_least=0)


DECLARATION = Job(
    name="reuse_experiment",
    results=(TOLERANCES, MUTATIONS, INJECTIONS, CLEANINGS),
    parameters=ReuseExperimentParameters,
    others=(INJECTED, FREQUENCIES),
    report="unquilt.page.report.sections.experiments:show_reuse",
    labels={
        "copied_pages": "reading the pages that are copied",
        "discovered": "counting files and chunks",
        "changed_pages": "changing pages",
        "injections": "counting copies",
        "injected": "counting copies",
        "cleanings": "searching the corpus",
        "mutations": "changing pages",
        "tolerances": "comparing with thresholds",
    },
)
