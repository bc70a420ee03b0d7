"""Tables for people: aligned, one line a row, as wide as the terminal and no wider.

Columns are in the order of importance. Where they do not fit, texts are cut, down to `NARROWEST` cells (numbers never
are); then columns are left out, from the right, and the last line says which. Where output is no terminal, all fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import Any

import click

from unquilt.analyses.catalogue import find_table
from unquilt.cli.show.folders import Folder, rows
from unquilt.cli.terminal.output import LONGEST_CELL, count, cut, emit, pad, printable, terminal_width, use_colour
from unquilt.flow.kept import Kept

NARROWEST = 24
GAP = 2
Row = Mapping[str, Any]


def show_table(folder: Folder, name: str, limit: int) -> None:
    """Print the first rows of a table."""
    table = folder.table(name)
    columns = _columns(name, table.columns)
    _show(folder, name, read_first(table, columns, limit), table.rows)


def show_rows(folder: Folder, name: str, found: Sequence[Row], limit: int | None) -> None:
    """Print rows of a table that were read already."""
    columns = _columns(name, folder.columns(name))
    _show(folder, name, [{column: row[column] for column in columns} for row in found[:limit]], len(found))


def read_first(table: Kept, columns: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """The first rows of a table, in the order in which people want them."""
    known = find_table(table.name)
    if known is not None and (by := known.order):
        return nlargest(limit, rows(table, columns), key=lambda row: [_by(row, column) for column in by])
    return list(rows(table, columns, limit))


def _by(row: Row, column: str) -> Any:
    return -row[column[1:]] if column.startswith("-") else row[column]


def _show(folder: Folder, name: str, shown: Sequence[Row], total: int) -> None:
    if total == 0:
        emit(f"{name} has no rows.")
        return
    known = find_table(name)
    sides = [side for side in known.identified if side in shown[0]] if known is not None else []
    left_out = print_rows(name_pages(folder, shown, sides) if sides else shown)
    more = total - len(shown)
    if more > 0:
        emit(f"… and {more:,} more (--limit {total} for all, --json for programs)")
    if left_out:
        emit(f"Too narrow for {', '.join(left_out)}; a wider terminal, or a pipe, has room for all columns.")


def _columns(name: str, there: Sequence[str]) -> list[str]:
    """The columns that people see, by importance."""
    known = find_table(name)
    if known is None:
        return list(there)
    shown = dict.fromkeys([*known.first, *there])
    return [column for column in shown if column in there and column not in known.hidden]


def name_pages(folder: Folder, shown: Sequence[Row], sides: Sequence[str]) -> list[dict[str, Any]]:
    """Rows with the ids and URLs of the documents in some of their columns, if the corpus is there."""
    pages = folder.pages([row[side] for row in shown for side in sides if row[side] is not None])
    return [_name_pages(row, pages, sides) for row in shown] if pages else [dict(row) for row in shown]


def _name_pages(row: Row, pages: Mapping[int, tuple[str, str | None]], sides: Sequence[str]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for column, value in row.items():
        named[column] = value
        if column in sides:
            named[f"{column}_id"] = pages.get(value, (None, None))[0]
    urls = {f"{side}_url": pages.get(row[side], (None, None))[1] for side in sides}
    return named | urls


def print_rows(shown: Sequence[Row]) -> list[str]:
    """Print rows, at least one, under the names of their columns; return the columns there was no room for."""
    names = list(shown[0])
    cells = [[spell(row[name]) for name in names] for row in shown]
    numeric = [any(isinstance(row[name], int | float) for row in shown) for name in names]
    widths = fit(_natural_widths(names, cells), numeric, terminal_width())
    heading = _line(names, widths, numeric)
    emit(click.style(heading, bold=True) if use_colour() else heading)
    for row in cells:
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
