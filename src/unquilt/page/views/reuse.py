"""Neighbourhoods as a tree: sites, and under each its folders, with how bad they are. Also a paragraph or a file that
occurs again and again, with all documents that have it."""

from __future__ import annotations

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from unquilt.errors import ParameterError
from unquilt.page.listing import Listing, quote
from unquilt.page.marked import mark_text
from unquilt.page.workspace import Workspace, views_of
from unquilt.results.folders import RunFolder
from unquilt.results.marks import Passage
from unquilt.results.occurrences import find_occurrences
from unquilt.results.texts import read_part
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.reuse import NEIGHBOURHOODS, OBJECTS

MOST = 200
"""Branches that are shown of one neighbourhood."""
MOST_PAGES = 50
MOST_DOCUMENTS = 1_000
"""Documents that are listed of one paragraph or file."""


def list_under(folder: RunFolder, under: str) -> Listing:
    """The neighbourhoods directly under a prefix; sites, if it is empty."""
    level = under.count("/") + 1
    within = f" AND starts_with(prefix, {quote(under)})" if under else ""
    return Listing(folder, NEIGHBOURHOODS.name, fixed=f"level = {level}{within}", order="-bad,-matched,-badness")


def show_tree(workspace: Workspace, request: Request) -> Response:
    """The tree from one prefix on; with `part`, only the branches, for a script to put into place."""
    run, under = request.path_params["run"], request.query_params.get("under", "")
    folder = workspace.runs.open(run)
    listing = list_under(folder, under)
    if request.query_params.get("format"):
        return workspace.answer(request, listing, "tree.html")
    branches = listing.rows(limit=MOST)
    total = listing.count()
    context = {"run": run, "under": under, "branches": branches, "total": total, "pages": _pages(folder, under)}
    if request.query_params.get("part"):
        return workspace.show(request, "branches.html", **context)
    own = None
    if under:
        this = Listing(folder, NEIGHBOURHOODS.name, fixed=f"prefix = {quote(under)}")
        own = next(iter(this.rows(limit=1)), None)
        if own is None:
            raise ParameterError(f"there is no neighbourhood {under[:80]!r} in this run")
    return workspace.answer(request, listing, "tree.html", views=views_of(folder), own=own, **context)


def show_object(workspace: Workspace, request: Request) -> Response:
    """A paragraph or a file that occurs again and again, and all documents that have it."""
    run, first, begin, kind = (request.path_params[name] for name in ("run", "first", "begin", "kind"))
    folder = workspace.runs.open(run)
    listing = Listing(folder, OBJECTS.name, fixed=f"begin = {begin} AND kind = {quote(kind)}", about=first)
    if request.query_params.get("format"):
        return workspace.answer(request, listing, "object.html")
    columns = [each.name for each in OBJECTS.columns if each.name in listing.columns]
    found = next(iter(listing.rows(columns, limit=1)), None)
    if found is None:
        raise ParameterError("there is no such paragraph or file in this run")
    where = find_occurrences(folder, found, MOST_DOCUMENTS)
    part = read_part(folder, first, begin)
    text = ""
    if part is not None:
        end = min(found["end"] if kind == "chunk" else found["length"], part.end)
        text = mark_text(part.text, [Passage(begin, end, 1)], chosen=[0], first=part.begin)
    pages = folder.pages(each.doc for each in where)
    return workspace.answer(
        request,
        listing,
        "object.html",
        run=run,
        table=OBJECTS.name,
        views=views_of(folder),
        found=found,
        where=[(each, *pages.get(each.doc, (None, None))) for each in where],
        text=Markup(text),  # noqa: S704 - escaped where it is marked
        part=part,
    )


def _pages(folder: RunFolder, under: str) -> list[dict[str, object]]:
    """Pages directly in a neighbourhood, those with most labelled chunks first."""
    if not under or "contents" not in folder.tables or DOCUMENTS.name not in folder.tables:
        return []
    starts = [f"{scheme}://{under}" for scheme in ("http", "https")]
    within = [f"starts_with(url, {quote(each)}) AND NOT contains(substr(url, {len(each) + 1}), '/')" for each in starts]
    return Listing(folder, "contents", fixed=" OR ".join(within), order="-matched").rows(limit=MOST_PAGES)
