"""Sentences: text whose sentences are known, in English and Chinese, as prose and as pages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unquilt import _native

FLOORS = {"en": 0.97, "zh": 0.95}
KNOWN = {
    language: (Path(__file__).parent / f"sentences_{language}.txt").read_text(encoding="utf-8").splitlines()
    for language in FLOORS
}
"""A sentence a line, written for this: abbreviations, initials, numbers, addresses, quotes."""


def measure(sentences: list[str], gaps: list[str]) -> float:
    """F1 of the ends of sentences, joined by gaps."""
    text, ends = "", set()
    for sentence, gap in zip(sentences, gaps, strict=True):
        text += sentence
        ends.add(len(text))
        text += gap
    found = {end for _, end in _native.sentences(text)}
    return 2 * len(ends & found) / (len(ends) + len(found))


@pytest.mark.parametrize("language", FLOORS)
def test_sentences_of_known_prose_are_found(language: str) -> None:
    sentences, gap = KNOWN[language], " " if language == "en" else ""
    assert measure(sentences, [gap] * len(sentences)) >= FLOORS[language]


@pytest.mark.parametrize("language", FLOORS)
def test_shuffled_and_wrapped(language: str) -> None:
    """Any sentence may follow any other; some begin a paragraph, and lines end anywhere."""
    total = 0.0
    for seed in range(20):
        random = Random(seed)
        sentences = random.sample(KNOWN[language], len(KNOWN[language]))
        usual = [" ", " ", "\n", "\n\n"] if language == "en" else ["", "", "\n\n"]
        if language == "en":
            sentences = [sentence.replace(" ", "\n", random.randrange(3)) for sentence in sentences]
        total += measure(sentences, [random.choice(usual) for _ in sentences])
    assert total / 20 >= FLOORS[language] - 0.01


def test_headings_and_lists() -> None:
    text = (
        "1. First steps\n\nWhat you need:\n- a saw\n- two boards,\n  planed\n* glue\n\n2. The work\n\nBegin. Then go on"
    )
    found = [text[begin:end] for begin, end in _native.sentences(text)]
    headings = ["1. First steps", "2. The work"]
    items = ["What you need:", "- a saw", "- two boards,\n  planed", "* glue"]
    assert found == [headings[0], *items, headings[1], "Begin.", "Then go on"]


@given(st.text(alphabet="aA1 .!?\n。“”(é漢-", max_size=60))
def test_any_text(text: str) -> None:
    """Sentences are in order, within paragraphs, without white space around them, and have all the words."""
    found = _native.sentences(text)
    assert all(begin < end for begin, end in found)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    assert all(text[begin:end] == text[begin:end].strip() for begin, end in found)
    inside = {at for begin, end in found for at in range(begin, end)}
    assert all(begin in inside and end - 1 in inside for _, begin, end in _native.words(text))
    for begin, end in found:
        assert "\n\n" not in text[begin:end]
