"""A text cut into spans, each of one source or of none: what is coloured where evidence is shown; and a text in which
nothing acts."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

NO_PATCH = 0
Patch = tuple[int, int, int]
"""Begin, end, and the rank of the source."""


@dataclass(frozen=True)
class Passage:
    """A passage to mark: `number` is that of its source, whose colour it gets; `title` says more."""

    begin: int
    end: int
    number: int
    title: str = ""


_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")


def mark(length: int, patches: Iterable[Patch]) -> list[Patch]:
    """The whole of a text in spans of one source or none; the better rank wins.

    >>> mark(10, [(0, 4, 2), (3, 6, 1)])
    [(0, 3, 2), (3, 6, 1), (6, 10, 0)]
    """
    waiting = sorted((max(0, begin), min(end, length), rank) for begin, end, rank in patches)
    waiting = [patch for patch in waiting if patch[0] < patch[1]]
    bounds = sorted({0, length, *(bound for begin, end, _ in waiting for bound in (begin, end))})
    waiting.reverse()
    open_: list[tuple[int, int]] = []
    spans: list[Patch] = []
    for begin, end in pairwise(bounds):
        while waiting and waiting[-1][0] <= begin:
            _, until, rank = waiting.pop()
            heapq.heappush(open_, (rank, until))
        while open_ and open_[0][1] <= begin:
            heapq.heappop(open_)
        rank = open_[0][0] if open_ else NO_PATCH
        if spans and spans[-1][2] == rank:
            begin = spans.pop()[0]
        spans.append((begin, end, rank))
    return spans


def clean(text: str) -> str:
    """A text in which nothing acts: control characters as pictures of themselves.

    >>> clean("a\\x00b\\u202ec")
    'a␀b\ufffdc'
    """
    return _ACTING.sub(lambda found: _picture(found[0]), text)


def _picture(character: str) -> str:
    code = ord(character)
    return chr(0x2400 + code) if code < 32 else "\u2421" if code == 127 else "\ufffd"
