"""The reference of the command line, `docs/cli.md`, made from the commands themselves:

    python -m tools.reference > docs/cli.md

A test compares the two.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from unquilt.cli import cli
from unquilt.cli.group import LazyGroup
from unquilt.cli.terminal.output import emit

PREAMBLE = """\
# The command line

<!-- Made by `python -m tools.reference > docs/cli.md`; a test compares the two. -->

Results go to standard output, progress and errors to standard error. An error is one line, `unquilt: …`, that says
what failed, where, and what to do.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | failed |
| 2 | wrong usage: an unknown option, a parameter out of range |
| 3 | done, but more records were rejected than `--max-rejects` allows |
| 130 | interrupted (Ctrl-C); the same command resumes. A second Ctrl-C stops at once, and does no harm either |
| 143 | terminated (SIGTERM); the same command resumes |

| environment variable | meaning |
| --- | --- |
| `NO_COLOR` | neither colours nor moving progress bars, on a terminal too |
| `COLUMNS` | how wide tables may be, instead of the terminal's width |
| `UNQUILT_TRACEBACK` | 1: show the traceback of an error, as `--traceback` does |
"""


def reference() -> str:
    """The whole reference, in Markdown."""
    parts = [PREAMBLE, *_section(cli, click.Context(cli, info_name="unquilt"))]
    return "\n".join(parts).rstrip("\n") + "\n"


def _section(command: click.Command, ctx: click.Context) -> Iterator[str]:
    """A command and, if it is a group, all that it holds."""
    yield from _command(command, ctx)
    if not isinstance(command, LazyGroup):
        return
    for name in command.table:
        inner = command.get_command(ctx, name)
        assert inner is not None
        yield from _section(inner, click.Context(inner, info_name=name, parent=ctx))


def _command(command: click.Command, ctx: click.Context) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(ctx)).replace("[COMMAND]", "COMMAND")  # click 8.5 adds brackets
    yield f"## `{ctx.command_path}`\n"
    yield f"    {ctx.command_path} {usage}\n"
    yield f"{inspect.cleandoc(command.help or '')}\n"
    if isinstance(command, LazyGroup):
        path = ctx.command_path.replace(" ", "-")
        yield "| command | |\n| --- | --- |"
        yield from (f"| [`{name}`](#{path}-{name}) | {text} |" for name, (_, text) in command.table.items())
        yield ""
    yield "| option | |\n| --- | --- |"
    options = [option for option in command.params if isinstance(option, click.Option)]
    yield from (_option(option) for option in options if not option.hidden)
    yield ""
    yield "```console"
    yield from (f"$ {line.strip()}" for line in _examples(command))
    yield "```\n"


def _option(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    takes = "" if option.is_flag else f" `{_placeholder(option)}`"
    required = " Required." if option.required else ""
    return f"| {names}{takes} | {_escape(option.help or '')}{required} |"


def _placeholder(option: click.Option) -> str:
    """What stands for the value."""
    if option.metavar:
        return option.metavar
    choices = getattr(option.type, "choices", None)
    return " or ".join(map(str, choices)) if choices else option.type.name.replace("|", " or ")


def _escape(text: str) -> str:
    return re.sub(r"([|<>*_])", r"\\\1", text)


def _examples(command: click.Command) -> list[str]:
    """The lines of the epilog after its heading."""
    return [line for line in (command.epilog or "").splitlines() if line.startswith("  ")]


if __name__ == "__main__":
    emit(reference().rstrip("\n"))
