"""Compares the output that a page shows with the output that a command prints, and makes the new one for the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

GAP = "…"
VARIES = "≈"
FIGURE = r"\d[\d,.]*"
VARYING = re.compile(
    rf"{FIGURE} (?:s|ms|min|h)\b(?! of)|{FIGURE} [kMGT]?i?B/s|{FIGURE}/s|(?<=memory ){FIGURE} [kMGT]?i?B|"
    rf"(?<=peak ){FIGURE} [kMGT]?i?B"
)
"""Figures that are never the same twice: times, rates, memory."""
MARKED = re.compile(rf"{VARIES}{FIGURE}(?: [kMGT]?i?B(?:/s)?| ?(?:s|ms|min|h)\b|/s)?")


def mark(line: str) -> str:
    """A printed line as a page shows it, with the figures that vary marked.

    >>> mark("done in 12.3 s")
    'done in ≈12.3 s'
    """
    return VARYING.sub(lambda figure: VARIES + figure[0], line).rstrip()


def _blur(line: str) -> str:
    return MARKED.sub(VARIES, line).rstrip()


def agrees(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether printed lines are those that a page shows, but for gaps and for figures that vary.

    >>> agrees(["a", "…", "took ≈1 s"], ["a", "b", "c", "took 2.5 s"])
    True
    >>> agrees(["a", "c"], ["a", "b", "c"])
    False
    """
    wanted = [_blur(line) for line in shown]
    there = [_blur(mark(line)) for line in printed]
    reached = {0}  # how many printed lines the shown lines so far may stand for
    for line in wanted:
        if line == GAP:
            reached = set(range(min(reached, default=0), len(there) + 1)) if reached else set()
        else:
            reached = {at + 1 for at in reached if at < len(there) and there[at] == line}
    return len(there) in reached


def renew(shown: Sequence[str], printed: Sequence[str]) -> list[str]:
    """What a page should show now: the printed lines, with gaps about where they were.

    Each stretch between gaps keeps its number of lines: the first stands at the beginning of the output, the last at
    its end, and each of the others where the output is most like it.

    >>> renew(["a", "…", "z"], ["A", "b", "c", "Z"])
    ['A', '…', 'Z']
    """
    lines = [mark(line) for line in printed]
    stretches: list[list[str]] = [[]]
    for line in shown:
        if line == GAP:
            stretches.append([])
        else:
            stretches[-1].append(line)
    if len(stretches) == 1:
        return lines
    first, *middle, last = stretches
    tail = len(lines) - len(last)
    made, at = lines[: len(first)], len(first)
    for stretch in middle:
        places = range(at, max(at, tail - len(stretch)) + 1)
        best = max(places, key=lambda place: _likeness(stretch, lines[place : place + len(stretch)]))
        made += [GAP] * (best > at) + lines[best : best + len(stretch)]
        at = best + len(stretch)
    if tail < at:
        return made + lines[at:]
    return made + [GAP] * (tail > at or not last) + lines[tail:]


def _likeness(stretch: Sequence[str], lines: Sequence[str]) -> float:
    return SequenceMatcher(None, "\n".join(stretch), "\n".join(lines), autojunk=False).ratio()
