"""What differs between two texts: the changes make one of the other, and equal words are never among them."""

from __future__ import annotations

import time

import pytest
from click import unstyle
from hypothesis import given, settings
from hypothesis import strategies as st

from unquilt import words
from unquilt.cli.show.clusters import DiffPens
from unquilt.cli.show.page import Pens, show_page
from unquilt.results.differences import DELETED, INSERTED, Difference

few = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=30)
some = st.lists(st.sampled_from([f"w{i}" for i in range(40)]), max_size=60)
nasty = st.text(alphabet="ab .\n\x1b\u202e漢é", max_size=60)


def split(text: str) -> list[str]:
    return [word for word, _, _ in words(text)]


@given(st.one_of(st.tuples(few, few), st.tuples(some, some)))
@settings(max_examples=200)
def test_changes_make_one_of_the_other(pair: tuple[list[str], list[str]]) -> None:
    one, other = pair
    difference = Difference.of(" ".join(one), " ".join(other))
    made, at = [], 0
    for begin, end, other_begin, other_end in difference.changes:
        assert begin < end or other_begin < other_end
        assert at <= begin
        made += [*one[at:begin], *other[other_begin:other_end]]
        at = end
    assert made + one[at:] == other
    if one == other:
        assert not difference.changes


@given(nasty, nasty)
@settings(max_examples=200)
def test_the_merged_text_has_the_words_of_both(one: str, other: str) -> None:
    difference = Difference.of(one, other)
    text, patches = difference.merge()
    for rank, whole in ((INSERTED, one), (DELETED, other)):
        rest, at = [], 0
        for begin, end, which in patches:
            if which == rank:
                rest.append(text[at:begin])
                at = end
        assert split(" ".join([*rest, text[at:]])) == split(whole)
    for row in difference.rows():
        assert row["text"] == one[row["begin"] : row["end"]]
        assert row["other_text"] == other[row["other_begin"] : row["other_end"]]


def test_differences_are_marked_and_escapes_stay_visible() -> None:
    text, patches = Difference.of("The quick fox \x1b[2J jumps", "The slow fox jumps high").merge()
    shown = " ".join(show_page(text, patches, 80, DiffPens()))
    assert shown == "The [- quick -] {+ slow +} fox [- 2J -] jumps {+ high +}".replace("[- 2J", "\\x1b[[- 2J")
    coloured = " ".join(show_page(text, patches, 80, DiffPens(("97;41", "30;42"))))
    assert "\x1b[97;41m- quick\x1b[0m" in coloured
    assert "\x1b[2J" not in unstyle(coloured)
    assert isinstance(DiffPens.choose(), Pens)


@pytest.mark.slow
def test_long_texts_take_no_longer_than_they_should() -> None:
    """All the same words, no unique ones, and one change in many: no table of all against all."""
    for one, other in (
        (["a"] * 200_000, ["a"] * 199_000 + ["b"]),
        (["a", "b"] * 100_000, ["b", "c"] * 100_000),
        ([f"w{i}" for i in range(200_000)], [f"w{i}" if i % 100 else "x" for i in range(200_000)]),
        ([f"w{i}" for i in range(100_000)], [f"w{i}" for i in reversed(range(100_000))]),
    ):
        begin = time.process_time()
        Difference.of(" ".join(one), " ".join(other))
        assert time.process_time() - begin < 20
