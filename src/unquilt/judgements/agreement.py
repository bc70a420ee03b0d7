"""How sure a share is, and how far two judges agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence

Z = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""


def find_interval(hits: int, trials: int, population: int | None = None, z: float = Z) -> tuple[float, float]:
    """The interval of Wilson (1927) for a share; all of [0, 1] without trials.

    Of a finite population, the trials are worth more, the more of it they are: as many as (population - 1) /
    (population - trials) times as many of an infinite one (Cochran, Sampling Techniques, 1977, 2.6). Where all were
    tried, the share is exact.

    >>> [round(end, 3) for end in find_interval(34, 100)]
    [0.255, 0.437]
    >>> [round(end, 3) for end in find_interval(34, 100, 200)]
    [0.278, 0.408]
    >>> find_interval(34, 100, 100)
    (0.34, 0.34)
    """
    if trials == 0:
        return 0.0, 1.0
    share = hits / trials
    if population is not None and trials >= population:
        return share, share
    worth = trials if population is None else trials * (population - 1) / (population - trials)
    square = z * z / worth
    middle = share + square / 2
    spread = z * math.sqrt(share * (1 - share) / worth + square / (4 * worth))
    low, high = (middle - spread) / (1 + square), (middle + spread) / (1 + square)
    return (0.0 if hits == 0 else max(0.0, low)), (1.0 if hits == trials else min(1.0, high))


def measure_agreement(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Cohen's κ of two judges over the same items; None where it is not defined: no items, or both always say the same
    one thing.

    >>> measure_agreement("aabb", "aaba")
    0.5
    """
    items = len(one)
    if items == 0:
        return None
    same = sum(a == b for a, b in zip(one, other, strict=True))
    ours, theirs = Counter(one), Counter(other)
    by_chance = sum(ours[category] * theirs[category] for category in ours)  # in units of 1 / items²
    if by_chance == items * items:
        return None
    return (same * items - by_chance) / (items * items - by_chance)
