"""Curves on a terminal: points, dots that connect them, and one point that is marked."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import click

from unquilt.cli.terminal.output import use_colour

HEIGHT = 9
WIDEST = 60
"""Columns that a curve takes, even where there are more."""
NARROWEST = 46
"""Two curves stand side by side where each has so many."""
GAP = 4


class Marks(NamedTuple):
    """What a curve is drawn with."""

    chosen: str
    point: str
    way: str
    edge: str
    corner: str
    floor: str


UNICODE = Marks("●", "○", "·", "│", "└", "─")
ASCII = Marks("#", "o", ".", "|", "+", "-")


def choose_marks() -> Marks:
    """Characters that standard output can show."""
    try:
        "".join(UNICODE).encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return ASCII
    return UNICODE


@dataclass(frozen=True)
class Curve:
    """Shares at points that stand equally far apart; one of them is marked."""

    title: str
    labels: Sequence[str]
    shares: Sequence[float]
    chosen: int

    def draw(self, width: int, highest: float, marks: Marks) -> list[str]:
        """Lines of exactly `width` columns; the axis goes up to `highest`."""
        scale = {row: percent(highest * row / (HEIGHT - 1)) for row in (HEIGHT - 1, (HEIGHT - 1) // 2, 0)}
        margin = max(map(len, scale.values())) + 2
        columns = _spread(self.labels, width - margin)
        heights = [round(share / highest * (HEIGHT - 1)) for share in self.shares]
        cells = [[" "] * (width - margin) for _ in range(HEIGHT)]
        for column, low, high in _way(columns, heights):
            for height in range(low, high + 1):
                cells[height][column] = marks.way
        for number, (column, height) in enumerate(zip(columns, heights, strict=True)):
            cells[height][column] = marks.chosen if number == self.chosen else marks.point
        beside = [f"{scale.get(row, ''):>{margin - 2}} {marks.edge}" for row in range(HEIGHT)]
        lines = [beside[row] + "".join(cells[row]) for row in reversed(range(HEIGHT))]
        floor = f"{'':{margin - 1}}{marks.corner}{marks.floor * (width - margin)}"
        return [f"{self.title:<{width}}", *lines, floor, f"{'':{margin}}{self._name_points(columns, width - margin)}"]

    def _name_points(self, columns: Sequence[int], width: int) -> str:
        """The labels below their points, the marked one's first of all; those there is no room for are left out."""
        line = [" "] * (width + 1)
        for number in sorted(range(len(columns)), key=lambda number: number != self.chosen):
            label = self.labels[number]
            begin = min(max(0, columns[number] - len(label) // 2), width - len(label))
            around = line[max(0, begin - 1) : begin + len(label) + 1]
            if begin >= 0 and set(around) == {" "}:
                line[begin : begin + len(label)] = label
        return "".join(line[:width])


def _spread(labels: Sequence[str], width: int) -> list[int]:
    """The columns of the points, with room for half a label at both ends."""
    room = max(map(len, labels)) // 2 + 1
    if len(labels) == 1:
        return [width // 2]
    return [room + round(number * (width - 1 - 2 * room) / (len(labels) - 1)) for number in range(len(labels))]


def _way(columns: Sequence[int], heights: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(column, lowest, highest) of what connects the points, without a gap."""
    for place in range(len(columns) - 1):
        begin, end, up = columns[place], columns[place + 1], heights[place + 1] - heights[place]
        last = heights[place]
        for column in range(begin, end + 1):
            height = heights[place] + round(up * (column - begin) / max(1, end - begin))
            between = (last + (height > last), height) if height >= last else (height, last - 1)
            yield column, *between
            last = height


def percent(share: float) -> str:
    """A share for people: three digits, of small ones too.

    >>> percent(0.1961), percent(0.00012), percent(0), percent(1)
    ('19.6 %', '0.012 %', '0 %', '100 %')
    """
    return f"{100 * share:.3g} %"


def arrange(curves: Sequence[Curve], width: int) -> Iterator[str]:
    """All curves, two side by side where there is room, with one scale."""
    marks = choose_marks()
    highest = max(share for curve in curves for share in curve.shares)
    side_by_side = 2 if width >= 2 * NARROWEST + GAP else 1
    each = min(WIDEST, (width - GAP * (side_by_side - 1)) // side_by_side)
    drawn = [curve.draw(each, highest, marks) for curve in curves]
    for first in range(0, len(drawn), side_by_side):
        if first:
            yield ""
        for lines in zip_longest(*drawn[first : first + side_by_side], fillvalue=""):
            yield _coloured((" " * GAP).join(lines).rstrip(), marks)


def _coloured(line: str, marks: Marks) -> str:
    return line.replace(marks.chosen, click.style(marks.chosen, fg="red", bold=True)) if use_colour() else line
