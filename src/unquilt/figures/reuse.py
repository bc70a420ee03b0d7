"""The figures of reuse (Ardi and Heidemann, ISI-TR-692, 2014), as data and as drawings.

    frequencies(run)      of discovery, Figures 1, 2, 11: how many files and chunks occur how often
    shares(run, what)     of detection, Figures 12 and 13: how many neighbourhoods are how bad, and cumulated
    path_lengths(run)     of detection: how many URLs have how many components, kept and dropped
    prefix_lengths(run)   of detection, Figure 14: the same for neighbourhoods

Each of these returns the rows that are plotted; `plot(run)` returns all figures of a run. Those of the experiment are
in `reuse_experiment`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from unquilt.figures.axis import Axis, reach
from unquilt.figures.chart import PANEL, Chart
from unquilt.figures.figure import Figure
from unquilt.flow.kept import Kept
from unquilt.runs import Run
from unquilt.tables.reuse import NEIGHBOURHOODS

Row = dict[str, Any]
NAMES = {
    "discover": ("frequencies",),
    "detect": ("documents", "neighbourhoods", "path_lengths"),
}
"""The figures that a run of each kind has, if there is something to draw."""
BARS = 20
UNITS = 1 << 30
"""Thresholds in a manifest are in units of 2⁻³⁰."""


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


def prefix_lengths(run: Run) -> list[Row]:
    """`components` of the prefixes of neighbourhoods, 1 for a site, and `count`."""
    counts: Counter[int] = Counter()
    for split in Kept.of(NEIGHBOURHOODS.name, run.path / f"{NEIGHBOURHOODS.name}.parquet").splits():
        counts.update(split.read(["level"])["level"].to_pylist())
    return [{"components": level, "what": "neighbourhoods", "count": counts[level]} for level in sorted(counts)]


def plot(run: Run) -> list[Figure]:
    """All figures of a run; those for which there is nothing to draw are left out."""
    drawn = {"discover": _plot_discovery, "detect": _plot_detection}
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
    if {"path_lengths", NEIGHBOURHOODS.name} <= set(run.tables):
        found.append(_plot_lengths(path_lengths(run), prefix_lengths(run)))
    return found


def _plot_lengths(documents: Sequence[Row], neighbourhoods: Sequence[Row]) -> Figure:
    charts = [
        _plot_depths(documents, "documents", "the path of the URL", {"one": "kept", "two": "dropped"}),
        _plot_depths(neighbourhoods, "neighbourhoods", "the prefix, 1 for a site", {"one": "neighbourhoods"}),
    ]
    says = (
        "How deep the URLs of documents are, and the prefixes of neighbourhoods: sites and folders. Dropped are URLs "
        "as of a crawler that goes in circles."
    )
    rows = [*documents, *neighbourhoods]
    return Figure("path_lengths", "Lengths of paths", says, [chart for chart in charts if chart], rows)


def _plot_depths(rows: Sequence[Row], what: str, of: str, kinds: Mapping[str, str]) -> Chart | None:
    if not rows:
        return None
    chart = Chart(
        f"{what.capitalize()} by length of {of}",
        Axis(f"components of {of}", 0, reach(_take(rows, "components"), 4) + 1),
        Axis(f"{what} (logarithmic)", 0.8, reach(_take(rows, "count"), 10) * 1.3, log=True),
        list(kinds.items()) if len(kinds) > 1 else (),
        PANEL,
    )
    for kind, state in kinds.items():
        chart.points([(row["components"], row["count"]) for row in rows if row["what"] == state], kind, 4)
    return chart


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


def _take(rows: Sequence[Row], name: str) -> list[Any]:
    return [row[name] for row in rows]
