"""The figure of a sweep (Figure 3 of Najork, SIGIR 2012): quilts against each parameter, the others at a pivot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unquilt.figures.axis import Axis, grow_by_factors, reach
from unquilt.figures.chart import PANEL, Chart
from unquilt.figures.figure import Figure

Row = Mapping[str, Any]
Curves = Mapping[str, Sequence[Row]]
NAME = "sweep"
MEANING = {
    "k": "k: words in a gram",
    "m": "m: most documents that share a patch gram",
    "c": "c: fewest sources of a quilt",
    "sigma": "σ: least share of the grams that sources cover",
}


def take_curves(table: Sequence[Row], pivot: Row) -> dict[str, list[Row]]:
    """The rows of a sweep around a pivot, one parameter varied at a time: Table 1 and Figure 3 of the paper."""
    return {
        varied: [row for row in table if all(row[name] == pivot[name] for name in MEANING if name != varied)]
        for varied in MEANING
    }


def name_pivot(pivot: Row) -> str:
    """The values of a pivot, with the letters of the paper."""
    return ", ".join(f"{'σ' if name == 'sigma' else name} = {pivot[name]:g}" for name in MEANING)


def plot(curves: Curves, pivot: Row, note: str = "") -> list[Figure]:
    """The share of quilts against each parameter that has several values; nothing if none has."""
    highest = reach([row["share"] for rows in curves.values() for row in rows], 0.001) * 1.12
    charts = [_plot_curve(name, rows, pivot, highest) for name, rows in curves.items() if len(rows) > 1]
    says = f"{note} Each parameter is varied alone; the square is the pivot. Figure 3 of the paper.".strip()
    columns = [*MEANING, "quilts", "share", "mean_sources"]
    rows = [{name: row[name] for name in columns} for varied in curves.values() for row in varied]
    return [Figure(NAME, f"Quilts around {name_pivot(pivot)}", says, charts, rows)] if charts else []


def _plot_curve(name: str, rows: Sequence[Row], pivot: Row, highest: float) -> Chart:
    places = sorted((row[name], row["share"]) for row in rows)
    values = [value for value, _ in places]
    log = grow_by_factors(values)
    margin = 1.15 if log else (values[-1] - values[0]) * 0.05
    low, high = (values[0] / margin, values[-1] * margin) if log else (values[0] - margin, values[-1] + margin)
    chart = Chart(
        f"Quilts by {MEANING[name]}",
        Axis(MEANING[name], low, high, log=log, values=values),
        Axis("quilts, of all documents", 0, highest, percent=True),
        size=PANEL,
    )
    chart.line(places, size=3)
    for value, share in places:
        if value == pivot[name]:
            chart.points([(value, share)], "two", 5)
            chart.name(value, share, f"{share * 100:.3g} %")
    return chart
