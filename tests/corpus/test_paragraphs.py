"""Paragraphs agree with the obvious way to find them, in linear time."""

from __future__ import annotations

import hashlib
import re
from array import array

import pytest
import twin_reuse
from hypothesis import given
from hypothesis import strategies as st

from unquilt._native import paragraphs

SPACES = "".join(c for c in map(chr, range(0x110000)) if c.isspace())

nasty = st.text(st.sampled_from("ab\U0001f600é \t\r\n\v\f\x1c\x1f\x85\xa0\u180e\u200b\u2003\u2028\u3000\ufeff\0"))
blocks = st.lists(st.sampled_from(["word", "à b", " ", "\t", "\n", "\n\n", "\r\n", "\r", "\xa0", "\u3000", "\0"])).map(
    "".join
)


def twin(text: str) -> list[str]:
    """Lines; runs of lines that are not blank; stripped."""
    found: list[str] = []
    block = ""
    for line in re.findall(r"[^\r\n]*(?:\r\n|\r|\n|\Z)", text):
        if line.strip():
            block += line
        elif block:
            found.append(block.strip())
            block = ""
    return [*found, block.strip()] if block else found


def spans(text: str) -> list[str]:
    begins, ends, *_ = paragraphs(text.encode())
    return [text[b:e] for b, e in zip(array("i", begins), array("i", ends), strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\n\t", []),
        ("one", ["one"]),
        ("one\ntwo", ["one\ntwo"]),
        ("one\n\ntwo", ["one", "two"]),
        ("one\r\n\r\ntwo\r\nthree\r\n", ["one", "two\r\nthree"]),
        ("one\r\rtwo\rthree", ["one", "two\rthree"]),
        ("one\n \t\n\n  two  \n", ["one", "two"]),
        ("one\n\xa0\ntwo\u3000", ["one", "two"]),
        ("über\n\n\U0001f600\n\n\0", ["über", "\U0001f600", "\0"]),
        ("one\x0c\n\ntwo", ["one", "two"]),
        ("one \u2029 still one", ["one \u2029 still one"]),
    ],
)
def test_paragraphs_of_chosen_texts(text: str, expected: list[str]) -> None:
    assert spans(text) == expected == twin(text)


@given(nasty | blocks | st.text(st.characters(exclude_categories=("Cn", "Cs"))))
def test_any_text_has_the_paragraphs_of_the_twin(text: str) -> None:
    begins, ends, raw, collapsed, trivial = paragraphs(text.encode())
    found = [text[b:e] for b, e in zip(array("i", begins), array("i", ends), strict=True)]
    assert found == twin(text)
    assert raw == b"".join(hashlib.sha1(block.encode()).digest() for block in found)
    assert collapsed == b"".join(hashlib.sha1(" ".join(block.split()).encode()).digest() for block in found)
    assert list(array("i", trivial)) == [number for number, block in enumerate(found) if twin_reuse.is_trivial(block)]


@pytest.mark.parametrize("space", SPACES, ids=ascii)
def test_every_white_space_makes_a_blank_line(space: str) -> None:
    assert spans(f"{space}a{space}\n{space}\n{space}b{space}") == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (" " * 2_000_000 + "x", 1),
        ("x" + " " * 2_000_000, 1),
        ("x\n" + " " * 2_000_000 + "x", 1),
        (("x\n" + " " * 1000) * 2000, 1),
        ("x\r" + "\r\n" * 1_000_000 + "x", 2),
        ("\n\xa0" * 1_000_000, 0),
        ("x\n" * 1_000_000, 1),
        ("x\n\n" * 300_000, 300_000),
        ("x" * 50_000_000, 1),
    ],
    ids=["leading", "trailing", "indented", "indents", "cr", "nbsp", "lines", "paragraphs", "word"],
)
def test_hostile_shapes(text: str, number: int) -> None:
    """Quadratic time would show: these take milliseconds."""
    assert len(paragraphs(text.encode())[0]) == 4 * number


def test_other_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="no UTF-8"):
        paragraphs(b"\xff")
