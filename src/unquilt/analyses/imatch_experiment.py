"""What people are told of the experiment with I-Match; how it is done is up to `experiments.imatch`."""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.analyses.analysis import Job
from unquilt.analyses.lexicon import LexiconParameters
from unquilt.parameters import Parameters, parameter
from unquilt.stores.lexicons import check_nidf
from unquilt.tables.experiments import NEAR_DOCUMENTS, RECALLS, STABILITY


@dataclass(frozen=True)
class ImatchExperimentParameters(Parameters):
    """Which documents are asked for, what near-duplicates are, and which lexicons find them."""

    lexicon: tuple[str, ...] = parameter((), "files with lexicons of other corpora, to compare with that of this one")
    nidf: tuple[float, ...] = parameter(
        LexiconParameters.nidf,
        "range of normalised idf of the words in its own lexicon, as LOW:HIGH; for mail, the paper has 0.2:0.3",
        at_least=0,
        at_most=1,
        is_range=True,
    )
    queries: int = parameter(2000, "number of documents to ask for, drawn at random", at_least=1, at_most=10**6)
    cosine: float = parameter(0.9, "minimum cosine of near-duplicates, over sets of words", at_least=0.5, at_most=1)
    distinct: bool = parameter(
        False, "leave out documents with the same set of words as an earlier one, as published for mail"
    )
    most: int = parameter(10, "maximum number of randomised lexicons", at_least=1, at_most=100)
    drop: float = parameter(0.33, "share of the words that each randomised lexicon leaves out", at_least=0, below=1)
    min_terms: int = parameter(5, "minimum number of words in a signature", at_least=1, at_most=2**32)
    min_share: float = parameter(0.1, "minimum share of a document's words in its signature", at_least=0, at_most=1)
    legitimate: str = parameter(
        "", "corpus, or file, of documents that should be near to none of this corpus: these are counted"
    )
    changes: int = parameter(
        8, "maximum number of words of the lexicon that are added or removed", at_least=1, at_most=100
    )
    seed: int = parameter(0, "random seed", at_least=0, at_most=2**63 - 1)

    def check(self) -> None:
        check_nidf(self.nidf)


DECLARATION = Job(
    name="imatch_experiment",
    results=(RECALLS, STABILITY),
    parameters=ImatchExperimentParameters,
    others=(NEAR_DOCUMENTS,),
    report="unquilt.page.report.sections.experiments:show_imatch",
    labels={
        "sample": "drawing documents",
        "near documents": "looking for near-duplicates",
        "near_documents": "looking for near-duplicates",
        "signatures": "making signatures",
        "recalls": "comparing signatures",
        "alarms": "making signatures of legitimate documents",
        "stability": "changing words",
    },
)
