"""Sweeps: Table 1 and Figure 3 of Najork, SIGIR 2012, for this corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.page.report.figures import Figure, reach
from unquilt.page.report.section import Content, Listed
from unquilt.page.report.spelling import count, share
from unquilt.page.report.svg import PANEL, Axis, Chart
from unquilt.plots import MEANING, grow_by_factors, take_curves
from unquilt.results import RunFolder
from unquilt.results.phrases import read_rows
from unquilt.tables import SWEEP

Row = Mapping[str, Any]
_COLUMNS = ["k", "m", "c", "sigma", "quilts", "share", "mean_sources"]


def show_sweep(folder: RunFolder) -> Content:
    """A sweep over k, m, c and σ, around the values that are nearest to the defaults."""
    rows = list(read_rows(folder.table(SWEEP.name)))
    if not rows:
        return Content(["There are no combinations."])
    pivot = {name: _nearest({row[name] for row in rows}, getattr(QuiltParameters(), name)) for name in MEANING}
    curves = take_curves(rows, pivot)
    around = [row for varied in curves.values() for row in varied]
    at = next(row for row in rows if all(row[name] == pivot[name] for name in MEANING))
    values = ", ".join(f"{'σ' if name == 'sigma' else name} = {pivot[name]:g}" for name in MEANING)
    least, most = min(around, key=lambda row: row["share"]), max(around, key=lambda row: row["share"])
    says = [
        f"With {values}, {count(at['quilts'], 'document is a quilt', 'documents are quilts')}: "
        f"{share(at['share'])} of all.",
        f"One parameter at a time changed, it is from {share(least['share'])} to {share(most['share'])}.",
        f"A quilt has {at['mean_sources']:.1f} sources on average; {count(len(rows), 'combination')} were counted.",
    ]
    highest = reach([row["share"] for row in around], 0.001)
    figure = Figure(
        "sweep",
        f"Quilts around {values}",
        "The share of quilts against each parameter, the other three as above. Figure 3 of the paper.",
        [_curve(name, varied, pivot, highest) for name, varied in curves.items() if len(varied) > 1],
        [{name: row[name] for name in _COLUMNS} for row in around],
    )
    listed = Listed(
        SWEEP.name,
        "One parameter varied at a time (Table 1 of the paper)",
        _COLUMNS,
        [[row[name] for name in _COLUMNS] for row in around],
        len(rows),
    )
    return Content(says, [figure] if figure.charts else [], [listed])


def _nearest(values: set[Any], wanted: float) -> Any:
    return min(values, key=lambda each: (abs(each - wanted), each))


def _curve(name: str, rows: Sequence[Row], pivot: Row, highest: float) -> Chart:
    values = sorted(row[name] for row in rows)
    log = grow_by_factors(values)
    margin = 1.15 if log else (values[-1] - values[0]) * 0.05
    low, high = (values[0] / margin, values[-1] * margin) if log else (values[0] - margin, values[-1] + margin)
    chart = Chart(
        f"Quilts by {MEANING[name]}",
        Axis(MEANING[name], low, high, log=log),
        Axis("quilts, of all documents", 0, highest, percent=True),
        size=PANEL,
    )
    places = sorted((row[name], row["share"]) for row in rows)
    chart.limit(pivot[name], f"{pivot[name]:g}")
    chart.line(places)
    chart.points(places)
    return chart
