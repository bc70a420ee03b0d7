"""An analysis gone through without data, to see whether all of it fits together before any of it runs.

Every verb checks what it is given; here none of them does anything else. Tables have columns and no rows, and nothing
was counted. Takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from unquilt.flow.fitting import check_table
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Side
from unquilt.flow.verbs import Rows, Verbs
from unquilt.guard import Item, Result
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.table import Table


class Rehearsal(Verbs):
    """The verbs without an engine."""

    def fold(self, rows: Rows, name: str) -> dict[str, int]:  # noqa: ARG002
        return {}

    def keep(self, rows: Rows, table: Table) -> Kept:
        check_table(rows.fields, table, rows.stage.kernel)
        return Kept.without_rows(table)

    def side(self, name: str, make: Callable[[], bytes | memoryview]) -> Side:  # noqa: ARG002
        return Side(name, "")

    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:  # noqa: ARG002
        return ()


def rehearse(analysis: Callable[[Verbs, Kept], object]) -> None:
    """Raise PlanError if an analysis, with its parameters given, asks for what does not fit together."""
    analysis(Rehearsal(), Kept.without_rows(DOCUMENTS))
