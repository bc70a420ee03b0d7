"""A document with everything that any run says of it, and a host with everything about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from unquilt.analyses.catalogue import find_table
from unquilt.errors import ParameterError, UnquiltError
from unquilt.page.links import address, link_rows
from unquilt.page.listing import Listing
from unquilt.page.marked import mark_text
from unquilt.page.run_list import ListedRun
from unquilt.page.views.pages import steps_through
from unquilt.page.views.sites import describe_site_of
from unquilt.page.workspace import Workspace, views_of
from unquilt.results.folders import RunFolder
from unquilt.results.hosts import HOSTS_OF_CORPUS
from unquilt.results.marks import Passage
from unquilt.results.rows import RowColumn, Selection, TableRows
from unquilt.results.texts import Part, read_offset, read_part, say_disguise
from unquilt.site_names import name_sites
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.quilts import QUILTS, SOURCES
from unquilt.tables.table import OnPage

MOST_RUNS, FIRST_RUNS = 8, 3
"""Runs whose tables are looked through for a page, and how many of more runs; what the others say is looked up when
somebody asks for it."""
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
    columns: Sequence[RowColumn]
    rows: Sequence[Mapping[str, Any]] = ()
    total: int = 0
    more: str = ""
    """Where all of them are."""


def show_document(workspace: Workspace, request: Request) -> Response:
    """A document of the corpus of a run, by number."""
    run, number = request.path_params["run"], request.path_params["doc"]
    folder = workspace.runs.open(run)
    listing = Listing(folder, DOCUMENTS.name, about=number)
    if request.query_params.get("format"):
        return workspace.answer(request, listing, "document.html")
    begin, end, at = (read_offset(request.query_params.get(name, "")) for name in ("begin", "end", "at"))
    part = read_part(folder, number, at or begin)
    if part is None:
        raise ParameterError(f"there is no document {number} here, or the corpus of this run is not found")
    facts = next((row for _, row in folder.documents([number], _FACTS)), {})
    facts |= {"disguise": say_disguise(folder, number) or None}
    judged_sites = describe_site_of(workspace, folder, facts)
    links = next((row["links"] for _, row in folder.documents([number], ["links"])), None) or []
    return workspace.answer(
        request,
        listing,
        "document.html",
        run=run,
        views=views_of(folder),
        number=number,
        facts=facts,
        judged_sites=judged_sites,
        links=links[:50],
        all_links=len(links),
        part=part,
        text=_mark(part, begin, end),
        steps=steps_through(part, request.url.path, dict(request.query_params)),
        said=list(_say(workspace, run, lambda page: page.documents, number)),
        others=[each.name for each in _list_beside(workspace, run)[1]],
    )


def _mark(part: Part, begin: int, end: int) -> Markup:
    """A text, and a passage of it that somebody came for."""
    passages = [Passage(begin, end, 1)] if begin < end else []
    return Markup(mark_text(part.text, passages, chosen=[0] if passages else [], first=part.begin))  # noqa: S704


def show_host(workspace: Workspace, request: Request) -> Response:
    """A host or a domain of the corpus of a run, by name: what runs say of it, whom it draws on, and its pages."""
    run, name = request.path_params["run"], request.query_params.get("name", "")
    folder = workspace.runs.open(run)
    by = next(
        (by for by in ("host", "domain") if Listing(folder, DOCUMENTS.name, only=(by, name)).rows(("doc",), 1)), ""
    )
    if not by:
        raise ParameterError(f"no document of this corpus is on a host or domain {name[:80]!r}")
    listing = Listing(folder, DOCUMENTS.name, only=(by, name))
    if request.query_params.get("format"):
        return workspace.answer(request, listing, "host.html")
    first = listing.rows(("doc", "domain"), 1)[0]
    values = {"source_host": name, "site": name, "host": name, "domain": first["domain"] or ""}
    if by == "domain":
        values = {"site": name, "domain": name}
    return workspace.answer(
        request,
        listing,
        "host.html",
        run=run,
        views=views_of(folder),
        name=name,
        by=by,
        domain=first["domain"],
        total=listing.count(),
        documents=link_rows(listing, run, limit=FEW * 2),
        drawn=draw_on(folder, by, name),
        said=list(_say(workspace, run, lambda page: page.sites, values)),
        sites=HOSTS_OF_CORPUS.name,
    )


def draw_on(folder: RunFolder, by: str, name: str) -> dict[str, Any]:
    """The quilts of a site, and the sites that they draw on, those with most of it first; nothing in other runs."""
    if QUILTS.name not in folder.tables or SOURCES.name not in folder.tables:
        return {}
    quilts = [row["doc"] for row in Listing(folder, QUILTS.name, only=(by, name)).rows(("doc",))]
    if not quilts:
        return {}
    sites = name_sites(folder.run.manifest["parameters"].get("foreign", "none"))
    columns = ["quilt", f"source_{sites}", "new_grams"]
    read = TableRows(folder, SOURCES.name, Selection(columns))
    wanted = pa.array(quilts, pa.int64())
    parts = [part.filter(pc.is_in(part.column("quilt"), value_set=wanted)) for part in read]
    counted = pa.concat_tables([read.schema.empty_table(), *parts]).group_by(f"source_{sites}")
    rows = counted.aggregate([("new_grams", "sum"), ("quilt", "count_distinct")]).to_pylist()
    total = max(1, sum(row["new_grams_sum"] for row in rows))
    named = [
        {"site": row[f"source_{sites}"], "share": row["new_grams_sum"] / total, "quilts": row["quilt_count_distinct"]}
        for row in rows
        if row[f"source_{sites}"]
    ]
    named.sort(key=lambda row: (-row["share"], row["site"]))
    return {"quilts": len(quilts), "sites": named[: FEW * 2], "all": len(named)}


def show_said(workspace: Workspace, request: Request) -> Response:
    """What one run says of a document of another, for a script to put into place."""
    run, number = request.path_params["run"], request.path_params["doc"]
    said = list(_say_of(workspace.runs.open(run), run, lambda page: page.documents, number))
    return workspace.show(request, "said.html", run=run, said=said, others=[])


def _say(
    workspace: Workspace, run: str, choose: Callable[[OnPage], Sequence[str]], value: int | dict[str, str]
) -> Iterator[Said]:
    """What runs over the same corpus say, this one first; of very many, the first. One that is damaged says nothing."""
    for listed in _list_beside(workspace, run)[0]:
        if listed.folder is not None:
            yield from _say_of(listed.folder, listed.name, choose, value)


def _list_beside(workspace: Workspace, run: str) -> tuple[list[ListedRun], list[ListedRun]]:
    """The runs over the same corpus, this one first: those that are looked through, and the others."""
    beside = workspace.runs.beside(workspace.runs.open(run))
    beside.sort(key=lambda each: each.name != run)
    shown = MOST_RUNS if len(beside) <= MOST_RUNS else FIRST_RUNS
    return beside[:shown], beside[shown:]


def _say_of(
    folder: RunFolder, run: str, choose: Callable[[OnPage], Sequence[str]], value: int | dict[str, str]
) -> Iterator[Said]:
    pages = {table: known.page for table in folder.run.tables if (known := find_table(table)) and known.page}
    for table, page in pages.items():
        for column in choose(page):
            wanted = value if isinstance(value, int) else value.get(column)
            if wanted is not None:
                with suppress(UnquiltError):
                    yield from _rows_of(run, folder, table, column, wanted)


def _rows_of(run: str, folder: RunFolder, table: str, column: str, value: int | str) -> Iterator[Said]:
    is_first = isinstance(value, int) and folder.columns(table)[:1] == [column]
    if is_first and isinstance(value, int):
        listing = Listing(folder, table, about=value)
    else:
        listing = Listing(folder, table, only=(column, value))
    columns, rows = link_rows(listing, run, limit=FEW + 1)
    if not rows:
        return
    known = listing.known
    yield Said(
        run,
        str(folder.run.manifest["analysis"]),
        table,
        (known.see if known else "") if column not in ("source", "source_host") else "what draws on it",
        columns,
        rows[:FEW],
        len(rows) if len(rows) <= FEW else listing.count(),
        address("runs", run, "tables", table, **{column: value}),
    )
