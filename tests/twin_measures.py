"""The measures of PAN (docs/definitions.md 3.7), character by character: sets of (side, place) instead of spans."""

from __future__ import annotations

from math import log2


def places(passage):
    a_begin, a_end, b_begin, b_end = passage
    return {("a", i) for i in range(a_begin, a_end)} | {("b", i) for i in range(b_begin, b_end)}


def meets(one, other):
    return {side for side, _ in places(one) & places(other)} == {"a", "b"}


def share(passage, others):
    met = set().union(*(places(other) for other in others if meets(passage, other)))
    return len(places(passage) & met) / len(places(passage)) if places(passage) else 0.0


def mean(values, default=0.0):
    values = list(values)
    return sum(values) / len(values) if values else default


def measure(cases):
    """Precision, recall, granularity, plagdet."""
    precision = mean(share(r, known) for known, found in cases for r in found)
    recall = mean(share(s, found) for known, found in cases for s in known)
    times = [sum(meets(s, r) for r in found) for known, found in cases for s in known]
    granularity = mean((n for n in times if n), 1.0)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return precision, recall, granularity, f1 / log2(1 + granularity)


def sentences_of(begin, end, sentences):
    """The sentences of which at least half lies in the span, from the first to the last of them."""
    inside = [
        i
        for i, (first, last) in enumerate(sentences)
        if 2 * len(set(range(first, last)) & set(range(begin, end))) >= last - first
    ]
    return (inside[0], inside[-1] + 1) if inside else None
