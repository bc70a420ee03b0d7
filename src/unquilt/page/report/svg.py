"""Figures as vector graphics, written by hand: axes with units, points, lines, bars, and discs.

A `Chart` is one set of axes; `draw` puts what was added to it into an SVG. There are no styles in it (the policy of the
report forbids these), but classes: `one` and `two` are two colours that everybody can tell apart, and the marks differ
in shape and line as well, so that a figure can be read in black and white. Numbers on axes are rounded (1, 2, 5, 10 …).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from unquilt.page.marked import clean

WHOLE, PANEL = (640, 340), (450, 300)
"""Width and height of a chart that stands alone, and of one beside others: letters are of one size in both."""
LEFT, RIGHT, TOP, BOTTOM = 82, 28, 24, 52
_LINE = 20
_TICKS = 6


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`: what it shows, and in which unit; on a logarithmic one, both are above 0."""

    label: str
    low: float
    high: float
    log: bool = False
    percent: bool = False

    def place(self, value: float) -> float:
        """Where a value is, from 0 to 1."""
        if self.log:
            value, low, high = (math.log10(max(each, 1e-12)) for each in (value, self.low, self.high))
        else:
            low, high = self.low, self.high
        return (value - low) / ((high - low) or 1)

    @property
    def ticks(self) -> list[float]:
        """Round numbers along it.

        >>> Axis("", 0, 87).ticks, Axis("", 1, 5000, log=True).ticks
        ([0, 20, 40, 60, 80], [1.0, 10.0, 100.0, 1000.0])
        """
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            steps = (1,) if last - first > 1 else (1, 2, 5)
            step = max(1, (last - first) // _TICKS)
            found = [factor * 10.0**power for power in range(first - 1, last + 1, step) for factor in steps]
            return [value for value in found if -1e-6 <= self.place(value) <= 1 + 1e-6]
        rough = (self.high - self.low) / _TICKS or 1
        power = 10 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(number * step, 10) for number in range(first, last + 1)]

    def say(self, value: float) -> str:
        """A number as it stands at the axis.

        >>> Axis("", 0, 1, percent=True).say(0.25), Axis("", 0, 9).say(2000)
        ('25 %', '2,000')
        """
        if self.percent:
            return f"{value * 100:g} %"
        return f"{value:,.0f}" if value == int(value) else f"{value:g}"


@dataclass
class Chart:
    """Axes, and what was drawn between them, the first below the others."""

    title: str
    x: Axis
    y: Axis
    legend: Sequence[tuple[str, str]] = ()
    """Class (`one`, `two`) and name of each of several sets of marks."""
    size: tuple[int, int] = WHOLE
    _parts: list[str] = field(default_factory=list)

    @property
    def _right(self) -> int:
        return self.size[0] - RIGHT

    @property
    def _top(self) -> int:
        return TOP + _LINE * len(self.legend)

    @property
    def _bottom(self) -> int:
        return self.size[1] - BOTTOM

    def _x(self, value: float) -> float:
        return LEFT + (self._right - LEFT) * self.x.place(value)

    def _y(self, value: float) -> float:
        return self._bottom - (self._bottom - self._top) * self.y.place(value)

    def points(self, places: Sequence[tuple[float, float]], kind: str = "one", size: float = 3) -> None:
        """A dot for each pair; squares for the second set."""
        for across, up in places:
            x, y = self._x(across), self._y(up)
            if kind == "two":
                self._parts.append(f'<rect class="{kind}" x="{x - size:.1f}" y="{y - size:.1f}" {_square(2 * size)}/>')
            else:
                self._parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size:g}"/>')

    def line(self, places: Sequence[tuple[float, float]], kind: str = "one") -> None:
        """The pairs, joined."""
        path = " ".join(f"{self._x(across):.1f},{self._y(up):.1f}" for across, up in places)
        self._parts.append(f'<polyline class="{kind}" points="{path}"/>')

    def bars(self, bars: Sequence[tuple[float, float, float]], kind: str = "one") -> None:
        """From, to, how high."""
        base = self._y(self.y.low)
        for begin, end, high in bars:
            left, right, top = self._x(begin), self._x(end), self._y(high)
            width, height = max(0.5, right - left - 1), max(0.0, base - top)
            self._parts.append(
                f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
            )

    def spread(self, low: float, high: float, up: float, kind: str = "one") -> None:
        """An error bar from left to right."""
        y = self._y(up)
        self._parts.append(
            f'<line class="{kind}" x1="{self._x(low):.1f}" x2="{self._x(high):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )

    def disc(self, across: float, up: float, radius: float, kind: str) -> None:
        """A disc; of the kind `outline`, its edge only."""
        self._parts.append(
            f'<circle class="{kind}" cx="{self._x(across):.1f}" cy="{self._y(up):.1f}" r="{radius:.2f}"/>'
        )

    def limit(self, across: float, name: str) -> None:
        """A dashed line from top to bottom, with its name."""
        x = self._x(across)
        self._parts.append(f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="{self._top}" y2="{self._bottom}"/>')
        self._parts.append(_text(x, self._top - 6, name, "middle"))

    def name(self, across: float, up: float, text: str) -> None:
        """A text beside a mark."""
        x = self._x(across)
        right = x < self.size[0] * 0.6
        self._parts.append(_text(x + (8 if right else -8), self._y(up) - 6, text, "" if right else "end"))

    def draw(self, number: str) -> str:
        """The SVG; `number` makes the ids in it unique."""
        return (
            f'<svg class="chart" viewBox="0 0 {self.size[0]} {self.size[1]}" role="img" '
            f'aria-labelledby="{number}-title">'
            f'<title id="{number}-title">{_escape(self.title)}</title>'
            f"{self._draw_axes()}{''.join(self._parts)}{self._draw_legend()}</svg>"
        )

    def _draw_axes(self) -> str:
        parts = []
        bottom, right = self._bottom, self._right
        for value in self.y.ticks:
            y = self._y(value)
            parts.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(_text(LEFT - 8, y + 4, self.y.say(value), "end"))
        for value in self.x.ticks:
            x = self._x(value)
            parts.append(f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 5}"/>')
            parts.append(_text(x, bottom + 19, self.x.say(value), "middle"))
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>')
        parts.append(_text((LEFT + right) / 2, self.size[1] - 10, self.x.label, "middle label"))
        middle = (self._top + bottom) / 2
        turned = f'transform="translate(15 {middle:.0f}) rotate(-90)"'
        parts.append(f'<text class="middle label" {turned}>{_escape(self.y.label)}</text>')
        return "".join(parts)

    def _draw_legend(self) -> str:
        parts = []
        for place, (kind, name) in enumerate(self.legend):
            y = 10 + _LINE * place
            parts.append(_text(LEFT + 16, y + 4, name))
            if kind == "two":
                parts.append(f'<rect class="two" x="{LEFT}" y="{y - 5}" {_square(10)}/>')
            else:
                parts.append(f'<circle class="{kind}" cx="{LEFT + 5}" cy="{y}" r="5"/>')
        return "".join(parts)


def _square(size: float) -> str:
    return f'width="{size:g}" height="{size:g}"'


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    classes = f' class="{kind}"' if kind else ""
    return f'<text{classes} x="{x:.1f}" y="{y:.1f}">{_escape(text)}</text>'


def _escape(text: str) -> str:
    return escape(clean(text))
