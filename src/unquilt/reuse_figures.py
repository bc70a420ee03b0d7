"""The figures of reuse (Ardi and Heidemann, ISI-TR-692, 2014), as data and as drawings.

    frequencies(run)      of discovery, Figures 1, 2, 11: how many files and chunks occur how often
    shares(run, what)     of detection, Figures 12 and 13: how many neighbourhoods are how bad, and cumulated
    path_lengths(run)     of detection, Figure 14: how many URLs have how many components, kept and dropped
    discovered(run)       of the experiment, Figures 1 to 3: the share of files and chunks that is discovered
    mutations(run)        of the experiment, Figures 4 to 10: what is left after chunks were added, deleted, changed

Each returns the rows that are plotted, and `plot(run)` all figures of a run as specifications for `plots.draw`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from unquilt.plots import ACCENT, INK, make_axis, make_figure
from unquilt.runs import Run

Row = dict[str, Any]
NAMES = {
    "discover": ("frequencies",),
    "detect": ("documents", "neighbourhoods", "path_lengths"),
    "reuse_experiment": ("discovered", "pages", "neighbourhood", "targets"),
}
"""What figures a run of each kind has, if there is something to draw."""
BARS = 20
_COLOURS = [INK, ACCENT, "#2471a3"]


def frequencies(run: Run) -> list[Row]:
    """`occurrences`, `what` (chunks or files) and `count`, for logarithmic axes."""
    found: list[Row] = run.table("frequencies").to_pylist()
    return found


def shares(run: Run, what: str) -> list[Row]:
    """Of `documents` or `neighbourhoods`, the `count` of each `share` (0, and up to 1/20, 2/20 …), and `cumulative`,
    the part of all that has at most this share."""
    table = {row["twentieth"]: row["count"] for row in run.table("shares").to_pylist() if row["what"] == what}
    counts = [table.get(bar, 0) for bar in range(BARS + 1)]
    return [
        {"share": bar / BARS, "count": count, "cumulative": below / max(1, sum(counts))}
        for bar, (count, below) in enumerate(zip(counts, accumulate(counts), strict=True))
    ]


def path_lengths(run: Run) -> list[Row]:
    """`components`, `what` (kept or dropped) and `count`."""
    found: list[Row] = run.table("path_lengths").to_pylist()
    return found


def discovered(run: Run) -> list[Row]:
    """`copies`, `what` and the `share` of it that is discovered."""
    found: list[Row] = run.table("injections").to_pylist()
    return found


def mutations(run: Run, stop_chunks: str = "out") -> list[Row]:
    """The table `mutations`, with stop chunks taken out, or left in."""
    found: list[Row] = [row for row in run.table("mutations").to_pylist() if row["stop_chunks"] == stop_chunks]
    return found


def plot(run: Run) -> dict[str, dict[str, Any]]:
    """All figures of a run by name; those for which there is nothing to draw are left out."""
    name = run.manifest["analysis"]
    if name == "discover":
        rows = frequencies(run)
        return {"frequencies": _plot_frequencies(rows, run.manifest["parameters"])} if rows else {}
    if name == "detect":
        return _plot_detection(run)
    bounds = {row["what"]: row["threshold"] for row in _usual(run.table("tolerances").to_pylist())}
    rows = mutations(run)
    figures = {"discovered": _plot_discovered(discovered(run))}
    for unit, value, title in (
        ("pages", "contains", "Mean share of labelled chunks of a page"),
        ("neighbourhood", "ratio", "Share of labelled chunks of the site"),
    ):
        figures[unit] = _plot_mutations(rows, value, title, bounds.get(unit))
    return figures | {"targets": _plot_mutations(rows, "targets", "Share of pages that are targets", None)}


def _usual(tolerances: Sequence[Row]) -> list[Row]:
    """Those with informed labels and without stop chunks: thresholds of other cases are much the same."""
    return [row for row in tolerances if row["labels"] == "informed" and row["stop_chunks"] == "out"]


def _plot_frequencies(rows: Sequence[Row], asked: Row) -> dict[str, Any]:
    x = make_axis("occurrences", "occurrences (logarithmic)", type="log")
    y = make_axis("count", "different ones (logarithmic)", type="log")
    colour = {"field": "what", "title": None, "scale": {"domain": ["chunks", "files"], "range": _COLOURS[:2]}}
    dot = {"type": "point", "filled": True, "size": 26, "opacity": 0.8}
    limits = {name: asked[f"{name[:-1]}_threshold"] for name in ("chunks", "files")}
    rule = {
        "data": {"values": [{"what": what, "at": at + 0.5} for what, at in limits.items() if at]},
        "mark": {"type": "rule", "strokeDash": [4, 4]},
        "encoding": {"x": x | {"field": "at"}, "color": colour},
    }
    dots = {"mark": dot, "encoding": {"x": x, "y": y, "color": colour}}
    return make_figure("How many chunks and files occur how often; dashed: thresholds", rows, layer=[dots, rule])


def _plot_detection(run: Run) -> dict[str, dict[str, Any]]:
    summary = run.manifest["summary"]
    found = {}
    for what, threshold in (("documents", "above_page"), ("neighbourhoods", "above_neighbourhood")):
        rows = shares(run, what)
        if any(row["count"] for row in rows):
            found[what] = _plot_shares(rows, what, summary[threshold] / (1 << 30))
    lengths = path_lengths(run)
    return found | ({"path_lengths": _plot_path_lengths(lengths)} if lengths else {})


def _plot_shares(rows: Sequence[Row], what: str, threshold: float) -> dict[str, Any]:
    measure = "share of labelled chunks" if what == "documents" else "badness"
    x = make_axis("share", measure, domain=[-0.03, 1.03])
    bars = {
        "mark": {"type": "bar", "color": INK, "size": 16, "opacity": 0.8},
        "encoding": {"x": x, "y": make_axis("count", f"{what} (logarithmic)", type="symlog")},
    }
    line = {
        "mark": {"type": "line", "color": ACCENT, "interpolate": "step-after"},
        "encoding": {"x": x, "y": make_axis("cumulative", "cumulative share", domain=[0, 1])},
    }
    rule = {
        "data": {"values": [{"at": threshold}]},
        "mark": {"type": "rule", "color": ACCENT, "strokeDash": [4, 4]},
        "encoding": {"x": x | {"field": "at"}},
    }
    title = f"{what.capitalize()} by {measure}: histogram and cumulative; dashed: the threshold"
    return make_figure(title, rows, layer=[bars, line, rule], resolve={"scale": {"y": "independent"}})


def _plot_path_lengths(rows: Sequence[Row]) -> dict[str, Any]:
    x = make_axis("components", "components of the path")
    y = make_axis("count", "documents (logarithmic)", type="log")
    colour = {"field": "what", "title": None, "scale": {"domain": ["kept", "dropped"], "range": _COLOURS[:2]}}
    dot = {"type": "point", "filled": True, "size": 40, "opacity": 0.9}
    encoding = {"x": x, "y": y, "color": colour}
    return make_figure("How deep the paths of URLs are", rows, mark=dot, encoding=encoding)


def _plot_discovered(rows: Sequence[Row]) -> dict[str, Any]:
    x = make_axis("copies", "copies (logarithmic)", type="log")
    y = make_axis("share", "share that is discovered", domain=[0, 1])
    colour = {"field": "what", "title": None, "scale": {"range": _COLOURS}}
    line = {"type": "line", "point": {"size": 30}}
    return make_figure(
        "What is discovered of pages that are copied", rows, mark=line, encoding={"x": x, "y": y, "color": colour}
    )


def _plot_mutations(rows: Sequence[Row], value: str, title: str, threshold: float | None) -> dict[str, Any]:
    x = make_axis("times", "mutations of each page, in mean chunks per page")
    y = make_axis(value, title.lower(), domain=[0, 1])
    colour = {"field": "operation", "title": None, "scale": {"range": _COLOURS}}
    dash = {"field": "labels", "title": None, "scale": {"domain": ["informed", "blind"], "range": [[1, 0], [5, 4]]}}
    lines = {"mark": {"type": "line"}, "encoding": {"x": x, "y": y, "color": colour, "strokeDash": dash}}
    rule = {
        "data": {"values": [] if threshold is None else [{"at": threshold}]},
        "mark": {"type": "rule", "color": INK, "strokeDash": [2, 3]},
        "encoding": {"y": y | {"field": "at"}},
    }
    return make_figure(title, rows, layer=[lines, rule])
