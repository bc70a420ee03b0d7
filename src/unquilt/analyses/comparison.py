"""Exact similarity: how much of their grams, and on request of their words, two documents have in common."""

from __future__ import annotations

from typing import Any

from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Rows, Verbs
from unquilt.tables.neardups import COMPARED

COMPARISON_LABELS = {
    "comparisons": "choosing what to compare",
    "comparisons with kept": "choosing what to compare",
    "compared": "choosing what to compare",
    "gram sets": "comparing near-duplicates",
    "spot sets": "comparing near-duplicates",
    "jaccard": "comparing near-duplicates",
}


def has_spots(grams: dict[str, Any]) -> bool:
    """Whether what is compared are spot signatures, which take a lexicon, and not grams."""
    return "lexicon" in grams


def compare(
    verbs: Verbs,
    corpus: Kept,
    members: Kept | None,
    edges: Kept | None,
    grams: dict[str, Any],
    *,
    cosine: bool = False,
    known: Kept | None = None,
    name: str = COMPARED.name,
) -> tuple[Rows, ...]:
    """The exact similarity of documents that an edge ties together (if `edges` are given), and of documents to the one
    that is kept for them (if `members` are), seen from that one and from each of them; the overlaps of the former; and,
    if overlaps are `known`, the similarity of the latter as far as it follows from them: that is not computed again.

    No text is sent anywhere: the grams of each document go once to each document that it is compared with.
    """
    asked: list[Rows] = []
    before: list[Rows] = []
    if members is not None:
        unknown, already = verbs.map(members, Kernel("comparisons with kept"), beside=known)
        asked.append(unknown)
        before += [already] if known is not None else []
    if edges is not None:
        asked += verbs.map(edges, Kernel("comparisons"))
    (compared,) = verbs.group(asked, Kernel("compared"))
    table = verbs.keep(compared, COMPARED.named(name))
    kernel = Kernel("spot sets", **grams) if has_spots(grams) else Kernel("gram sets", cosine=cosine, **grams)
    (sets,) = verbs.map(corpus, kernel, among=table)
    return (*verbs.group([sets], Kernel("jaccard", cosine=cosine)), *before)
