"""The figures of the experiment with passages (Zhang, Zhang, Yu and Huang, SIGIR 2010, Figures 6 to 11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unquilt.figures.axis import Axis, grow_by_factors, reach
from unquilt.figures.chart import PANEL, WHOLE, Chart
from unquilt.figures.figure import Figure
from unquilt.runs import Run

Row = dict[str, Any]
NAMES = ("shingles", "imatch", "antecedents", "spotsigs", "beyond", "times")
"""The figures that a run has, if there is something to draw."""
_MEASURES = ("precision", "recall", "f1")
_KINDS = ("one", "two", "three")


def plot(run: Run) -> list[Figure]:
    """All figures of a run; those for which there is nothing to draw are left out."""
    rows, sizes = run.table("qualities").to_pylist(), run.table("beyond").to_pylist()
    taus = [row for row in rows if row["varied"] == "tau"]
    charts = [
        ("shingles", "τ and length of shingles", "τ", 6, [row for row in taus if row["signature"] != "spotsigs"]),
        ("imatch", "range of idf", "least normalised idf", 7, [row for row in rows if row["varied"] == "nidf"]),
        ("antecedents", "antecedents", "antecedents", 8, [row for row in rows if row["varied"] == "antecedents"]),
        ("spotsigs", "τ with SpotSigs", "τ", 9, [row for row in taus if row["signature"] == "spotsigs"]),
    ]
    drawn = [_plot_quality(*chart) for chart in charts if chart[-1]]
    return [*drawn, *([_plot_beyond(sizes), _plot_times(sizes)] if sizes else [])]


def _plot_quality(name: str, title: str, across: str, number: int, rows: Sequence[Row]) -> Figure:
    charts = []
    legend = list(zip(_KINDS, ("precision", "recall", "F1"), strict=True))
    values = sorted({row["value"] for row in rows})
    log = grow_by_factors(values)
    wide = (values[0] / 1.2, values[-1] * 1.2) if log else (values[0] - 0.02, values[-1] + 0.02)
    signatures = dict.fromkeys(row["signature"] for row in rows)
    size = PANEL if len(signatures) > 1 else WHOLE
    for signature in signatures:
        axis = Axis(across, *wide, log=log, values=values)
        chart = Chart(
            f"Quality by {title}, {signature}", axis, Axis("share", 0, 1, percent=True), legend, size, signature
        )
        for kind, measure in zip(_KINDS, _MEASURES, strict=True):
            there = sorted((row["value"], row[measure]) for row in rows if row["signature"] == signature)
            chart.line(there, kind, 3)
        for row in rows:
            if row["varied"] == "antecedents":
                chart.name(row["value"], row["f1"], f"{row['signatures']:.1f}")
        charts.append(chart)
    says = f"How well single sentences that are known to be copied are found. Figure {number} of the paper."
    if name == "antecedents":
        says += " The numbers at F1 are the mean number of signatures of a sentence."
    return Figure(name, f"Quality by {title}", says, charts, rows)


def _plot_beyond(rows: Sequence[Row]) -> Figure:
    most = reach([row["near"] + row["beyond"] for row in rows], 1) * 1.1
    legend = [("one", "by SpotSigs, or sharing passages"), ("two", "by SpotSigs"), ("three", "by super-shingles")]
    chart = Chart("Documents found, by size", _sizes(rows), Axis("documents found", 0, most), legend)
    chart.line([(row["documents"], row["near"] + row["beyond"]) for row in rows], "one", 3.5)
    chart.line([(row["documents"], row["near"]) for row in rows], "two", 3.5)
    chart.line([(row["documents"], row["shingled"]) for row in rows], "three", 3.5)
    says = "Documents that share passages beyond those that have a near-duplicate by SpotSigs. Figure 10 of the paper."
    return Figure("beyond", "Beyond whole-document detection", says, [chart], rows)


def _plot_times(rows: Sequence[Row]) -> Figure:
    kinds = {"one": "passage_seconds", "two": "near_seconds", "three": "shingled_seconds"}
    most = reach([row[name] for row in rows for name in kinds.values()], 0.1) * 1.1
    legend = [("one", "passages"), ("two", "near-duplicates by SpotSigs"), ("three", "by super-shingles")]
    chart = Chart("Time, by size", _sizes(rows), Axis("seconds by the clock", 0, most), legend)
    for kind, name in kinds.items():
        chart.line([(row["documents"], row[name]) for row in rows], kind, 3.5)
    return Figure("times", "Time", "Time by size of the corpus. Figure 11 of the paper.", [chart], rows)


def _sizes(rows: Sequence[Row]) -> Axis:
    return Axis("documents of the corpus", 0, reach([row["documents"] for row in rows], 1) * 1.05)
