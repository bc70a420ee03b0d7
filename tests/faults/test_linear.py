"""docs/faults.md 24, 43, 45: every loop over input is linear, whoever wrote the input.

Regular expressions that backtrack, searches that begin again, strings put together piece by piece: each case costs a
few times as much when it is a few times as long, or fails. The cases are in `shapes.py` and run in a process of their
own that may hang (`hostile.py`). Regular expressions are found by introspection (`patterns.py`), so that a new one is
tried at once.

`UNQUILT_LONG=1` tries all combinations, and 1, 2, 4 and 8 MB of everything.
"""

from __future__ import annotations

import ast
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import hostile
import patterns
import pytest
import shapes
from hypothesis import given
from hypothesis import strategies as st

import unquilt.corpus
from unquilt import _native
from unquilt.corpus.readers import arc, captures, framing, html, http, warc
from unquilt.corpus.sources import Glimpse

pytestmark = pytest.mark.slow

LONG = os.environ.get("UNQUILT_LONG", "") not in ("", "0")


class Judge:
    """The process that runs cases. One that hangs ends it, and the next case has a new one."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def ask(self, kind: str, name: str) -> None:
        if self.process is None:
            command = [sys.executable, str(Path(hostile.__file__))]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([kind, name, LONG]) + "\n")
        self.process.stdin.flush()
        trying = name
        for line in self.process.stdout:
            said = json.loads(line)
            trying = said.get("trying", trying)
            if "verdict" in said:
                assert said["verdict"] == "", name
                return
        self.close()
        pytest.fail(f"hung while trying {trying}")

    def close(self) -> None:
        if self.process and self.process.stdin and self.process.stdout:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
        self.process = None


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    judge = Judge()
    yield judge
    judge.close()


@pytest.mark.parametrize("reader", sorted({name.partition(":")[0] for name in shapes.CASES}))
def test_hostile_input_takes_linear_time(reader: str, judge: Judge) -> None:
    for name in shapes.CASES:
        if name.partition(":")[0] == reader:
            judge.ask("case", name)


@pytest.mark.parametrize("name", shapes.SWEEPS)
def test_tokens_and_pairs_of_tokens(name: str, judge: Judge) -> None:
    judge.ask("sweep", name)


@pytest.mark.parametrize("name", patterns.find())
def test_regular_expressions_take_linear_time(name: str, judge: Judge) -> None:
    judge.ask("pattern", name)


def test_kinds_are_told_in_milliseconds(judge: Judge) -> None:
    judge.ask("tell", "")


def test_every_regular_expression_is_found() -> None:
    """Each is a constant that something uses, so that `patterns` knows how."""
    assert len(patterns.find()) >= 40
    assert [name for name, found in patterns.find().items() if not found.methods] == []
    inside = [
        f"{path.name}, line {call.lineno}"
        for path in Path(unquilt.corpus.__file__).parent.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "re.compile"
    ]
    assert inside == []


def test_no_group_is_possessive() -> None:
    """Python before 3.11.5 matches `(…)*+` wrongly where the group can match in more than one way."""
    found = [name for name, pattern in patterns.find().items() if re.search(r"\)[*+?]\+", str(pattern.pattern.pattern))]
    assert found == []


@pytest.mark.parametrize(
    "bad",
    [
        r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:html|p)[\s/>]",  # 282 bytes of `<!---->` hung all of ingest
        r"a [^ \r\n]+[ \t]*\r?\n",
        r"x*y*x*z",
    ],
)
def test_bad_ones_would_be_found(bad: str, judge: Judge) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception), match=r"hung|cost"):
        judge.ask("bad", bad)


# What is linear by art, and its twins, which say what is meant and backtrack.

WARC_VERSION = rb"WARC/\d{1,3}\.\d{1,3}[ \t]*\r?\n"
WARC_HEADER = re.compile(WARC_VERSION + rb"(?:[^\s:][^\n:]*:[^\n]*\n(?:[ \t][^\n]*\n)*)*\r?\n")
ARC_LINE = re.compile(
    rb"([a-z][a-z0-9+.-]*:[^\n]*) ([0-9A-F.:]+|-) (\d{12,18}) ([^ \n]*)(?: [^ \n]*){0,5} ([^ \r\n]+)[ \t]*\r?\n",
    re.IGNORECASE,
)
PAGE = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|p)[\s/>]", re.IGNORECASE | re.DOTALL
)


def find_header(data: bytes, begin: int, edge: int) -> int | None:
    """The first header of a WARC record that can be believed: each place is tried, and read from there."""
    for place in range(begin + 1, edge + 1):
        header = WARC_HEADER.match(data, place, place + framing.HEADER)
        if header and http.fields(header[0]).get("warc-type", "").lower() in captures.TYPES:
            return place
    return None


def joined(*tokens: bytes, most: int = 12) -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from(tokens), max_size=most).map(b"".join)


TYPES = (b"WARC-Type: response\n", b"warc-type :\r\n metadata\r\n", b"WARC-Type: x\n", b"WARC-TYPE:\n")


@given(
    joined(
        b"WARC/1.0\n",
        b"WARC/1.1 \r\n",
        b"a:WARC/1.0\n",
        b" WARC/1.0\n",
        *TYPES,
        b"\n",
        b"\r\n",
        b" x\n",
        b"x",
        b"a:b\n",
    )
)
def test_headers_are_those_of_the_twin(data: bytes) -> None:
    for begin in (0, len(data) // 2):
        for edge in (len(data), len(data) * 2 // 3):
            assert warc.FORMAT.find(data, begin, edge) == find_header(data, begin, edge)


@pytest.mark.parametrize("spare", [-1, 0, 1])
def test_headers_of_the_greatest_length(spare: int) -> None:
    data = b"x:WARC/1.0\nWARC-Type: response\n" + b"a:b\n" * 16_000
    data += b"c:" + b"d" * (2 + framing.HEADER + spare - len(data) - 4) + b"\n\n"
    assert warc.FORMAT.find(data, 0, len(data)) == find_header(data, 0, len(data)) == (2 if spare <= 0 else None)


ARC_TOKENS = (
    b"http:",
    b"a",
    b" ",
    b"\t",
    b"\r",
    b"\n",
    b" 1.2.3.4",
    b" -",
    b" 123456789012",
    b" k",
    b" 7",
    b" 7\n",
    b" 7\t \n",
)


@given(joined(*ARC_TOKENS))
def test_header_lines_are_those_of_the_twin(data: bytes) -> None:
    data = b"http://a 1.2.3.4 123456789012" + data
    found, expected = arc.FORMAT.header.match(data), ARC_LINE.match(data)
    assert (found and found.groups()) == (expected and expected.groups())


@given(joined(b"<!--", b"-->", b" ", b"-", b"<", b"x", b"<?xml", b"?>", b"<p>", b"<html ", b"<!doctype html>", most=9))
def test_pages_begin_as_those_of_the_twin(data: bytes) -> None:
    assert html.recognise(Glimpse("", data, complete=True)) == (PAGE.match(data) is not None)


# Chunks of HTTP bodies, by the core and by its twin.


def join_chunks(body: bytes) -> tuple[bytes, bool] | None:
    """What the core does, as a regular expression says it."""
    line = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
    chunks: list[bytes] = []
    at = 0
    while head := line.match(body, at):
        size = int(head[1], 16)
        if size == 0:
            return b"".join(chunks), True
        chunks.append(body[head.end() : head.end() + size])
        end = re.compile(rb"\r?\n").match(body, head.end() + size)
        if end is None:
            break
        at = end.end()
    return (b"".join(chunks), False) if chunks else None


PIECES = [*(bytes([byte]) for byte in b"012aF \t;\r\nx"), b"fffffff", b"\r\n", b"1\na\n", b"3\r\nabc\r\n"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
def test_chunks_are_those_of_the_twin(body: bytes) -> None:
    assert _native.join_chunks(body) == join_chunks(body)


def test_a_body_in_chunks_of_a_byte() -> None:
    """docs/faults.md 45: 64 MB of body cost little more than they are."""
    chunk = b"2\r\nab\r\n"
    body = chunk * ((64 << 20) // len(chunk)) + b"0\r\n\r\n"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = _native.join_chunks(body)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert found is not None
    assert found[1]
    assert len(found[0]) == len(body) // len(chunk) * 2
    assert grown <= 2 * len(body)
