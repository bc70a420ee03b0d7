"""The measures of passages, beside sets of characters."""

from __future__ import annotations

from typing import Any

import pytest
import twin_measures
from hypothesis import given
from hypothesis import strategies as st

from unquilt.results.measures import Case, PassageSpans, in_sentences, measure, measure_by

SPAN = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda span: (span[0], span[0] + span[1]))
PASSAGE = st.tuples(SPAN, SPAN).map(lambda spans: PassageSpans(*spans[0], *spans[1]))
CASES = st.lists(st.tuples(st.lists(PASSAGE, max_size=4), st.lists(PASSAGE, max_size=4)), max_size=5)


@given(CASES)
def test_measures_are_those_of_sets_of_characters(cases: Any) -> None:
    measured = measure(Case(*case) for case in cases)
    ours = (measured.precision, measured.recall, measured.granularity, measured.plagdet)
    assert ours == pytest.approx(twin_measures.measure(cases), abs=1e-12)
    assert measured.pairs == len(cases)
    assert measured.clean == sum(not known for known, _ in cases)
    assert measured.flagged == sum(bool(found) and not known for known, found in cases)


@given(CASES)
def test_the_order_of_pairs_does_not_matter(cases: Any) -> None:
    assert measure(Case(*case) for case in cases) == measure(Case(*case) for case in reversed(cases))


@given(st.lists(PASSAGE, min_size=1, max_size=4, unique=True))
def test_what_is_known_and_found_is_perfect_but_for_granularity(passages: Any) -> None:
    measured = measure([Case(passages, passages)])
    assert measured.precision == measured.recall == measured.f1 == 1
    assert measure([Case(passages[:1], passages[:1])]).plagdet == 1


@given(SPAN, st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9)), max_size=8))
def test_spans_in_sentences(span: tuple[int, int], steps: list[tuple[int, int]]) -> None:
    sentences, at = [], 0
    for gap, length in steps:
        sentences.append((at + gap, at + gap + length))
        at += gap + length
    first, last = in_sentences(PassageSpans(*span, *span), sentences, sentences)[:2]
    assert ((first, last) if first < last else None) == twin_measures.sentences_of(*span, sentences)


def test_categories_and_all_of_them() -> None:
    passage = PassageSpans(0, 5, 0, 5)
    found = measure_by({"b": [Case([passage], [])], "a": [Case([passage], [passage]), Case([], [passage])]})
    assert list(found) == ["a", "b", "all"]
    assert (found["a"].precision, found["a"].recall, found["a"].flagged) == (0.5, 1, 1)
    assert found["all"].recall == 0.5
    assert list(measure_by({"only": []})) == ["only"]
