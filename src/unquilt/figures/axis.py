"""An axis: where a value lies on it, which round numbers are written along it, and how."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

_TICKS = 6


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`; both are above 0 on a logarithmic one."""

    label: str
    """What it shows, and in which unit."""
    low: float
    high: float
    log: bool = False
    percent: bool = False
    values: Sequence[float] = ()
    """The numbers to write along it, where these are not the round ones."""

    def place(self, value: float) -> float:
        """Where a value is, from 0 to 1."""
        if self.log:
            value, low, high = (math.log10(max(each, 1e-12)) for each in (value, self.low, self.high))
        else:
            low, high = self.low, self.high
        return (value - low) / ((high - low) or 1)

    @property
    def ticks(self) -> list[float]:
        """The numbers along it.

        >>> Axis("", 0, 87).ticks, Axis("", 1, 5000, log=True).ticks, Axis("", 2.1, 4.9, log=True).ticks
        ([0, 20, 40, 60, 80], [1.0, 10.0, 100.0, 1000.0], [2.5, 3.0, 3.5, 4.0, 4.5])
        """
        if self.values:
            return list(self.values)
        if self.log and len(powers := self._powers()) > 1:
            return powers
        rough = (self.high - self.low) / _TICKS or 1
        power = 10 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(number * step, 10) for number in range(first, last + 1)]

    def _powers(self) -> list[float]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        steps = (1,) if last - first > 1 else (1, 2, 5)
        step = max(1, (last - first) // _TICKS)
        found = [factor * 10.0**power for power in range(first - 1, last + 1, step) for factor in steps]
        return [value for value in found if -1e-6 <= self.place(value) <= 1 + 1e-6]

    def say(self, value: float) -> str:
        """A number as it stands at the axis.

        >>> Axis("", 0, 1, percent=True).say(0.25), Axis("", 0, 9).say(2000), Axis("", 0, 9).say(2e9)
        ('25 %', '2,000', '2,000 M')
        """
        if self.percent:
            return f"{value * 100:g} %"
        if value >= 1e8 or (value >= 1e6 and value % 1e6 == 0):
            return f"{value / 1e6:,.0f} M"
        return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def reach(values: Sequence[float], least: float = 1) -> float:
    """The upper end of an axis: the largest value, or at least so much."""
    return max([least, *values])


def grow_by_factors(values: Sequence[float]) -> bool:
    """Whether values lie more evenly on a logarithmic axis than on a plain one.

    >>> grow_by_factors([5, 10, 50, 100]), grow_by_factors([3, 4, 5, 6]), grow_by_factors([0, 0.5, 1])
    (True, False, False)
    """
    if len(values) < 3 or min(values) <= 0:
        return False
    return _unevenness([math.log(value) for value in values]) < _unevenness(values)


def _unevenness(values: Sequence[float]) -> float:
    """How much the steps between values differ, relative to their mean."""
    steps = [after - before for before, after in itertools.pairwise(values)]
    mean = sum(steps) / len(steps)
    return math.sqrt(sum((step - mean) ** 2 for step in steps) / len(steps)) / mean
