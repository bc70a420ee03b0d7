"""How a table is shown: as a whole, and what it says about one document (`--doc`).

`TableView` suits every table. One with more to say has a view of its own, beside its other code, and a line in `VIEWS`;
options of its own are stated in `own_options`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from unquilt.cli.options import usage_error
from unquilt.cli.show.choice import ABOUT, choose
from unquilt.cli.show.folders import Folder, rows
from unquilt.cli.show.tables import show_rows, show_table
from unquilt.cli.terminal.output import emit, json_line

FEW = 20
VIEWS = {
    "quilts": "unquilt.cli.show.evidence:QuiltsView",
    "patches": "unquilt.cli.show.evidence:PatchesView",
    "documents": "unquilt.cli.show.evidence:DocumentsView",
    "clusters": "unquilt.cli.show.clusters:ClustersView",
}
"""The tables with a view of their own, as module:class."""


@dataclass(frozen=True)
class Request:
    """What was asked: a table of a run, all of it or what it says about `doc`."""

    folder: Folder
    table: str
    limit: int | None = None
    as_json: bool = False
    doc: str = ""
    own: Mapping[str, Any] = field(default_factory=dict)
    """The values of the options that only some tables have, by name."""

    @property
    def few(self) -> int | None:
        """How many rows people see; all for programs, unless they set a limit."""
        return self.limit or (None if self.as_json else FEW)


class TableView:
    """A table as it is shown."""

    def show_all(self, asked: Request) -> None:
        """Print the rows of the table."""
        if asked.as_json:
            for row in rows(asked.folder.table(asked.table), limit=asked.limit):
                emit(json_line(row))
        else:
            show_table(asked.folder, asked.table, asked.limit or FEW)

    def show_one(self, asked: Request) -> None:
        """Print what the table says about one document."""
        folder, table = asked.folder, asked.table
        if folder.columns(table)[0] not in ABOUT:
            raise usage_error(f"--doc is for tables about documents, which {table} is not")
        found = folder.about(table, choose(folder, table, asked.doc))
        if asked.as_json:
            for row in found[: asked.limit]:
                emit(json_line(row))
        else:
            show_rows(folder, table, found, asked.few)


def find_view(table: str) -> TableView:
    """The view of a table."""
    if table not in VIEWS:
        return TableView()
    module, _, name = VIEWS[table].partition(":")
    view: TableView = getattr(import_module(module), name)()
    return view
