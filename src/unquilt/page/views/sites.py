"""A site of a run of sites: its verdict, its pages with theirs, whom it draws on, and who draws on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unquilt.errors import ParameterError, UnquiltError
from unquilt.figures.sites import Draws
from unquilt.page.links import address
from unquilt.page.listing import Listing, quote
from unquilt.page.workspace import Workspace, views_of
from unquilt.results.folders import RunFolder
from unquilt.results.rows import Selection, TableRows
from unquilt.results.sites import find_site, name_verdict, read_pages, read_sources, read_takers, site_of
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.quilts import VERDICTS
from unquilt.tables.sites import DRAWS, SITES

FEW = 40
_NAMES = ("first", "site", "verdict", "rank", "reasons", "shares", "network")
Row = Mapping[str, Any]


def show_site(workspace: Workspace, request: Request) -> Response:
    """A site by name."""
    run, name = request.path_params["run"], request.query_params.get("name", "")
    folder = workspace.runs.open(run)
    listing = Listing(folder, SITES.name, fixed=f"site = {quote(name)}")
    if request.query_params.get("format"):
        return workspace.answer(request, listing, "judged_site.html")
    site = find_site(folder, name)
    if site is None:
        raise ParameterError(f"there is no site {name[:80]!r} among those of this run")
    drawn, takers = read_sources(folder, site["first"], FEW), read_takers(folder, site["first"], FEW)
    pages = read_pages(folder, site, FEW) if DOCUMENTS.name in folder.tables else []
    return workspace.answer(
        request,
        listing,
        "judged_site.html",
        run=run,
        views=views_of(folder),
        site=site,
        verdict=name_verdict(site["verdict"]),
        drawn=drawn,
        takers=takers,
        picture=_draw(run, [*drawn, *takers]),
        pages=pages,
        verdicts=_judge(workspace, folder, pages),
        network=_network(folder, site),
        numbers=[
            {"name": each.name, "value": site[each.name], "means": each.meaning, "is_share": each.is_share}
            for each in SITES.columns
            if each.name not in _NAMES and site[each.name] is not None
        ],
        drawn_means={each.name: each.meaning for each in DRAWS.columns},
    )


def _draw(run: str, rows: Sequence[Row]) -> str:
    named = [row for row in rows if row["site"] is not None and row["source_site"] is not None]
    return Draws(named, lambda name: address("runs", run, "site", name=name)).draw("draws") if named else ""


def _network(folder: RunFolder, site: Row) -> list[dict[str, Any]]:
    if site["network"] is None:
        return []
    wanted = Selection(where=f"network = {site['network']} and first <> {site['first']}", sort=("rank",), limit=FEW)
    return list(TableRows(folder, SITES.name, wanted, names=False).rows())


def _judge(workspace: Workspace, folder: RunFolder, pages: Sequence[Row]) -> dict[int, dict[str, Any]]:
    """What runs of quilts over the same corpus say of pages: the verdict, and where it is explained."""
    found: dict[int, dict[str, Any]] = {}
    numbers = ", ".join(str(page["doc"]) for page in pages)
    for listed in workspace.runs.beside(folder) if pages else ():
        if listed.folder is None or VERDICTS.name not in listed.folder.tables:
            continue
        with suppress(UnquiltError):
            wanted = Selection(where=f"doc in ({numbers})")
            for row in TableRows(listed.folder, VERDICTS.name, wanted, names=False).rows():
                explained = address("runs", listed.name, "quilts" if row["quilt"] else "documents", row["doc"])
                found.setdefault(row["doc"], row | {"address": explained})
    return found


def describe_site_of(workspace: Workspace, folder: RunFolder, document: Row) -> list[dict[str, Any]]:
    """What runs of sites over the same corpus say of the site of a document."""
    found = []
    for listed in workspace.runs.beside(folder):
        if listed.folder is None or listed.folder.run.manifest["analysis"] != SITES.name:
            continue
        with suppress(UnquiltError):
            site = site_of(listed.folder, document)
            if site is not None:
                there = address("runs", listed.name, "site", name=site["site"])
                found.append(
                    {"site": site["site"], "verdict": site["verdict"], "reasons": site["reasons"], "at": there}
                )
    return found
