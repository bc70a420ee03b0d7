"""What tests of docs/deviations.md share: the options that a row of it names, and runs of commands with these."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from faulty import invoke

import unquilt

PAGE = Path(__file__).parents[1] / "docs/deviations.md"
_SECTION = re.compile(r"^## ([^:]+):.*\n((?:(?!## ).*\n)*)", re.MULTILINE)
_ROW = re.compile(r"^\| (?!published|---)(.+) \|$", re.MULTILINE)


@cache
def read_rows() -> list[tuple[str, str, str, str]]:
    """Of each row: the paper, what is published, what is ours, and how to get the published one."""
    sections = _SECTION.findall(PAGE.read_text(encoding="utf-8"))
    return [(paper, *row.split(" | ")) for paper, text in sections for row in _ROW.findall(text)]


def options(paper: str, beginning: str) -> list[str]:
    """The options of the first command that the row names for the published definition."""
    (last,) = [row[3] for row in read_rows() if row[0] == paper and row[1].startswith(beginning)]
    words = next(code.split() for code in re.findall(r"`([^`]+)`", last) if "--" in code)
    return words[next(at for at, word in enumerate(words) if word.startswith("--")) :]


def run(folder: Path, command: str, rows: Iterable[Mapping[str, Any]] | Path, *given: str) -> unquilt.Run:
    """The run that the command line makes of these documents, in a folder of its own."""
    folder.mkdir(exist_ok=True)
    place = folder / f"run-{len(list(folder.iterdir()))}"
    if isinstance(rows, Path):
        pages = rows
    else:
        pages = folder / f"pages-{len(list(folder.iterdir()))}.jsonl"
        pages.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ended = invoke(*command.split(), pages, "-o", place, "-q", *given)
    assert ended.code == 0, ended.err
    return unquilt.Run.read(place)
