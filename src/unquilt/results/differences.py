"""Two texts as one, with what differs marked: word by word, as people compare two versions of a page.

Words are compared as everywhere (case folded; punctuation and white space do not count). Texts are aligned by words
that both have exactly once (the patience diff of Cohen, 2008), between these again by such words, and so on, a bounded
number of times; what is left without any is aligned word by word if it is short, and counts as replaced if it is long.
So time is about linear in the texts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

from unquilt import _native
from unquilt.results.marks import NO_PATCH, Patch

DELETED, INSERTED = 1, 2
DEEPEST = 16
"""How often stretches are divided by words that are unique in them."""
LARGEST_TABLE = 40_000
"""Words of one side times words of the other that are aligned word by word where no word is unique."""
Change = tuple[int, int, int, int]
"""A stretch that differs: begin and end among the words of either side."""


@dataclass(frozen=True)
class Difference:
    """Two texts, their words, and the stretches in which they differ."""

    texts: tuple[str, str]
    words: tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]
    """Where each word begins and ends, in code points."""
    changes: Sequence[Change]

    @classmethod
    def of(cls, one: str, other: str) -> Difference:
        """What differs between two texts."""
        split = [_native.words(text) for text in (one, other)]
        spellings = [[word for word, _, _ in words] for words in split]
        places = [[(begin, end) for _, begin, end in words] for words in split]
        return cls((one, other), (places[0], places[1]), list(_changes(spellings[0], spellings[1])))

    @property
    def changed(self) -> tuple[int, int]:
        """How many words of either side are not in the other."""
        return sum(end - begin for begin, end, _, _ in self.changes), sum(d - c for _, _, c, d in self.changes)

    def merge(self) -> tuple[str, list[Patch]]:
        """One text with the words of both, and which of it is deleted and inserted."""
        parts: list[str] = []
        patches: list[Patch] = []
        length = at = 0

        def put(text: str, rank: int) -> None:
            nonlocal length
            if rank != NO_PATCH:
                patches.append((length, length + len(text), rank))
            parts.append(text)
            length += len(text)

        for begin, end, other_begin, other_end in self.changes:
            left = self._span(0, begin, end)
            put(self.texts[0][at : left[0]], NO_PATCH)
            right = self._span(1, other_begin, other_end)
            for rank, text in ((DELETED, self.texts[0][slice(*left)]), (INSERTED, self.texts[1][slice(*right)])):
                if text:
                    if rank == INSERTED and parts and not parts[-1].endswith((" ", "\n")):
                        put(" ", NO_PATCH)
                    put(text, rank)
                    put(" ", NO_PATCH)
            at = left[1]
        put(self.texts[0][at:], NO_PATCH)
        return "".join(parts), patches

    def rows(self) -> Iterator[dict[str, Any]]:
        """The stretches that differ, for programs: positions are code points."""
        for begin, end, other_begin, other_end in self.changes:
            left, right = self._span(0, begin, end), self._span(1, other_begin, other_end)
            yield {
                "begin": left[0],
                "end": left[1],
                "other_begin": right[0],
                "other_end": right[1],
                "text": self.texts[0][slice(*left)],
                "other_text": self.texts[1][slice(*right)],
            }

    def _span(self, side: int, begin: int, end: int) -> tuple[int, int]:
        """Where words begin and end in their text; for none of them, where they would begin."""
        places = self.words[side]
        if begin < end:
            return places[begin][0], places[end - 1][1]
        place = places[begin][0] if begin < len(places) else len(self.texts[side])
        return place, place


def _changes(a: Sequence[str], b: Sequence[str]) -> Iterator[Change]:
    """The stretches of two sequences that differ, in order: what lies between equal ones."""
    matched = [(-1, -1), *_align(a, b), (len(a), len(b))]
    for (i, j), (next_i, next_j) in pairwise(matched):
        if next_i - i > 1 or next_j - j > 1:
            yield i + 1, next_i, j + 1, next_j


def _align(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Places of equal words, ascending on both sides."""
    found: list[tuple[int, int]] = []
    waiting = [((0, len(a), 0, len(b)), 0)]
    while waiting:
        (begin, end, other, until), depth = waiting.pop()
        while begin < end and other < until and a[begin] == b[other]:
            found.append((begin, other))
            begin, other = begin + 1, other + 1
        while begin < end and other < until and a[end - 1] == b[until - 1]:
            end, until = end - 1, until - 1
            found.append((end, until))
        if begin == end or other == until:
            continue
        anchors = _anchors(a, b, (begin, end, other, until)) if depth < DEEPEST else []
        if anchors:
            bounds = [(begin - 1, other - 1), *anchors, (end, until)]
            waiting += [((i + 1, next_i, j + 1, next_j), depth + 1) for (i, j), (next_i, next_j) in pairwise(bounds)]
            found += anchors
        elif (end - begin) * (until - other) <= LARGEST_TABLE:
            blocks = SequenceMatcher(None, a[begin:end], b[other:until], autojunk=False).get_matching_blocks()
            found += [(begin + block.a + n, other + block.b + n) for block in blocks for n in range(block.size)]
    return sorted(found)


def _anchors(a: Sequence[str], b: Sequence[str], within: Change) -> list[tuple[int, int]]:
    """Words that both stretches have exactly once, as many as are in the same order on both sides."""
    begin, end, other, until = within
    counts, others = Counter(a[begin:end]), Counter(b[other:until])
    places = {word: place for place, word in enumerate(b[other:until], other) if others[word] == 1}
    pairs = [(i, places[a[i]]) for i in range(begin, end) if counts[a[i]] == 1 and a[i] in places]
    # The longest ascending sequence: piles of cards, each with the one that lay on the pile before.
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        tops[pile : pile + 1] = [j]
        before.append(piles[pile - 1] if pile else -1)
        piles[pile : pile + 1] = [number]
    chain = []
    at = piles[-1] if piles else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]
