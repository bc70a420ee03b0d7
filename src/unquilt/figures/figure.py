"""A figure: one chart or several, what they show in a sentence, and the rows that are plotted."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from unquilt.figures.style import make_style
from unquilt.results.marks import clean
from unquilt.runs import storing
from unquilt.runs.storage import make_folder, write_atomically

Row = Mapping[str, Any]
FOLDER = "figures"
"""The folder of a run that has its figures."""
_MARGIN, _LETTER = 18, 6.8


class Drawing(Protocol):
    """A chart, or another picture: SVG of a known size."""

    @property
    def size(self) -> tuple[int, int]: ...

    def draw(self, number: str) -> str: ...

    def draw_inside(self) -> str: ...


@dataclass(frozen=True)
class Figure:
    """`name` is that of its file; `says` is what to see in the charts."""

    name: str
    title: str
    says: str
    charts: Sequence[Drawing]
    rows: Sequence[Row]

    @property
    def data(self) -> str:
        """The rows as an address that has the whole file in it."""
        return "data:text/csv;charset=utf-8," + quote(write_csv(self.rows))

    def draw(self) -> str:
        """The figure as an SVG file that needs no other: title, what it says, and its charts, two in a row."""
        columns = min(2, len(self.charts))
        wide, high = (max(chart.size[side] for chart in self.charts) for side in (0, 1))
        width = columns * wide + 2 * _MARGIN
        lines = textwrap.wrap(clean(self.says), int((width - 2 * _MARGIN) / _LETTER))
        top = 40 + 18 * len(lines) + 14
        height = top + -(-len(self.charts) // columns) * high + _MARGIN
        title, says = (escape(clean(text)) for text in (self.title, self.says))
        parts = [f'<text class="heading" x="{_MARGIN}" y="30">{title}</text>']
        for place, line in enumerate(lines):
            parts.append(f'<text class="caption" x="{_MARGIN}" y="{52 + 18 * place}">{escape(line)}</text>')
        for place, chart in enumerate(self.charts):
            x, y = _MARGIN + place % columns * wide, top + place // columns * high
            parts.append(f'<g transform="translate({x} {y})">{chart.draw_inside()}</g>')
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="title desc">'
            f'<title id="title">{title}</title><desc id="desc">{says}</desc><style>{make_style()}</style>'
            f'<rect class="ground" width="{width}" height="{height}"/>{"".join(parts)}</svg>\n'
        )

    def save(self, folder: str | Path) -> Path:
        """Write the figure to `folder/name.svg`; an older one is replaced."""
        make_folder(Path(folder))
        path = Path(folder, f"{self.name}.svg")
        write_atomically(path, self.draw().encode("utf-8", "replace"))
        return path


def replace_figures(folder: Path, figures: Iterable[Figure], names: Iterable[str]) -> list[Path]:
    """Save figures; those of `names` that an earlier run left, and that no longer show what tables say, are removed."""
    with storing(folder):
        for name in names:
            (folder / f"{name}.svg").unlink(missing_ok=True)
    return [figure.save(folder) for figure in figures]


def write_csv(rows: Sequence[Row]) -> str:
    r"""Rows as CSV.

    >>> write_csv([{"a": 1, "b": "x,y"}])
    'a,b\r\n1,"x,y"\r\n'
    """
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()
