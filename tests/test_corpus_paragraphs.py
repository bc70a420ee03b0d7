"""Paragraphs agree with the obvious way to find them, in linear time."""

from __future__ import annotations

import hashlib
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unquilt.corpus.paragraphs import paragraphs

SPACES = "".join(c for c in map(chr, range(0x10000)) if c.isspace())

nasty = st.text(st.sampled_from("ab\U0001f600é \t\r\n\v\f\x1c\x85\xa0\u2003\u2028\u3000\0"))
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
def test_cases(text: str, expected: list[str]) -> None:
    found = paragraphs(text)
    assert [text[b:e] for b, e in zip(found.begins, found.ends, strict=True)] == expected == twin(text)


@given(nasty | blocks)
def test_twin(text: str) -> None:
    begins, ends, digests = paragraphs(text)
    found = [text[b:e] for b, e in zip(begins, ends, strict=True)]
    assert found == twin(text)
    assert digests == b"".join(hashlib.sha1(block.encode()).digest() for block in found)
    assert all(block and block == block.strip() for block in found)
    gaps = zip([0, *ends], [*begins, len(text)], strict=True)
    assert not "".join(text[a:b] for a, b in gaps).strip()


@pytest.mark.parametrize("space", SPACES, ids=ascii)
def test_every_white_space_makes_a_blank_line(space: str) -> None:
    text = f"{space}a{space}\n{space}\n{space}b{space}"
    assert [text[b:e] for b, e in zip(*paragraphs(text)[:2], strict=True)] == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        " " * 2_000_000 + "x",
        "x" + " " * 2_000_000,
        "x\n" + " " * 2_000_000 + "x",
        ("x\n" + " " * 1000) * 2000,
        "x\r" + "\r\n" * 1_000_000 + "x",
        "\n\xa0" * 1_000_000,
        "x\n" * 1_000_000,
        "x\n\n" * 300_000,
    ],
    ids=["leading", "trailing", "indented", "indents", "cr", "nbsp", "lines", "paragraphs"],
)
def test_linear(text: str) -> None:
    start = time.perf_counter()
    paragraphs(text)
    assert time.perf_counter() - start < 5
