"""A document with everything that any run says of it, and a host with everything about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from unquilt.errors import ParameterError, UnquiltError
from unquilt.page.listing import ListedColumn, Listing, quote
from unquilt.page.marked import Passage, mark_text
from unquilt.page.shell import Shell, address
from unquilt.page.texts import Part, read_offset, read_part
from unquilt.page.views.overview import SITES, views_of
from unquilt.page.views.pages import steps_through
from unquilt.page.views.tables import find_links
from unquilt.tables import DOCUMENTS

FEW = 10
"""Rows of one table about a document or a site."""
_SAID_OF_DOCUMENTS = {
    "quilts": ("doc",),
    "verdicts": ("doc",),
    "sources": ("quilt", "source"),
    "clusters": ("doc",),
    "kept": ("doc",),
    "document_phrases": ("doc",),
    "covers": ("doc",),
    "cover_sources": ("source",),
    "targets": ("doc",),
    "contents": ("doc",),
    "objects": ("first",),
    "pairs": ("doc", "other"),
    "passage_pairs": ("a", "b"),
    "stop_runs": ("doc",),
}
"""Tables that speak of documents, and the columns in which they do."""
_SAID_OF_SITES = {
    "quilts": ("host",),
    "sources": ("source_host",),
    "quilting_hosts": ("host",),
    "source_hosts": ("host",),
    "quilting_domains": ("domain",),
    "source_domains": ("domain",),
    "hosts": ("site",),
    "targets": ("host",),
    "clusters": ("host",),
}
_FACTS = ("id", "url", "host", "domain", "ip", "media", "words", "truncated", "recursive", "file", "offset")


@dataclass(frozen=True)
class Said:
    """What one table of one run says: some of its rows, and how many there are."""

    run: str
    analysis: str
    table: str
    see: str
    columns: list[ListedColumn]
    rows: list[dict[str, Any]] = field(default_factory=list)
    total: int = 0
    more: str = ""
    """Where all of them are."""


def show_document(shell: Shell, request: Request) -> Response:
    """A document of the corpus of a run, by number."""
    run, number = request.path_params["run"], request.path_params["doc"]
    folder = shell.shelf.open(run)
    listing = Listing(folder, DOCUMENTS.name, fixed=[f't."doc" = {number}'])
    if request.query_params.get("format"):
        return shell.answer(request, listing, "document.html")
    begin, end, at = (read_offset(request.query_params.get(name, "")) for name in ("begin", "end", "at"))
    part = read_part(folder, number, at or begin)
    if part is None:
        raise ParameterError(f"there is no document {number} here, or the corpus of this run is not found")
    facts = next((row for _, row in folder.documents([number], _FACTS)), {})
    links = next((row["links"] for _, row in folder.documents([number], ["links"])), None) or []
    return shell.answer(
        request,
        listing,
        "document.html",
        run=run,
        views=views_of(folder),
        number=number,
        facts=facts,
        links=links[:50],
        all_links=len(links),
        part=part,
        text=_mark(part, begin, end),
        steps=steps_through(part, request.url.path, dict(request.query_params)),
        said=list(_say(shell, run, _SAID_OF_DOCUMENTS, number)),
    )


def _mark(part: Part, begin: int, end: int) -> Markup:
    """A text, and a passage of it that somebody came for."""
    passages = [Passage(begin, end, 1)] if begin < end else []
    return Markup(mark_text(part.text, passages, chosen=[0] if passages else [], first=part.begin))  # noqa: S704


def show_host(shell: Shell, request: Request) -> Response:
    """A host of the corpus of a run, by name."""
    run, name = request.path_params["run"], request.query_params.get("name", "")
    folder = shell.shelf.open(run)
    listing = Listing(folder, DOCUMENTS.name, fixed=[f't."host" = {quote(name)}'])
    if request.query_params.get("format"):
        return shell.answer(request, listing, "host.html")
    first = shell.database.rows(listing.query([listing.columns[each] for each in ("doc", "domain")], 1))
    if not first:
        raise ParameterError(f"no document of this corpus is on a host {name[:80]!r}")
    values = {"host": name, "source_host": name, "site": name, "domain": first[0]["domain"] or ""}
    return shell.answer(
        request,
        listing,
        "host.html",
        run=run,
        views=views_of(folder),
        name=name,
        domain=first[0]["domain"],
        total=shell.database.value(listing.count_query()),
        documents=shell.database.rows(listing.query(limit=FEW * 2)),
        said=list(_say(shell, run, _SAID_OF_SITES, values)),
        sites=SITES,
    )


def _say(shell: Shell, run: str, tables: Mapping[str, tuple[str, ...]], value: int | dict[str, str]) -> Iterator[Said]:
    """What all runs over the same corpus say; one that cannot be read any more says nothing."""
    for shelved in shell.shelf.beside(shell.shelf.open(run)):
        folder = shelved.folder
        if folder is None:
            continue
        own = set(folder.run.tables)
        for table, columns in tables.items():
            if table not in own:
                continue
            for column in columns:
                listing = Listing(folder, table)
                if column not in listing.columns:
                    continue
                wanted = value if isinstance(value, int) else value[column]
                condition = f"{listing.columns[column].expression} = {quote(wanted)}"
                try:
                    yield from _rows_of(shell, shelved.name, Listing(folder, table, fixed=[condition]), column, wanted)
                except UnquiltError:
                    continue


def _rows_of(shell: Shell, run: str, listing: Listing, column: str, value: object) -> Iterator[Said]:
    rows = shell.database.rows(listing.query(limit=FEW + 1))
    if not rows:
        return
    total = len(rows) if len(rows) <= FEW else shell.database.value(listing.count_query())
    known = listing.known
    yield Said(
        run,
        str(listing.folder.run.manifest["analysis"]),
        listing.table,
        (known.see if known else "") if column not in ("source", "source_host") else "what draws on it",
        listing.shown,
        [{"cells": row, "links": find_links(run, listing.table, row)} for row in rows[:FEW]],
        total,
        address("runs", run, "tables", listing.table, **{column: value}),
    )
