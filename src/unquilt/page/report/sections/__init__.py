"""One file for each analysis: what the report shows of a run of it."""

from __future__ import annotations

from collections.abc import Callable

from unquilt.analyses.catalogue import ENTRIES, load
from unquilt.page.report.section import Content, list_rows
from unquilt.page.report.sections.neardups import show_neardups
from unquilt.page.report.sections.passages import show_passages
from unquilt.page.report.sections.phrases import show_phrases
from unquilt.page.report.sections.quilts import show_quilts
from unquilt.page.report.sections.reuse import show_detect, show_discover
from unquilt.page.report.sections.sweep import show_sweep
from unquilt.page.report.spelling import count
from unquilt.results import RunFolder

SECTIONS: dict[str, Callable[[RunFolder], Content]] = {
    "quilts": show_quilts,
    "sweep": show_sweep,
    "neardups": show_neardups,
    "phrases": show_phrases,
    "passages": show_passages,
    "reworded": show_passages,
    "discover": show_discover,
    "detect": show_detect,
}
"""By the name of the analysis; others are shown by the first rows of their tables."""


def show(folder: RunFolder) -> Content:
    """What came out of a run."""
    name = folder.run.manifest["analysis"]
    return SECTIONS[name](folder) if name in SECTIONS else _show_tables(folder, name)


def _show_tables(folder: RunFolder, name: str) -> Content:
    results = load(name).results if name in ENTRIES else ()
    there = [table for table in results if table.name in folder.tables]
    says = [f"{count(folder.table(table.name).rows, *table.row)}: {table.see or table.name}." for table in there]
    tables = [listed for table in there for listed in list_rows(folder, table, table.see or table.name)]
    return Content(says or ["There are no tables."], tables=tables)
