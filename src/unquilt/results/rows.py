"""The rows of a table with ids and URLs beside the numbers of documents: some columns, some rows, in some order.

Everybody who reads results reads them here: `unquilt show`, the page, the report, exports and Python.

A column `doc` gets `id` and `url` beside it, any other column X of document numbers `X_id` and `X_url`, unless the
table has these itself; `host` and `domain` (`X_host`, `X_domain`) are there to be asked for, and so are passages of
texts, of the tables that have some (`Table.texts`). Without the corpus there are neither names nor texts.

Rows are read row group by row group, of the columns that are needed, and no further than the limit. The first rows in
another order are found by the columns that they are sorted by alone. Memory: a row group; what sorting takes is said
there.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.jobs.conditions import Condition, read_keys
from unquilt.jobs.patience import check_time
from unquilt.results.folders import RunFolder
from unquilt.results.names import ASKED, SHOWN
from unquilt.results.sorting import check_keys, sort_all, take_first, take_part
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.table import Table

Read = Callable[[Sequence[str]], pa.Table]
SORTED_AT_ONCE = 100_000
"""Rows of a table that are sorted in memory, without DuckDB, which takes a while to start."""
TEXTS_AT_ONCE = 4_096
"""Rows whose passages are in memory."""
ROWS_AT_ONCE = 1_000
ASKED_AT_ONCE, MOST_ASKED_BYTES = 65_536, 16 << 20
"""Rows, and bytes of these, that a condition is held against at once."""
_PLACE = "place of the row"
_GROUP = 1 << 40
"""A place is the number of a piece of the table times this, and the number of the row in it."""


@dataclass(frozen=True)
class Selection:
    """Which rows of a table: `columns` by name (none: all, with ids and URLs), those for which `where` is true, sorted
    by the columns in `sort` (`a,-b`; none: in the order of the table), at most `limit`, the first `offset` left out."""

    columns: Sequence[str] = ()
    where: str | None = None
    sort: str | Sequence[str] = ()
    limit: int | None = None
    offset: int = 0

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ParameterError(f"limit must be at least 1, not {self.limit}")


def arrange(folder: RunFolder, name: str, selection: Selection, *, hidden: bool = False) -> Selection:
    """The selection with the columns that people see, and the order in which they want rows, unless it says other ones:
    the same for the terminal, JSON, exports and the page. URLs stand where a document is named, and ids at the end; in
    a corpus without URLs it is the other way round. With `hidden`, all other columns follow: for programs."""
    known, there = folder.describe(name), folder.columns(name)
    if known is None or not there:
        return selection
    named = known.identified if DOCUMENTS.name in folder.tables else ()
    first, last = ("url", "id") if folder.has_urls else ("id", "url")
    columns: list[str] = []
    own = known.schema.names
    for column in dict.fromkeys([*known.first, *there]):
        if column in there and column not in known.hidden and column in own:
            columns += [column, *([name_column(column, first)] if column in named else [])]
    columns += [name_column(column, last) for column in named]
    if "id" in columns and "url" in columns and columns.index(last) < columns.index(first):
        here, there_ = columns.index(last), columns.index(first)
        columns[here], columns[there_] = first, last
    if hidden and not selection.columns:
        columns += [column for column in TableRows(folder, name).chosen if column not in columns]
    order = [column for column in known.order if column.removeprefix("-") in there]
    return replace(selection, columns=selection.columns or columns, sort=selection.sort or order)


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


@dataclass(frozen=True)
class RowColumn:
    """A column that rows can have: one of the table, a `part` of the names of the documents in one, or the `passage` of
    a text that some of them tell."""

    name: str
    type: pa.DataType
    own: str
    part: str = ""
    passage: tuple[str, ...] = ()
    meaning: str = ""
    is_share: bool = False
    """Whether its values are shares, from 0 to 1."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the table that it is made from."""
        return self.passage or (self.own,)

    @property
    def is_number(self) -> bool:
        return bool(pa.types.is_integer(self.type) or pa.types.is_floating(self.type))

    @property
    def is_text(self) -> bool:
        return bool(pa.types.is_string(self.type) or pa.types.is_large_string(self.type))

    @property
    def is_plain(self) -> bool:
        """Whether its values are shown as they are."""
        return self.is_number or self.is_text or bool(pa.types.is_boolean(self.type))

    @property
    def field(self) -> pa.Field:
        return pa.field(self.name, self.type)


class TableRows:
    """The rows of a table that were selected, in batches; `schema` is theirs, `columns` are all that there are.

    Without `names`, ids and URLs that the table does not have itself are left out unless they are asked for. With
    `about`, only rows whose first column is this document; with `only`, rows that have this value in this column, which
    is faster than a condition. `made` is a table that is not in the folder.
    """

    def __init__(
        self,
        folder: RunFolder,
        name: str,
        selection: Selection | None = None,
        *,
        names: bool = True,
        about: int | None = None,
        only: tuple[str, object] | None = None,
        made: tuple[Table, Kept] | None = None,
    ) -> None:
        selection = selection or Selection()
        self._only = only
        self.folder, self.name = folder, name
        self.known, self._table = made or (folder.describe(name), folder.table(name))
        self._about = about
        self._documents = folder.tables.get(DOCUMENTS.name)
        self.as_given = False
        """Whether documents have the names and types that their inputs gave them."""
        self.columns = {column.name: column for column in self._find_columns()}
        self._limit, self._offset = selection.limit, selection.offset
        usual = [each.name for each in self.columns.values() if not each.passage]
        usual = [each for each in usual if self.columns[each].part in (("", *SHOWN) if names else ("",))]
        self.chosen = list(dict.fromkeys(selection.columns)) or usual
        self._keys = read_keys(selection.sort)
        for column in (*self.chosen, *(key.column for key in self._keys), *([only[0]] if only else [])):
            self._check_column(column)
        check_keys(self._keys, self._schema([key.column for key in self._keys]))
        self._condition = None
        if selection.where is not None:
            there = {each.name: each.type for each in self.columns.values() if not each.passage}
            self._condition = Condition(selection.where, there, name)

    @property
    def total(self) -> int | None:
        """How many rows there are without a limit; None if they would have to be counted."""
        if self._condition or self._only:
            return None
        return self._table.rows if self._about is None else sum(read([]).num_rows for read in self._readers())

    def count(self) -> int:
        """How many rows there are without a limit."""
        total = self.total
        if total is not None:
            return total
        found = self._find_true(self._readers())
        return sum(read([]).num_rows if true is None else len(true) for _, read, true in found)

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns that were chosen."""
        own = self._schema(self.chosen)
        if not self.as_given or self._documents is None:
            return own
        from unquilt.results.given import find_output

        return find_output(self._documents.schema, self.chosen, own)

    def __iter__(self) -> Iterator[pa.Table]:
        """Batches of rows; none is empty."""
        limit = self._limit
        if self._keys and limit is None and self._table.rows <= SORTED_AT_ONCE:
            limit = SORTED_AT_ONCE
        if not self._keys:
            found = self._read(self._needed, limit, self._offset)
        elif limit is not None:
            found = self._read_first(limit)
        else:
            found = sort_all(self._read(self._needed), self._schema(self._needed), self._keys)
        return self._complete(found)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Rows one by one."""
        from unquilt.results.given import list_rows

        for batch in self:
            for begin in range(0, batch.num_rows, ROWS_AT_ONCE):
                yield from list_rows(batch.slice(begin, ROWS_AT_ONCE))

    def pieces(self, rows: int) -> list[RowsPiece]:
        """The same in pieces that can be read one by one: each of at least so many rows of the table, which are chosen
        from. There is but one if rows are sorted, or counted for a limit."""
        if self._keys or self._limit is not None or self._about is not None or self._only is not None:
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
        return self._complete(self._read(self._needed, readers=readers))

    @property
    def _needed(self) -> list[str]:
        """What is read before rows are sorted: what they are made from, and what they are sorted by."""
        return list(dict.fromkeys([*self._own(self.chosen), *(key.column for key in self._keys)]))

    def _complete(self, found: Iterator[pa.Table]) -> Iterator[pa.Table]:
        """Rows with all the columns that were chosen."""
        texts = any(self.columns[column].passage for column in self.chosen)
        for whole in found:
            for begin in range(0, whole.num_rows, TEXTS_AT_ONCE if texts else max(1, whole.num_rows)):
                part = whole.slice(begin, TEXTS_AT_ONCE) if texts else whole
                made = self._attach(part, self.chosen).select(self.chosen)
                if self.as_given:
                    from unquilt.results.given import give_back

                    made = give_back(made, self.schema)
                yield made

    def _find_columns(self) -> Iterator[RowColumn]:
        """All columns that there are, each name beside its number, texts at the end."""
        known, documents = self.known, self._documents
        schema = self._table.schema if self._table.schema is not None else known.schema if known else pa.schema([])
        meanings = {each.name: each.meaning for each in known.columns} if known else {}
        shares = {each.name for each in known.columns if each.is_share} if known else set()
        about = documents.schema if documents is not None else None
        named = known.documents if known is not None and about is not None and known.name != DOCUMENTS.name else ()
        for field in schema:
            meaning = meanings.get(field.name, "")
            yield RowColumn(field.name, field.type, field.name, meaning=meaning, is_share=field.name in shares)
            for part in self._askable if field.name in named else ():
                name = name_column(field.name, part)
                if about is not None and name not in schema.names:
                    meaning = f"{part} of {field.name}"
                    yield RowColumn(name, about.field(part).type, field.name, part, meaning=meaning)
        if known is not None and documents is not None:
            for name, place in known.texts.items():
                yield RowColumn(
                    name, pa.large_string(), place[0], passage=place, meaning=f"the text of {place[0]} there"
                )

    def _check_column(self, column: str) -> None:
        if column not in self.columns:
            from unquilt.corpus.given import find_column

            schema, close = self._table.schema, difflib.get_close_matches(column, self.columns, n=1)
            meant = None if schema is None else find_column(schema, column)
            meant = meant or (close[0] if close else None)
            hint = f"did you mean {meant}?" if meant else f"there are: {', '.join(self.columns)}"
            raise ParameterError(f"{self.name} has no column {column[:60]!r}; {hint}")
        if self.columns[column].passage and column in (key.column for key in self._keys):
            raise ParameterError(
                f"{self.name} cannot be sorted by {column}: texts are read for the rows that are shown"
            )

    def _schema(self, columns: Iterable[str]) -> pa.Schema:
        own = (
            self._table.schema if self._table.schema is not None else self.known.schema if self.known else pa.schema([])
        )
        fields = [own.field(name) if name in own.names else self.columns[name].field for name in columns]
        return pa.schema(fields)

    def _own(self, columns: Sequence[str]) -> list[str]:
        """The columns of the table that these are, or are made from."""
        return list(dict.fromkeys(need for column in columns for need in self.columns[column].needs))

    def _readers(self) -> Iterator[Read]:
        """What reads some columns of one piece of the table after the other."""
        if self._about is None:
            yield from (split.read for split in self._table.splits())
        elif self._table.paths:
            number, key = self._about, self._table.columns[0]
            yield lambda columns: self._table.between(number, number, list(dict.fromkeys([key, *columns]))).select(
                list(columns)
            )

    def _read(
        self, columns: Sequence[str], limit: int | None = None, offset: int = 0, readers: Iterable[Read] | None = None
    ) -> Iterator[pa.Table]:
        """The rows that are true, with these columns."""
        left, skip = limit, offset
        whole = skip and self._about is None and readers is None and self.total is not None
        sizes = [split.rows for split in self._table.splits()] if whole else []
        for number, read, true in self._find_true(list(self._readers()) if readers is None else readers):
            if number < len(sizes) and sizes[number] <= skip:
                skip -= sizes[number]
                continue
            if true is not None and not len(true):
                continue
            part = read(self._own(columns)) if true is None else read(self._own(columns)).take(true)
            part, skip = part.slice(skip), max(0, skip - part.num_rows)
            if left is not None:
                part = part.slice(0, left)
                left -= part.num_rows
            yield self._attach(part, columns).select(list(columns))
            if left == 0:
                return

    def _find_true(self, readers: Iterable[Read]) -> Iterator[tuple[int, Read, pa.Array | None]]:
        """The pieces of the table, each with the places of the rows in it that are true; None if all are. Of each, only
        what the condition names is read; small pieces are asked together, as each question has its price."""
        waiting: list[tuple[int, Read, pa.Table]] = []
        for number, read in enumerate(readers):
            check_time()
            if self._only is not None:
                column, value = self._only
                there = self._attach(read(self._own([column])), [column]).column(column)
                yield number, read, pc.indices_nonzero(pc.equal(there, pa.scalar(value, there.type))).cast(pa.int64())
                continue
            if self._condition is None:
                yield number, read, None
                continue
            asked = self._condition.columns or self._table.columns[:1]
            waiting.append((number, read, self._attach(read(self._own(asked)), asked).select(asked)))
            rows, size = (
                sum(sizes) for sizes in zip(*((part.num_rows, part.nbytes) for *_, part in waiting), strict=True)
            )
            if rows >= ASKED_AT_ONCE or size >= MOST_ASKED_BYTES:
                yield from self._ask(waiting)
                waiting = []
        yield from self._ask(waiting)

    def _ask(self, waiting: Sequence[tuple[int, Read, pa.Table]]) -> Iterator[tuple[int, Read, pa.Array]]:
        assert self._condition is not None or not waiting
        if not waiting or self._condition is None:
            return
        true = self._condition.choose(pa.concat_tables(part for *_, part in waiting))
        first = 0
        for number, read, part in waiting:
            here = pc.and_(pc.greater_equal(true, first), pc.less(true, first + part.num_rows))
            yield number, read, pc.subtract(true.filter(here), first)
            first += part.num_rows

    def _read_first(self, limit: int) -> Iterator[pa.Table]:
        """The first rows in order: all keys are read, and of the other columns only the row groups that have some."""
        keys, readers = list(dict.fromkeys(key.column for key in self._keys)), list(self._readers())
        begin, end = self._offset, min(self._offset + limit, self._table.rows)
        found = self._read_keys(readers, keys)
        if end <= SORTED_AT_ONCE:
            first = take_first(found, self._keys, end)
            best = first.slice(begin) if first is not None else None
        else:
            schema = self._schema(keys).append(pa.field(_PLACE, pa.int64()))
            best = take_part(found, schema, self._keys, begin, end)
        if best is None or not best.num_rows:
            return
        places = best.column(_PLACE).combine_chunks()
        groups = pc.divide(places, _GROUP)
        parts, order = [], []
        for number in pc.unique(groups).sort().to_pylist():
            here = pc.indices_nonzero(pc.equal(groups, number))
            rows = pc.subtract(places.take(here), number * _GROUP)
            parts.append(readers[number](self._own(self._needed)).take(rows))
            order.append(here)
        yield pa.concat_tables(parts).take(pc.sort_indices(pa.concat_arrays(order)))

    def _read_keys(self, readers: Sequence[Read], keys: Sequence[str]) -> Iterator[pa.Table]:
        """The keys of all rows that are true, and the places of these."""
        for number, read, true in self._find_true(readers):
            if true is not None and not len(true):
                continue
            part = read(self._own(keys))
            rows = pa.array(range(part.num_rows), pa.int64()) if true is None else true
            part = self._attach(part if true is None else part.take(true), keys).select(keys)
            yield part.append_column(_PLACE, pc.add(rows, number * _GROUP))

    def _attach(self, part: pa.Table, columns: Sequence[str]) -> pa.Table:
        """Rows with those of these columns that are names or texts."""
        wanted: dict[str, list[RowColumn]] = {}
        for column in (self.columns[name] for name in columns if name not in part.column_names):
            wanted.setdefault("" if column.passage else column.own, []).append(column)
        for own, missing in wanted.items():
            if own:
                found = self.folder.names(self._parts).look_up(part.column(own))
                for column in missing:
                    part = part.append_column(column.field, found.column(column.part).cast(column.type))
            else:
                part = self._attach_texts(part, missing)
        return part

    def _attach_texts(self, part: pa.Table, columns: Sequence[RowColumn]) -> pa.Table:
        """Rows with passages of texts."""
        places = part.select(list({name for column in columns for name in column.passage})).to_pylist()
        numbers = {row[column.own] for row in places for column in columns}
        texts = {number: row["text"] for number, row in self.folder.documents(numbers, ["text"])}
        for column in columns:
            _, begin, end = column.passage
            said = [
                texts[row[column.own]][row[begin] : row[end]] if row[column.own] in texts else None for row in places
            ]
            part = part.append_column(column.field, pa.array(said, column.type))
        return part

    @cached_property
    def _parts(self) -> tuple[str, ...]:
        """The parts of names that anything here asks for."""
        asked = [*self.chosen, *(key.column for key in self._keys), *([self._only[0]] if self._only else [])]
        asked += self._condition.columns if self._condition else []
        parts = {self.columns[column].part for column in asked}
        return tuple(part for part in self._askable if part in parts)

    @cached_property
    def _askable(self) -> tuple[str, ...]:
        """The parts of names that can be asked for: also the columns that the inputs of the corpus have."""
        there = self._documents.columns if self._documents is not None else []
        return (*ASKED, *(name for name in there if name not in DOCUMENTS.schema.names))


def read_table(table: Kept, columns: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """The rows of a table as they are, one row group in memory at a time."""
    for split in table.splits():
        yield from split.read(list(columns) or table.columns).to_pylist()


def name_page(pages: Mapping[int, tuple[str, str | None]], number: int) -> str:
    """What a document is called: its URL, its id or its number, as far as they are known."""
    id_, url = pages.get(number, (None, None))
    return url or id_ or f"document {number}"
