"""The figures of the experiment with quilts (Najork, SIGIR 2012): Figure 3, and planted quilts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unquilt.figures import sweep
from unquilt.figures.axis import Axis, grow_by_factors
from unquilt.figures.chart import PANEL, Chart
from unquilt.figures.figure import Figure
from unquilt.runs import Run
from unquilt.tables.experiments import PLANTED_QUILTS
from unquilt.tables.sweep import SWEEP

Row = Mapping[str, Any]
NAMES = (sweep.NAME, "planted")
"""The figures that a run has, if there is something to draw."""
PIVOT = {"k": 5, "m": 50, "c": 4, "sigma": 0.5}
"""The values of the paper."""
_VARIED = {"sources": "sources of a page", "share": "share of copied words", "edits": "share of copied words replaced"}
_KINDS = {"published": "one", "default": "two"}


def plot(run: Run) -> list[Figure]:
    """The sweep around the values of the paper, if the grid has them, and planted quilts, if there are any."""
    table = run.table(SWEEP.name).to_pylist()
    there = any(all(row[name] == value for name, value in PIVOT.items()) for row in table)
    drawn = sweep.plot(sweep.take_curves(table, PIVOT), PIVOT) if there else []
    planted = run.table(PLANTED_QUILTS.name).to_pylist()
    return [*drawn, *([_plot_planted(planted)] if planted else [])]


def _plot_planted(rows: Sequence[Row]) -> Figure:
    charts = []
    for varied, across in _VARIED.items():
        there = [row for row in rows if row["varied"] == varied]
        values = sorted({row[varied] for row in there})
        if not values:
            continue
        log = grow_by_factors(values)
        margin = (values[-1] - values[0]) * 0.05
        wide = (values[0] / 1.15, values[-1] * 1.15) if log else (values[0] - margin, values[-1] + margin)
        legend = [(kind, name) for name, kind in _KINDS.items()]
        chart = Chart(
            f"Planted quilts found, by {across}",
            Axis(across, *wide, log=log, percent=varied != "sources", values=values),
            Axis("planted quilts found", 0, 1, percent=True),
            legend,
            PANEL,
        )
        for name, kind in _KINDS.items():
            chart.line([(row[varied], row["recall"]) for row in there if row["definition"] == name], kind, 3.5)
        charts.append(chart)
    says = (
        "Which share of the planted pages is found, by the published definition and by default. What does not vary is "
        "8 sources of 40 words each, 75 % copied words, none of them replaced."
    )
    return Figure("planted", "Planted quilts", says, charts, rows)
