"""What was found in a run: sentences, figures and first rows of the report; where nothing was, why, and what to try.

The words are those of everybody: sentences are made by the section of the report that the analysis names, reasons by
its summary in the terminal. Each part is made when it is first shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.analyses.catalogue import ENTRIES, find_summary, load
from unquilt.errors import UnquiltError
from unquilt.results.folders import RunFolder
from unquilt.results.rows import Selection, TableRows, arrange

if TYPE_CHECKING:
    from unquilt.figures.figure import Figure
    from unquilt.page.report.section import Content, Listed

MOST_ORDERED = 200_000
"""Rows of a table whose order is kept, to go from one to the next."""


class Neighbours(NamedTuple):
    """A place in an order, from 1, of so many; and the documents before and after it."""

    place: int
    total: int
    before: int | None
    after: int | None


class RunFindings:
    """What was found in a run; nothing in one that is not complete."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._orders: dict[str, pa.ChunkedArray] = {}

    @cached_property
    def _content(self) -> Content:
        from unquilt.page.report.section import Content
        from unquilt.page.report.sections import show

        if self._folder.complete:
            with suppress(UnquiltError, KeyError):  # a damaged run still has its tables
                return show(self._folder)
        return Content([])

    @property
    def says(self) -> Sequence[str]:
        """What came out, in sentences."""
        return self._content.says

    @cached_property
    def figures(self) -> Sequence[Figure]:
        return self._content.draw_figures()

    @cached_property
    def tables(self) -> Sequence[Listed]:
        """The first rows of the tables that matter most."""
        return self._content.list_tables()

    @property
    def is_empty(self) -> bool:
        """Whether the table that the analysis is run for has no rows."""
        name = str(self._folder.run.manifest["analysis"])
        results = load(name).results if name in ENTRIES else ()
        return bool(self._folder.complete and results and self._folder.tables[results[0].name].rows == 0)

    @cached_property
    def lines(self) -> Sequence[str]:
        """What the command said when it ended."""
        name = str(self._folder.run.manifest["analysis"])
        job = load(name) if name in ENTRIES else None
        with suppress(UnquiltError, KeyError):
            summary = find_summary(job)(job)
            return [line for line in summary.say(self._folder) if line]
        return []

    @property
    def why(self) -> Sequence[str]:
        """Why nothing was found, and what to try."""
        return self.lines if self.is_empty else ()

    def order(self, table: str) -> pa.ChunkedArray:
        """The documents of a table in the order in which people want them; none of a very long one."""
        if table not in self._orders:
            known, kept = self._folder.describe(table), self._folder.tables.get(table)
            first = known.columns[0] if known else None
            rows: Iterable[pa.Table] = ()
            if first is not None and first.is_document and kept is not None and kept.rows <= MOST_ORDERED:
                rows = TableRows(self._folder, table, arrange(self._folder, table, Selection([first.name])))
            self._orders[table] = pa.chunked_array(
                [chunk for part in rows for chunk in part.column(0).chunks], pa.int64()
            )
        return self._orders[table]

    def neighbours(self, table: str, number: int) -> Neighbours | None:
        """What comes before and after a document in a table; None if it is not there."""
        order = self.order(table)
        place = pc.index(order, number).as_py()
        if place < 0:
            return None
        before = order[place - 1].as_py() if place else None
        after = order[place + 1].as_py() if place + 1 < len(order) else None
        return Neighbours(place + 1, len(order), before, after)
