"""The figures of reuse (Ardi and Heidemann, ISI-TR-692, 2014), as data and as drawings.

    frequencies(run)      of discovery, Figures 1, 2, 11: how many files and chunks occur how often
    shares(run, what)     of detection, Figures 12 and 13: how many neighbourhoods are how bad, and cumulated
    path_lengths(run)     of detection, Figure 14: how many URLs have how many components, kept and dropped
    discovered(run)       of the experiment, Figures 1 to 3: the share of files and chunks that is discovered
    mutations(run)        of the experiment, Figures 4 to 10: what is left after chunks were added, deleted, changed

Each of these returns the rows that are plotted; `plot(run)` returns all figures of a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from unquilt.figures.axis import Axis, reach
from unquilt.figures.chart import PANEL, Chart
from unquilt.figures.figure import Figure
from unquilt.runs import Run

Row = dict[str, Any]
NAMES = {
    "discover": ("frequencies",),
    "detect": ("documents", "neighbourhoods", "path_lengths"),
    "reuse_experiment": ("discovered", "pages", "neighbourhood", "targets"),
}
"""The figures that a run of each kind has, if there is something to draw."""
BARS = 20
UNITS = 1 << 30
"""Thresholds in a manifest are in units of 2⁻³⁰."""
_KINDS = ("one", "two", "three")
_MEASURES = {
    "contains": "mean share of labelled chunks",
    "ratio": "share of labelled chunks",
    "targets": "pages that are targets",
}


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


def plot(run: Run) -> list[Figure]:
    """All figures of a run; those for which there is nothing to draw are left out."""
    drawn = {"discover": _plot_discovery, "detect": _plot_detection, "reuse_experiment": _plot_experiment}
    return [figure for figure in drawn[run.manifest["analysis"]](run) if figure.rows]


def _plot_discovery(run: Run) -> list[Figure]:
    rows = frequencies(run) if "frequencies" in run.tables else []
    limits = {what: run.manifest["parameters"][f"{what[:-1]}_threshold"] for what in ("chunks", "files")}
    chart = Chart(
        "Chunks and files by occurrences",
        Axis(
            "occurrences (logarithmic)", 0.9, reach([*_take(rows, "occurrences"), *limits.values()], 10) * 1.2, log=True
        ),
        Axis("different ones (logarithmic)", 0.8, reach(_take(rows, "count"), 10) * 1.3, log=True),
        [("one", "chunks"), ("two", "files")],
    )
    for kind, what in chart.legend:
        chart.points([(row["occurrences"], row["count"]) for row in rows if row["what"] == what], kind)
    (lower, low), (higher, high) = sorted(limits.items(), key=lambda each: each[1])
    if low == high:
        chart.limit(low + 0.5, f"{lower}, {higher} > {low:,}")
    else:
        chart.limit(low + 0.5, f"{lower} > {low:,} ", "end")
        chart.limit(high + 0.5, f" {higher} > {high:,}", "")
    says = "How many different chunks and files occur how often. The dashed lines are the thresholds of this run."
    return [Figure("frequencies", "Frequencies of chunks and files", says, [chart], rows)]


def _plot_detection(run: Run) -> list[Figure]:
    found = []
    for what, threshold in (("documents", "above_page"), ("neighbourhoods", "above_neighbourhood")):
        rows = shares(run, what) if "shares" in run.tables else []
        if any(row["count"] for row in rows):
            found.append(_plot_shares(rows, what, run.manifest["summary"].get(threshold, 0) / UNITS))
    rows = path_lengths(run) if "path_lengths" in run.tables else []
    chart = Chart(
        "Documents by length of the path",
        Axis("components of the path of the URL", 0, reach(_take(rows, "components"), 4) + 1),
        Axis("documents (logarithmic)", 0.8, reach(_take(rows, "count"), 10) * 1.3, log=True),
        [("one", "kept"), ("two", "dropped, as of a crawler going in circles")],
    )
    for kind, what in (("one", "kept"), ("two", "dropped")):
        chart.points([(row["components"], row["count"]) for row in rows if row["what"] == what], kind, 4)
    return [*found, Figure("path_lengths", "Lengths of paths", "How deep the paths of URLs are.", [chart], rows)]


def _plot_shares(rows: Sequence[Row], what: str, threshold: float) -> Figure:
    """A histogram, and the same added up."""
    measure = "share of labelled chunks" if what == "documents" else "badness: mean share of labelled chunks"
    across = Axis(measure, -1 / BARS, 1, percent=True)
    most = reach(_take(rows, "count"), 10) * 1.3
    bars = Chart(f"{what} by {measure}", across, Axis(f"{what} (logarithmic)", 0.7, most, log=True), size=PANEL)
    bars.bars([(row["share"] - 1 / BARS, row["share"], row["count"]) for row in rows if row["count"]])
    added = Chart(
        f"{what} by {measure}, added up", across, Axis(f"{what} up to here, of all", 0, 1, percent=True), size=PANEL
    )
    added.line([(row["share"], row["cumulative"]) for row in rows], size=2.5)
    for chart in (bars, added):
        chart.limit(threshold, f"threshold: {threshold * 100:.3g} %")
    says = (
        f"How many {what} consist of labelled chunks by how much: as a histogram, and added up. The first bar is of "
        "those that have none."
    )
    return Figure(what, f"{what.capitalize()} by share of labelled chunks", says, [bars, added], rows)


def _plot_experiment(run: Run) -> list[Figure]:
    """Thresholds are those with informed labels and without stop chunks: those of other cases are much the same."""
    usual = [row for row in run.table("tolerances").to_pylist() if row["labels"] == "informed"]
    bounds = {row["what"]: row["threshold"] for row in usual if row["stop_chunks"] == "out"}
    rows = mutations(run)
    return [
        _plot_discovered(discovered(run)),
        _plot_mutations(rows, "pages", "contains", "Mean share of labelled chunks of a page", bounds),
        _plot_mutations(rows, "neighbourhood", "ratio", "Share of labelled chunks of the site", bounds),
        _plot_mutations(rows, "targets", "targets", "Share of pages that are targets", {}),
    ]


def _plot_discovered(rows: Sequence[Row]) -> Figure:
    legend = list(zip(_KINDS, dict.fromkeys(_take(rows, "what")), strict=False))
    chart = Chart(
        "What is discovered, by number of copies",
        Axis("copies of each page (logarithmic)", *_widen(_take(rows, "copies")), log=True),
        Axis("share that is discovered", 0, 1, percent=True),
        legend,
    )
    for kind, what in legend:
        chart.line([(row["copies"], row["share"]) for row in rows if row["what"] == what], kind, 3.5)
    says = "Which share of the files and chunks of a site is discovered if its pages are copied so often."
    return Figure("discovered", "What is discovered of pages that are copied", says, [chart], rows)


def _plot_mutations(rows: Sequence[Row], name: str, value: str, title: str, bounds: Mapping[str, float]) -> Figure:
    """A chart for labels that are known, and one for labels that are discovered."""
    charts = []
    for labels, head in (("informed", "Informed labels: all chunks"), ("blind", "Blind labels: discovered chunks")):
        there = [row for row in rows if row["labels"] == labels]
        legend = list(zip(_KINDS, dict.fromkeys(_take(there, "operation")), strict=False))
        chart = Chart(
            f"{title}, {labels} labels",
            Axis("mutations of each page, in mean chunks per page", 0, reach(_take(rows, "times"))),
            Axis(_MEASURES[value], 0, 1, percent=True),
            legend,
            PANEL,
            head,
        )
        for kind, operation in legend:
            drawn = [row for row in there if row["operation"] == operation and row[value] is not None]
            chart.line([(row["times"], row[value]) for row in drawn], kind, 2.2)
            if value == "contains":
                for row in drawn:
                    mean, error = row[value], row["error"]
                    chart.error(row["times"], max(0, mean - error), min(1, mean + error), kind)
        chart.limit(1, "mean chunks per page")
        if name in bounds:
            chart.level(bounds[name], f"threshold: {bounds[name] * 100:.3g} %")
        charts.append(chart)
    says = (
        f"{title} after chunks of each page were added, changed or deleted. Stop chunks are left out. A line ends "
        "where no page has chunks any more."
    )
    if value == "contains":
        says += " The bars are the standard errors over all runs."
    return Figure(name, title, says, charts, rows)


def _take(rows: Sequence[Row], name: str) -> list[Any]:
    return [row[name] for row in rows]


def _widen(values: Sequence[float]) -> tuple[float, float]:
    """The ends of a logarithmic axis for these values."""
    low, high = min(values, default=1), max(values, default=10)
    return low / 1.2, max(high * 1.2, low * 2)
