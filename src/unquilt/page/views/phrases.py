"""A site of a run of phrases: its pages, and the popular phrases that they share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unquilt.errors import ParameterError
from unquilt.page.listing import Listing, quote
from unquilt.page.workspace import Workspace, views_of
from unquilt.results.folders import RunFolder
from unquilt.results.phrases import SiteInView
from unquilt.tables.phrases import HOSTS

FEW = 40


def show_site(workspace: Workspace, request: Request) -> Response:
    """A site by name: a host, a domain or an address, as the run groups pages."""
    run, name = request.path_params["run"], request.query_params.get("site", "")
    folder = workspace.runs.open(run)
    listing = Listing(folder, HOSTS.name, fixed=f"site = {quote(name)}")
    if request.query_params.get("format"):
        return workspace.answer(request, listing, "phrases.html")
    return workspace.answer(
        request, listing, "phrases.html", run=run, views=views_of(folder), **describe_site(folder, name)
    )


def describe_site(folder: RunFolder, name: str) -> dict[str, Any]:
    """What the template needs to show a site of phrases."""
    listing = Listing(folder, HOSTS.name, fixed=f"site = {quote(name)}")
    rows = listing.rows(limit=1)
    if not rows:
        raise ParameterError(f"there is no site {name[:80]!r} among those of this run")
    seen = SiteInView(folder, name)
    try:
        phrases, note = seen.phrases(FEW), ""
    except ParameterError as error:
        phrases, note = [], f"Phrases cannot be listed: {error}."
    return {"site": rows[0], "pages": seen.pages[:FEW], "phrases": phrases, "note": note}


def describe_row(folder: RunFolder, row: Mapping[str, Any], _: Mapping[str, str], __: str) -> dict[str, Any]:
    """The site of a row, for judging."""
    return {"part_template": "site.html", "heading": row["site"]} | describe_site(folder, row["site"])
