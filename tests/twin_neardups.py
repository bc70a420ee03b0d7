"""The twin of near-duplicates: what SPEC 3.2 makes of sketches, said in Python as plainly as can be.

Every document is held against every other. The sketches themselves (super-fingerprints, or signatures) are those of the
package, whose own tests hold them against their definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from statistics import median
from typing import Any, NamedTuple

from twin import circular, close, sequence

Near = Callable[[Any, Any], bool]
Pair = tuple[int, int, float]


class Found(NamedTuple):
    """The tables clusters (doc, cluster, keep) and similarity (cluster, documents, least, median)."""

    clusters: list[tuple[int, int, bool]]
    similarity: list[tuple[int, int, float, float]]


def agree(a: Sequence[str | None], b: Sequence[str | None]) -> bool:
    """Whether any coordinate of two documents' signatures does, of those that both have."""
    return any(x == y for x, y in zip(a, b, strict=True) if x is not None)


split = cache(sequence)


@cache
def grams(text: str, k: int) -> frozenset[tuple[str, ...]]:
    return frozenset(circular(split(text), k))


def jaccard(a: str, b: str, k: int) -> float:
    """Of the sets of circular k-grams."""
    one, other = grams(a, k), grams(b, k)
    return len(one & other) / len(one | other) if one | other else 0.0


def neardups(texts: Sequence[str], sketches: Sequence[Any], near: Near, k: int) -> Found:
    found = Found([], [])
    for kept, members in sorted(close(sketches, near).items()):
        if len(members) > 1:
            found.clusters.extend((doc, kept, doc == kept) for doc in members)
            to_kept = [jaccard(texts[doc], texts[kept], k) for doc in members if doc != kept]
            found.similarity.append((kept, len(members), min(to_kept), median(to_kept)))
    found.clusters.sort()
    return found


def join(documents: int, pairs: Sequence[Pair]) -> list[tuple[int, int, bool]]:
    """The clusters that pairs hold together."""
    tied = {doc: {doc} for doc in range(documents)}
    for a, b, _ in pairs:
        both = tied[a] | tied[b]
        tied |= dict.fromkeys(both, both)
    clusters = {frozenset(members) for members in tied.values() if len(members) > 1}
    return sorted((doc, min(members), doc == min(members)) for members in clusters for doc in members)
