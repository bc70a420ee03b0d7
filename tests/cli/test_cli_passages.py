"""Passages on the command line: what is found, two texts side by side, and what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import Result

SHARED = "The old mill stood by the river. Its wheel had not turned for years. Nobody knew who owned it."
PAGES = {
    "http://one.example/a": f"Before that. {SHARED} Behind it.",
    "http://two.example/b": f"{SHARED} Elsewhere.",
    "http://two.example/c": "Nothing of it.",
}
Call = Callable[..., Result]


@pytest.fixture
def run(call: Call, tmp_path: Path) -> Path:
    lines = [json.dumps({"id": url, "url": url, "text": text}) for url, text in PAGES.items()]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    done = call("passages", tmp_path / "pages.jsonl", "-o", tmp_path / "run", "--gamma", "15")
    assert done.exit_code == 0, done.output
    assert "1 passage, 1 pair" in done.output
    assert "19 words, 83% and 95% of them: http://one.example/a | http://two.example/b" in done.output
    assert "19 words in 1 pair of pages: one.example | two.example" in done.output
    return tmp_path / "run"


def test_passages_are_listed_with_what_they_say(call: Call, run: Path) -> None:
    shown = call("show", run, "passages").output.splitlines()
    assert shown[0].split()[:5] == ["a", "b", "words", "documents", "a_text"]
    assert shown[1].split()[:4] == ["0", "1", "19", "2"]
    assert SHARED.removesuffix(".") in shown[1]
    assert len(shown) == 2
    assert "collapsed " not in call("show", run).output
    assert call("show", run, "passages", "--columns", "words").output.split() == ["words", "19"]


def test_a_text_that_many_share_is_said_once(call: Call, tmp_path: Path) -> None:
    other = "Rain fell on the far hills all night. By noon the ford was deep. The carts had to wait for days."
    texts = [f"{SHARED}\n\n{number}" for number in range(4)] + [f"{other}\n\n{number}" for number in range(2)]
    lines = [json.dumps({"id": str(number), "text": text}) for number, text in enumerate(texts)]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    assert call("passages", tmp_path / "pages.jsonl", "-o", tmp_path / "run", "--gamma", "15").exit_code == 0
    shown = call("show", tmp_path / "run", "passages").output.splitlines()
    assert [line.split()[:4] for line in shown[1:3]] == [["4", "5", "21", "2"], ["0", "1", "19", "4"]]
    assert all("(as in row 2)" in line for line in shown[3:])
    told = [json.loads(line) for line in call("show", tmp_path / "run", "passages", "--json").output.splitlines()]
    assert [[str(row["a"]), str(row["b"])] for row in told] == [line.split()[:2] for line in shown[1:]]


def test_where_nothing_is_found_the_option_is_named(call: Call, tmp_path: Path) -> None:
    urls = ("http://www.one.example/a", "http://docs.one.example/b")
    lines = [json.dumps({"id": url, "url": url, "text": SHARED}) for url in urls]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    find = ("passages", tmp_path / "pages.jsonl", "--gamma", "15", "-o")
    said = "All documents are on one domain, one.example, so --site domain left none to compare"
    assert said in call(*find, tmp_path / "alone").output
    sides = ("--between", "http://www.one.example", "http://docs.one.example")
    assert "1 passage, 1 pair" in call(*find, tmp_path / "sides", *sides).output
    done = call(*find, tmp_path / "many", *sides, "--signature", "imatch", "--gamma", "9")
    assert f"No two documents on the two sides of {' '.join(sides)} share 9 sentences in a row" in done.output
    done = call(*find, tmp_path / "both", "--between", "http://www.one.example", "http://*")
    assert "a page of both sides is not compared with its own domain (--site none does)" in done.output


def test_two_texts_side_by_side(call: Call, run: Path) -> None:
    for pair in (("0", "1"), ("http://two.example/b", "http://one.example/a")):
        shown = call("show", run, "passages", "--pair", *pair).output
        assert "a  document 0, 83% of it shared: http://one.example/a" in shown
        assert "a: 5 sentences, to the right" in shown
        assert "[1: The old mill" in shown
        assert shown.index("Before that.") < shown.index("[1:")
    assert call("show", run, "passages", "--pair", "0", "2").output == "Documents 0 and 2 share no passage.\n"
    assert json.loads(call("show", run, "passages", "--pair", "0", "1", "--json").output)["words"] == 19


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "{run}", "passages", "--pair", "0", "0"], "--pair needs two different documents"),
        (["show", "{run}", "documents", "--pair", "0", "1"], "--pair is for the table passages"),
        (["passages", "{run}", "-o", "x", "--signature", "words"], "--signature must be one of imatch, shingles"),
        (["passages", "{run}", "-o", "x", "--tau", "0"], "--tau must be a number above 0 and of at most 1, not '0'"),
        (["passages", "{run}", "-o", "x", "--boilerplate", "9"], "boilerplate has no effect with signature grams"),
        (["passages", "{run}", "-o", "x", "--signature", "fuzzy", "--k", "5"], "k has no effect with signature fuzzy"),
        (["passages", "{run}", "-o", "x", "--gamma", "0"], "--gamma must be a whole number between 1 and"),
    ],
)
def test_options_that_cannot_be_met_are_refused(call: Call, run: Path, words: Sequence[str], message: str) -> None:
    failed = call(*(word.replace("{run}", str(run)) for word in words))
    assert failed.exit_code == 2
    assert message in failed.output
