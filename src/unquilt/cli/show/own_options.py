"""The options of `unquilt show` that only some tables have: stated here, heeded by the views of these tables.

An option is stated in `OWN`; the tables that have it list it (`Table.options`), and their views read
`request.own[name]`.
Given with another table, or with none, it is refused. Imports nothing that costs time: `--help` needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from unquilt.analyses.catalogue import jobs
from unquilt.analyses.quilt_parameters import CHANGEABLE, QuiltParameters
from unquilt.cli.options import parameter_option, usage_error
from unquilt.parameters import ParameterInfo


@dataclass(frozen=True)
class OwnOption:
    """An option, the name under which tables list it (`Table.options`), and whether it is for one document only."""

    option: Callable[[Any], Any]
    name: str
    with_doc: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that have it."""
        names = (table.name for job in jobs() for table in job.tables if self.name in table.options)
        return tuple(dict.fromkeys(names))


def _limit(info: ParameterInfo) -> OwnOption:
    """A limit that a finished run of quilts can be judged by again."""
    words = f"judge again by another limit: {info.help}"
    return OwnOption(parameter_option(QuiltParameters, info.name, words), "limits")


OWN: dict[str, OwnOption] = {
    "full": OwnOption(
        click.option(
            "--full", is_flag=True, help="With --doc or --pair: all of the text, also where there are no patches."
        ),
        "full",
        with_doc=True,
    ),
    "order": OwnOption(
        click.option(
            "--order",
            type=click.Choice(["largest", "loosest"]),
            help="With clusters: which of them come first (default largest).",
        ),
        "order",
    ),
    "diff": OwnOption(
        click.option(
            "--diff", nargs=2, metavar="A B", help="With clusters: show the differences between two documents."
        ),
        "diff",
    ),
    "pair": OwnOption(
        click.option(
            "--pair",
            nargs=2,
            metavar="A B",
            help="With passages: show two documents side by side, with their common passages marked.",
        ),
        "pair",
    ),
    **{info.name: _limit(info) for info in QuiltParameters.describe() if info.name in CHANGEABLE},
}
"""By the name that their value has in `Request.own`, in the order in which `--help` lists them."""


def own_options(command: Any) -> Any:
    """Give a command the options of all tables; it gets their values by name."""
    for own in reversed(OWN.values()):
        command = own.option(command)
    return command


def refuse_strange(given: Mapping[str, Any], table: str | None, doc: str | None) -> None:
    """Raise a usage error for an option that was given, and that this table does not have."""
    for name, value in given.items():
        own = OWN[name]
        if value is None or value is False or value == ():
            continue
        if own.with_doc and doc is None and not given.get("diff") and not given.get("pair"):
            raise usage_error(f"--{name.replace('_', '-')} is for one document; say which with --doc")
        if table not in own.tables:
            raise usage_error(f"--{name.replace('_', '-')} is for {_tables(own.tables)}")


def _tables(names: tuple[str, ...]) -> str:
    *most, last = names
    return f"the tables {', '.join(most)} and {last}" if most else f"the table {last}"
