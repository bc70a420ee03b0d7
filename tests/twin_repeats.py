"""Repeats in plain Python (docs/definitions.md 3.9): a dictionary of all runs of n words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Place = tuple[int, int]


def find_cut_words(
    texts: Sequence[Sequence[str]],
    n: int,
    rank: Callable[[int], object] = lambda doc: 0,
    *,
    keep_one: bool = True,
    min_times: int = 2,
    min_sites: int = 1,
    site: Callable[[int], object] = lambda doc: doc,
) -> dict[Place, Place | None]:
    """Each word that goes, as (document, number), with the word that stays in its stead; None if none need stay."""
    order = sorted(range(len(texts)), key=lambda doc: (rank(doc), doc))
    places: dict[tuple[str, ...], list[Place]] = {}
    for doc in order:
        for at in range(len(texts[doc]) - n + 1):
            places.setdefault(tuple(texts[doc][at : at + n]), []).append((doc, at))
    cut: dict[Place, Place] = {}
    for doc in order:
        for at in range(len(texts[doc]) - n + 1):
            same = places[tuple(texts[doc][at : at + n])]
            enough = len(same) >= min_times and len({site(other) for other, _ in same}) >= min_sites
            if enough and (same[0] != (doc, at) or not keep_one):
                for step in range(n):
                    cut.setdefault((doc, at + step), (same[0][0], same[0][1] + step))
    if not keep_one:
        return dict.fromkeys(cut)
    final: dict[Place, Place | None] = {}
    for place, copy in cut.items():
        while copy in cut:
            copy = cut[copy]
        final[place] = copy
    return final
