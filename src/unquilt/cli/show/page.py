"""A page on the terminal, its patches marked: a colour for each source, or brackets where there are no colours.

Where patches overlap, the source of the better rank is the one that is marked. Stretches without any patch are
shortened to a few lines on either side. The text may be hostile and passes through `printable`, fragment by
fragment: no escape codes reach the terminal but those that are written here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import pyarrow as pa
from rich.cells import cell_len

from unquilt.cli.terminal.output import count, printable, use_colour
from unquilt.columns import measure
from unquilt.results.marks import NO_PATCH, Patch, mark

CONTEXT = 2
"""Lines kept before and after a patch."""
LEAST_LEFT_OUT = 4
"""Lines that are worth leaving out."""
MARKS = 4
"""Characters that may share a cell: a line has no more than these, however narrow they are."""
PASTELS = (229, 153, 157, 218, 216, 183, 159, 223, 193, 117, 225, 187)
_WIDE = "\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U0001f300-\U0003ffff"
_TOKEN = re.compile(rf"\s*\n\s*|\s+|[{_WIDE}]|[^\s{_WIDE}]+")
"""A line break, a space, or what stays on one line if it can; scripts without spaces break anywhere."""


@dataclass(frozen=True)
class Pens:
    """How the patches of each source are marked: with the escape codes given, in turn, or with brackets if none are."""

    codes: tuple[str, ...] = ()

    @classmethod
    def choose(cls) -> Pens:
        """What suits the terminal. Colours are backgrounds under black, so that they can be read on any terminal."""
        if not use_colour():
            return cls()
        if "256" in os.environ.get("TERM", "") or os.environ.get("COLORTERM"):
            return cls(tuple(f"38;5;16;48;5;{colour}" for colour in PASTELS))
        return cls(("1", "4", "7", "1;4", "1;7", "4;7"))

    def draw(self, shown: str, rank: int) -> str:
        """Printable text in the colour of a source."""
        if rank == NO_PATCH or not self.codes:
            return shown
        return f"\x1b[{self.codes[(rank - 1) % len(self.codes)]}m{shown}\x1b[0m"

    def ends(self, rank: int) -> tuple[str, str]:
        """What stands before and after a patch: colours repeat, so the number is there with colours too."""
        if rank == NO_PATCH:
            return "", ""
        return (f"{rank}:", "") if self.codes else (f"[{rank}:", f":{rank}]")


def show_page(text: str, patches: Iterable[Patch], width: int, pens: Pens, *, full: bool = False) -> Iterator[str]:
    """The lines of a page, wrapped to the width, its patches marked."""
    lines = _Lines(width, pens)
    for begin, end, rank in mark(len(text), patches):
        piece = text[begin:end]
        before, after = pens.ends(rank) if not piece.isspace() else ("", "")
        if rank == NO_PATCH and not full:
            head, left_out, tail = _shorten(piece, width, first=begin == 0, last=end == len(text))
            yield from lines.add(head, rank)
            if left_out:
                yield from lines.end()
                yield f"… {count(_count_words(left_out), 'word')} …"
            yield from lines.add(tail, rank)
        else:
            yield from lines.add(piece, rank, before)
            yield from lines.add(f" {after}" if after else "", rank)
    yield from lines.end()


def _shorten(piece: str, width: int, *, first: bool, last: bool) -> tuple[str, str, str]:
    """What is kept at the beginning of a stretch, what is left out, and what is kept at its end."""
    most = CONTEXT * width
    head = 0 if first and not last else _lines_from(piece[: most + 1], most)
    tail = len(piece) if last else len(piece) - _lines_from(piece[-most - 1 :][::-1], most)
    left_out = piece[head:tail].strip()
    if len(left_out) < LEAST_LEFT_OUT * width and left_out.count("\n") < LEAST_LEFT_OUT:
        return piece, "", ""
    return piece[:head], left_out, piece[tail:]


def _lines_from(beginning: str, most: int) -> int:
    """How many characters a few lines take; no word is cut, unless it is longer than they are."""
    texts = [match.end() for match in re.finditer(r"[^\n]*\S[^\n]*(\n|$)", beginning)]
    end = texts[CONTEXT - 1] if len(texts) >= CONTEXT else len(beginning)
    if end <= most:
        return end
    space = max((match.start() for match in re.finditer(r"\s", beginning)), default=0)
    return space or most


def _count_words(text: str) -> int:
    words: int = measure(pa.array([text], pa.large_string()))[0][0].as_py()
    return words


@dataclass
class _Lines:
    """Text being wrapped: the fragments of the line so far, each with its rank."""

    width: int
    pens: Pens
    line: list[tuple[str, int]] = field(default_factory=list)
    cells: int = 0
    chars: int = 0
    space: bool = False

    def add(self, text: str, rank: int, label: str = "") -> Iterator[str]:
        """Take up more text; gives the lines that are full. A label stays with the first word."""
        for match in _TOKEN.finditer(text):
            token = match[0]
            if token.isspace():
                self.space = True
                if "\n" in token:
                    yield from self.end()
                continue
            shown, label = f"{label} {printable(token)}" if label else printable(token), ""
            for part in self._parts(shown):
                cells = cell_len(part)
                if self.line and self.cells + self.space + cells > self.width:
                    yield from self.end()
                if self.space and self.line:
                    # A space between two patches belongs to neither.
                    self._put(" ", rank if self.line[-1][1] == rank else NO_PATCH, 1)
                self._put(part, rank, cells)
                self.space = False
                if self.chars >= MARKS * self.width:
                    yield from self.end()

    def end(self) -> Iterator[str]:
        """The line so far, if there is anything on it."""
        if self.line:
            runs = groupby(self.line, key=lambda fragment: fragment[1])
            yield "".join(self.pens.draw("".join(text for text, _ in run), rank) for rank, run in runs)
        self.line, self.cells, self.chars, self.space = [], 0, 0, False

    def _put(self, shown: str, rank: int, cells: int) -> None:
        self.line.append((shown, rank))
        self.cells += cells
        self.chars += len(shown)

    def _parts(self, shown: str) -> Sequence[str]:
        """What does not fit on a line, in pieces that do."""
        if len(shown) <= self.width and cell_len(shown) <= self.width:
            return (shown,)
        parts, begin, cells = [], 0, 0
        for place, char in enumerate(shown):
            cells += cell_len(char)
            if cells > self.width or place - begin >= MARKS * self.width:
                parts.append(shown[begin:place])
                begin, cells = place, cell_len(char)
        return [*parts, shown[begin:]]
