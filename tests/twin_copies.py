"""Copies of ours in plain Python (docs/definitions.md 3.10): equal words only, and the choice of our page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Passage = tuple[int, int, int, int, int]
"""A page of ours, where the passage begins and ends there, and where in their page; in words."""


def cut_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def find_runs(ours: Sequence[str], theirs: Sequence[str], least: int) -> list[tuple[int, int, int]]:
    """All runs of equal words that cannot be made longer: where in ours, where in theirs, how many."""
    found = []
    for i in range(len(ours)):
        for j in range(len(theirs)):
            if ours[i] == theirs[j] and (not i or not j or ours[i - 1] != theirs[j - 1]):
                length = 0
                while i + length < len(ours) and j + length < len(theirs) and ours[i + length] == theirs[j + length]:
                    length += 1
                if length >= least:
                    found.append((i, j, length))
    return found


def choose(
    found: Mapping[int, Sequence[tuple[int, int, int]]], lengths: Mapping[int, int], most: int
) -> dict[int, set]:
    """The places in their page that count for each page of ours, as sets of words; `found` has the runs of each."""
    limit = min(most, len(lengths) - 1) if len(lengths) > 2 else most
    places = {page: [set(range(j, j + length)) for _, j, length in runs] for page, runs in found.items()}

    def is_template(place: set[int]) -> bool:
        having = [page for page, some in places.items() if any(2 * len(place & each) >= len(place) for each in some)]
        return bool(most) and len(having) > limit

    left = {page: [place for place in some if not is_template(place)] for page, some in places.items()}
    chosen: dict[int, set] = {}
    taken: set[int] = set()

    def rank(page: int) -> tuple[float, float, int]:
        words = sum(map(len, left[page]))
        return -words, -words / lengths[page], page

    for page in sorted((page for page in left if left[page]), key=rank):
        own = [place for place in left[page] if 2 * len(place & taken) < len(place)]
        if own:
            chosen[page] = set().union(*own)
            taken |= chosen[page]
    return chosen
