"""Any table: to search, filter, sort and take away; some with a figure above."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unquilt.page.figures import draw_hosts
from unquilt.page.listing import ROWS, Listing
from unquilt.page.shell import Shell, address, change
from unquilt.page.views.overview import views_of
from unquilt.results.rows import RowColumn, name_column
from unquilt.tables import DOCUMENTS, HOSTS, Table

_COLUMN = re.compile(r"\{(\w+)\}")
PLACES = ("begin", "end")
"""Columns that links may need, though people do not see them."""


def show_table(shell: Shell, request: Request) -> Response:
    """A table of a run."""
    run, table = request.path_params["run"], request.path_params["table"]
    folder = shell.shelf.open(run)
    asked = dict(request.query_params)
    listing = Listing(folder, table, asked)
    if asked.get("format"):
        return shell.answer(request, listing, "listing.html")
    begin = (listing.page - 1) * ROWS
    columns = dict.fromkeys(
        [*(each.name for each in listing.shown), *(each for each in PLACES if each in listing.columns)]
    )
    rows = listing.rows(list(columns), ROWS + 1, begin)
    more, rows = len(rows) > ROWS, rows[:ROWS]
    known, views = listing.known, views_of(folder)
    filters = known.page.filters if known and known.page else ()
    return shell.answer(
        request,
        listing,
        "listing.html",
        run=run,
        views=views,
        table=table,
        title=next((tab.label for tab in views if tab.table == table), table.replace("_", " ").capitalize()),
        see=known.see if known else "",
        rows=[{"cells": row, "links": find_links(run, known, row)} for row in rows],
        begin=begin,
        total=listing.count() if more or not rows else begin + len(rows),
        filters=[listing.columns[each] for each in filters if each in listing.columns],
        sorts={column.name: _sort(listing, column, request.url.path, asked) for column in listing.shown},
        before=change(request.url.path, asked, page=listing.page - 1) if listing.page > 1 else "",
        after=change(request.url.path, asked, page=listing.page + 1) if more else "",
        figure=draw_hosts(listing, run) if table == HOSTS.name and rows else "",
        complete=folder.run.complete,
        can_judge=table in folder.run.tables,
        condition=listing.condition,
    )


def _sort(listing: Listing, column: RowColumn, path: str, asked: Mapping[str, str]) -> dict[str, str]:
    """Where the head of a column leads, and how rows are sorted by it now."""
    first = listing.keys[0] if listing.keys else None
    now = "" if first is None or first.column != column.name else "descending" if first.falling else "ascending"
    turn = f"-{column.name}" if now == "ascending" or (now == "" and column.is_number) else column.name
    return {"address": change(path, asked, sort=turn, page=""), "now": now}


def find_links(run: str, known: Table | None, row: Mapping[str, Any]) -> dict[str, str]:
    """Where the cells of a row lead, by column, as the table says: to what explains the row, to documents and sites."""
    if known is None:
        return {}
    targets = {column: f"{DOCUMENTS.name}/{{{column}}}" for column in known.documents}
    targets |= known.page.links if known.page else {}
    found: dict[str, str] = {}
    for column, target in targets.items():
        if all(row.get(each) is not None for each in _COLUMN.findall(target)):
            found[column] = found[name_column(column, "id")] = _fill(run, target, row)
    return found


def _fill(run: str, target: str, row: Mapping[str, Any]) -> str:
    """The address of `quilts/{doc}` or `phrases?site={site}` for a row."""
    path, _, query = target.partition("?")
    asked = dict(pair.split("=", 1) for pair in query.split("&") if pair)
    given = {name: value.format_map(row) for name, value in asked.items()}
    return address("runs", run, *(part.format_map(row) for part in path.split("/")), **given)
