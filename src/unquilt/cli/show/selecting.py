"""The options that choose from a table: which columns, which rows, in which order. `show` and `export` have them.

Imports nothing that costs time: `--help` needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from unquilt.cli.options import usage_error

if TYPE_CHECKING:
    from unquilt.results import Selection

_OPTIONS = (
    click.option("--columns", metavar="A,B,…", help="Only these columns, in this order."),
    click.option(
        "--where",
        metavar="CONDITION",
        help="Only rows for which this is true: an expression of SQL over columns, such as "
        "\"patchfrac > .8 and host = 'news.example'\"; also over id, url, host and domain of documents.",
    ),
    click.option("--sort", metavar="COLUMN", help="Sort by a column, or by several: host,-words; - is largest first."),
)
NAMES = ("columns", "where", "sort")


def selection_options(command: Any) -> Any:
    """Give a command these options; `take_selection` takes their values."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def is_selective(given: Mapping[str, Any]) -> bool:
    """Whether any of the options was given."""
    return any(given.get(name) is not None for name in NAMES)


def read_selection(given: Mapping[str, Any], limit: int | None = None) -> Selection:
    """What was chosen."""
    from unquilt.results import Selection

    for name in NAMES:
        if given[name] is not None and not given[name].strip(" ,"):
            raise usage_error(f"--{name} must not be empty; leave it out for all")
    columns = tuple(part.strip() for part in (given["columns"] or "").split(",") if part.strip())
    return Selection(columns, given["where"], given["sort"] or (), limit)
