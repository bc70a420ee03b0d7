"""Reworded passages in place of grams, by their definition (docs/definitions.md 3.1): sets and dictionaries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import twin_reworded

Bond = tuple[int, int]


class Span(NamedTuple):
    """A passage of a document and another one: words, code points, how both read on at both ends, stems in common."""

    other: int
    begin: int
    end: int
    other_begin: int
    other_end: int
    points: tuple[int, int, int, int]
    here: tuple[Bond, Bond]
    there: tuple[Bond, Bond]
    similarity: float

    def holds(self, place: int, k: int) -> bool:
        """Whether it spans the gram at a place."""
        return self.begin <= place and place + k <= self.end


def spans_of(texts: Mapping[int, str], compared: Callable[[int, int], bool]) -> dict[int, list[Span]]:
    """The passages of each document."""
    docs = sorted(texts)
    listed = [texts[doc] for doc in docs]
    read = [twin_reworded.read(text) for text in listed]
    df = Counter(stem for stems, *_ in read for stem in set(stems))
    common = {stem for stem, documents in df.items() if documents > max(1, len(docs) // 10)}
    rates = twin_reworded.shared_rates(listed)
    pairs = twin_reworded.candidates_of(listed, paired=lambda a, b: a < b and compared(docs[a], docs[b]))
    found: dict[int, list[Span]] = defaultdict(list)
    for a, b in pairs:
        for a0, a1, b0, b1, *_ in twin_reworded.align(listed[a], listed[b], rates, both_ways=True):
            sides = []
            for each, (begin, end) in ((a, (a0, a1)), (b, (b0, b1))):
                places = read[each][1]
                first = next(at for at, place in enumerate(places) if place[0] == begin)
                sides.append((first, next(at for at, place in enumerate(places) if place[1] == end) + 1))
            points = ((a0, a1), (b0, b1))
            for one, other in ((0, 1), (1, 0)):
                span = describe([read[a][0], read[b][0]], sides, points, one, other, common, docs[(a, b)[other]])
                if span is not None:
                    found[docs[(a, b)[one]]].append(span)
    return found


def describe(
    stems: Sequence[Sequence[str]],
    sides: Sequence[tuple[int, int]],
    points: Sequence[tuple[int, int]],
    one: int,
    other: int,
    common: set[str],
    doc: int,
) -> Span | None:
    (begin, end), (there, until) = sides[one], sides[other]
    if end - begin > 3 * (until - there):
        return None
    ours, theirs = set(stems[one][begin:end]), set(stems[other][there:until])
    none = ((0, 0), (0, 0))
    is_most = 2 * (until - there) > len(stems[other])
    return Span(
        doc,
        begin,
        end,
        there,
        until,
        (*points[one], *points[other]),
        bonds(stems[one], begin, end, theirs, common),
        none if is_most else bonds(stems[other], there, until, ours, common),
        len(ours & theirs) / min(len(ours), len(theirs)),
    )


def bonds(stems: Sequence[str], begin: int, end: int, shared: set[str], common: set[str]) -> tuple[Bond, Bond]:
    """At both ends of a passage: twice the uncommon stems on both sides, and those of either side."""
    found = []
    for outside, inside in (
        (stems[max(0, begin - 80) : begin], stems[begin : min(end, begin + 80)]),
        (stems[end : end + 80], stems[max(begin, end - 80) : end]),
    ):
        beyond, within = set(outside) - common, set(inside) & shared - common
        found.append((2 * len(beyond & within), len(beyond) + len(within)) if len(outside) >= 8 else (0, 0))
    return found[0], found[1]


def choose(spans: Sequence[Span], ranks: Mapping[int, int], places: int, k: int) -> list[Span]:
    """Those of sources, the longest first, that span a place which none before does; in the order of the page."""
    known = [span for span in spans if span.other in ranks and span.end - span.begin >= k]
    known.sort(key=lambda span: (span.begin - span.end, ranks[span.other], span.other_begin, span.begin))
    covered: set[int] = set()
    chosen = []
    for span in known:
        spanned = set(range(span.begin, span.end - k + 1))
        if spanned - covered:
            chosen.append(span)
            covered |= spanned
    assert all(place < places for place in covered)
    return sorted(chosen, key=lambda span: (span.begin, span.end, ranks[span.other], span.other_begin))


def read_on(spans: Sequence[Span], least: int) -> float:
    """How much better the page reads on at the borders of its passages than its sources do."""
    here, there = [(0, 0)], [(0, 0)]
    for span in spans:
        if span.end - span.begin >= least:
            for in_page, in_source in zip(span.here, span.there, strict=True):
                if in_page[1] and in_source[1]:
                    here.append(in_page)
                    there.append(in_source)
    shares = [sum(twice for twice, _ in side) / max(1, sum(words for _, words in side)) for side in (here, there)]
    return shares[0] - shares[1]
