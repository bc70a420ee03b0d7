"""A cluster of near-duplicates: its members, and two of them as a word-by-word difference."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from unquilt.errors import ParameterError
from unquilt.page.listing import Listing
from unquilt.page.workspace import Workspace, views_of
from unquilt.results.differences import DELETED, INSERTED, Difference
from unquilt.results.evidence import find_long
from unquilt.results.finding import find_rows
from unquilt.results.folders import RunFolder
from unquilt.results.marks import NO_PATCH, clean, mark
from unquilt.tables.neardups import CLUSTERS, KEPT

MOST_MEMBERS = 200
MOST_SHOWN = 60_000
"""Characters of a difference that are shown."""
AROUND, LEAST_FOLDED = 240, 400
"""Characters of equal text that stay beside a change; and how many more there must be to be folded."""


def show_cluster(workspace: Workspace, request: Request) -> Response:
    """A cluster by its number, that of its lowest document, or by any other of its documents."""
    run, doc = request.path_params["run"], request.path_params["cluster"]
    folder = workspace.runs.open(run)
    number = next((row["cluster"] for row in folder.about(CLUSTERS.name, doc)), doc)
    listing = Listing(folder, CLUSTERS.name, fixed=f"cluster = {number}")
    if request.query_params.get("format"):
        return workspace.answer(request, listing, "cluster.html")
    context = describe_cluster(folder, number, request.query_params.get("with", ""))
    return workspace.answer(request, listing, "cluster.html", run=run, views=views_of(folder), **context)


def describe_cluster(folder: RunFolder, number: int, other: str = "") -> dict[str, Any]:
    """What the template needs to show a cluster: members, the least similar first, and one of them compared."""
    listing = Listing(folder, CLUSTERS.name, fixed=f"cluster = {number}")
    columns = [name for name in ("doc", "keep", "id", "url") if name in listing.columns]
    members = listing.rows(columns, MOST_MEMBERS)
    if not members:
        raise ParameterError(
            f"there is no cluster {number} in this run; a cluster has the number of its lowest document"
        )
    total = listing.count()
    kept = next((row["doc"] for row in members if row["keep"]), number)
    verdicts = _verdicts(folder, [row["doc"] for row in members])
    for row in members:
        row["similarity"] = verdicts.get(row["doc"], {}).get("similarity")
    members.sort(key=lambda row: (not row["keep"], row["similarity"] or 0.0, row["doc"]))
    others = [row["doc"] for row in members if row["doc"] != kept]
    gone = (row["doc"] for row in members if not row["keep"])
    chosen = int(other) if other.isdecimal() and int(other) in others else next(gone, kept)
    instead = verdicts.get(chosen, {}).get("kept_instead")
    kept = kept if instead is None else instead
    return {
        "cluster": number,
        "members": members,
        "total": total,
        "kept": kept,
        "chosen": chosen,
        **_compare(folder, kept, chosen),
    }


def describe_row(folder: RunFolder, row: Mapping[str, Any], asked: Mapping[str, str], _: str) -> dict[str, Any]:
    """The cluster of a row, for judging."""
    return {"part_template": "difference.html"} | describe_cluster(folder, row["cluster"], asked.get("with", ""))


def describe_drop(folder: RunFolder, row: Mapping[str, Any], asked: Mapping[str, str], _: str) -> dict[str, Any]:
    """A document beside the one that is kept instead, for judging."""
    number = row["doc"]
    other = asked.get("with", str(number))
    clusters = folder.about(CLUSTERS.name, number)
    if clusters:
        return {"part_template": "difference.html"} | describe_cluster(folder, clusters[0]["cluster"], other)
    alone = {"cluster": number, "members": [], "total": 1, "kept": number, "chosen": number}
    return {"part_template": "difference.html"} | alone | _compare(folder, number, number)


def _verdicts(folder: RunFolder, numbers: list[int]) -> dict[int, dict[str, Any]]:
    """Which documents are kept instead of others, and how similar the two are, as far as the run says."""
    if KEPT.name not in folder.tables:
        return {}
    found = find_rows(folder.table(KEPT.name), "doc", numbers, ["doc", "kept_instead", "similarity"], MOST_MEMBERS)
    return {row["doc"]: row for row in found}


def _compare(folder: RunFolder, one: int, other: int) -> dict[str, Any]:
    """Two documents as one text, with what differs marked."""
    nothing: dict[str, Any] = {"difference": None, "changed": (0, 0), "cut": False, "why": ""}
    if find_long(folder, [one, other]):
        return nothing | {"why": "One of the two is too long to be compared word by word now."}
    texts = {number: row["text"] for number, row in folder.documents([one, other], ["text"])}
    if one not in texts or other not in texts:
        return nothing | {"why": "The corpus of this run is not found, so there are no texts to compare."}
    difference = Difference.of(texts[one], texts[other])
    html, is_cut = draw_difference(difference)
    return {"difference": Markup(html), "changed": difference.changed, "cut": is_cut, "why": ""}  # noqa: S704


def draw_difference(difference: Difference) -> tuple[str, bool]:
    """Two texts as one, in HTML: each change has a number, by which one goes from one to the next, and long stretches
    without one are folded. Also whether the end of it was left out."""
    text, patches = difference.merge()
    tags = {DELETED: "del", INSERTED: "ins"}
    spans = mark(len(text), patches)
    parts: list[str] = []
    shown = changes = 0
    for place, (begin, end, rank) in enumerate(spans):
        if shown >= MOST_SHOWN:
            return "".join(parts), True
        piece = text[begin:end]
        shown += min(len(piece), 2 * AROUND) if rank == NO_PATCH else len(piece)
        if rank == NO_PATCH:
            parts.append(_fold(piece, first=place == 0, last=place == len(spans) - 1))
        else:
            changes += 1
            here = ' id="here"' if changes == 1 else ""
            parts.append(f'<{tags[rank]} class="change" tabindex="-1"{here}>{escape(clean(piece))}</{tags[rank]}>')
    return "".join(parts), False


def _fold(piece: str, *, first: bool, last: bool) -> str:
    """Equal text, of which little is shown beside changes; the rest opens when somebody asks for it."""
    head, tail = (0 if first else AROUND), (0 if last else AROUND)
    if len(piece) < head + tail + LEAST_FOLDED:
        return escape(clean(piece))
    hidden = piece[head : len(piece) - tail]
    summary = f"<summary>{len(hidden):,} equal characters</summary>"
    folded = f'<details class="fold">{summary}{escape(clean(hidden[:MOST_SHOWN]))}</details>'
    return f"{escape(clean(piece[:head]))}{folded}{escape(clean(piece[len(piece) - tail :] if tail else ''))}"
