"""Passages that were reworded, shuffled or summarised: `unquilt reworded`.

    candidates      documents that share rare words; see `reworded_candidates`
    passage(a, b)   what a took from b, as `native/kernels/src/alignment.rs` defines: windows that share rare stems,
                    grown to the two intervals that explain each other best

The tables are those of `passages`, so that whatever reads one reads the other. Each passage also has a score, and the
share of its words that were taken over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.analyses.between import between_parameter, check_between, name_collections, refuse_empty
from unquilt.analyses.copies import find_copies
from unquilt.analyses.quilt_parameters import COLLAPSE
from unquilt.analyses.reworded_candidates import CANDIDATE_LABELS, CANDIDATE_TABLES, CandidatePairs, find_candidates
from unquilt.analyses.sites import see_sites
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Rows, Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import FOREIGN
from unquilt.tables.neardups import COPY_TABLES
from unquilt.tables.passages import PASSAGE_PAIRS, PASSAGES


@dataclass(frozen=True)
class RewordedParameters(Parameters):
    """Which documents are aligned, and which words are left out."""

    max_df: int = parameter(
        20,
        "maximum number of documents with a pair of rare words by which documents are compared",
        at_least=1,
        at_most=2**32 - 1,
    )
    max_candidates: int = parameter(
        100,
        "maximum number of documents that one document is aligned with, the most similar first",
        at_least=1,
        at_most=2**32 - 1,
    )
    boilerplate: int = parameter(
        100,
        "ignore sequences of five words that more documents than this have, such as menus; 0: ignore none",
        at_least=0,
        at_most=2**32 - 1,
    )
    collapse: str = parameter(
        "none", "which copies count as one document: exact ones, near-duplicates, or none", one_of=COLLAPSE
    )
    foreign: str = parameter(
        "domain",
        "what a site is: only documents of different sites are compared; none: all documents",
        one_of=FOREIGN,
        word="site",
    )
    between: tuple[str, ...] = between_parameter()

    def check(self) -> None:
        check_between(self.between)


def reworded(verbs: Verbs, corpus: Kept, given: RewordedParameters) -> Outcome:
    """Finds the passages that documents took from each other and reworded, and which pairs of documents share most."""
    sited, foreign = see_sites(corpus, given.foreign)
    copies = find_copies(verbs, sited, foreign=foreign, collapse=given.collapse)
    if given.collapse == "none":
        copies = copies.without_copies()
    sharing: dict[str, Any] = {"boilerplate": given.boilerplate, "max_df": given.max_df, "most": given.max_candidates}
    collections = name_collections(given.between)
    candidates = find_candidates(verbs, corpus, copies.table, collections, **sharing)
    refuse_empty(candidates.counters, given.between)
    aligned, counters = align_candidates(verbs, corpus, candidates, both_ways=not given.between)
    found, spans, sides = aligned
    (pairs,) = verbs.group([spans], Kernel("passage pairs"))
    (others,) = verbs.group([sides], Kernel("sharing documents"))
    (counted,) = verbs.group([found, others], Kernel("shared passages"))
    kept = verbs.keep(counted, PASSAGES)
    return Outcome([*copies.tables, kept, verbs.keep(pairs, PASSAGE_PAIRS)], copies.counters | counters)


def align_candidates(
    verbs: Verbs, corpus: Kept, candidates: CandidatePairs, *, both_ways: bool
) -> tuple[tuple[Rows, Rows, Rows], dict[str, int]]:
    """The passages of candidates, their spans, both sides of each, and counters.

    Reads the texts of candidates, and shuffles each once for each partition that has documents that it is aligned with.
    """
    (texts,) = verbs.map(corpus, Kernel("candidate texts"), among=candidates.table)
    known: dict[str, Any] = {"rates": candidates.rates, "boilerplate": candidates.boilerplate}
    kernel = Kernel("aligned passages", **known, both_ways=both_ways)
    found, spans, sides = verbs.group([texts], kernel)
    return (found, spans, sides), candidates.counters | verbs.fold(found, "aligned")


COSTS: Mapping[str, float] = {
    "stem counts": 68,
    "stem grams": 97,
    "common grams": 39,
    "stem keys": 174,
    "key pairs": 103,
    "candidate texts": 26,
    "aligned passages": 493,
}
"""The costs of the longer stages: per mille of the processor time on the medium Debian corpus."""

DECLARATION = Analysis(
    name="reworded",
    summary="unquilt.cli.show.reworded:RewordedView",
    report="unquilt.page.report.sections.passages:show_passages",
    parameters=RewordedParameters,
    function="unquilt.analyses.reworded:reworded",
    foreign=lambda given: "" if given.between else str(given.foreign),
    costs=lambda _: COSTS.items(),
    results=(PASSAGES, PASSAGE_PAIRS),
    others=(*COPY_TABLES, *CANDIDATE_TABLES),
    labels=CANDIDATE_LABELS
    | {
        "candidate texts": "sending texts to candidates",
        "aligned passages": "aligning texts",
        "aligned": "aligning texts",
        "passages": "locating passages",
        "passage pairs": "adding up pairs",
        "sharing documents": "counting documents with a passage",
        "shared passages": "counting documents with a passage",
    },
    example="""
    >>> import pyarrow as pa
    >>> told = "When the old lighthouse keeper retired in autumn, nobody in the harbour wanted his lonely post. "
    >>> told += "The council offered a cottage, a boat and firewood, but candidates feared the winter storms there. "
    >>> changed = told.replace("When the", "As the").replace("nobody", "no one").replace("offered", "promised")
    >>> pages = pa.table({"id": ["x", "y"], "text": [told, "Here is news of another kind.\\n" + changed]})
    >>> run = reworded(pages)
    >>> [(row["a"], row["b"], row["b_begin"], row["score"] > 30) for row in run.passages.to_pylist()]
    [(0, 1, 30, True)]
    """,
)
