"""Banding: how pairs with a Jaccard coefficient of at least t are found without comparing all of them.

Two documents agree in each min-wise function with probability J. The functions are cut into bands of r rows each; two
documents that agree in all rows of some band meet, which b bands make happen with probability 1 - (1 - J^r)^b. Of
documents that meet, those whose sketches (a byte of each minimum) agree in at least `least` places are compared, by the
exact coefficient; where they agree in `likely` places, a pair at t does so every other time; where they agree in `sure`
places, their coefficient is hardly ever below t.

>>> banding = Banding.of(0.8)
>>> banding.bands, banding.rows, round(banding.found(0.8), 4)
(21, 6, 0.9977)
>>> round(banding.found(0.85), 5), round(banding.found(0.5), 5)
(0.99995, 1e-05)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any

FUNCTIONS = 128
"""Min-wise functions at most."""
FOUND = 0.995
"""A pair at the threshold meets with at least this probability; `tests/analyses/test_threshold.py` measures it."""
MISJUDGED = 0.001
"""How often a pair at the threshold may agree in fewer places than `least`, or in as many as `sure`."""
EVEN = 0.5
"""How often a pair at the threshold agrees in `likely` places, at least."""
ACCIDENT = 1 / 256
"""How often bytes of different minima are equal."""


@dataclass(frozen=True)
class Banding:
    """How many bands of how many rows, and in how many places sketches have to agree."""

    bands: int
    rows: int
    least: int
    likely: int
    sure: int

    @classmethod
    @cache
    def of(cls, threshold: float) -> Banding:
        """The banding with the most rows, as these let the fewest other pairs meet, for pairs of that coefficient."""
        rows = next(r for r in range(FUNCTIONS, 0, -1) if _meet(threshold, FUNCTIONS // r, r) >= FOUND)
        bands = FUNCTIONS // rows
        agreeing = [_at_least(n, bands * rows, threshold) for n in range(bands * rows + 1)]
        least = max(n for n, chance in enumerate(agreeing) if chance >= 1 - MISJUDGED)
        likely = max(n for n, chance in enumerate(agreeing) if chance >= EVEN)
        sure = min((n for n, chance in enumerate(agreeing) if chance <= MISJUDGED), default=bands * rows)
        return cls(bands, rows, least, likely, sure)

    def agreement(self) -> dict[str, Any]:
        """In how many places of how many sketches have to agree, as kernels take it."""
        return {"functions": self.bands * self.rows, "least": self.least, "likely": self.likely, "sure": self.sure}

    def found(self, jaccard: float) -> float:
        """The least probability with which a pair of this coefficient is compared: that it meets, and that its sketches
        agree well enough. Each makes the other more likely, so both happen at least as often as their product says.
        """
        return _meet(jaccard, self.bands, self.rows) * _at_least(self.least, self.bands * self.rows, jaccard)


def _meet(jaccard: float, bands: int, rows: int) -> float:
    return float(1 - (1 - jaccard**rows) ** bands)


def _at_least(least: int, functions: int, jaccard: float) -> float:
    """The probability that two sketches agree in at least so many places."""
    each = jaccard + (1 - jaccard) * ACCIDENT
    chances = (comb(functions, n) * each**n * (1 - each) ** (functions - n) for n in range(least, functions + 1))
    return min(1.0, sum(chances))
