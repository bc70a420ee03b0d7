"""The tables in docs/runs.md, made from the catalogue:

    python -m tools.table_reference docs/runs.md

writes what stands between the two marks of that page. A test checks that it is up to date.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from unquilt.analyses.catalogue import ENTRIES, load
from unquilt.tables.table import Column, Table

BEGIN = "<!-- Made by `make docs` from src/unquilt/tables and src/unquilt/analyses; a test compares. -->"
END = "<!-- The end of what `make docs` makes. -->"
WIDTH = 120


def insert(page: str) -> str:
    """The page with its tables as they are now."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("the page lacks the marks between which tables belong")
    return "\n".join([before + BEGIN, "", *describe_tables(), END + after])


def describe_tables() -> Iterator[str]:
    """All tables that people read, each with the first job that makes it."""
    described: set[str] = set()
    for entry in ENTRIES.values():
        tables = [table for table in load(entry.name).tables if not table.on_the_way]
        if not tables:
            continue
        yield f"### {entry.name}"
        yield ""
        again = [f"`{table.name}`" for table in tables if table.name in described]
        asked = [f"`{table.name}`" for table in load(entry.name).on_request]
        notes = [f"{' and '.join(again)} as above."] if again else []
        notes += [f"Whether there are {' and '.join(asked)} depends on the parameters."] if asked else []
        yield from textwrap.wrap(" ".join([entry.purpose, *notes]), WIDTH)
        yield ""
        for table in tables:
            if table.name not in described:
                yield from describe_table(table)
        described |= {table.name for table in tables}


def describe_table(table: Table) -> Iterator[str]:
    """What a table is, its columns, and what else there is to say."""
    key = f"primary key {', '.join(f'`{name}`' for name in table.key)}" if table.key else "in the order of the inputs"
    yield f"`{table.name}`: {table.see}. A row is a {table.row[0]}; {key}."
    yield ""
    yield "| column | type | meaning |"
    yield "| --- | --- | --- |"
    yield from (f"| {column.name} | {_type(column)} | {column.meaning} |" for column in table.columns)
    yield ""
    if table.notes:
        yield from textwrap.wrap(table.notes, WIDTH, break_long_words=False, break_on_hyphens=False)
        yield ""


def _type(column: Column) -> str:
    name = str(column.type).replace("item: ", "").replace("element: ", "").replace("<", "\\<")
    return f"{name} or null" if column.null else name


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.write_text(insert(place.read_text(encoding="utf-8")), encoding="utf-8")
