"""Any table: to search, filter, sort and take away; some with a figure above."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from unquilt.errors import ParameterError
from unquilt.page.figures import draw_hosts
from unquilt.page.links import change, link_rows
from unquilt.page.listing import ENDS, HAS, ROWS, Listing
from unquilt.page.workspace import Workspace, views_of
from unquilt.results.folders import RunFolder
from unquilt.results.rows import RowColumn
from unquilt.tables.phrases import HOSTS


def show_table(workspace: Workspace, request: Request) -> Response:
    """A table of a run."""
    run, table = request.path_params["run"], request.path_params["table"]
    folder = workspace.runs.open(run)
    asked = dict(request.query_params)
    chosen = ",".join(request.query_params.getlist("column")) or asked.get("columns", "")
    asked = {name: value for name, value in asked.items() if name not in ("column", "columns")}
    asked |= {"columns": chosen} if chosen else {}
    listing = Listing(folder, table, asked)
    if asked.get("format"):
        return workspace.answer(request, listing, "listing.html")
    try:
        return workspace.answer(request, listing, "listing.html", **_describe(folder, listing, run, request.url.path))
    except ParameterError as error:
        if not asked or table not in folder.tables:
            raise
        plain = Listing(folder, table)  # the form keeps what was written, to be mended
        context = _describe(folder, plain, run, request.url.path) | {"asked": asked, "fault": str(error)}
        return workspace.answer(request, plain, "listing.html", 404, **context | {"rows": [], "total": 0, "after": ""})


def propose_values(workspace: Workspace, request: Request) -> Response:
    """Values of a column that have a part, for a filter."""
    run, table = request.path_params["run"], request.path_params["table"]
    listing = Listing(workspace.runs.open(run), table)
    asked = request.query_params
    return JSONResponse(listing.values(asked.get("of", ""), asked.get("part", "")))


def _describe(folder: RunFolder, listing: Listing, run: str, path: str) -> dict[str, Any]:
    """What the template needs to show a table."""
    asked, table = listing.asked, listing.table
    begin = (listing.page - 1) * ROWS
    columns, rows = link_rows(listing, run, limit=ROWS + 1, offset=begin)
    more, rows = len(rows) > ROWS, rows[:ROWS]
    known, views = listing.known, views_of(folder)
    filters = known.page.filters if known and known.page else ()
    numbered = [listing.columns[each] for each in filters if each in listing.columns]
    given = {name.rpartition(".")[0] if name.rpartition(".")[2] in (*ENDS, HAS) else name for name in asked}
    return {
        "asked": asked,
        "fault": "",
        "run": run,
        "views": views,
        "table": table,
        "title": next((tab.label for tab in views if tab.table == table), table.replace("_", " ").capitalize()),
        "see": known.see if known else "",
        "columns": columns,
        "rows": rows,
        "begin": begin,
        "total": listing.count() if more or not rows else begin + len(rows),
        "filters": numbered,
        "filtered": len(given & {each.name for each in numbered}) + bool(asked.get("where")),
        "sorts": {column.name: _sort(listing, column, path, asked) for column in columns},
        "before": change(path, asked, page=listing.page - 1) if listing.page > 1 else "",
        "after": change(path, asked, page=listing.page + 1) if more else "",
        "choices": [each for each in listing.columns.values() if each.is_plain and not each.passage],
        "figure": draw_hosts(listing, run) if table == HOSTS.name and rows else "",
        "complete": folder.complete,
        "can_judge": table in folder.run.tables,
        "condition": listing.condition,
    }


def _sort(listing: Listing, column: RowColumn, path: str, asked: Mapping[str, str]) -> dict[str, str]:
    """Where the head of a column leads, and how rows are sorted by it now."""
    first = listing.keys[0] if listing.keys else None
    now = "" if first is None or first.column != column.name else "descending" if first.falling else "ascending"
    turn = f"-{column.name}" if now == "ascending" or (now == "" and column.is_number) else column.name
    return {"address": change(path, asked, sort=turn, page=""), "now": now}
