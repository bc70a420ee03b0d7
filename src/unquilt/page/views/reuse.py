"""Neighbourhoods as a tree: sites, and under each its folders, with how bad they are."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from unquilt.errors import ParameterError
from unquilt.page.listing import Listing, quote
from unquilt.page.shell import Shell
from unquilt.page.views.overview import views_of
from unquilt.results.folders import RunFolder
from unquilt.tables import DOCUMENTS, NEIGHBOURHOODS

MOST = 200
"""Branches that are shown of one neighbourhood."""
MOST_PAGES = 50


def list_under(folder: RunFolder, under: str) -> Listing:
    """The neighbourhoods directly under a prefix; sites, if it is empty."""
    level = under.count("/") + 1
    within = f" AND starts_with(prefix, {quote(under)})" if under else ""
    return Listing(folder, NEIGHBOURHOODS.name, fixed=f"level = {level}{within}", order="-bad,-matched,-badness")


def show_tree(shell: Shell, request: Request) -> Response:
    """The tree from one prefix on; with `part`, only the branches, for a script to put into place."""
    run, under = request.path_params["run"], request.query_params.get("under", "")
    folder = shell.shelf.open(run)
    listing = list_under(folder, under)
    if request.query_params.get("format"):
        return shell.answer(request, listing, "tree.html")
    branches = listing.rows(limit=MOST)
    total = listing.count()
    context = {"run": run, "under": under, "branches": branches, "total": total, "pages": _pages(folder, under)}
    if request.query_params.get("part"):
        return shell.show(request, "branches.html", **context)
    own = None
    if under:
        this = Listing(folder, NEIGHBOURHOODS.name, fixed=f"prefix = {quote(under)}")
        own = next(iter(this.rows(limit=1)), None)
        if own is None:
            raise ParameterError(f"there is no neighbourhood {under[:80]!r} in this run")
    return shell.answer(request, listing, "tree.html", views=views_of(folder), own=own, **context)


def _pages(folder: RunFolder, under: str) -> list[dict[str, object]]:
    """Pages directly in a neighbourhood, those with most labelled chunks first."""
    if not under or "contents" not in folder.tables or DOCUMENTS.name not in folder.tables:
        return []
    starts = [f"{scheme}://{under}" for scheme in ("http", "https")]
    within = [f"starts_with(url, {quote(each)}) AND NOT contains(substr(url, {len(each) + 1}), '/')" for each in starts]
    return Listing(folder, "contents", fixed=" OR ".join(within), order="-matched").rows(limit=MOST_PAGES)
