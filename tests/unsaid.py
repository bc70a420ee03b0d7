"""What a job has not said of how people see its results: one list, for all analyses and for the toy of the tests."""

from __future__ import annotations

from collections.abc import Iterator

from unquilt.analyses.analysis import Analysis, Job
from unquilt.analyses.catalogue import ENTRIES, find_function
from unquilt.cli.show.own_options import OWN
from unquilt.results.names import ASKED
from unquilt.results.rows import name_column
from unquilt.tables.table import Table


def list_unsaid(job: Job) -> Iterator[str]:
    """What is missing, or leads nowhere, in a job and in the tables that it makes."""
    if isinstance(job, Analysis):
        for what, value in (("summary", job.summary), ("report", job.report)):
            if value is None:
                yield f"{job.name} does not say its {what}: name it, or say '' for a plain one"
    named = [job.summary, job.report, *(ENTRIES[job.name].views.values() if job.name in ENTRIES else ())]
    for table in job.tables:
        named += [table.view, table.with_evidence]
        if table.page is not None:
            named += [table.page.evidence, table.page.judged]
            yield from _list_wrong(table)
        elif not table.on_the_way:
            yield f"table {table.name} does not say how the page shows it: page=OnPage(…), or NOT_LISTED"
    for name in filter(None, named):
        try:
            find_function(name)
        except (ImportError, AttributeError) as error:
            yield f"{job.name} names {name}, which is not there: {error}"


def _list_wrong(table: Table) -> Iterator[str]:
    """Columns and options that a table names, and that there are not."""
    assert table.page is not None
    names = {name_column(column, part) for column in table.documents for part in ASKED}
    there = {*table.schema.names, *names}
    for column in (*table.page.filters, *table.page.links, *table.page.documents, *table.page.sites):
        if column not in there:
            yield f"table {table.name} has no column {column} for the page"
    for option in set(table.options) - {own.name for own in OWN.values()}:
        yield f"table {table.name} has an option {option}, which unquilt show does not have"
