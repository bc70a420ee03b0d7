"""Near-duplicates by a threshold: pairs whose Jaccard coefficient, exactly, is at least t.

    sketch(d)        min-wise functions of the circular k-grams of d, in b bands of r rows (see `banding`)
    candidates(d)    lower documents that agree with d in all rows of a band, and in enough places of the sketch: the
                     eight that agree best
    near(d, e)       iff one is a candidate of the other, and J(d, e) >= t

First each document is compared with its best candidate, which ties most clusters together; then with further ones, but
only those that do not hang together with it already. So a cluster of n documents takes about n comparisons, however
many pairs of it are near, and pairs that are clearly below the threshold take none.
"""

from __future__ import annotations

from typing import Any

from unquilt.analyses.banding import Banding
from unquilt.analyses.comparison import compare
from unquilt.analyses.components import components
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Rows, Verbs
from unquilt.tables import CANDIDATES, COMPARED, EDGES, FURTHER, TREES, UNSETTLED

THRESHOLD_LABELS = {
    "bands": "taking sketches",
    "candidates": "finding candidates",
    "best candidates": "finding candidates",
    "further": "finding candidates",
    "verified": "comparing candidates",
    "verified_1": "comparing candidates",
    "verified_2": "comparing candidates",
    "unsettled": "finding candidates",
    "apart": "finding candidates",
}


def near_pairs(
    verbs: Verbs, corpus: Kept, threshold: float, grams: dict[str, Any], *, seed: int, min_words: int
) -> tuple[Kept, dict[str, int]]:
    """Pairs that reach the threshold, enough to tie each cluster together, and what was counted on the way.

    Shuffles up to 150 bytes for each document and band, then 8 bytes for each gram of a document and each comparison.
    """
    banding = Banding.of(threshold)
    (sketches,) = verbs.map(
        corpus, Kernel("bands", seed=seed, min_words=min_words, bands=banding.bands, rows=banding.rows, **grams)
    )
    counters = verbs.fold(sketches, "signatures")
    (found,) = verbs.group([sketches], Kernel("candidates", **banding.agreement()))
    best, further = verbs.group([found], Kernel("best candidates"))
    first, others = verbs.keep(best, CANDIDATES), verbs.keep(further, FURTHER)

    def verify(candidates: Kept, number: int) -> tuple[Kept, dict[str, int]]:
        pairs, *_ = compare(verbs, corpus, None, candidates, grams, name=f"{COMPARED.name}_{number}")
        (near,) = verbs.group([pairs], Kernel("verified", threshold=threshold))
        counted = verbs.fold(near, f"verified_{number}")
        return verbs.keep(near, EDGES.named(f"{EDGES.name}_{number}")), counted

    edges_1, counted_1 = verify(first, 1)
    trees = components(verbs, edges_1, TREES)
    (waiting,) = verbs.map(others, Kernel("unsettled"), beside=trees)
    (apart,) = verbs.group([_as_rows(verbs, trees), waiting], Kernel("apart"))
    edges_2, counted_2 = verify(verbs.keep(apart, UNSETTLED), 2)
    (edges,) = verbs.group([_as_rows(verbs, edges_1), _as_rows(verbs, edges_2)], Kernel("distinct"))
    both = {name: counted_1.get(name, 0) + counted_2.get(name, 0) for name in ("compared", "verified")}
    return verbs.keep(edges, EDGES), counters | both


def _as_rows(verbs: Verbs, pairs: Kept) -> Rows:
    (rows,) = verbs.map(pairs, Kernel("select", ("doc", "other")))
    return rows
