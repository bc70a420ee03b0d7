"""The rows of a table with ids and URLs beside the numbers of documents: some columns, some rows, in some order.

A column `doc` gets `id` and `url` beside it, any other column X of document numbers `X_id` and `X_url`, unless the
table has these itself; `host` and `domain` (`X_host`, `X_domain`) are there to be asked for. Without the corpus there
are no names.

Rows are read row group by row group, of the columns that are needed, and no further than the limit. Memory: a row
group; what sorting takes is said there.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import pyarrow as pa

from unquilt.analyses.catalogue import find_table
from unquilt.errors import ParameterError
from unquilt.results.conditions import Condition
from unquilt.results.folders import RunFolder
from unquilt.results.names import ASKED, SHOWN, Names
from unquilt.results.sorting import check_keys, read_keys, sort_all, take_first
from unquilt.tables import DOCUMENTS

Read = Callable[[Sequence[str]], pa.Table]


@dataclass(frozen=True)
class Selection:
    """Which rows of a table: `columns` by name (none: all, with ids and URLs), those for which `where` is true, sorted
    by the columns in `sort` (`a,-b`; none: in the order of the table), at most `limit`."""

    columns: Sequence[str] = ()
    where: str | None = None
    sort: str | Sequence[str] = ()
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ParameterError(f"limit must be at least 1, not {self.limit}")


def name_column(column: str, part: str) -> str:
    """What the ids, URLs … of the documents in a column are called.

    >>> name_column("doc", "url"), name_column("source", "url")
    ('url', 'source_url')
    """
    return part if column == "doc" else f"{column}_{part}"


class RowsPiece(NamedTuple):
    """A piece of the rows: `read` gives them, and they are chosen from so many `rows` of the table."""

    rows: int
    read: Callable[[], Iterator[pa.Table]]


class _Field(NamedTuple):
    """A column that rows can have: one of the table, or a `part` of the names of the documents in one of them."""

    own: str
    part: str = ""


class TableRows:
    """The rows of a table that were selected, in batches; `schema` is theirs, `columns` the names of all there are.

    Without `names`, ids and URLs that the table does not have itself are left out unless they are asked for. With
    `about`, only rows whose first column is this document.
    """

    def __init__(
        self,
        folder: RunFolder,
        name: str,
        selection: Selection | None = None,
        *,
        names: bool = True,
        about: int | None = None,
    ) -> None:
        selection = selection or Selection()
        self._table = folder.table(name)
        self._about = about
        self._name = name
        self._documents = folder.tables.get(DOCUMENTS.name)
        self._fields = self._find_fields()
        self._limit = selection.limit
        usual = [column for column, field in self._fields.items() if not field.part or (names and field.part in SHOWN)]
        self.chosen = list(dict.fromkeys(selection.columns)) or usual
        self._keys = read_keys(selection.sort)
        for column in (*self.chosen, *(key.column for key in self._keys)):
            self._check_column(column)
        check_keys(self._keys, self._schema(self._fields))
        there = dict(zip(self._fields, self._schema(self._fields).types, strict=True))
        self._condition = Condition(selection.where, there, name) if selection.where is not None else None

    @property
    def columns(self) -> list[str]:
        """The columns that can be asked for."""
        return list(self._fields)

    @property
    def total(self) -> int | None:
        """How many rows there are without a limit; None if they would have to be counted."""
        if self._condition:
            return None
        return self._table.rows if self._about is None else sum(read([]).num_rows for read in self._readers())

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns that were chosen."""
        return self._schema(self.chosen)

    def __iter__(self) -> Iterator[pa.Table]:
        """Batches of rows; none is empty."""
        needed = self._needed
        if not self._keys:
            found = self._read(needed, self._limit)
        elif self._limit is not None:
            best = take_first(self._read(needed), self._keys, self._limit)
            found = iter(() if best is None else (best,))
        else:
            found = sort_all(self._read(needed), self._schema(needed), self._keys)
        return self._complete(found)

    def pieces(self, rows: int) -> list[RowsPiece]:
        """The same in pieces that can be read one by one: each of at least so many rows of the table, which are chosen
        from. There is but one if rows are sorted, or counted for a limit."""
        if self._keys or self._limit is not None or self._about is not None:
            return [RowsPiece(self._table.rows, self.__iter__)]
        readers = list(self._readers())
        sizes = [split.rows for split in self._table.splits()]
        found: list[RowsPiece] = []
        begin, size = 0, 0
        for number, count in enumerate(sizes, start=1):
            size += count
            if size >= rows or number == len(sizes):
                found.append(RowsPiece(size, partial(self._read_piece, readers[begin:number])))
                begin, size = number, 0
        return found

    def _read_piece(self, readers: Sequence[Read]) -> Iterator[pa.Table]:
        return self._complete(self._read(self._needed, None, readers))

    @property
    def _needed(self) -> list[str]:
        """The columns that must be read before rows are sorted."""
        return list(dict.fromkeys([*self._own(self.chosen), *(key.column for key in self._keys)]))

    def _complete(self, found: Iterator[pa.Table]) -> Iterator[pa.Table]:
        """Rows with all the columns that were chosen."""
        for part in found:
            if part.num_rows:
                yield self._attach(part, self.chosen).select(self.chosen)

    def _find_fields(self) -> dict[str, _Field]:
        """All columns that there are, each name beside its number."""
        known = find_table(self._name)
        own = self._table.columns or (list(known.schema.names) if known else [])
        named = known.documents if known is not None and self._documents is not None else ()
        fields: dict[str, _Field] = {}
        for column in own:
            fields[column] = _Field(column)
            if column in named and self._name != DOCUMENTS.name:
                names = {part: name_column(column, part) for part in ASKED}
                fields |= {name: _Field(column, part) for part, name in names.items() if name not in own}
        return fields

    def _check_column(self, column: str) -> None:
        if column not in self._fields:
            close = difflib.get_close_matches(column, self._fields, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(self._fields)}"
            raise ParameterError(f"{self._name} has no column {column!r}; {hint}")

    def _schema(self, columns: Sequence[str] | dict[str, _Field]) -> pa.Schema:
        own = self._table.schema
        known = find_table(self._name)
        own = own if own is not None else known.schema if known else pa.schema([])
        types = []
        for column in columns:
            field = self._fields[column]
            if field.part:
                assert self._documents is not None
                there = self._documents.schema
                found = (there if there is not None else DOCUMENTS.schema).field(field.part)
                types.append(found.with_name(column).with_nullable(True))
            else:
                types.append(own.field(column))
        return pa.schema(types)

    def _own(self, columns: Sequence[str]) -> list[str]:
        """The columns of the table that these are, or are made from."""
        return list(dict.fromkeys(self._fields[column].own for column in columns))

    def _read(
        self, columns: Sequence[str], limit: int | None = None, readers: Iterable[Read] | None = None
    ) -> Iterator[pa.Table]:
        """The rows that are true, with these columns."""
        left = limit
        for read in self._readers() if readers is None else readers:
            part = self._filter(read, columns) if self._condition else read(self._own(columns))
            if left is not None:
                part = part.slice(0, left)
                left -= part.num_rows
            yield self._attach(part, columns).select(list(columns))
            if left == 0:
                return

    def _readers(self) -> Iterator[Read]:
        """What reads some columns of one piece of the table after the other."""
        if self._about is None:
            yield from (split.read for split in self._table.splits())
        elif self._table.paths:
            number, key = self._about, self._table.columns[0]
            yield lambda columns: self._table.between(number, number, list(dict.fromkeys([key, *columns]))).select(
                list(columns)
            )

    def _filter(self, read: Read, columns: Sequence[str]) -> pa.Table:
        """The rows of a row group that are true; of the other columns, only what is needed is read."""
        assert self._condition is not None
        asked = self._condition.columns or self._table.columns[:1]
        part = self._attach(read(self._own(asked)), asked)
        true = self._condition.choose(part.select(self._condition.columns) if self._condition.columns else part)
        if not len(true):
            return self._schema(self._own(columns)).empty_table()
        return read(self._own(columns)).take(true)

    def _attach(self, part: pa.Table, columns: Sequence[str]) -> pa.Table:
        """Rows with those of these columns that are names."""
        wanted: dict[str, list[str]] = {}
        for column in columns:
            if column not in part.column_names:
                wanted.setdefault(self._fields[column].own, []).append(column)
        for own, missing in wanted.items():
            found = self._names.look_up(part.column(own))
            for column in missing:
                part = part.append_column(self._schema([column]).field(0), found.column(self._fields[column].part))
        return part

    @cached_property
    def _names(self) -> Names:
        """Of the parts that anything here asks for."""
        assert self._documents is not None
        asked = [*self.chosen, *(key.column for key in self._keys)]
        asked += self._condition.columns if self._condition else []
        parts = {self._fields[column].part for column in asked} - {""}
        return Names(self._documents, [part for part in ASKED if part in parts])
