"""Addresses on the page, where the cells of rows lead by their tables, and rows that are ready for a template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple
from urllib.parse import quote as quote_part
from urllib.parse import urlencode

from unquilt.page.listing import Listing
from unquilt.results.names import SHOWN
from unquilt.results.rows import RowColumn, name_column
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.table import Table

_COLUMN = re.compile(r"\{(\w+)\}")


ROOT: ContextVar[str] = ContextVar("root", default="")
"""The folder below which all addresses of a server are; the guard sets it for each request."""


def address(*parts: object, **asked: object) -> str:
    """An address on this page: parts of a path, quoted, and what is asked for.

    >>> address("runs", "a b", "sites", name="x&y")
    '/runs/a%20b/sites?name=x%26y'
    """
    path = f"{ROOT.get()}/" + "/".join(quote_part(str(part), safe="") for part in parts)
    given = {name: value for name, value in asked.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def change(path: str, asked: Mapping[str, str], **changes: object) -> str:
    """The same address with something else asked for."""
    given = {name: value for name, value in (dict(asked) | changes).items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


class LinkedRows(NamedTuple):
    """Rows with the columns that are shown, each with its `cells` and `links`."""

    columns: Sequence[RowColumn]
    rows: Sequence[Mapping[str, Any]]


def link_rows(
    listing: Listing, run: str, columns: Sequence[RowColumn] = (), limit: int | None = None, offset: int = 0
) -> LinkedRows:
    """Some rows of a listing; columns that links need are read, too."""
    shown = list(columns) or listing.listed
    needed = {name for target in _targets(listing.known).values() for name in _COLUMN.findall(target)}
    read = dict.fromkeys([*(each.name for each in shown), *(name for name in needed if name in listing.columns)])
    rows = listing.rows(list(read), limit, offset)
    return LinkedRows(shown, [{"cells": row, "links": find_links(run, listing.known, row)} for row in rows])


def _targets(known: Table | None) -> dict[str, str]:
    if known is None:
        return {}
    found = {column: f"{DOCUMENTS.name}/{{{column}}}" for column in known.documents}
    return found | dict(known.page.links if known.page else {})


def find_links(run: str, known: Table | None, row: Mapping[str, Any]) -> dict[str, str]:
    """Where the cells of a row lead, by column, as the table says: to what explains the row, to documents and sites."""
    found: dict[str, str] = {}
    for column, target in _targets(known).items():
        if all(row.get(each) is not None for each in _COLUMN.findall(target)):
            found[column] = _fill(run, target, row)
            found |= {name_column(column, part): found[column] for part in SHOWN}
    return found


def _fill(run: str, target: str, row: Mapping[str, Any]) -> str:
    """The address of `quilts/{doc}` or `phrases?site={site}` for a row."""
    path, _, query = target.partition("?")
    asked = dict(pair.split("=", 1) for pair in query.split("&") if pair)
    given = {name: value.format_map(row) for name, value in asked.items()}
    return address("runs", run, *(part.format_map(row) for part in path.split("/")), **given)
