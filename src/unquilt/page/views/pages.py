"""Pages with their evidence marked: quilts, covers and targets; and the other page of a passage, beside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from unquilt.analyses.catalogue import find_function
from unquilt.errors import ParameterError
from unquilt.page.links import change
from unquilt.page.listing import Listing
from unquilt.page.marked import draw_bar, mark_text
from unquilt.page.workspace import Workspace, views_of
from unquilt.results.evidence import Evidence, find_beside
from unquilt.results.folders import RunFolder
from unquilt.results.names import SHOWN
from unquilt.results.texts import Part, read_offset, read_part, say_disguise
from unquilt.tables.table import Table


def find_evidence(folder: RunFolder, table: str, number: int) -> Evidence:
    """The evidence of a row of a table that has some."""
    known = folder.describe(table)
    if known is None or known.page is None or not known.page.evidence:
        raise ParameterError(f"there is no page for rows of {table[:40]!r}")
    found: Evidence = find_function(known.page.evidence)(folder, number)
    return found


def show_page(workspace: Workspace, request: Request) -> Response:
    """A page with its passages marked and, if one was chosen, the other page beside it."""
    run, table, number = (request.path_params[name] for name in ("run", "table", "doc"))
    folder = workspace.runs.open(run)
    evidence = find_evidence(folder, table, number)
    listing = Listing(folder, evidence.behind, about=number)
    if request.query_params.get("format"):
        return workspace.answer(request, listing, "page.html")
    asked = dict(request.query_params)
    context = describe_page(folder, evidence, asked, request.url.path)
    return workspace.answer(
        request,
        listing,
        "page.html",
        run=run,
        table=table,
        title=evidence.title,
        views=views_of(folder),
        around=workspace.found(folder).neighbours(table, number),
        **context,
    )


def show_beside(workspace: Workspace, request: Request) -> Response:
    """Only the other page of a passage, for a script to put beside the first."""
    run, table, number = (request.path_params[name] for name in ("run", "table", "doc"))
    folder = workspace.runs.open(run)
    evidence = find_evidence(folder, table, number)
    place = evidence.choose(request.query_params.get("patch"))
    if place is None:
        return workspace.show(request, "beside.html", beside=None, run=run)
    part = read_part(folder, number, evidence.passages[place].begin)
    return workspace.show(request, "beside.html", run=run, **_beside(folder, evidence, place, part))


def describe_page(folder: RunFolder, evidence: Evidence, asked: dict[str, str], path: str) -> dict[str, Any]:
    """What the template needs to show evidence; also used by judging."""
    place = evidence.choose(asked.get("patch"))
    if place is None and evidence.passages and not asked.get("at"):
        place = 0  # that of the best source
    around = read_offset(asked.get("at", "")) if place is None else evidence.passages[place].begin
    part = read_part(folder, evidence.doc, around)
    id_, url = folder.pages([evidence.doc]).get(evidence.doc, (None, None))

    def link(chosen: int) -> str:
        return change(path, asked, patch=chosen, at="")

    text = bar = ""
    if part is not None:
        chosen = [place] if place is not None else []
        text = mark_text(part.text, evidence.passages, link=link, chosen=chosen, first=part.begin)
        bar = draw_bar(part.length, evidence.passages, link=link)
    first: dict[int, int] = {}
    for number, passage in enumerate(evidence.passages):
        first.setdefault(passage.number, number)
    return {
        "evidence": evidence,
        "numbers": list(_explain_numbers(folder.describe(evidence.of), evidence)),
        "legend": [(each, link(first[each.number]) if each.number in first else "") for each in evidence.sources],
        "chosen": evidence.passages[place].number if place is not None else 0,
        "id": id_,
        "url": url,
        "part": part,
        "text": Markup(text),  # noqa: S704 - escaped where it is marked
        "bar": Markup(bar),  # noqa: S704
        "disguise": say_disguise(folder, evidence.doc),
        "steps": steps_through(part, path, asked),
        "place": place,
        **(_beside(folder, evidence, place, part) if place is not None else {"beside": None}),
    }


def _explain_numbers(known: Table | None, evidence: Evidence) -> Iterator[dict[str, Any]]:
    """What was counted of a page: each number with its meaning, those first that matter most."""
    columns = {each.name: each for each in known.columns} if known else {}
    names = dict.fromkeys([*(known.first if known else ()), *evidence.row])
    for name in names:
        value = evidence.row.get(name)
        if name not in (*SHOWN, "doc", "verdict", "quilt", "why") and value is not None:
            own = columns.get(name)
            is_share = own is not None and own.is_share
            yield {"name": name, "value": value, "means": own.meaning if own else "", "is_share": is_share}


def steps_through(part: Part | None, path: str, asked: dict[str, str]) -> dict[str, str]:
    """Where the part of a long text before and after the one that is shown is found; none if it is shown whole."""
    if part is None or part.is_whole:
        return {}
    step = len(part.text)
    found = {}
    if part.begin > 0:
        found["before"] = change(path, asked, at=max(0, part.begin - step // 2), patch="")
    if part.end < part.length:
        found["after"] = change(path, asked, at=part.end + step // 2, patch="")
    return found


def _beside(folder: RunFolder, evidence: Evidence, place: int, part: Part | None) -> dict[str, Any]:
    beside = find_beside(folder, evidence, place, part)
    html = ""
    if beside.part is not None:
        chosen = [0] if beside.passages else []
        html = mark_text(beside.part.text, beside.passages, chosen=chosen, first=beside.part.begin)
        html = html.replace(' id="here"', ' id="there"')
    return {"beside": beside, "beside_text": Markup(html)}  # noqa: S704 - escaped where it is marked
