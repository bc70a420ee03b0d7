"""Any table: to search, filter, sort and take away; some with a figure above."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from starlette.requests import Request
from starlette.responses import Response

from unquilt.page.figures import draw_hosts
from unquilt.page.listing import ROWS, ListedColumn, Listing
from unquilt.page.shell import Shell, address, change
from unquilt.page.views.overview import SITES, views_of
from unquilt.results.folders import RunFolder
from unquilt.tables import DOCUMENTS, HOSTS

FILTERS: dict[str, tuple[str, ...]] = {
    "quilts": ("host", "domain", "patchfrac", "sources", "attributed"),
    "verdicts": ("host", "quilt", "why", "patchfrac", "sources"),
    "sources": ("quilt_host", "source_host", "new_grams"),
    "patches": ("quilt", "source", "words"),
    "similarity": ("kept_host", "least", "documents"),
    "clusters": ("host", "cluster", "keep"),
    "hosts": ("site", "pages", "mean", "candidate"),
    "popular": ("documents",),
    "covers": ("host", "popular", "foreign_contribution"),
    "document_phrases": ("host", "of_84", "words"),
    "objects": ("kind", "documents", "sites", "length", "notice"),
    "targets": ("host", "file", "partial", "contains", "matched"),
    "neighbourhoods": ("level", "bad", "badness", "documents"),
    "documents": ("host", "domain", "words", "media"),
    "passage_pairs": ("a_host", "b_host", "words", "share_a", "share_b"),
    "passages": ("a_host", "b_host", "words", "similarity", "documents"),
    SITES: ("domain", "documents"),
}
"""What people filter a table by; there is an expression for everything else."""
_OF_CORPUS = (
    "(SELECT host, any_value(domain) AS domain, count(*) AS documents, sum(words)::BIGINT AS words"
    " FROM {documents} WHERE host IS NOT NULL GROUP BY host)",
    pa.schema([("host", pa.string()), ("domain", pa.string()), ("documents", pa.int64()), ("words", pa.int64())]),
)
"""The hosts of a corpus: a table that is made by asking for it."""
_NUMBERS = ("doc", "source", "quilt", "kept", "example", "first", "a", "b", "other", "cluster", "kept_instead")
"""Columns that are documents, wherever they occur."""


def list_rows(folder: RunFolder, table: str, asked: Mapping[str, str]) -> Listing:
    """A table as it is listed."""
    if table == SITES:
        return Listing(folder, table, asked, made=_OF_CORPUS, order="-documents")
    return Listing(folder, table, asked)


def show_table(shell: Shell, request: Request) -> Response:
    """A table of a run."""
    run, table = request.path_params["run"], request.path_params["table"]
    folder = shell.shelf.open(run)
    asked = dict(request.query_params)
    listing = list_rows(folder, table, asked)
    if asked.get("format"):
        return shell.answer(request, listing, "listing.html")
    begin = (listing.page - 1) * ROWS
    places = [listing.columns[each] for each in ("begin", "end") if each in listing.columns]
    columns = list(dict.fromkeys([*listing.shown, *places]))
    rows = shell.database.rows(listing.query(columns, ROWS + 1, begin))
    more, rows = len(rows) > ROWS, rows[:ROWS]
    whole = listing.is_whole and listing.made is None
    total = folder.table(table).rows if whole else shell.database.value(listing.count_query())
    known = listing.known
    return shell.answer(
        request,
        listing,
        "listing.html",
        run=run,
        views=views_of(folder),
        table=table,
        title=next((label for name, label in views_of(folder) if name == table), table.replace("_", " ").capitalize()),
        see=known.see if known else "the hosts of the corpus",
        rows=[{"cells": row, "links": find_links(run, table, row)} for row in rows],
        begin=begin,
        total=total,
        filters=[listing.columns[each] for each in FILTERS.get(table, ()) if each in listing.columns],
        sorts={column.name: _sort(listing, column, request.url.path, asked) for column in listing.shown},
        before=change(request.url.path, asked, page=listing.page - 1) if listing.page > 1 else "",
        after=change(request.url.path, asked, page=listing.page + 1) if more else "",
        figure=draw_hosts(shell.database, listing, run) if table == HOSTS.name and rows else "",
        complete=folder.run.complete,
        can_judge=table in folder.run.tables,
        condition=listing.condition,
    )


def _sort(listing: Listing, column: ListedColumn, path: str, asked: Mapping[str, str]) -> dict[str, str]:
    """Where the head of a column leads, and how rows are sorted by it now."""
    first = listing.keys[0] if listing.keys else None
    now = "" if first is None or first.column != column.name else "descending" if first.falling else "ascending"
    turn = f"-{column.name}" if now == "ascending" or (now == "" and column.is_number) else column.name
    return {"address": change(path, asked, sort=turn, page=""), "now": now}


def find_links(run: str, table: str, row: Mapping[str, Any]) -> dict[str, str]:
    """Where the cells of a row lead, by column: to what explains the row, to documents and sites."""
    found = {
        column: address("runs", run, DOCUMENTS.name, row[column])
        for column in _NUMBERS
        if isinstance(row.get(column), int)
    }
    match table:
        case "quilts" | "covers" | "targets":
            found["doc"] = found["id"] = address("runs", run, table, row["doc"])
        case "objects" | "stop_chunks" if "begin" in row:
            found["first"] = found["example"] = _place(run, row["first"], row)
        case "stop_runs" if "begin" in row:
            found["doc"] = found["text"] = _place(run, row["doc"], row)
        case "verdicts":
            found["doc"] = address("runs", run, "quilts", row["doc"])
        case "documents":
            found["id"] = found["doc"]
        case "sources" | "patches":
            found["quilt"] = address("runs", run, "quilts", row["quilt"])
        case "cover_sources":
            found["doc"] = address("runs", run, "covers", row["doc"])
        case "similarity" | "clusters":
            found["cluster"] = address("runs", run, "clusters", row["cluster"])
        case "hosts":
            found["site"] = address("runs", run, "phrases", site=row["site"])
        case "sites":
            found["host"] = address("runs", run, SITES, name=row["host"])
        case "neighbourhoods":
            found["prefix"] = address("runs", run, "neighbourhoods", under=row["prefix"])
        case "passage_pairs" | "passages":
            found["a"] = found["b"] = address("runs", run, "pairs", row["a"], row["b"])
    return found


def _place(run: str, number: int, row: Mapping[str, Any]) -> str:
    """A passage of a document."""
    return address("runs", run, DOCUMENTS.name, number, begin=row["begin"], end=row["end"])
