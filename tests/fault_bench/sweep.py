"""Many cases, and what came of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from fault_bench.cases import draw_case
from fault_bench.guard import Guard
from fault_bench.verdicts import EXCUSED


@dataclass
class Tally:
    """How many cases there were, how many of them failed in which way, and a line for each failure."""

    cases: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    excused: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)

    def __iadd__(self, other: Tally) -> Tally:
        self.cases += other.cases
        self.failed += other.failed
        self.excused += other.excused
        self.lines += other.lines
        return self


def sweep(guard: Guard, kind: str, seed: int, numbers: Iterable[int], until: float = float("inf")) -> Tally:
    """Tries the cases of these numbers, or as many as there is time for."""
    tally = Tally()
    for number in numbers:
        if time.monotonic() > until:
            break
        found = guard.try_case(draw_case(kind, seed, number))
        tally.cases += 1
        tally.excused.update({finding.what for finding in found if finding.sort == EXCUSED})
        for sort in sorted({finding.sort for finding in found} - {EXCUSED}):
            tally.failed[sort] += 1
            first = next(finding.what for finding in found if finding.sort == sort)
            tally.lines.append(f"{sort}: {first}\n    again: python -m fault_bench {kind} {seed} {number}")
    return tally
