"""What is known of a table, said once: its columns and what they mean, its key, what a row is, how people read it.

Files are checked against it (`flow.kept`), `unquilt show` prints by it, and docs/runs.md is made from it:

>>> PRICES = Table(
...     "prices",
...     (column("item", pa.string(), "what is sold"), column("price", pa.float64(), "in euros", null=True)),
...     row=("price", "prices"),
...     see="what everything costs",
... )
>>> PRICES.key, PRICES.schema.names
(('item',), ['item', 'price'])
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa


@dataclass(frozen=True)
class Column:
    """A column: `null` says that values may be missing, `later` that runs by older versions do not have it."""

    name: str
    type: pa.DataType
    meaning: str
    null: bool = False
    later: bool = False
    is_document: bool = False
    """Whether its values are numbers of documents."""

    @property
    def field(self) -> pa.Field:
        """As Arrow has it."""
        return pa.field(self.name, self.type, nullable=self.null)


def column(name: str, kind: pa.DataType, meaning: str, *, null: bool = False, later: bool = False) -> Column:
    """A column of any type."""
    return Column(name, kind, meaning, null, later)


def integer(name: str, meaning: str, *, later: bool = False) -> Column:
    """A column of whole numbers."""
    return Column(name, pa.int64(), meaning, later=later)


def document(name: str, meaning: str, *, null: bool = False, later: bool = False) -> Column:
    """A column of document numbers; a table that begins with one is in its order."""
    return Column(name, pa.int64(), meaning, null, later, is_document=True)


@dataclass(frozen=True)
class Table:
    """A table of a run or corpus folder, in the order of its primary key, which are its first columns.

    `see` says what one sees there, in a few words; `notes` what docs/runs.md has to add, in Markdown.
    """

    name: str
    columns: tuple[Column, ...]
    key_columns: int = 1
    """How many columns, from the first, make the primary key; 0 for a table in the order of the inputs."""
    row: tuple[str, str] = ("row", "rows")
    """What a row is: one, and several."""
    see: str = ""
    notes: str = ""
    first: tuple[str, ...] = ()
    """The columns that matter most to people, who see them first; the others follow in their own order."""
    hidden: tuple[str, ...] = ()
    """Columns that people do not see, unless they ask for one row."""
    sparse: tuple[str, ...] = ()
    """Columns that some runs have no values for: people then do not see them."""
    order: tuple[str, ...] = ()
    """The columns by which people want it, largest first (a minus: smallest first); if there are none, as it is."""
    identified: tuple[str, ...] = ()
    """Columns of documents that people see with ids and URLs."""
    on_the_way: bool = False
    """Whether it is only made on the way to others, for kernels to read: it goes when the run is finished."""

    def __post_init__(self) -> None:
        names = [each.name for each in self.columns]
        for name in (
            *self.first,
            *self.hidden,
            *self.sparse,
            *self.identified,
            *(by.removeprefix("-") for by in self.order),
        ):
            if name not in names:
                raise TypeError(f"table {self.name} has no column {name}")

    @cached_property
    def schema(self) -> pa.Schema:
        """Its columns as Arrow has them."""
        return pa.schema([each.field for each in self.columns])

    @property
    def key(self) -> tuple[str, ...]:
        """The columns of the primary key."""
        return tuple(each.name for each in self.columns[: self.key_columns])

    @property
    def documents(self) -> tuple[str, ...]:
        """The columns that are numbers of documents."""
        return tuple(each.name for each in self.columns if each.is_document)

    @property
    def is_numbered(self) -> bool:
        """Whether it is in the order of documents, whose numbers are its first column."""
        return self.columns[0].is_document

    @property
    def later(self) -> tuple[str, ...]:
        """Columns that older runs do not have, and that whoever reads the table can do without."""
        return tuple(each.name for each in self.columns if each.later)

    def named(self, name: str) -> Table:
        """The same table under another name, such as that of one round or of one value of a parameter."""
        return replace(self, name=name)
