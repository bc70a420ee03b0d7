"""What was found in a run: sentences, figures and first rows of the report; where nothing was, why, and what to try.

The words are those of everybody: sentences are made by the section of the report that the analysis names, reasons by
its summary in the terminal. Each part is made when it is first shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property

from unquilt.analyses.catalogue import ENTRIES, find_summary, load
from unquilt.errors import UnquiltError
from unquilt.figures.figure import Figure
from unquilt.page.report.section import Content, Listed
from unquilt.page.report.sections import show
from unquilt.results.folders import RunFolder


class RunFindings:
    """What was found in a run; nothing in one that is not complete."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder

    @cached_property
    def _content(self) -> Content:
        if self._folder.run.complete:
            with suppress(
                UnquiltError, KeyError
            ):  # a run of an earlier version, or one that is damaged, has its tables
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
        name, run = str(self._folder.run.manifest["analysis"]), self._folder.run
        results = load(name).results if name in ENTRIES else ()
        return bool(run.complete and results and self._folder.tables[results[0].name].rows == 0)

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
