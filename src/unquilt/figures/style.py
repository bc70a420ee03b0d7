"""The style sheet of charts, light and dark, for files, the report and the page.

Its colours are written out instead of variables, and texts have no outline of their own: many programs that show or
convert SVG know neither. The three colours of marks can be told apart with any kind of colour vision, and have a
contrast of 3 or more with their ground, texts of 4.5 or more.
"""

from __future__ import annotations

_LIGHT = {"ground": "#ffffff", "ink": "#1d2326", "soft": "#575f63", "grid": "#e6e6e1"}
_DARK = {"ground": "#14181a", "ink": "#e6e9e8", "soft": "#a4adb0", "grid": "#2c3336"}
_MARKS = {"one": ("#0072b2", "#5ab4e8"), "two": ("#c4500a", "#f0924c"), "three": ("#00795a", "#3fc79a")}
_SHAPES = """\
.chart text { font: 12.5px "Liberation Sans", "DejaVu Sans", Arial, Helvetica, sans-serif; }
.chart .end { text-anchor: end; } .chart .middle { text-anchor: middle; }
.chart .label, .chart .head { font-size: 13.5px; } .chart .head, .chart .heading { font-weight: bold; }
.chart .heading { font-size: 17px; }
.chart .halo { stroke-width: 6px; stroke-linejoin: round; }
.chart .limit { stroke-dasharray: 5 4; } .chart .spread { opacity: .7; }
.chart polyline { fill: none; stroke-width: 1.6; }
.chart polyline.two { stroke-dasharray: 7 3; } .chart polyline.three { stroke-dasharray: 2 3; }
.chart circle.outline { fill: none; }
.chart a:hover .mark, .chart a:focus .mark { stroke-width: 4; }
"""


def make_style() -> str:
    """The rules for everything within an element of the class `chart`."""
    dark = _colour(_DARK, 1).replace("\n", "\n  ").rstrip(" ")
    return f"{_SHAPES}{_colour(_LIGHT, 0)}@media screen and (prefers-color-scheme: dark) {{\n  {dark}}}\n"


def _colour(ground: dict[str, str], place: int) -> str:
    rules = [
        f".chart .ground, .chart .halo {{ fill: {ground['ground']}; }} .chart .halo {{ stroke: {ground['ground']}; }}",
        f".chart text {{ fill: {ground['ink']}; }} .chart .caption {{ fill: {ground['soft']}; }}",
        f".chart .grid {{ stroke: {ground['grid']}; }}",
        f".chart .axis, .chart .tick {{ stroke: {ground['soft']}; }} .chart .limit {{ stroke: {ground['ink']}; }}",
        f".chart circle.outline {{ stroke: {_MARKS['one'][place]}; }}",
        f".chart a:hover .mark, .chart a:focus .mark {{ stroke: {ground['ink']}; }}",
    ]
    for name, colours in _MARKS.items():
        rules.append(f".chart .mark.{name} {{ fill: {colours[place]}; }}")
        rules.append(f".chart line.{name}, .chart polyline.{name} {{ stroke: {colours[place]}; }}")
    return "\n".join(rules) + "\n"
