"""The English of the demo web: sentences that can be read, and that no two pages share by accident."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

import pytest

from unquilt.demo import grammar
from unquilt.demo.dice import Dice
from unquilt.demo.language import (
    MEAN_SENTENCE,
    draw_goods,
    draw_headings,
    draw_offer,
    draw_sentences,
    draw_title,
    replace_word,
)

WORD = re.compile(r"[^\W_]+")


@pytest.fixture(scope="module")
def texts() -> list[list[str]]:
    return [draw_sentences(Dice(7, "text", number), 500) for number in range(200)]


@pytest.fixture(scope="module")
def sentences(texts: list[list[str]]) -> list[str]:
    return [sentence for text in texts for sentence in text]


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def test_sentences_begin_and_end_like_sentences(sentences: list[str]) -> None:
    assert [s for s in sentences if not re.fullmatch(r"“?[A-ZÉ][^%{}\n]*[.?!]", s)] == []
    assert [s for s in sentences if "  " in s or " ," in s or " ." in s] == []


def test_every_pattern_is_drawn_and_no_two_are_alike(sentences: list[str]) -> None:
    assert len(grammar.SENTENCES) == len(set(grammar.SENTENCES)) == 64
    assert len({sentence.split()[0] for sentence in sentences}) > 400


def test_articles_agree_with_the_word_behind_them(sentences: list[str]) -> None:
    pairs = [re.findall(r"\b([Aa]n?) (\w)", sentence) for sentence in sentences]
    assert {(one.lower(), first in "aeiou") for found in pairs for one, first in found} == {("a", False), ("an", True)}


def test_sentences_and_texts_have_the_lengths_that_are_asked_for(texts: list[list[str]], sentences: list[str]) -> None:
    lengths = [len(words(sentence)) for sentence in sentences]
    assert 5 <= min(lengths) <= max(lengths) <= 24
    assert sum(lengths) / len(lengths) == pytest.approx(MEAN_SENTENCE, abs=0.6)
    assert sum(lengths) / len(texts) == pytest.approx(500, rel=0.01)
    assert len(draw_sentences(Dice(1), 1)) == 1
    titles = [words(draw_title(Dice(7, number))) for number in range(200)]
    assert {len(title) for title in titles} <= set(range(4, 10))


def test_texts_do_not_share_five_words_by_accident(texts: list[list[str]]) -> None:
    """At the measured chance of 5e-12 a pair, 0.025 of the 5e9 pairs would be equal."""
    shared: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        listed = words(" ".join(text))
        shared.update(set(zip(*(islice(listed, skip, None) for skip in range(5)), strict=False)))
    assert [gram for gram, number in shared.items() if number > 1] == []


def test_goods_headings_and_offers() -> None:
    assert all(len(words(name)) == 3 and name.istitle() for name in draw_goods(Dice(1), 50))
    assert all(word[0].isupper() and " " not in word for word in draw_headings(Dice(1), 50))
    assert {draw_offer(Dice(number))[0].isupper() for number in range(20)} == {True}


@pytest.mark.parametrize("word", ["merchants", "quietly", "old", "lamp", "repaired", "harbour"])
def test_a_word_is_replaced_by_one_of_its_kind(word: str) -> None:
    for number in range(50):
        other = replace_word(Dice(number), word)
        assert other is not None
        assert other != word
        assert other in grammar.kin()[word]
        assert grammar.sounds_open(other) == grammar.sounds_open(word)


@pytest.mark.parametrize("word", ["the", "Ashford", "1850", "merchants,", ""])
def test_names_and_small_words_stay(word: str) -> None:
    assert replace_word(Dice(1), word) is None


def test_small_numbers_are_below_their_bound() -> None:
    drawn = Dice(3).small(5_000, 13)
    assert len(drawn) == 5_000
    assert 0 <= min(drawn) < 50
    assert 8_150 < max(drawn) < 8_192
