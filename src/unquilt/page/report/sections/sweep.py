"""Sweeps: Table 1 and Figure 3 of Najork, SIGIR 2012, for this corpus."""

from __future__ import annotations

from typing import Any

from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.figures.sweep import MEANING, name_pivot, plot, take_curves
from unquilt.page.report.section import Content, Listed
from unquilt.page.report.spelling import count, share
from unquilt.results import RunFolder
from unquilt.results.rows import read_table
from unquilt.tables.sweep import SWEEP

_COLUMNS = ["k", "m", "c", "sigma", "quilts", "share", "mean_sources"]


def show_sweep(folder: RunFolder) -> Content:
    """A sweep over k, m, c and σ, around the values that are nearest to the defaults."""
    rows = list(read_table(folder.table(SWEEP.name)))
    if not rows:
        return Content(["There are no combinations."])
    pivot = {name: _nearest({row[name] for row in rows}, getattr(QuiltParameters(), name)) for name in MEANING}
    curves = take_curves(rows, pivot)
    around = [row for varied in curves.values() for row in varied]
    at = next(row for row in rows if all(row[name] == pivot[name] for name in MEANING))
    least, most = min(around, key=lambda row: row["share"]), max(around, key=lambda row: row["share"])
    says = [
        f"With {name_pivot(pivot)}, {count(at['quilts'], 'document is a quilt', 'documents are quilts')}: "
        f"{share(at['share'])} of all.",
        f"One parameter at a time changed, it is from {share(least['share'])} to {share(most['share'])}.",
        f"A quilt has {at['mean_sources']:.1f} sources on average; {count(len(rows), 'combination')} were counted.",
    ]
    listed = Listed(
        SWEEP.name,
        "One parameter varied at a time (Table 1 of the paper)",
        _COLUMNS,
        [[row[name] for name in _COLUMNS] for row in around],
        len(rows),
    )
    return Content(says, lambda: plot(curves, pivot), [listed])


def _nearest(values: set[Any], wanted: float) -> Any:
    return min(values, key=lambda each: (abs(each - wanted), each))
