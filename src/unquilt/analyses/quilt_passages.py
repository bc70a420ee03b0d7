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
from unquilt.analyses.reworded_candidates import find_candidates
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Rows, Verbs
from unquilt.tables.quilts import SPANNED

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
    verbs: Verbs, corpus: Kept, copies: Kept | None, documents: Rows, elements: Rows, how: dict[str, Any]
) -> ChosenElements:
    """Of each document, whether grams or passages say where its text is; `how` has the parameters of the kernel.

    Shuffles 170 bytes a passage, and the elements of documents once more.
    """
    spanned, statistics = span(verbs, corpus, copies, own=how["own"])
    columns = tuple(SPANNED.schema.names)
    (passages,) = verbs.map(spanned, Kernel("select", columns))
    chosen, made, counting = verbs.group([documents, elements, passages], Kernel("grams or passages", **how))
    return ChosenElements(chosen, made, counting, statistics)


def span(verbs: Verbs, corpus: Kept, copies: Kept | None, *, own: bool) -> tuple[Kept, dict[str, int]]:
    """The passages that documents have in common with those of other sites, and with `own` with those of their own.

    Costs what `reworded` does: the texts are read three times to find candidates, and those of candidates once more.
    """
    usual = RewordedParameters()
    candidates = find_candidates(
        verbs,
        corpus,
        copies,
        {"a": "", "b": ""},
        boilerplate=usual.boilerplate,
        max_df=usual.max_df,
        most=usual.max_candidates,
        compared="all" if own else "other sites",
    )
    (texts,) = verbs.map(corpus, Kernel("candidate texts"), among=candidates.table)
    common = candidates.counters.get("stemmed_documents", 0) // COMMON
    known: dict[str, Any] = {"rates": candidates.rates, "boilerplate": candidates.boilerplate}
    kernel = Kernel("spanned passages", **known, stems=candidates.stems, common=common)
    (spanned,) = verbs.group([texts], kernel)
    statistics = candidates.counters | verbs.fold(spanned, "aligned")
    return verbs.keep(spanned, SPANNED), statistics


def locate_reworded(
    verbs: Verbs, patches: Rows, named: Kept, passages: Rows, given: QuiltParameters
) -> tuple[Rows, Rows]:
    """Patches of all documents that were looked at closely; and of those judged by passages what is sewn in."""
    (ranks,) = verbs.map(named, Kernel("select", ("quilt", "rank", "source", "is_quilt")))
    how: dict[str, Any] = {"k": given.k, "min_grams": given.min_grams, "borders": given.max_reads_on < 1}
    located, sewn = verbs.group([patches, ranks, passages], Kernel("reworded patches", **how))
    return located, sewn
