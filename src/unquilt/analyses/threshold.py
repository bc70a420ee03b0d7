"""Near-duplicates by a threshold: pairs whose similarity, exactly, is at least t, and which documents go.

    sketch(d)        min-wise functions of the circular k-grams of d, in b bands of r rows (see `banding`)
    candidates(d)    documents preferred to d that agree with d in all rows of a band, and in enough places of the
                     sketch: the four that agree best, and eight of the most preferred ones
    near(d, e)       iff e is a candidate of d, and their similarity is at least t: J(d, e) or, with the measure
                     containment, the share of the grams of d that e has
    kept(d)          iff d is near to no document that is kept, of those that are preferred to it

First each document is compared with its likeliest candidate, which ties most clusters together and drops most of what
is dropped; then with further ones, but only those that do not hang together with it already, and those on which it
depends what is kept; last, if it stays, with what is kept in place of its candidates. So a cluster of n documents takes
n to 2 n comparisons, however many pairs of it are near, and pairs that are clearly below the threshold take none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unquilt.analyses.banding import Banding
from unquilt.analyses.comparison import compare, has_spots
from unquilt.analyses.components import components
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Rows, Verbs
from unquilt.tables.neardups import CANDIDATES, COMPARED, EDGES, FURTHER, LINKED, LINKS, OVERLAPS, TREES, UNSETTLED

MEASURES = ("jaccard", "containment")
_FINDING = "finding candidates"
_COMPARING = "comparing candidates"
_CHOOSING = "choosing what to keep"
THRESHOLD_LABELS = {
    "bands": "taking sketches",
    "spot bands": "taking sketches",
    "contained grams": "taking grams",
    "gram votes": _FINDING,
    "voted candidates": _FINDING,
    "candidates": _FINDING,
    "best candidates": _FINDING,
    "further": _FINDING,
    "near pairs": _COMPARING,
    "overlaps": _COMPARING,
    "verified": _COMPARING,
    "unsettled": _FINDING,
    "apart": _FINDING,
    "judged pairs": _CHOOSING,
    "open pairs": _CHOOSING,
    "gathered pairs": _CHOOSING,
    "dropped": _CHOOSING,
}


@dataclass(frozen=True)
class NearPairs:
    """Pairs that were compared, enough to tie each cluster together and to say what is kept."""

    overlaps: Kept
    """The pairs that were compared, near or not."""
    edges: Kept
    """Those that are near."""
    linked: Kept
    """The components of candidates, within which all near pairs are."""
    counters: dict[str, int]


def near_pairs(
    verbs: Verbs,
    corpus: Kept,
    near: dict[str, Any],
    grams: dict[str, Any],
    *,
    seed: int,
    min_words: int,
    preferred: Kept | None,
) -> NearPairs:
    """Compares what has to be. `near` are threshold and measure, `preferred` the ranks of documents, if the first are
    not preferred.

    `grams` say which grams, or spot signatures, are compared. Shuffles up to 150 bytes for each document and band (by
    containment, 30 bytes for each gram, and up to 20 KB a document that shares its grams), then 8 bytes for each gram
    of a document and each comparison."""
    of_documents = {"min_words": min_words, **grams}
    if near["measure"] == "containment":
        (sketches,) = verbs.map(corpus, Kernel("contained grams", **of_documents), beside=preferred)
        counters = verbs.fold(sketches, "signatures")
        (found,) = verbs.group([sketches], Kernel("gram votes"))
        best, further = verbs.group([found], Kernel("voted candidates", threshold=near["threshold"]))
    else:
        banding = Banding.of(near["threshold"])
        kernel = "spot bands" if has_spots(grams) else "bands"
        bands = Kernel(kernel, seed=seed, bands=banding.bands, rows=banding.rows, **of_documents)
        (sketches,) = verbs.map(corpus, bands, beside=preferred)
        counters = verbs.fold(sketches, "signatures")
        (found,) = verbs.group([sketches], Kernel("candidates", **banding.agreement()))
        best, further = verbs.group([found], Kernel("best candidates"))
    first, others = verbs.keep(best, CANDIDATES), verbs.keep(further, FURTHER)

    overlaps_1 = _overlaps(verbs, corpus, first, grams, 1)
    edges_1, _ = verbs.map(overlaps_1, Kernel("near pairs", **near))
    trees = components(verbs, verbs.keep(edges_1, EDGES.named(f"{EDGES.name}_1")), TREES)
    (waiting,) = verbs.map(others, Kernel("unsettled"), beside=trees)
    (apart,) = verbs.group([_as_rows(verbs, trees), waiting], Kernel("apart"))
    unsettled = verbs.keep(apart, UNSETTLED.named(f"{UNSETTLED.name}_1"))
    (links,) = verbs.group([_as_rows(verbs, first), _as_rows(verbs, unsettled)], Kernel("distinct"))
    linked = components(verbs, verbs.keep(links, LINKS), LINKED)

    (open_,) = verbs.map(others, Kernel("open pairs"), beside=preferred)
    *_, asked = _decide(verbs, linked, [_judge(verbs, overlaps_1, near, preferred), open_])
    (all_asked,) = verbs.group([asked, _as_rows(verbs, unsettled)], Kernel("distinct"))
    second = verbs.keep(all_asked, UNSETTLED.named(f"{UNSETTLED.name}_2"))
    compared = [overlaps_1, _overlaps(verbs, corpus, second, grams, 2)]

    judged = [_judge(verbs, overlaps, near, preferred) for overlaps in compared]
    *_, asked = _decide(verbs, linked, judged, instead=True)
    compared.append(_overlaps(verbs, corpus, verbs.keep(asked, UNSETTLED), grams, 3))
    (distinct,) = verbs.group([_as_rows(verbs, pairs, *COUNTS) for pairs in compared], Kernel("distinct"))
    overlaps = verbs.keep(distinct, OVERLAPS)
    edges, _ = verbs.map(overlaps, Kernel("near pairs", **near))
    counters |= {"compared": 0, "verified": 0} | verbs.fold(edges, "verified")
    return NearPairs(overlaps, verbs.keep(edges, EDGES), linked, counters)


def drop(verbs: Verbs, pairs: NearPairs, near: dict[str, Any], preferred: Kept | None) -> tuple[Rows, Rows]:
    """The documents that a kept one is near to, each with that one; and how similar each of them is to it."""
    dropped, similar, _ = _decide(verbs, pairs.linked, [_judge(verbs, pairs.overlaps, near, preferred)])
    return dropped, similar


COUNTS = ("common", "grams", "other_grams")


def _overlaps(verbs: Verbs, corpus: Kept, pairs: Kept, grams: dict[str, Any], number: int) -> Kept:
    *_, overlaps = compare(verbs, corpus, None, pairs, grams, name=f"{COMPARED.name}_{number}")
    return verbs.keep(overlaps, OVERLAPS.named(f"{OVERLAPS.name}_{number}"))


def _judge(verbs: Verbs, overlaps: Kept, near: dict[str, Any], preferred: Kept | None) -> Rows:
    (judged,) = verbs.map(overlaps, Kernel("judged pairs", **near), beside=preferred)
    return judged


def _decide(verbs: Verbs, linked: Kept, pairs: list[Rows], *, instead: bool = False) -> tuple[Rows, ...]:
    (held,) = verbs.group([_as_rows(verbs, linked), *pairs], Kernel("gathered pairs"))
    return verbs.group([held], Kernel("dropped", instead=instead))


def _as_rows(verbs: Verbs, pairs: Kept, *others: str) -> Rows:
    (rows,) = verbs.map(pairs, Kernel("select", ("doc", "other", *others)))
    return rows
