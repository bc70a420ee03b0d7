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

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa


@dataclass(frozen=True)
class Column:
    """A column: `null` says that values may be missing."""

    name: str
    type: pa.DataType
    meaning: str
    null: bool = False
    is_document: bool = False
    """Whether its values are numbers of documents."""
    is_share: bool = False
    """Whether its values are shares, which people see as percentages."""

    @property
    def field(self) -> pa.Field:
        """As Arrow has it."""
        return pa.field(self.name, self.type, nullable=self.null)


def column(name: str, kind: pa.DataType, meaning: str, *, null: bool = False) -> Column:
    """A column of any type."""
    return Column(name, kind, meaning, null)


def integer(name: str, meaning: str, *, null: bool = False) -> Column:
    """A column of whole numbers."""
    return Column(name, pa.int64(), meaning, null)


def share(name: str, meaning: str, *, null: bool = False) -> Column:
    """A column of shares, from 0 to 1."""
    return Column(name, pa.float64(), meaning, null, is_share=True)


def document(name: str, meaning: str, *, null: bool = False) -> Column:
    """A column of document numbers; a table that begins with one is in its order."""
    return Column(name, pa.int64(), meaning, null, is_document=True)


BESIDE = b"unquilt.name"
"""What further columns of a table are known by (see `Table.extensible`): what they are called in the inputs."""


@dataclass(frozen=True, kw_only=True)
class OnPage:
    """How the page in the browser shows a table. A new table says so, or `NOT_LISTED`; a test asks for it.

    Functions are named as `module:function`, and imported when they are needed.
    """

    tab: str = ""
    """What its tab is called in a run of an analysis that makes it; empty if it has none."""
    filters: tuple[str, ...] = ()
    """The columns that people filter it by; there are conditions for everything else."""
    links: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Where the cells of a column lead, below the address of the run, such as `quilts/{doc}`; ids lead where their
    documents do. Numbers of documents lead to these, unless something else is said."""
    documents: tuple[str, ...] = ()
    """The columns by which the page of a document finds rows about it."""
    sites: tuple[str, ...] = ()
    """The same for the page of a host, by its host or its domain."""
    evidence: str = ""
    """The function that finds the evidence of a row; empty if there is nothing to mark in a text."""
    at: str = ""
    """Where its tab leads below the address of the run, if that is not the table."""
    judged: str = ""
    """The function that describes a row for judging; a row without one is shown with its evidence, or plainly."""


NOT_LISTED = OnPage()
"""Of a table that the page lists under its name, and nowhere else."""


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
    """The columns by which people want it, as `--sort` has them: smallest first, with a minus largest first."""
    identified: tuple[str, ...] = ()
    """Columns of documents that people see with ids and URLs."""
    texts: Mapping[str, tuple[str, str, str]] = field(default_factory=dict, hash=False)
    """Columns that can be asked for beside its own, if the corpus is there: passages of documents, by the columns that
    say of which document, and where it begins and ends."""
    listed_in: str = ""
    """The table that lists the documents of its first column, by which `--doc` finds rows; `documents`, if that column
    is `doc`."""
    options: tuple[str, ...] = ()
    """The options of `unquilt show` that it has beside those of all tables."""
    view: str = ""
    """The class that prints it for `unquilt show`, as `module:class`, if it is not printed like any other."""
    with_evidence: str = ""
    """The class that reads its rows for `export --evidence`; tables with `texts` need none."""
    page: OnPage | None = None
    """How the page shows it. A table that stays must say; of one on the way there is nothing to say."""
    extensible: bool = False
    """Whether its files may have further columns behind its own: those that the inputs of a corpus have."""
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
            *(name for place in self.texts.values() for name in place),
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
    def about(self) -> str:
        """The table that lists the documents which `--doc` can name; empty if rows are not about documents."""
        return self.listed_in or ("documents" if self.columns[0].name == "doc" else "")

    def named(self, name: str) -> Table:
        """The same table under another name, such as that of one round or of one value of a parameter."""
        return replace(self, name=name)
