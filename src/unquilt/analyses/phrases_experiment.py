"""What people are told of the experiment with phrases; how it is done is up to `experiments.phrases`."""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.analyses.analysis import Job
from unquilt.analyses.neardups import FAMILIES
from unquilt.analyses.phrases import PhraseParameters
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import SITES
from unquilt.tables.phrases_experiment import COVER_SIZES, PHRASE_CORPORA, PHRASE_SITES, POPULAR_CURVES, SHINGLE_CURVES


@dataclass(frozen=True)
class PhrasesExperimentParameters(Parameters):
    """Which corpora are drawn into one chart, which site is drawn apart, and how samples are drawn."""

    beside: tuple[str, ...] = parameter((), "other corpora, or files, to draw into the same charts")
    sample_site: str = parameter("", "host, domain or IP address of this corpus that has curves of its own")
    popular: int = parameter(
        PhraseParameters.popular, "minimum number of documents that share a popular shingle", at_least=2, at_most=2**32
    )
    family: str = parameter(
        PhraseParameters.family, "family of min-wise functions; the paper has rabin", one_of=FAMILIES
    )
    sample_size: int = parameter(PhraseParameters.sample_size, "number of documents in a sample", at_least=1)
    least: float = parameter(
        PhraseParameters.least,
        "minimum number of popular shingles, of 84, of a sampled document",
        at_least=0,
        at_most=84,
    )
    group: str = parameter(PhraseParameters.group, "what a site is", one_of=SITES, word="site")
    seed: int = parameter(
        PhraseParameters.seed, "seed of the min-wise functions and of the samples", at_least=0, at_most=2**63 - 1
    )


DECLARATION = Job(
    name="phrases_experiment",
    results=(PHRASE_CORPORA, POPULAR_CURVES, COVER_SIZES, PHRASE_SITES, SHINGLE_CURVES),
    parameters=PhrasesExperimentParameters,
    report="unquilt.page.report.sections.experiments:show_phrases",
    labels={
        "phrases": "looking for phrases",
        "phrase_corpora": "comparing corpora",
        "shingle_curves": "counting shingles",
        "popular_curves": "counting popular shingles",
        "cover_sizes": "counting covering sets",
        "phrase_sites": "counting by site",
    },
)
