"""All runs, and one of them: what was asked of what, and what came out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from unquilt.analyses.catalogue import ENTRIES, find_table
from unquilt.errors import ParameterError, UnquiltError
from unquilt.figures.figure import Figure
from unquilt.page.links import address, find_links, link_rows
from unquilt.page.listing import Listing
from unquilt.page.report.section import Listed, describe_parameters
from unquilt.page.report.spelling import count
from unquilt.page.run_list import ListedRun
from unquilt.page.workspace import Workspace, views_of
from unquilt.results.finding import find_meant
from unquilt.results.folders import RunFolder
from unquilt.results.marks import clean
from unquilt.results.rows import name_column
from unquilt.spelling import sentence
from unquilt.tables.corpus import DOCUMENTS

FEW = 5
"""Rows of a table on the page of a run."""
_FIRST = ("sites", "copies")
"""What made the runs that stand first on the first page: those that sum up others, and name who took what from whom."""
_SITES = ("site", "domain", "host")
_SITE = re.compile(r"(?<![\w.-])(?:[\w-]+\.)+[^\W\d_]{2,}(?![\w.…-]*[\w…])")
"""A site in a sentence, if its name is a usual one and was not cut."""


def show_home(workspace: Workspace, request: Request) -> Response:
    """All runs, and what was found in each."""
    runs = sorted(workspace.runs, key=lambda run: run.analysis not in _FIRST)
    return workspace.show(request, "home.html", runs=[_sum_up(workspace, run) for run in runs])


def _sum_up(workspace: Workspace, run: ListedRun) -> dict[str, Any]:
    facts: dict[str, Any] = {"run": run, "fault": run.fault, "views": [], "says": [], "why": [], "made": ""}
    if run.folder is None:
        return facts
    folder = run.folder
    try:
        found = workspace.found(folder)
        return facts | {
            "views": [(tab, _rows(folder, tab.table)) for tab in views_of(folder)],
            "made": _name_kind(folder),
            "says": list(_link_sites(folder, run.name, found.says)),
            "why": found.why,
            "complete": folder.complete,
        }
    except UnquiltError as error:  # what is wrong with one run does not concern the others
        return facts | {"fault": str(error)}


def _rows(folder: RunFolder, table: str) -> int | None:
    return folder.tables[table].rows if table in folder.tables else None


def _name_kind(folder: RunFolder) -> str:
    documents = _rows(folder, DOCUMENTS.name)
    over = "" if documents is None else f" over {count(documents, 'document')}"
    return f"run of {folder.run.manifest['analysis']}{over}"


def _link_sites(folder: RunFolder, run: str, says: Iterable[str]) -> Iterator[Markup]:
    """Sentences as HTML: the sites that they name lead to their pages, if the run has some."""
    known = [table for name in folder.run.tables if (table := find_table(name))]
    leading = [(table, by) for table in known for by in _SITES if table.page and by in table.page.links]
    table, by = leading[0] if leading else (None, "")

    def link(found: re.Match[str]) -> str:
        target = find_links(run, table, {by: found[0]}).get(by, "")
        return f'<a href="{escape(target)}">{found[0]}</a>' if target else found[0]

    for each in says:
        yield Markup(_SITE.sub(link, escape(sentence(clean(each)))))  # noqa: S704


def show_run(workspace: Workspace, request: Request) -> Response:
    """One run: what was found, in sentences and figures; what was asked, and what that means; its tables."""
    name = request.path_params["run"]
    folder = workspace.runs.open(name)
    manifest = folder.run.manifest
    analysis = str(manifest["analysis"])
    found = workspace.found(folder)
    tables = []
    for table in sorted(folder.tables):
        known = find_table(table)
        tables.append({"name": table, "rows": folder.tables[table].rows, "see": known.see if known else ""})
    return workspace.show(
        request,
        "run.html",
        run=name,
        folder=folder,
        made=_name_kind(folder),
        says=list(_link_sites(folder, name, found.says)),
        purpose=ENTRIES[analysis].purpose if analysis in ENTRIES else "",
        views=views_of(folder),
        found=found,
        figures=[_draw(figure, number) for number, figure in enumerate(found.figures)],
        first=[_list_first(folder, name, table) for table in found.tables],
        tables=tables,
        parameters=describe_parameters(manifest),
        inputs=manifest["inputs"],
        versions=manifest["versions"],
        created=manifest.get("created", ""),
        complete=folder.complete,
    )


def _draw(figure: Figure, number: int) -> dict[str, Any]:
    charts = [chart.draw(f"figure-{number}-{place}") for place, chart in enumerate(figure.charts)]
    return {"title": figure.title, "says": figure.says, "charts": charts}


def _list_first(folder: RunFolder, run: str, listed: Listed) -> dict[str, Any]:
    """The rows of a table that the report begins with, with what they lead to; those of no table as they are."""
    if listed.name not in folder.tables:
        return {"title": listed.title, "total": listed.total, "table": "", "listed": listed}
    listing = Listing(folder, listed.name)
    known, part = find_table(listed.name), "url" if folder.has_urls else "id"
    numbers = known.identified if known is not None and DOCUMENTS.name in folder.tables else ()
    columns = [name_column(each, part) if each in numbers else each for each in listed.columns]
    own = [listing.columns[each] for each in dict.fromkeys(columns) if each in listing.columns]
    own.sort(key=lambda each: (each.part or each.name) != "url")
    rows = link_rows(listing, run, own, FEW)
    return {"title": listed.title, "total": listed.total, "table": listed.name, "linked": rows}


def send_report(workspace: Workspace, request: Request) -> Response:
    """The report of a run, or of all that are complete, as a file that the browser saves."""
    name = request.path_params.get("run")
    folders = (
        [workspace.runs.open(name)] if name else [each.folder for each in workspace.runs if each.folder is not None]
    )
    from unquilt.page.report.writing import make_report

    content = make_report([folder for folder in folders if name or folder.complete])
    headers = {"content-disposition": f'attachment; filename="unquilt-{name or "report"}.html"'}
    return Response(content.encode("utf-8", "replace"), media_type="text/html", headers=headers)


def find_document(workspace: Workspace, request: Request) -> Response:
    """Go to the document that an id, a number or a URL means."""
    name = request.path_params["run"]
    folder = workspace.runs.open(name)
    given = request.query_params.get("q", "").strip()
    if DOCUMENTS.name not in folder.tables:
        raise ParameterError(f"the corpus of {name} is not found, so its documents cannot be looked up")
    found = find_meant(folder.tables[DOCUMENTS.name], given) if given else []
    if len(found) == 1:
        return RedirectResponse(address("runs", name, "documents", found[0]), 303)
    return RedirectResponse(address("runs", name, "tables", DOCUMENTS.name, q=given), 303)
