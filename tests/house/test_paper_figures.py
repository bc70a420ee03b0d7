"""docs/papers/figures.md lists every figure and table of the five papers, and each command that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import click

from unquilt.cli import cli

PAGE = (Path(__file__).parents[2] / "docs/papers/figures.md").read_text(encoding="utf-8")
PUBLISHED = {
    "Quilts": (5, 2),
    "Phrases": (9, 1),
    "Reuse": (14, 7),
    "Passages": (11, 3),
    "I-Match": (3, 1),
}
"""Of each paper, how many figures and tables it has."""
STATES = {"drawn", "table", "judged", "part", "no reason"}
_SECTION = re.compile(r"^## ([^:]+):.*\n((?:(?!## ).*\n)*)", re.MULTILINE)
_ROW = re.compile(r"^\| ((?:Figure|Table) \d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
SECTIONS = dict(_SECTION.findall(PAGE))
COMMANDS = sorted(set(re.findall(r"`(unquilt [^`]+)`", PAGE)))


def test_every_figure_and_table_is_listed() -> None:
    assert SECTIONS.keys() == PUBLISHED.keys()
    for name, (figures, tables) in PUBLISHED.items():
        listed = [found[0] for found in _ROW.findall(SECTIONS[name])]
        wanted = [f"Figure {n + 1}" for n in range(figures)] + [f"Table {n + 1}" for n in range(tables)]
        assert sorted(listed) == sorted(wanted), name
    assert f"have {sum(map(sum, PUBLISHED.values()))} figures and tables" in PAGE


def test_each_says_what_makes_it_or_why_nothing_does() -> None:
    for row in _ROW.findall(PAGE):
        _, _, state, how = row
        assert state in STATES, row
        assert how.strip(), row
        assert state == "no reason" or "`unquilt " in how, row


def test_commands_and_options_are_there() -> None:
    for line in COMMANDS:
        check_command(line)


def check_command(line: str) -> None:
    command: click.Command = cli
    words = line.split()[1:]
    context = click.Context(cli)
    while isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(context, name)
        assert found is not None, f"there is no command {name}"
        command = found
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--") or (word[0] == "-" and len(word) == 2)} <= known, line
