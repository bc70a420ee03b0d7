"""One file for each analysis: what the report shows of a run of it.

quilts       other limits, sources, examples
sweep        the table and figure of Najork 2012
neardups     sizes and similarity of clusters, pairs
passages     lengths and shares of passages, pairs
copies       sites that have text of ours, and all copies
phrases      the figures of Fetterly, Manasse and Najork 2005, candidate sites
sites        who lives off whom
reuse        frequencies, badness, lengths of paths
experiments  the figures and tables of the papers' evaluations
"""

from __future__ import annotations

from unquilt.analyses.catalogue import ENTRIES, find_function, load
from unquilt.page.report.section import Content, list_rows
from unquilt.page.report.spelling import count
from unquilt.results import RunFolder


def show(folder: RunFolder) -> Content:
    """What came out of a run: as its analysis says (`report`), or the first rows of its tables."""
    name = folder.run.manifest["analysis"]
    job = load(name) if name in ENTRIES else None
    if job is not None and job.report:
        content: Content = find_function(job.report)(folder)
        return content
    there = [table for table in (job.results if job else ()) if table.name in folder.tables]
    says = [f"{count(folder.table(table.name).rows, *table.row)}: {table.see or table.name}." for table in there]
    return Content(
        says or ["There are no tables."],
        tables=lambda: [listed for table in there for listed in list_rows(folder, table, table.see or table.name)],
    )
