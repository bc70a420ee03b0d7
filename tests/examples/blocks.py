"""The examples of a page of Markdown: commands with the output that the page shows, and blocks of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

PROMPT = "$ "


@dataclass(frozen=True)
class Example:
    """A command or a block of Python, and the output `shown` for it, which stands in the lines `begin` to `end`."""

    kind: str
    block: int
    code: str
    begin: int
    shown: tuple[str, ...] = ()
    end: int = 0


def command(example: Example) -> str:
    """The code of an example without the remark behind it, which begins with two spaces and a hash.

    >>> command(Example("console", 0, "unquilt show run   # a summary", 0))
    'unquilt show run'
    """
    return re.sub(r" {2,}#.*", "", example.code) if example.kind == "console" else example.code


def read_examples(page: Path) -> list[Example]:
    """The examples of a page, in order.

    >>> import tempfile
    >>> page = Path(tempfile.mkdtemp()) / "page.md"
    >>> _ = page.write_text("Text.\\n```console\\n$ echo a\\na\\n$ true\\n```\\n```python\\nprint()\\n```\\n")
    >>> [(example.kind, example.code, example.shown) for example in read_examples(page)]
    [('console', 'echo a', ('a',)), ('console', 'true', ()), ('python', 'print()', ())]
    """
    return list(_examples(page.read_text(encoding="utf-8").splitlines()))


def _examples(lines: list[str]) -> Iterator[Example]:
    blocks = count()
    for kind, begin, end in _fences(lines):
        if kind == "python":
            yield Example(kind, next(blocks), "\n".join(lines[begin:end]), begin, (), end)
        elif kind == "console":
            yield from _commands(lines, next(blocks), begin, end)


def _fences(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """The language of each fenced block, and its lines without the fences."""
    begin, kind = -1, ""
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if begin < 0:
            begin, kind = number + 1, line[3:].strip()
        else:
            yield kind, begin, number
            begin = -1


def _commands(lines: list[str], block: int, begin: int, end: int) -> Iterator[Example]:
    starts = [number for number in range(begin, end) if lines[number].startswith(PROMPT)]
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        behind = start + 1
        while lines[behind - 1].endswith("\\"):
            behind += 1
        code = "\n".join(lines[start:behind]).removeprefix(PROMPT)
        yield Example("console", block, code, behind, tuple(lines[behind:stop]), stop)
