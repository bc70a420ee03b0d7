"""Repeats against their twin: every run of n words that stands elsewhere, none else, and the copies that stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twin_repeats import find_cut_words

import unquilt
from unquilt import JobOptions, Settings
from unquilt.analyses import repeats
from unquilt.settings import LEAST_MEMORY

LETTERS = "ab字"
texts_of_few_words = st.lists(st.lists(st.sampled_from(LETTERS), max_size=30), min_size=1, max_size=6)


def run_on(texts: list[str], **given: Any) -> Any:
    settings = Settings(threads=2, memory=LEAST_MEMORY)
    names = [str(number) for number in range(len(texts))]
    urls = [f"http://site{number // 2}.example/{number}" for number in range(len(texts))]
    table = pa.table({"id": names, "url": urls, "text": texts})
    return unquilt.repeats(table, options=JobOptions(settings=settings), **given)


def words_cut(run: Any) -> dict[tuple[int, int], tuple[int, int] | None]:
    """Words are one character, and so is what separates them: the word at place p is number p / 2."""
    found = {}
    for row in run.removed.to_pylist():
        for step in range(row["words"]):
            copy = (row["copy"], row["copy_begin"] // 2 + step)
            assert (row["doc"], row["begin"] // 2 + step) not in found
            found[row["doc"], row["begin"] // 2 + step] = copy
    return found


@pytest.mark.slow
@given(words=texts_of_few_words, n=st.integers(1, 4), keep=st.sampled_from(["first", "longest", "shortest"]))
def test_words_are_those_of_the_twin(words: list[list[str]], n: int, keep: str) -> None:
    run = run_on([" ".join(text) for text in words], n=n, keep=keep)
    ranks = {"first": lambda _: 0, "longest": lambda doc: -len(words[doc]), "shortest": lambda doc: len(words[doc])}
    expected = find_cut_words(words, n, ranks[keep])
    assert words_cut(run) == expected
    for (doc, at), copy in expected.items():
        assert copy is not None
        assert copy not in expected
        assert words[doc][at] == words[copy[0]][copy[1]]


@pytest.mark.slow
@given(words=texts_of_few_words, n=st.integers(1, 4))
def test_all_copies_go_if_none_is_kept(words: list[list[str]], n: int) -> None:
    run = run_on([" ".join(text) for text in words], n=n, keep_one=False)
    assert words_cut(run).keys() == find_cut_words(words, n, keep_one=False).keys()


@st.composite
def draw_copies(draw: st.DrawFn) -> list[list[str]]:
    """Texts that are put together from pieces of one text and from other words, some again and again."""
    letters = draw(st.sampled_from([LETTERS, "abcdefghijklmnopqrstuvwxyz"]))
    source = draw(st.lists(st.sampled_from(letters), min_size=1, max_size=80))
    piece = st.tuples(st.integers(0, len(source) - 1), st.integers(1, 60), st.integers(1, 3))
    other = st.lists(st.sampled_from(letters), max_size=3)
    texts = draw(st.lists(st.lists(st.tuples(piece, other), max_size=4), min_size=1, max_size=7))
    return [[w for (at, long, times), own in text for w in source[at : at + long] * times + own] for text in texts]


@pytest.mark.slow
@given(
    crowd=st.sampled_from([1, 3, repeats.CROWD]),
    words=draw_copies(),
    n=st.integers(1, 40),
    least=st.integers(2, 4),
    sites=st.integers(1, 3),
    keep_one=st.booleans(),
)
def test_long_runs_are_those_of_the_twin(
    crowd: int, words: list[list[str]], n: int, least: int, sites: int, keep_one: bool
) -> None:
    """Runs that share anchors, of places in memory or too many for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "CROWD", crowd)
        asked = {"n": n, "min_times": least, "min_sites": sites, "keep_one": keep_one}
        run = run_on([" ".join(text) for text in words], **asked)
    expected = find_cut_words(words, **asked, site=lambda doc: doc // 2)
    found = words_cut(run)
    assert found == expected if keep_one else found.keys() == expected.keys()


def write(run: Any, place: Path, **asked: Any) -> dict[str, str]:
    run.export(place, without="repeats", overwrite=True, **asked)
    return {row["id"]: row["text"] for row in map(json.loads, place.read_text(encoding="utf-8").splitlines())}


def test_texts_are_written_without_what_goes(tmp_path: Path) -> None:
    texts = ["“One two, three.” Four", "Zero (one; TWO three)! Five\n\nsix", "one two three"]
    run = run_on(texts, n=3)
    assert write(run, tmp_path / "clean.jsonl") == {"0": texts[0], "1": "Zero ( Five\n\nsix"}
    assert run.emptied.to_pylist() == [{"doc": 2, "why": "copies", "words": 3, "left": 0}]
    assert write(run, tmp_path / "clean.jsonl", empty=True, mask="[…] ")["1"] == "Zero ([…]  Five\n\nsix"
    assert write(run, tmp_path / "clean.jsonl", empty=True)["2"] == ""


MENU = "Home\n\nNews\n\nAbout us\n\nContact\n\n"
OWN = "This paragraph number {} is of this page alone, and nobody else has words like {} in a row."


def test_menus_go_and_headings_of_what_stays_stay(tmp_path: Path) -> None:
    copied = "A paragraph that two pages have, with more words than any menu, and which one of them keeps."
    pages = [MENU + f"Report\n\n{OWN.format(i, i)}\n\nSee also" for i in range(20)]
    pages += [MENU + copied, MENU + f"Report\n\n{copied}\n\nReport\n\n{OWN.format('x', 'y')}", MENU + "See also"]
    pages += [MENU + copied]
    run = run_on(pages, unit="paragraph")
    clean = write(run, tmp_path / "clean.jsonl")
    assert clean["3"] == f"Report\n\n{OWN.format(3, 3)}"
    assert clean["20"] == f"Contact\n\n{copied}"  # the last one before a paragraph may be its heading
    assert clean["21"] == f"Report\n\n{OWN.format('x', 'y')}"
    assert "22" not in clean
    assert [(row["doc"], row["why"]) for row in run.emptied.to_pylist()] == [(22, "navigation"), (23, "copies")]
    copies = [row for row in run.removed.to_pylist() if row["why"] == "copy"]
    assert [(row["doc"], row["copy"]) for row in copies] == [(21, 20), (23, 20)]
    row = copies[0]
    assert pages[20][row["copy_begin"] : row["copy_end"]] == copied


def test_lines_that_occur_before_are_removed(tmp_path: Path) -> None:
    run = run_on(["Ab, cd!\nown one\nx", "x\nab cd\nown two"], unit="line", min_words=2)
    assert write(run, tmp_path / "clean.jsonl") == {"0": "Ab, cd!\nown one\nx", "1": "x\nown two"}


def test_text_must_be_on_enough_sites() -> None:
    urls = ["http://a.example/1", "http://a.example/2", "http://b.example/1"]
    table = pa.table({"id": urls, "url": urls, "text": ["a b c x y z", "a b c", "x y z"]})
    run = unquilt.repeats(table, n=3, min_sites=2)
    assert [(row["doc"], row["copy"]) for row in run.removed.to_pylist()] == [(2, 0)]


@pytest.mark.parametrize(
    "wrong", [{"unit": "word", "min_words": 3}, {"keep_one": False, "keep": "longest"}, {"unit": "page"}]
)
def test_parameters_without_effect_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(unquilt.errors.ParameterError):
        run_on(["a"], **wrong)


def test_other_runs_are_refused(tmp_path: Path) -> None:
    run = unquilt.neardups(pa.table({"id": ["a"], "text": ["b"]}))
    with pytest.raises(unquilt.errors.ParameterError, match="find it first"):
        run.export(tmp_path / "x.jsonl", without="repeats")
