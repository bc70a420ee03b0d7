"""Reworded passages as evidence of quilts: with `edits` reworded, they decide where equal grams say little.

    passages(d)   what d has in common with other documents by the alignment of `reworded`, but for a side that is more
                  than three times as long as the other
    d is judged by passages  iff those of foreign documents span at least the share `look` of the places of its grams,
                  and more than 1.5 times the share of its grams that foreign documents have; more than 3 times, if by
                  grams it has c sources, none of which holds more than max_largest

Of such a document, places of grams stand for grams: a place is held by the documents with a passage that spans it. All
that follows is the same as with grams, but for patches: they are the passages of its sources.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.analyses.reworded import RewordedParameters
from unquilt.analyses.reworded_candidates import CandidatePairs, find_candidates
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Rows, Verbs
from unquilt.tables.quilts import SPANNED, SPANNED_AT_HOME
from unquilt.tables.reworded import OWN_CANDIDATES

COMMON = 10
"""A stem in more than one of so many documents is common."""


class ChosenElements(NamedTuple):
    """Sizes and elements of documents, of those that are judged by passages made from these, and the passages of those;
    and what was counted."""

    documents: Rows
    elements: Rows
    passages: Rows
    statistics: dict[str, int]


def choose(
    verbs: Verbs,
    corpus: Kept,
    copies: Kept | None,
    documents: Rows,
    elements: Rows,
    how: dict[str, Any],
    of: str = "",
) -> ChosenElements:
    """Of each document, whether grams or passages say where its text is; `how` has the parameters of the kernel.

    Costs what `reworded` does: the texts are read three times to find candidates, and those of candidates once more;
    and again, for documents that come into question, those of their own sites. Shuffles 170 bytes a passage, and the
    elements of documents once more.
    """
    candidates = find_passage_candidates(verbs, corpus, copies, own=how["own"])
    spanned = span(verbs, corpus, candidates.table, candidates, "aligned")
    known = [spanned]
    if how["own"]:
        known.append(span_at_home(verbs, corpus, candidates, spanned, how, of))
    passages = [rows for table in known for rows in verbs.map(table, Kernel("select", tuple(SPANNED.schema.names)))]
    chosen, made, counting = verbs.group([documents, elements, *passages], Kernel("grams or passages", **how))
    return ChosenElements(chosen, made, counting, candidates.counters)


def find_passage_candidates(verbs: Verbs, corpus: Kept, copies: Kept | None, *, own: bool) -> CandidatePairs:
    """Documents of different sites that are aligned, and with `own` those of one site that may be."""
    usual = RewordedParameters()
    return find_candidates(
        verbs,
        corpus,
        copies,
        {"a": "", "b": ""},
        boilerplate=usual.boilerplate,
        max_df=usual.max_df,
        most=usual.max_candidates,
        compared="all" if own else "other sites",
    )


def span(verbs: Verbs, corpus: Kept, pairs: Kept, candidates: CandidatePairs, name: str, of: str = "") -> Kept:
    """The passages of pairs of documents, for each of the two."""
    (texts,) = verbs.map(corpus, Kernel("candidate texts"), among=pairs)
    common = candidates.counters.get("stemmed_documents", 0) // COMMON
    known: dict[str, Any] = {"rates": candidates.rates, "boilerplate": candidates.boilerplate}
    (spanned,) = verbs.group([texts], Kernel("spanned passages", **known, stems=candidates.stems, common=common))
    for counter, value in verbs.fold(spanned, name + of).items():
        candidates.counters[counter] = candidates.counters.get(counter, 0) + value
    table = SPANNED if name == "aligned" else SPANNED_AT_HOME
    return verbs.keep(spanned, table.named(table.name + of))


def span_at_home(
    verbs: Verbs, corpus: Kept, candidates: CandidatePairs, spanned: Kept, how: dict[str, Any], of: str
) -> Kept:
    """The passages that documents have in common with those of their own sites, of documents that may be judged by
    passages: the others are judged by grams, whatever these are."""
    (passages,) = verbs.map(spanned, Kernel("select", tuple(SPANNED.schema.names)))
    limits = {name: how[name] for name in ("k", "m", "look")}
    (questioned,) = verbs.group([passages], Kernel("questioned", **limits))
    (asked,) = verbs.group([questioned, candidates.own_site], Kernel("own candidates"))
    (once,) = verbs.group([asked], Kernel("distinct"))
    pairs = verbs.keep(once, OWN_CANDIDATES.named(OWN_CANDIDATES.name + of))
    return span(verbs, corpus, pairs, candidates, "aligned_at_home", of)


def locate_reworded(
    verbs: Verbs, patches: Rows, named: Kept, passages: Rows, given: QuiltParameters
) -> tuple[Rows, Rows]:
    """Patches of all documents that were looked at closely; and of those judged by passages what is sewn in."""
    (ranks,) = verbs.map(named, Kernel("select", ("quilt", "rank", "source", "is_quilt")))
    how: dict[str, Any] = {"k": given.k, "min_grams": given.min_grams, "borders": given.max_reads_on < 1}
    located, sewn = verbs.group([patches, ranks, passages], Kernel("reworded patches", **how))
    return located, sewn
