"""Tables for people: aligned, one line a row, as wide as the terminal and no wider.

Columns are in the order of importance. Where they do not fit, texts are cut, down to `NARROWEST` cells (numbers never
are); then columns are left out, from the right, and the last line says which. Where output is no terminal, all fit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from unquilt.analyses.catalogue import find_table
from unquilt.cli.terminal.output import (
    LONGEST_CELL,
    count,
    cut,
    cut_left,
    emit,
    json_line,
    pad,
    printable,
    terminal_width,
    use_colour,
)
from unquilt.results import RunFolder, Selection, TableRows
from unquilt.results.rows import arrange

NARROWEST = 24
GAP = 2
Row = Mapping[str, Any]


def show_json(folder: RunFolder, name: str, selection: Selection, about: int | None = None) -> None:
    """Print rows of a table for programs: lines of JSON, with ids and URLs beside numbers."""
    for row in TableRows(folder, name, arrange(folder, name, selection, hidden=True), about=about).rows():
        emit(json_line(row))


def show_table(folder: RunFolder, name: str, selection: Selection, about: int | None = None) -> None:
    """Print rows of a table for people, in the order in which they want them."""
    wanted = arrange(folder, name, selection)
    wanted = replace(wanted, limit=None if selection.limit is None else selection.limit + 1)  # is there one more?
    rows = TableRows(folder, name, wanted, about=about)
    found = list(rows.rows())
    shown = found[: selection.limit]
    if not shown:
        emit(f"{name} has no rows{'' if rows.total == 0 else ' that fit'}.")
        return
    left_out = print_rows(shown if selection.columns else drop_sparse(name, shown))
    if len(found) > len(shown):
        all_ = rows.total
        known = f"{all_ - len(shown):,} more (--limit {all_} for all" if all_ is not None else ""
        more = known or "more (--limit N for N of them"
        emit(f"… and {more}, --json for programs)")
    if left_out:
        emit(f"Too narrow for {', '.join(left_out)}; a wider terminal, or a pipe, has room for all columns.")


def drop_sparse(name: str, rows: Sequence[Row]) -> list[Row]:
    """Rows without columns that this run has no values for, if the table says that some have none."""
    known = find_table(name)
    without = {column for column in (known.sparse if known else ()) if all(row.get(column) is None for row in rows)}
    return [{column: value for column, value in row.items() if column not in without} for row in rows]


def is_place(id_: str | None) -> bool:
    """Whether an id is a path, or one that was made of a file and an offset.

    >>> is_place("crawl/a/b.html#123"), is_place("page-17")
    (True, False)
    """
    return id_ is not None and ("/" in id_ or re.search(r"#[0-9]+$", id_) is not None)


def print_rows(shown: Sequence[Row]) -> list[str]:
    """Print rows, at least one, under the names of their columns; return the columns there was no room for."""
    names = list(shown[0])
    cells = [[spell(row[name]) for name in names] for row in shown]
    numeric = [any(isinstance(row[name], int | float) for row in shown) for name in names]
    widths = fit(_natural_widths(names, cells), numeric, terminal_width())
    heading = _line(names, widths, numeric)
    emit(click.style(heading, bold=True) if use_colour() else heading)
    for row, known in zip(cells, shown, strict=True):
        for place, width in enumerate(widths):
            id_ = known[names[place]]
            if names[place].endswith("id") and isinstance(id_, str) and is_place(id_):
                row[place] = cut_left(id_, min(width, LONGEST_CELL))
        emit(_line(row, widths, numeric))
    return names[len(widths) :]


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    """As many cells as there are widths, numbers to the right."""
    padded = (pad(cell, width, right=right) for cell, width, right in zip(cells, widths, numeric, strict=False))
    return (" " * GAP).join(padded).rstrip()


def _natural_widths(names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len

    widest = ([cell_len(name), *(cell_len(row[place]) for row in cells)] for place, name in enumerate(names))
    return [max(widths) for widths in widest]


def fit(natural: Sequence[int], numeric: Sequence[bool], width: int | None) -> list[int]:
    """The widths of the columns that fit, at least one; texts share what numbers leave.

    >>> fit([4, 30, 60, 5], [True, False, False, True], 80)
    [4, 30, 35, 5]
    >>> fit([4, 30, 60, 5], [True, False, False, True], 40)
    [4, 30]
    """
    if width is None:
        return list(natural)
    least = [n if number else min(n, NARROWEST) for n, number in zip(natural, numeric, strict=True)]
    while len(least) > 1 and sum(least) + GAP * (len(least) - 1) > width:
        least.pop()
    spare = width - sum(least) - GAP * (len(least) - 1)
    if spare < 0:
        return [width]
    for place in sorted(range(len(least)), key=lambda place: natural[place]):
        wanting = sum(natural[other] > least[other] for other in range(len(least)) if natural[other] >= natural[place])
        grant = min(natural[place] - least[place], spare // max(1, wanting))
        least[place] += grant
        spare -= grant
    return least


def spell(value: Any) -> str:
    """A value as people read it, on one line."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3f}"
        case bytes():
            return value.hex()[:LONGEST_CELL]
        case list():
            return count(len(value), "item")
        case str():
            return cut(value, LONGEST_CELL)
    return printable(str(value))
