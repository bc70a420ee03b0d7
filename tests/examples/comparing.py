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
    rf"(?<=peak ){FIGURE} [kMGT]?i?B|(?<=html \(){FIGURE} [kMGT]?i?B"
)
"""Figures that are never the same twice: times, rates, memory, the size of a report (which says how long it took)."""
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

    The first stretch between gaps is the beginning of the output, and the last one its end; both keep their number of
    lines. Each of the others goes from the line that is most like its first one to the line most like its last one.

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
        begin = _most_like(stretch[0], lines, at, tail) if stretch else at
        end = _most_like(stretch[-1], lines, begin, tail) + 1 if stretch else at
        made += [GAP] * (begin > at) + lines[begin:end]
        at = end
    if tail < at:
        return made + lines[at:]
    return made + [GAP] * (tail > at or not last) + lines[tail:]


def _most_like(line: str, lines: Sequence[str], begin: int, end: int) -> int:
    """Which of the lines from `begin` to `end` is most like a line; the first of them where several are."""
    places = range(begin, max(begin + 1, end))
    return max(places, key=lambda at: SequenceMatcher(None, line, lines[at] if at < len(lines) else "").ratio())
