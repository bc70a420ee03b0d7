"""How a table is shown: as a whole, and what it says about one document (`--doc`).

`TableView` suits every table. One with more to say names a view of its own (`Table.view`), and the options of its own
(`Table.options`), which are stated in `own_options`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from unquilt.analyses.catalogue import find_function, find_table
from unquilt.cli.options import usage_error
from unquilt.cli.show.choice import choose
from unquilt.cli.show.tables import show_json, show_table
from unquilt.results import RunFolder, Selection

FEW = 20


@dataclass(frozen=True)
class Request:
    """What was asked: a table of a run, all of it or what it says about `doc`."""

    folder: RunFolder
    table: str
    limit: int | None = None
    as_json: bool = False
    doc: str = ""
    selection: Selection = field(default_factory=Selection)
    """Which columns and rows, in which order."""
    own: Mapping[str, Any] = field(default_factory=dict)
    """The values of the options that only some tables have, by name."""

    @property
    def few(self) -> int | None:
        """How many rows people see; all for programs, unless they set a limit."""
        return self.limit or (None if self.as_json else FEW)


class TableView:
    """A table as it is shown."""

    one_is_rows = True
    """Whether what it says about one document is rows of it, so that one can choose among them."""

    def show_all(self, asked: Request) -> None:
        """Print the rows of the table."""
        self._show(asked)

    def show_named(self, asked: Request, name: str) -> None:  # noqa: ARG002
        """Print what the table says about something else that has a name, such as a site."""
        raise usage_error(f"the table {asked.table} has no NAME to look up; --doc is for documents")

    def show_one(self, asked: Request) -> None:
        """Print what the table says about one document."""
        folder, table = asked.folder, asked.table
        folder.table(table)  # an error if there is none
        known = find_table(table)
        if known is None or not known.about:
            raise usage_error(f"--doc is for tables about documents, which {table} is not")
        self._show(asked, choose(folder, table, asked.doc))

    def _show(self, asked: Request, about: int | None = None) -> None:
        if asked.as_json:
            show_json(asked.folder, asked.table, replace(asked.selection, limit=asked.limit), about)
        else:
            show_table(asked.folder, asked.table, replace(asked.selection, limit=asked.limit or FEW), about)


def find_view(table: str) -> TableView:
    """The view of a table."""
    known = find_table(table)
    name = known.view if known else ""
    if known and not name and known.page and known.page.evidence:
        name = "unquilt.cli.show.evidence:EvidenceView"
    view: TableView = find_function(name)() if name else TableView()
    return view
