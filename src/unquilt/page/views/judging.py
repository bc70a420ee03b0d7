"""The judging tool: samples, one item after the other with its evidence, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from unquilt.analyses.catalogue import find_function, find_table
from unquilt.errors import ParameterError, UnquiltError
from unquilt.judgements.labels import Judged, Sample, check_judge
from unquilt.judgements.preparation import DEFAULT_CATEGORIES, prepare, read_whole, want_sample
from unquilt.judgements.results import ListedItem, list_items, pack_labels, sum_up
from unquilt.page.links import address, find_links
from unquilt.page.listing import Listing, name, quote
from unquilt.page.marked import mark_text
from unquilt.page.views.pages import describe_page, find_evidence
from unquilt.page.workspace import Workspace, views_of
from unquilt.remote.paths import place
from unquilt.results.folders import RunFolder
from unquilt.results.marks import Passage
from unquilt.results.names import SHOWN
from unquilt.results.texts import read_part

MOST_LISTED = 2_000
"""Items of a list."""
MOST_SHOWN = 20_000
"""Characters of a document that are shown for a row that has no view of its own."""
_DOCUMENTS = ("doc", "first", "quilt", "example", "source")
"""Columns of documents; those whose `begin` and `end` a row has come first."""


def list_samples(workspace: Workspace, request: Request) -> Response:
    """All samples, and a form for another one."""
    outcomes = [sum_up(workspace.labels, sample) for sample in workspace.labels.samples()]
    tables = {run.name: _list_tables(run.folder) for run in workspace.runs if run.folder is not None}
    return workspace.show(
        request,
        "samples.html",
        outcomes=outcomes,
        tables=tables,
        file=workspace.labels.path,
        categories=DEFAULT_CATEGORIES,
        compared=_compare(outcomes),
    )


def _list_tables(folder: RunFolder) -> dict[str, int]:
    """The tables of a run that have rows, with the number of these: first those that people look at."""
    names = dict.fromkeys([*(tab.table for tab in views_of(folder)), *sorted(folder.run.tables)])
    rows = {name: folder.tables[name].rows for name in names if name in folder.run.tables}
    return {name: count for name, count in rows.items() if count}


def _compare(outcomes: list[Any]) -> dict[str, Any]:
    """Samples side by side: the categories of all of them, for the table that sets their shares beside each other."""
    categories = dict.fromkeys(category for each in outcomes for category in each.sample.categories)
    return {"categories": list(categories), "rows": [each for each in outcomes if each.verdicts]}


async def add_sample(workspace: Workspace, _: Request, fields: dict[str, str]) -> ASGIApp:
    """Draw a sample, and go to it."""

    def make() -> Sample:
        run, _, table = fields.get("of", "").partition("/")
        folder = workspace.runs.open(run)
        return prepare(workspace.labels, folder, want_sample(run, folder, table, fields))

    sample = await run_in_threadpool(make)
    return RedirectResponse(address("judging", sample.name), 303)


def show_sample(workspace: Workspace, request: Request) -> Response:
    """One sample: shares with intervals, agreement, and where to judge."""
    sample = workspace.labels.sample(request.path_params["sample"])
    wanted = request.query_params.get("format", "")
    if wanted in ("csv", "jsonl"):
        return _send(workspace, sample, wanted)
    if judge := request.query_params.get("judge"):
        return RedirectResponse(address("judging", sample.name, check_judge(judge)), 303)
    run = workspace.runs.name_of(place(sample.path))
    return workspace.show(
        request,
        "sample.html",
        sample=sample,
        outcome=sum_up(workspace.labels, sample),
        run=run,
        file=workspace.labels.path,
        **_list_items(workspace, sample, run, dict(request.query_params)),
    )


def _list_items(workspace: Workspace, sample: Sample, run: str | None, asked: Mapping[str, str]) -> dict[str, Any]:
    """The items with what was said of them: all, or those on which judges disagree; of two judges, if named."""
    which = asked.get("items", "")
    judges = [asked[name] for name in ("one", "other") if asked.get(name)]
    items = list_items(workspace.labels, sample, judges) if which else []
    if which == "disagreements":
        items = [each for each in items if each.disagreed]
    known = find_table(sample.table)
    rows = [
        {"item": each, "name": _name_item(each), "link": _first(find_links(run, known, each.key)) if run else ""}
        for each in items
    ]
    said = judges or workspace.labels.judges(sample.name)
    return {"which": which, "items": rows[:MOST_LISTED], "all_items": len(rows), "judges": said}


def _name_item(item: ListedItem) -> str:
    """What an item is called: by its URLs, its ids or its key."""
    for part in ("url", "id"):
        named = [str(value) for name, value in item.names.items() if name.endswith(part) and value]
        if named:
            return " and ".join(named)
    return ", ".join(f"{name} {value}" for name, value in item.key.items())


def _first(links: Mapping[str, str]) -> str:
    return next(iter(links.values()), "")


def _send(workspace: Workspace, sample: Sample, kind: str) -> Response:
    content, _ = pack_labels(workspace.labels, [sample], kind)
    headers = {"content-disposition": f'attachment; filename="{sample.name}-labels.{kind}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


def show_item(workspace: Workspace, request: Request) -> Response:
    """An item with its evidence: the one that is asked for, or the first that this judge has not labelled."""
    sample = workspace.labels.sample(request.path_params["sample"])
    judge = check_judge(request.path_params["judge"])
    items = workspace.labels.items(sample.name, judge)
    given = request.query_params.get("item", "")
    done = sum(1 for each in items if each.category)
    if not given:
        waiting = next((each for each in items if not each.category), None)
        if waiting is None:
            outcome = sum_up(workspace.labels, sample)
            return workspace.show(request, "judged.html", sample=sample, judge=judge, outcome=outcome)
        item = waiting
    else:
        position = read_whole("item", given)
        if not 1 <= position <= len(items):
            raise ParameterError(f"the sample has no item {position}; it has {len(items)}")
        item = items[position - 1]
    run = workspace.runs.name_of(place(sample.path))
    context: dict[str, Any] = {"part_template": "", "heading": "", "row": {}, "links": {}, "fault": ""}
    try:
        if run is None:
            raise ParameterError(f"the run {sample.path} is not among those that are shown; start the page with it")
        context |= _describe(workspace, run, sample, item, dict(request.query_params), request.url.path)
    except UnquiltError as error:
        context["fault"] = str(error)
    return workspace.show(
        request,
        "judge.html",
        sample=sample,
        judge=judge,
        item=item,
        items=items,
        done=done,
        run=run,
        **context,
    )


def _describe(
    workspace: Workspace, run: str, sample: Sample, item: Judged, asked: dict[str, str], path: str
) -> dict[str, Any]:
    """An item with its evidence: by the kind of its table as it is shown elsewhere, or its row and its documents."""
    folder = workspace.runs.open(run)
    row = _find_row(folder, sample, item)
    found: dict[str, Any] = {"row": row, "links": find_links(run, find_table(sample.table), row)}
    number = item.key.get("doc")
    if str(folder.run.manifest["fingerprint"]) != sample.fingerprint:
        raise ParameterError(f"{sample.path} is another run than the one that the sample was drawn from")
    known = find_table(sample.table)
    shown = known.page if known else None
    if shown and shown.evidence and isinstance(number, int):
        evidence = find_evidence(folder, sample.table, number)
        context = describe_page(folder, evidence, asked, path)
        name = context["url"] or context["id"] or f"document {number}"
        return found | {"part_template": "evidence.html", "heading": name, "table": sample.table} | context
    if shown and shown.judged:
        described: dict[str, Any] = find_function(shown.judged)(folder, row, asked, path)
        return found | described
    return found | {"texts": _texts(folder, row)}


def _texts(folder: RunFolder, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The documents that a row names, as far as they can be read: the passage that it is about, or the beginning."""
    found = []
    numbers = {column: row[column] for column in _DOCUMENTS if isinstance(row.get(column), int)}
    for column, number in list(numbers.items())[:2]:
        begin, end = (row.get("begin"), row.get("end")) if column in _DOCUMENTS[:3] else (None, None)
        part = read_part(folder, number, begin or 0, MOST_SHOWN)
        if part is None:
            continue
        marks = [Passage(begin, end, 1)] if isinstance(begin, int) and isinstance(end, int) else []
        html = mark_text(part.text, marks, chosen=[0] if marks else [], first=part.begin)
        id_, url = folder.pages([number]).get(number, (None, None))
        text = Markup(html)  # noqa: S704 - escaped where it is marked
        found.append({"doc": number, "id": id_, "url": url, "text": text})
    return found


def _find_row(folder: RunFolder, sample: Sample, item: Judged) -> dict[str, Any]:
    listing = Listing(folder, sample.table)
    conditions = []
    for column, value in item.key.items():
        hashed = column in listing.columns and not listing.columns[column].is_plain
        own, wanted = (f"hex({name(column)})", str(value).upper()) if hashed else (name(column), value)
        conditions.append(f"{own} IS NULL" if value is None else f"{own} = {quote(wanted)}")
    columns = [each.name for each in listing.columns.values() if each.part in ("", *SHOWN) and each.is_plain]
    columns = [each for each in columns if listing.columns[each].type != pa.large_string()]
    rows = Listing(folder, sample.table, fixed=" AND ".join(conditions)).rows(columns, limit=1)
    if not rows:
        raise ParameterError("this item is no longer in the run that it was drawn from")
    return rows[0]


async def add_label(workspace: Workspace, request: Request, fields: dict[str, str]) -> ASGIApp:
    """Keep a label, or take the last one back. The answer comes when it is on disk."""
    judge = check_judge(request.path_params["judge"])

    def save() -> str:
        sample = workspace.labels.sample(request.path_params["sample"])
        here = address("judging", sample.name, judge)
        if fields.get("undo"):
            position = workspace.labels.undo(sample.name, judge)
            return here if position is None else address("judging", sample.name, judge, item=position)
        position = read_whole("item", fields.get("item", ""))
        workspace.labels.label(sample, position, judge, fields.get("category", ""), fields.get("note", ""))
        return here

    target = await run_in_threadpool(save)
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"next": target})
    return RedirectResponse(target, 303)
