"""How good passages are that were found, by passages that are known: the measures of the PAN competitions.

Potthast, Stein, Barrón-Cedeño and Rosso, "An Evaluation Framework for Plagiarism Detection" (COLING 2010). S are the
cases that are known, R the detections. A passage is two spans, one of each document of a pair, and its size is that of
both. A detection r meets a case s of the same pair if both of their spans overlap.

    precision    mean over r of the share of r that lies in cases that it meets
    recall       mean over s of the share of s that lies in detections that it meets
    granularity  mean number of detections that meet a case, over cases that any meets; 1 without such
    F1           harmonic mean of precision and recall
    plagdet      F1 / log2(1 + granularity)

All of it holds for spans in any unit: characters, or sentences (`in_sentences`). Means are of exact sums; without a
detection, precision is 0, and without a case, recall is.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple


class PassageSpans(NamedTuple):
    """A span of one document and a span of another, half-open."""

    a_begin: int
    a_end: int
    b_begin: int
    b_end: int

    @property
    def size(self) -> int:
        """The length of both spans."""
        return (self.a_end - self.a_begin) + (self.b_end - self.b_begin)


class Case(NamedTuple):
    """A pair of documents: the passages that are known, and those that were found."""

    known: Sequence[PassageSpans]
    found: Sequence[PassageSpans]


@dataclass(frozen=True)
class Measures:
    """What was measured: see the module. `flagged` of the `clean` pairs (without a known passage) have a detection."""

    pairs: int
    known: int
    found: int
    precision: float
    recall: float
    granularity: float
    f1: float
    plagdet: float
    clean: int
    flagged: int


def meets(one: PassageSpans, other: PassageSpans) -> bool:
    """Whether both spans overlap."""
    return (
        min(one.a_end, other.a_end) > max(one.a_begin, other.a_begin)
        and min(one.b_end, other.b_end) > max(one.b_begin, other.b_begin)
    )  # fmt: skip


def covered(passage: PassageSpans, others: Iterable[PassageSpans]) -> int:
    """How much of a passage lies in others that it meets: the union of their spans, on each side."""
    met = [other for other in others if meets(passage, other)]
    a = [(max(passage.a_begin, other.a_begin), min(passage.a_end, other.a_end)) for other in met]
    b = [(max(passage.b_begin, other.b_begin), min(passage.b_end, other.b_end)) for other in met]
    return _union(a) + _union(b)


def _union(spans: list[tuple[int, int]]) -> int:
    total = last = 0
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, last))
        last = max(last, end)
    return total


def measure(cases: Iterable[Case]) -> Measures:
    """Measures of some pairs of documents. A detection in a pair without known passages has precision 0.

    Quadratic in the passages of one pair, linear in pairs.

    >>> known, found = PassageSpans(0, 100, 200, 300), PassageSpans(0, 100, 250, 350)
    >>> measured = measure([Case([known], [found]), Case([], [])])
    >>> measured.precision, measured.recall, measured.granularity, measured.plagdet, measured.clean
    (0.75, 0.75, 1.0, 0.75, 1)
    """
    precisions, recalls, meetings = _Mean(), _Mean(), _Mean()
    pairs = clean = flagged = 0
    for known, found in cases:
        pairs += 1
        clean += not known
        flagged += not known and bool(found)
        for passage in found:
            precisions.add(covered(passage, known), passage.size)
        for passage in known:
            recalls.add(covered(passage, found), passage.size)
            times = sum(meets(passage, other) for other in found)
            if times:
                meetings.add(times, 1)
    precision, recall, granularity = float(precisions), float(recalls), float(meetings) if meetings.count else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Measures(
        pairs=pairs,
        known=recalls.count,
        found=precisions.count,
        precision=precision,
        recall=recall,
        granularity=granularity,
        f1=f1,
        plagdet=f1 / math.log2(1 + granularity),
        clean=clean,
        flagged=flagged,
    )


class _Mean:
    """A mean of quotients, exact until it is asked for, so that the order of pairs does not matter."""

    def __init__(self) -> None:
        self.count = 0
        self._numerators: dict[int, int] = {}

    def add(self, part: int, whole: int) -> None:
        self.count += 1
        self._numerators[whole] = self._numerators.get(whole, 0) + (part if whole else 0)

    def __float__(self) -> float:
        if not self.count:
            return 0.0
        return math.fsum(float(Fraction(part, whole or 1)) for whole, part in self._numerators.items()) / self.count


def measure_by(cases: Mapping[str, Sequence[Case]]) -> dict[str, Measures]:
    """Measures of each category, and of all together under the name `all` if there are several."""
    found = {name: measure(each) for name, each in sorted(cases.items())}
    return found if len(found) == 1 else found | {"all": measure(case for each in cases.values() for case in each)}


def in_sentences(
    passage: PassageSpans, a_sentences: Sequence[tuple[int, int]], b_sentences: Sequence[tuple[int, int]]
) -> PassageSpans:
    """The passage in sentences: those of which at least half lies in it, by where all sentences begin and end.

    A span without half of a sentence is empty, and meets nothing.

    >>> sentences = [(0, 10), (11, 20), (21, 30)]
    >>> in_sentences(PassageSpans(0, 17, 4, 26), sentences, sentences)
    PassageSpans(a_begin=0, a_end=2, b_begin=0, b_end=3)
    """
    a = _sentences(passage.a_begin, passage.a_end, a_sentences)
    return PassageSpans(*a, *_sentences(passage.b_begin, passage.b_end, b_sentences))


def _sentences(begin: int, end: int, sentences: Sequence[tuple[int, int]]) -> tuple[int, int]:
    def is_in(sentence: tuple[int, int]) -> bool:
        return 2 * (min(end, sentence[1]) - max(begin, sentence[0])) >= sentence[1] - sentence[0]

    first = bisect_left(sentences, begin, key=lambda sentence: sentence[1])
    last = bisect_left(sentences, end, key=lambda sentence: sentence[0])
    while first < last and not is_in(sentences[first]):
        first += 1
    while last > first and not is_in(sentences[last - 1]):
        last -= 1
    return first, max(first, last)
