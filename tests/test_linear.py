"""FAULTS 24, 43, 45: every loop over input is linear, whoever wrote the input.

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
                assert said["verdict"] == ""
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


@pytest.mark.parametrize("name", shapes.CASES)
def test_hostile_input(name: str, judge: Judge) -> None:
    judge.ask("case", name)


@pytest.mark.parametrize("name", shapes.SWEEPS)
def test_tokens_and_pairs_of_tokens(name: str, judge: Judge) -> None:
    judge.ask("sweep", name)


@pytest.mark.parametrize("name", patterns.find())
def test_regular_expressions(name: str, judge: Judge) -> None:
    judge.ask("pattern", name)


def test_kinds_are_told_in_milliseconds(judge: Judge) -> None:
    judge.ask("tell", "")


def test_every_regular_expression_is_found() -> None:
    """Each is a constant that something uses, so that `patterns` knows how."""
    assert [name for name, found in patterns.find().items() if not found.methods] == []
    inside = [
        f"{path.name}, line {call.lineno}"
        for path in Path(unquilt.corpus.__file__).parent.glob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "re.compile"
    ]
    assert inside == []


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
    """FAULTS 45: 64 MB of body cost little more than they are."""
    chunk = b"2\r\nab\r\n"
    body = chunk * ((64 << 20) // len(chunk)) + b"0\r\n\r\n"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    joined = _native.join_chunks(body)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert joined is not None
    assert joined[1]
    assert len(joined[0]) == len(body) // len(chunk) * 2
    assert grown <= 2 * len(body)
