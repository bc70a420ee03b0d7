"""What people are told of the experiment with passages; how it is done is up to `experiments.passages`."""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.analyses.analysis import Job
from unquilt.errors import ParameterError
from unquilt.parameters import Parameters, parameter
from unquilt.tables.passages_experiment import BEYOND, QUALITIES


@dataclass(frozen=True)
class PassagesExperimentParameters(Parameters):
    """Which passages are known, and which values are tried."""

    pan: str = parameter("", "folder of known passages, as PAN publishes them", usual="planted ones")
    labels: str = parameter("", "file of known passages, as unquilt score takes it", usual="planted ones")
    pairs: int = parameter(200, "number of pairs of documents with a planted passage", at_least=1, at_most=10**6)
    edited: float = parameter(
        0.1, "share of the sentences of planted passages in which a word is changed", at_least=0, at_most=1
    )
    tau: tuple[float, ...] = parameter(
        (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), "minimum Jaccard coefficient of two matching sentences", above=0, at_most=1
    )
    n: tuple[int, ...] = parameter((2, 3, 4), "words in a shingle", at_least=1, at_most=2**20)
    least_nidf: tuple[float, ...] = parameter(
        (0.0, 0.1, 0.2, 0.3, 0.4), "minimum normalised idf of the words that imatch compares", at_least=0, below=1
    )
    antecedents: tuple[int, ...] = parameter(
        (10, 100, 1000, 10_000, 20_000), "number of words with which spotsigs begin", at_least=1, at_most=2**32
    )
    gamma: tuple[int, ...] = parameter(
        (1, 3), "number of sentences that a passage exceeds, as published", at_least=0, at_most=2**30
    )
    shares: tuple[float, ...] = parameter(
        (0.25, 0.5, 1.0), "shares of the corpus that are compared with near-duplicates", above=0, at_most=1
    )
    seed: int = parameter(0, "seed of what is planted", at_least=0, at_most=2**63 - 1)

    def check(self) -> None:
        """Refuse two sets of known passages."""
        if self.pan and self.labels:
            raise ParameterError("pan and labels both name known passages; leave one out")


DECLARATION = Job(
    name="passages_experiment",
    results=(QUALITIES, BEYOND),
    parameters=PassagesExperimentParameters,
    report="unquilt.page.report.sections.experiments:show_passages",
    labels={"qualities": "comparing signatures", "beyond": "comparing with near-duplicates"},
)
