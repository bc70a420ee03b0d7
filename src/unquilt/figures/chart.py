"""A chart: axes with units, and points, lines, bars and discs between them, as SVG that is written by hand.

There are no styles in it (the policies of the report and the page forbid these), but classes, for which `style` has the
rules: `one`, `two` and `three` are colours that everybody can tell apart. The marks differ in shape, and lines in their
dashes, so that a chart can be read in black and white.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape

from unquilt.figures.axis import Axis
from unquilt.results.marks import clean

WHOLE, PANEL = (640, 340), (450, 300)
"""Width and height of a chart that stands alone, and of one beside others: letters are of one size in both."""
LEFT, RIGHT, TOP, BOTTOM = 82, 28, 24, 52
_LINE = 20
_LETTER = 7.0
"""The width of a letter, roughly."""
_LONGEST_NAME = 40
Place = tuple[float, float]
_Box = tuple[float, float, float, float]
"""Left, right, top, bottom."""


@dataclass
class Chart:
    """Axes, and what was drawn between them, the first below the others."""

    title: str
    x: Axis
    y: Axis
    legend: Sequence[tuple[str, str]] = ()
    """Class (`one`, `two`, `three`) and name of each of several sets of marks."""
    size: tuple[int, int] = WHOLE
    head: str = ""
    """A name above the chart that tells it from others beside it."""
    _parts: list[str] = field(default_factory=list)
    _taken: list[_Box] = field(default_factory=list)
    """Where marks and names are, so that other names keep away."""
    _lined: set[str] = field(default_factory=set)
    _linked: bool = False

    @property
    def _right(self) -> int:
        return self.size[0] - RIGHT

    @property
    def _top(self) -> int:
        return TOP + _LINE * (bool(self.head) + len(self._arrange_legend()))

    @property
    def _bottom(self) -> int:
        return self.size[1] - BOTTOM

    def _x(self, value: float) -> float:
        return LEFT + (self._right - LEFT) * self.x.place(value)

    def _y(self, value: float) -> float:
        return self._bottom - (self._bottom - self._top) * self.y.place(value)

    def points(self, places: Sequence[Place], kind: str = "one", size: float = 3) -> None:
        """A mark for each pair: a disc, a square or a triangle."""
        for across, up in places:
            x, y = self._x(across), self._y(up)
            self._parts.append(_mark(kind, x, y, size))
            self._taken.append((x - size, x + size, y - size, y + size))

    def line(self, places: Sequence[Place], kind: str = "one", size: float = 0) -> None:
        """The pairs, joined; with a mark of this size for each."""
        path = " ".join(f"{self._x(across):.1f},{self._y(up):.1f}" for across, up in places)
        self._parts.append(f'<polyline class="{kind}" points="{path}"/>')
        self._lined.add(kind)
        if size:
            self.points(places, kind, size)

    def bars(self, bars: Sequence[tuple[float, float, float]], kind: str = "one") -> None:
        """From, to, how high."""
        base = self._y(self.y.low)
        for begin, end, high in bars:
            left, right, top = self._x(begin), self._x(end), self._y(high)
            width, height = max(0.5, right - left - 1), max(0.0, base - top)
            self._parts.append(
                f'<rect class="mark {kind}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
            )

    def spread(self, low: float, high: float, up: float, kind: str = "one") -> None:
        """An error bar from left to right."""
        self._parts.append(_line(f"spread {kind}", self._x(low), self._x(high), self._y(up), self._y(up)))

    def error(self, across: float, low: float, high: float, kind: str = "one") -> None:
        """An error bar from top to bottom."""
        x = self._x(across)
        self._parts.append(_line(f"spread {kind}", x, x, self._y(low), self._y(high)))

    def disc(self, across: float, up: float, radius: float, kind: str) -> None:
        """A disc; of the kind `outline`, its edge only."""
        self._parts.append(
            f'<circle class="mark {kind}" cx="{self._x(across):.1f}" cy="{self._y(up):.1f}" r="{radius:.2f}"/>'
        )

    def limit(self, across: float, name: str, anchor: str = "middle") -> None:
        """A dashed line from top to bottom, with its name above it: in the middle, or to the left (`end`) or right.

        There is no line for a limit that is not on the axis.
        """
        if not 0 <= self.x.place(across) <= 1:
            return
        x = self._x(across)
        self._parts.append(_line("limit", x, x, self._top, self._bottom))
        self._parts.append(_text(x, self._top - 6, name, anchor))

    def level(self, up: float, name: str) -> None:
        """A dashed line from left to right, with its name at the right end."""
        y = self._y(up)
        self._parts.append(_line("limit", LEFT, self._right, y, y))
        self._parts.append(_halo(self._right, y - 5, name, "end"))

    def name(self, across: float, up: float, text: str) -> None:
        """A text beside a mark, where no other name is; it is left out if there is no room."""
        text = text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
        x, y, wide = self._x(across), self._y(up), len(text) * _LETTER
        for begin, anchor in ((x + 8, ""), (x - 8 - wide, "end")):
            for base in (y - 6, y + 15, y + 4):
                box = (begin, begin + wide, base - 10, base + 3)
                within = begin > LEFT and box[1] < self.size[0] and self._top - 10 < box[2] and box[3] < self._bottom
                if within and not any(_overlap(box, other) for other in self._taken):
                    self._taken.append(box)
                    self._parts.append(_halo(x - 8 if anchor else x + 8, base, text, anchor))
                    return

    @contextmanager
    def linked(self, target: str, said: str) -> Iterator[None]:
        """Makes what is drawn within a link, which says this."""
        self._linked, text = True, _escape(said)
        self._parts.append(f'<a href="{escape(target)}" aria-label="{text}"><title>{text}</title>')
        yield
        self._parts.append("</a>")

    def draw(self, number: str) -> str:
        """The SVG, to stand in a page; `number` makes the ids in it unique."""
        return (
            f'<svg class="chart" viewBox="0 0 {self.size[0]} {self.size[1]}" '
            f'role="{"group" if self._linked else "img"}" aria-labelledby="{number}-title">'
            f'<title id="{number}-title">{_escape(self.title)}</title>{self.draw_inside()}</svg>'
        )

    def draw_inside(self) -> str:
        """The chart as elements of an SVG."""
        head = _text(LEFT, 14, self.head, "head") if self.head else ""
        return f"{head}{self._draw_axes()}{''.join(self._parts)}{self._draw_legend()}"

    def _draw_axes(self) -> str:
        parts = []
        bottom, right = self._bottom, self._right
        for value in self.y.ticks:
            y = self._y(value)
            parts.append(_line("grid", LEFT, right, y, y))
            parts.append(_text(LEFT - 8, y + 4, self.y.say(value), "end"))
        free = 0.0
        for value in self.x.ticks:
            x, said = self._x(value), self.x.say(value)
            parts.append(_line("tick", x, x, bottom, bottom + 5))
            if x - len(said) * _LETTER / 2 >= free:
                parts.append(_text(x, bottom + 19, said, "middle"))
                free = x + len(said) * _LETTER / 2 + 4
        parts.append(_line("axis", LEFT, right, bottom, bottom))
        parts.append(_text((LEFT + right) / 2, self.size[1] - 10, self.x.label, "middle label"))
        turned = f'transform="translate(15 {(self._top + bottom) / 2:.0f}) rotate(-90)"'
        parts.append(f'<text class="middle label" {turned}>{_escape(self.y.label)}</text>')
        return "".join(parts)

    def _arrange_legend(self) -> list[list[tuple[float, str, str]]]:
        """The lines of the legend: where each entry begins, its class and its name."""
        lines: list[list[tuple[float, str, str]]] = []
        end = float("inf")
        for kind, name in self.legend:
            wide = 30 + len(name) * _LETTER + 18
            if end + wide > self.size[0]:
                lines.append([])
                end = float(LEFT)
            lines[-1].append((end, kind, name))
            end += wide
        return lines

    def _draw_legend(self) -> str:
        parts = []
        for place, line in enumerate(self._arrange_legend()):
            y = 10 + _LINE * (place + bool(self.head))
            for x, kind, name in line:
                if kind in self._lined:
                    parts.append(f'<polyline class="{kind}" points="{x:.1f},{y} {x + 24:.1f},{y}"/>')
                parts.append(_mark(kind, x + 12, y, 4.5))
                parts.append(_text(x + 30, y + 4, name))
        return "".join(parts)


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _mark(kind: str, x: float, y: float, size: float) -> str:
    if kind == "two":
        square = f'width="{2 * size:g}" height="{2 * size:g}"'
        return f'<rect class="mark two" x="{x - size:.1f}" y="{y - size:.1f}" {square}/>'
    if kind == "three":
        low, wide = y + size, size * 1.2
        return (
            f'<polygon class="mark three" points="{x - wide:.1f},{low:.1f} {x + wide:.1f},{low:.1f} '
            f'{x:.1f},{y - wide:.1f}"/>'
        )
    return f'<circle class="mark {kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size:g}"/>'


def _line(kind: str, x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    classes = f' class="{kind}"' if kind else ""
    return f'<text{classes} x="{x:.1f}" y="{y:.1f}">{_escape(text)}</text>'


def _halo(x: float, y: float, text: str, kind: str) -> str:
    """A text on a ground of its own, so that it can be read above lines and marks."""
    below = _text(x, y, text, f"halo {kind}".strip()).replace("<text ", '<text aria-hidden="true" ')
    return below + _text(x, y, text, kind)


def _escape(text: str) -> str:
    return escape(clean(text))
