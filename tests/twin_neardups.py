"""The twin of near-duplicates: what docs/definitions.md 3.2 makes of sketches, said in Python as plainly as can be.

Every document is held against every other. The sketches themselves (super-fingerprints, or signatures) are those of the
package, whose own tests hold them against their definitions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from statistics import median
from typing import Any, NamedTuple

from twin import circular, close, sequence
from twin_imatch import terms

Near = Callable[[Any, Any], bool]


class Found(NamedTuple):
    """The tables clusters (doc, cluster, keep), similarity (cluster, documents, least, median, kept, and of cosines the
    least and the median) and kept (doc, keep, kept_instead, similarity)."""

    clusters: list[tuple[int, int, bool]]
    similarity: list[tuple[int, int, float, float, int, float | None, float | None]]
    kept: list[tuple[int, bool, int | None, float | None]]


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


def cosine(a: str, b: str) -> float:
    """Of the sets of words that I-Match looks at."""
    one, other = terms(a), terms(b)
    return len(one & other) / math.sqrt(max(1, len(one) * len(other)))


def neardups(
    texts: Sequence[str],
    sketches: Sequence[Any],
    near: Near,
    k: int,
    *,
    rank: Callable[[int], Any] = int,
    words: bool = False,
) -> Found:
    """`rank` says which document of a cluster is kept, the least; `words` whether word sets are compared, too."""
    found = Found([], [], [(doc, True, None, None) for doc in range(len(texts))])
    for lowest, members in sorted(close(sketches, near).items()):
        if len(members) > 1:
            kept = min(members, key=lambda doc: (rank(doc), doc))
            found.clusters.extend((doc, lowest, doc == kept) for doc in members)
            others = [doc for doc in members if doc != kept]
            to_kept = {doc: jaccard(texts[doc], texts[kept], k) for doc in others}
            cosines = [cosine(texts[doc], texts[kept]) for doc in others] if words else []
            of_words = (min(cosines), median(cosines)) if words else (None, None)
            least = (min(to_kept.values()), median(to_kept.values()))
            found.similarity.append((lowest, len(members), *least, kept, *of_words))
            for doc, similarity in to_kept.items():
                found.kept[doc] = (doc, False, kept, similarity)
    found.clusters.sort()
    return found


class Kept(NamedTuple):
    """What the sequential rule says: the documents that are kept, and of each other one the most similar of these."""

    documents: set[int]
    instead: dict[int, tuple[int, float]]


def containment(a: str, b: str, k: int) -> float:
    """The share of the circular k-grams of one text that another has."""
    one, other = grams(a, k), grams(b, k)
    return len(one & other) / len(one) if one else 0.0


def keep(
    texts: Sequence[str],
    threshold: float,
    k: int,
    rank: Callable[[int], Any] = int,
    measure: Callable[[str, str, int], float] = jaccard,
) -> Kept:
    """One after the other, the least rank first: a document is kept unless it is near to one that is."""
    found = Kept(set(), {})
    for doc in sorted(range(len(texts)), key=lambda doc: (rank(doc), doc)):
        similar = [(measure(texts[doc], texts[other], k), -other) for other in found.documents]
        most, other = max(similar, default=(0.0, 0))
        if most >= threshold and grams(texts[doc], k):
            found.instead[doc] = (-other, most)
        else:
            found.documents.add(doc)
    return found


def join(documents: int, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The clusters that pairs hold together: each of their documents with the lowest."""
    tied = {doc: {doc} for doc in range(documents)}
    for a, b in pairs:
        both = tied[a] | tied[b]
        tied |= dict.fromkeys(both, both)
    clusters = {frozenset(members) for members in tied.values() if len(members) > 1}
    return sorted((doc, min(members)) for members in clusters for doc in members)
