"""Two documents that share passages: both texts side by side, and where they agree as a dot plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from unquilt.errors import ParameterError
from unquilt.page.figures import draw_dots
from unquilt.page.links import change
from unquilt.page.listing import Listing
from unquilt.page.marked import mark_text
from unquilt.page.workspace import Workspace, views_of
from unquilt.results.differences import Difference
from unquilt.results.folders import RunFolder
from unquilt.results.marks import Passage
from unquilt.results.texts import Part, read_part
from unquilt.tables.passages import PASSAGES

MOST = 500
"""Passages of one pair that are marked."""
MOST_COMPARED = 400_000
"""Characters of these, on both sides, whose words are compared."""


def show_pair(workspace: Workspace, request: Request) -> Response:
    """The passages of two documents."""
    run, a, b = (request.path_params[name] for name in ("run", "a", "b"))
    folder = workspace.runs.open(run)
    listing = list_pair(folder, a, b)
    if request.query_params.get("format"):
        return workspace.answer(request, listing, "pair.html")
    context = describe_pair(folder, (a, b), dict(request.query_params), request.url.path)
    return workspace.answer(request, listing, "pair.html", run=run, views=views_of(folder), **context)


def list_pair(folder: RunFolder, a: int, b: int) -> Listing:
    """The passages of two documents, in the order of the first."""
    return Listing(folder, PASSAGES.name, fixed=f"b = {b}", order="a_begin", about=a)


def describe_pair(
    folder: RunFolder, pair: tuple[int, int], asked: dict[str, str], path: str, begin: int | None = None
) -> dict[str, Any]:
    """What the template needs to show a pair; the passage that begins there in the first stands out at first."""
    a, b = pair
    listing = list_pair(folder, a, b)
    rows = listing.rows([each.name for each in PASSAGES.columns if each.name in listing.columns], MOST)
    if not rows:
        raise ParameterError(f"documents {a} and {b} share no passage in this run")
    given = asked.get("patch", "")
    usual = next((n for n, row in enumerate(rows) if row["a_begin"] == begin), 0)
    place = int(given) if given.isdecimal() and int(given[:9]) < len(rows) else usual
    chosen = rows[place]
    sides: list[dict[str, Any]] = []
    read = {side: read_part(folder, number, chosen[f"{side}_begin"]) for side, number in (("a", a), ("b", b))}
    changed = _find_changes(rows, read)
    for side, number in (("a", a), ("b", b)):
        part = read[side]
        passages = [Passage(row[f"{side}_begin"], row[f"{side}_end"], n) for n, row in enumerate(rows, 1)]
        id_, url = folder.pages([number]).get(number, (None, None))
        html = ""
        if part is not None:
            html = mark_text(
                part.text,
                passages,
                link=lambda n: change(path, asked, patch=n),
                chosen=[place],
                first=part.begin,
                changed=changed[side],
            ).replace(' id="here"', f' id="here-{side}"')
        text = Markup(html)  # noqa: S704 - escaped where it is marked
        sides.append({"doc": number, "id": id_, "url": url, "part": part, "text": text})
    lengths = tuple(side["part"].length if side["part"] else 1 for side in sides)
    names = tuple(side["url"] or side["id"] or f"document {side['doc']}" for side in sides)
    dots = [
        (row["a_begin"], row["a_end"], row["b_begin"], row["b_end"], change(path, asked, patch=n))
        for n, row in enumerate(rows)
    ]
    plot = draw_dots(dots, (lengths[0], lengths[1]), (names[0], names[1]))
    return {
        "pair": (a, b),
        "sides": sides,
        "rows": rows,
        "targets": [dot[4] for dot in dots],
        "place": place,
        "plot": Markup(plot),  # noqa: S704 - escaped where it is drawn
    }


def _find_changes(
    rows: Sequence[Mapping[str, Any]], read: Mapping[str, Part | None]
) -> dict[str, list[tuple[int, int]]]:
    """The words of passages that the other side does not have, where they stand in either document; of many and long
    passages, of the first."""
    found: dict[str, list[tuple[int, int]]] = {"a": [], "b": []}
    left = MOST_COMPARED
    for row in rows:
        texts = []
        for side, part in read.items():
            begin, end = row[f"{side}_begin"], row[f"{side}_end"]
            if part is None or begin < part.begin or end > part.end:
                break
            texts.append(part.text[begin - part.begin : end - part.begin])
        left -= sum(map(len, texts))
        if len(texts) < 2 or left < 0:
            continue
        for each in Difference.of(*texts).rows():
            for side, one, other in (("a", "begin", "end"), ("b", "other_begin", "other_end")):
                first = row[f"{side}_begin"]
                if each[one] < each[other]:
                    found[side].append((first + each[one], first + each[other]))
    return found


def describe_row(folder: RunFolder, row: Mapping[str, Any], asked: dict[str, str], path: str) -> dict[str, Any]:
    """The two documents of a row, for judging: of a passage, with this one chosen."""
    pair = describe_pair(folder, (row["a"], row["b"]), asked, path, begin=row.get("a_begin"))
    return {"part_template": "sides.html"} | pair
