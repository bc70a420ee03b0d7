"""What every analysis returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unquilt.flow.kept import Kept


@dataclass(frozen=True)
class Outcome:
    """The tables that were kept for the user, and the numbers that go into the run's summary."""

    tables: Sequence[Kept]
    statistics: dict[str, int]
