"""Figures as files: what the papers plot, drawn from the tables of a run, as SVG and PNG.

A figure is a Vega-Lite specification, a plain dict, and vl-convert draws it, offline and in this process. It is an
optional dependency (`unquilt[plots]`): one package (88 MB when installed) that needs no other. altair would write the
dict for us, but would bring several packages more.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unquilt.errors import MissingDependencyError
from unquilt.runs import storing
from unquilt.runs.storage import make_folder, write_atomically

Row = Mapping[str, Any]
Curves = Mapping[str, Sequence[Row]]

FOLDER = "figures"
KINDS = ("svg", "png")
MEANING = {
    "k": "k: words in a gram",
    "m": "m: most documents that share a patch gram",
    "c": "c: fewest sources of a quilt",
    "sigma": "σ: least share of the grams that sources cover",
}
INK, ACCENT, FAINT = "#333333", "#c0392b", "#e4e4e4"
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""The name of the format; nothing is loaded from there."""
VERSION = "5.21"


def take_curves(table: Sequence[Row], pivot: Row) -> dict[str, list[Row]]:
    """The rows of a sweep around a pivot, one parameter varied at a time: Table 1 and Figure 3 of the paper."""
    return {
        varied: [row for row in table if all(row[name] == pivot[name] for name in MEANING if name != varied)]
        for varied in MEANING
    }


def grow_by_factors(values: Sequence[float]) -> bool:
    """Whether values lie more evenly on a logarithmic axis than on a plain one.

    >>> grow_by_factors([5, 10, 50, 100]), grow_by_factors([3, 4, 5, 6]), grow_by_factors([0, 0.5, 1])
    (True, False, False)
    """
    if len(values) < 3 or min(values) <= 0:
        return False
    return _unevenness([math.log(value) for value in values]) < _unevenness(values)


def _unevenness(values: Sequence[float]) -> float:
    """How much the steps between values differ, relative to their mean."""
    steps = [after - before for before, after in itertools.pairwise(values)]
    mean = sum(steps) / len(steps)
    return math.sqrt(sum((step - mean) ** 2 for step in steps) / len(steps)) / mean


def plot_sweep(curves: Curves, pivot: Row, note: str) -> dict[str, Any]:
    """Figure 3 of the paper: the share of quilts against each parameter, the other three at the pivot."""
    highest = max(row["share"] for rows in curves.values() for row in rows) * 100
    at_pivot = ", ".join(f"{'σ' if name == 'sigma' else name} = {pivot[name]:g}" for name in MEANING)
    return {
        "$schema": SCHEMA,
        "title": {"text": f"Quilts around {at_pivot}", "subtitle": note, "anchor": "start", "offset": 16},
        "background": "white",
        "padding": 16,
        "columns": 2,
        "concat": [_plot_curve(name, rows, pivot, highest) for name, rows in curves.items()],
        "spacing": 28,
        "config": {
            "font": "Liberation Sans, Arial, Helvetica, sans-serif",
            "title": {"fontSize": 17, "subtitleFontSize": 13, "subtitlePadding": 6, "color": INK, "subtitleColor": INK},
            "axis": {
                "labelFontSize": 12,
                "titleFontSize": 13,
                "titleFontWeight": "normal",
                "titlePadding": 8,
                "labelColor": INK,
                "titleColor": INK,
                "gridColor": FAINT,
            },
            "view": {"stroke": None},
        },
    }


def _plot_curve(name: str, rows: Sequence[Row], pivot: Row, highest: float) -> dict[str, Any]:
    values = [row[name] for row in rows]
    shares = [row["share"] * 100 for row in rows]
    points = [
        {"x": value, "y": share, "label": f"{share:.3g} %", "pivot": value == pivot[name]}
        for value, share in zip(values, shares, strict=True)
    ]
    scale = {"type": "log" if grow_by_factors(values) else "linear", "zero": False, "nice": False, "padding": 18}
    axis = {"values": values, "labelExpr": "format(datum.value, '~g')", "grid": False, "labelOverlap": "greedy"}
    x = {"field": "x", "type": "quantitative", "title": MEANING[name], "scale": scale, "axis": axis}
    y = {
        "field": "y",
        "type": "quantitative",
        "title": "quilts (% of documents)",
        "scale": {"domain": [0, highest * 1.12 or 1], "nice": False},
        "axis": {"tickCount": 5, "domain": False, "ticks": False},
    }
    chosen = {"filter": "datum.pivot"}
    line = {"type": "line", "color": INK, "strokeWidth": 1.5}
    dot = {"type": "point", "filled": True, "color": INK, "opacity": 1, "size": 40}
    mark = {"type": "point", "filled": True, "color": ACCENT, "opacity": 1, "size": 130}
    text = {"type": "text", "color": ACCENT, "dx": 9, "dy": -9, "align": "left", "fontSize": 12, "fontWeight": "bold"}
    return {
        "width": 330,
        "height": 200,
        "data": {"values": points},
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": line},
            {"mark": dot},
            {"transform": [chosen], "mark": mark},
            {"transform": [chosen], "mark": text, "encoding": {"text": {"field": "label"}}},
        ],
    }


def make_axis(field: str, title: str, **scale: Any) -> dict[str, Any]:
    """An axis of numbers, for `encoding`."""
    return {"field": field, "type": "quantitative", "title": title, "scale": scale}


def make_figure(title: str, rows: Sequence[Row], **parts: Any) -> dict[str, Any]:
    """A figure of these rows, with `mark` and `encoding`, or `layer`."""
    axis = {"labelColor": INK, "titleColor": INK, "gridColor": FAINT, "titleFontWeight": "normal", "titleFontSize": 13}
    return {
        "$schema": SCHEMA,
        "title": {"text": title, "anchor": "start", "offset": 14},
        "background": "white",
        "padding": 16,
        "width": 560,
        "height": 360,
        "data": {"values": [dict(row) for row in rows]},
        "config": {"font": "Liberation Sans, Arial, Helvetica, sans-serif", "axis": axis, "view": {"stroke": None}},
    } | parts


def draw(figure: dict[str, Any], folder: Path, name: str) -> list[Path]:
    """Draw a figure as `folder/name.svg` and `.png`."""
    try:
        import vl_convert
    except ImportError as error:
        raise MissingDependencyError('figures need vl-convert: pip install "unquilt[plots]"') from error
    drawn = {
        "svg": vl_convert.vegalite_to_svg(figure, vl_version=VERSION).encode(),
        "png": vl_convert.vegalite_to_png(figure, vl_version=VERSION, scale=2),
    }
    make_folder(folder)
    for kind, content in drawn.items():
        write_atomically(folder / f"{name}.{kind}", content)
    return [folder / f"{name}.{kind}" for kind in KINDS]


def remove_figure(folder: Path, name: str) -> None:
    """Remove a figure of an earlier run, which no longer shows what the tables say."""
    with storing(folder):
        for kind in KINDS:
            (folder / f"{name}.{kind}").unlink(missing_ok=True)
