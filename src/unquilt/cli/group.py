"""A group whose commands are imported when they are called: until then their name and one line of help will do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeVar

import click

from unquilt.cli.terminal.endings import end
from unquilt.cli.terminal.output import emit

Command = TypeVar("Command", bound=Callable[..., Any])
Table = Mapping[str, tuple[str, str]]


def _show_help(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        emit(ctx.get_help())
        ctx.exit()


def usual_options(command: Command) -> Command:
    """What every command has."""
    flag: dict[str, Any] = {"is_flag": True, "expose_value": False}
    helping = click.option("-h", "--help", is_eager=True, callback=_show_help, help="Show this and exit.", **flag)
    tracing = click.option("--traceback", help="Show the traceback of an error.", **flag)
    return tracing(helping(command))


class LazyGroup(click.Group):
    """`list_table()` is name → ("module:function", short help). How its commands end is up to `endings`."""

    def __init__(self, *args: Any, list_table: Callable[[], Table], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._list_table = list_table

    @property
    def table(self) -> Table:
        """The commands by name, those that were registered later included."""
        return self._list_table()

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self.table:
            return None
        module, _, function = self.table[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), function)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.table and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = get_close_matches(name, self.table, n=1)
            advice = f"did you mean {close[0]}?" if close else f"there are: {', '.join(self.table)}"
            raise click.UsageError(f"there is no command {name!r}; {advice}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.table.items()])

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command and exit, by the rules of `endings`, which differ from click's own."""
        if "_UNQUILT_COMPLETE" in os.environ:  # the shell asks how to complete a command
            return super().main(args, prog_name, **extra)
        given = list(sys.argv[1:] if args is None else args)

        def run() -> None:
            with self.make_context(prog_name or "unquilt", list(given)) as ctx:
                self.invoke(ctx)

        sys.exit(end(run, given))
