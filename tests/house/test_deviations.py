"""docs/deviations.md: every row says what was published, what is ours and how to get the published one; each option
that it names is one of the commands of its paper, and a test in tests/published runs these options against an oracle of
the published text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from unquilt.cli import cli

PAGE = (Path(__file__).parents[2] / "docs/deviations.md").read_text(encoding="utf-8")
COMMANDS = {
    "Quilts": ("quilts", "sweep"),
    "Near-duplicates and phrases": ("neardups", "phrases", "filter"),
    "Reuse": ("reuse discover", "reuse label", "reuse detect", "show"),
    "Passages": ("passages",),
    "I-Match": ("neardups", "lexicon build", "filter"),
}
_SECTION = re.compile(r"^## ([^:]+):.*\n((?:(?!## ).*\n)*)", re.MULTILINE)
_ROW = re.compile(r"^\| (?!published|---)(.+) \|$", re.MULTILINE)
SECTIONS = dict(_SECTION.findall(PAGE))
TESTS = Path(__file__).parents[1] / "published"
ROWS = [(name, tuple(row.split(" | "))) for name, text in SECTIONS.items() for row in _ROW.findall(text)]


def list_options(line: str) -> set[str]:
    command: click.Command = cli
    for word in line.split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None, word
        command = found
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


def test_every_paper_has_its_rows() -> None:
    assert SECTIONS.keys() == COMMANDS.keys()
    assert all(sum(name == each for each, _ in ROWS) >= 5 for name in COMMANDS)


@pytest.mark.parametrize("paper", COMMANDS)
def test_rows_are_whole_and_their_options_are_there(paper: str) -> None:
    known = {option for command in COMMANDS[paper] for option in list_options(command)}
    for row in (row for name, row in ROWS if name == paper):
        assert len(row) == 3, row[0]
        assert all(cell.strip() for cell in row), row[0]
        codes = re.findall(r"`([^`]+)`", row[2])
        named = {option for code in codes for option in re.findall(r"(?<!\S)--[a-z-]+", code)}
        assert named <= known, (row[0], named - known)


def list_tested() -> Iterator[tuple[str, str]]:
    """The rows whose options tests take, by paper and beginning: `options(PAPER, "beginning")`."""
    for path in TESTS.glob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        (paper,) = [
            node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "PAPER"
            if isinstance(node.value, ast.Constant)
        ]
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "options":
                assert isinstance(node.args[1], ast.Constant)
                yield str(paper), str(node.args[1].value)


def test_options_of_rows_are_run() -> None:
    tested = list(list_tested())
    for paper, row in ROWS:
        if any(word.startswith("--") for code in re.findall(r"`([^`]+)`", row[2]) for word in code.split()):
            assert any(name == paper and row[0].startswith(beginning) for name, beginning in tested), row[0]
