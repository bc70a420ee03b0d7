"""A document with everything that any run says of it, and a host with everything about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from unquilt.analyses.catalogue import find_table
from unquilt.errors import ParameterError, UnquiltError
from unquilt.page.links import find_links
from unquilt.page.listing import Listing, quote
from unquilt.page.marked import mark_text
from unquilt.page.shell import Shell, address
from unquilt.page.views.overview import views_of
from unquilt.page.views.pages import steps_through
from unquilt.results.disguises import say_disguise
from unquilt.results.folders import RunFolder
from unquilt.results.hosts import HOSTS_OF_CORPUS
from unquilt.results.marks import Passage
from unquilt.results.rows import RowColumn
from unquilt.results.texts import Part, read_offset, read_part
from unquilt.tables import DOCUMENTS, OnPage

FEW = 10
"""Rows of one table about a document or a site."""
_FACTS = ("id", "url", "host", "domain", "ip", "media", "words", "truncated", "recursive", "file", "offset")


@dataclass(frozen=True)
class Said:
    """What one table of one run says: some of its rows, and how many there are."""

    run: str
    analysis: str
    table: str
    see: str
    columns: list[RowColumn]
    rows: list[dict[str, Any]] = field(default_factory=list)
    total: int = 0
    more: str = ""
    """Where all of them are."""


def show_document(shell: Shell, request: Request) -> Response:
    """A document of the corpus of a run, by number."""
    run, number = request.path_params["run"], request.path_params["doc"]
    folder = shell.shelf.open(run)
    listing = Listing(folder, DOCUMENTS.name, about=number)
    if request.query_params.get("format"):
        return shell.answer(request, listing, "document.html")
    begin, end, at = (read_offset(request.query_params.get(name, "")) for name in ("begin", "end", "at"))
    part = read_part(folder, number, at or begin)
    if part is None:
        raise ParameterError(f"there is no document {number} here, or the corpus of this run is not found")
    facts = next((row for _, row in folder.documents([number], _FACTS)), {})
    facts |= {"disguise": say_disguise(folder, number) or None}
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
        said=list(_say(shell, run, lambda page: page.documents, number)),
    )


def _mark(part: Part, begin: int, end: int) -> Markup:
    """A text, and a passage of it that somebody came for."""
    passages = [Passage(begin, end, 1)] if begin < end else []
    return Markup(mark_text(part.text, passages, chosen=[0] if passages else [], first=part.begin))  # noqa: S704


def show_host(shell: Shell, request: Request) -> Response:
    """A host of the corpus of a run, by name."""
    run, name = request.path_params["run"], request.query_params.get("name", "")
    folder = shell.shelf.open(run)
    listing = Listing(folder, DOCUMENTS.name, fixed=f"host = {quote(name)}")
    if request.query_params.get("format"):
        return shell.answer(request, listing, "host.html")
    first = listing.rows(("doc", "domain"), 1)
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
        total=listing.count(),
        documents=listing.rows(limit=FEW * 2),
        said=list(_say(shell, run, lambda page: page.sites, values)),
        sites=HOSTS_OF_CORPUS.name,
    )


def _say(
    shell: Shell, run: str, choose: Callable[[OnPage], Sequence[str]], value: int | dict[str, str]
) -> Iterator[Said]:
    """What all runs over the same corpus say; one that cannot be read any more says nothing."""
    for shelved in shell.shelf.beside(shell.shelf.open(run)):
        if (folder := shelved.folder) is None:
            continue
        pages = {table: known.page for table in folder.run.tables if (known := find_table(table)) and known.page}
        for table, page in pages.items():
            for column in choose(page):
                wanted = value if isinstance(value, int) else value[column]
                with suppress(UnquiltError):
                    yield from _rows_of(shelved.name, folder, table, column, wanted)


def _rows_of(run: str, folder: RunFolder, table: str, column: str, value: int | str) -> Iterator[Said]:
    is_first = isinstance(value, int) and folder.columns(table)[:1] == [column]
    about, fixed = (value, "") if is_first else (None, f"{column} = {quote(value)}")
    listing = Listing(folder, table, fixed=fixed, about=about if isinstance(about, int) else None)
    rows = listing.rows(limit=FEW + 1)
    if not rows:
        return
    known = listing.known
    yield Said(
        run,
        str(folder.run.manifest["analysis"]),
        table,
        (known.see if known else "") if column not in ("source", "source_host") else "what draws on it",
        listing.shown,
        [{"cells": row, "links": find_links(run, known, row)} for row in rows[:FEW]],
        len(rows) if len(rows) <= FEW else listing.count(),
        address("runs", run, "tables", table, **{column: value}),
    )
