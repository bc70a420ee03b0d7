"""Some rows of a table, as a query for DuckDB: the one that is run is the one that people can take with them.

Filters come from addresses: `host=a.example` (equal), `patchfrac.min=0.5`, `patchfrac.max=1`, `q=` (somewhere in a
column of texts), `where=` (an expression, checked as those of `unquilt show --where`), `sort=-covered`, `page=2`. Only
columns of the table, and id, url, host and domain of its documents, can be named; values are quoted. Ids and URLs are
looked up for the rows of one page only, unless rows are chosen or sorted by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import pyarrow as pa

from unquilt.analyses.catalogue import find_table
from unquilt.errors import ParameterError
from unquilt.results.conditions import Condition
from unquilt.results.folders import RunFolder
from unquilt.results.names import ASKED, SHOWN
from unquilt.results.rows import name_column
from unquilt.results.sorting import Key, read_keys
from unquilt.tables import DOCUMENTS, Table

ROWS = 50
"""Rows on a page."""
ENDS = {"min": ">=", "max": "<="}
_OTHERS = ("q", "where", "sort", "page", "format")


def quote(value: object) -> str:
    """A value as SQL has it.

    >>> quote("it's"), quote(0.5), quote(True)
    ("'it''s'", '0.5', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    if "\0" in text:
        raise ParameterError("a text with a zero byte cannot be looked for")
    return "'" + text.replace("'", "''") + "'"


def name(column: str) -> str:
    """The name of a column as SQL has it."""
    return '"' + column.replace('"', '""') + '"'


@dataclass(frozen=True)
class ListedColumn:
    """A column that can be shown, filtered and sorted by: of the table, or `part` of the names of documents in it."""

    name: str
    type: pa.DataType
    own: str
    part: str = ""
    meaning: str = ""

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
    def expression(self) -> str:
        return f"t.{name(self.own)}" if not self.part else f"{name('d_' + self.own)}.{name(self.part)}"


@dataclass(frozen=True)
class Listing:
    """Rows of a table of a run: those of `fixed` conditions (of ours) that the `asked` ones (of an address) leave."""

    folder: RunFolder
    table: str
    asked: Mapping[str, str] = field(default_factory=dict)
    fixed: Sequence[str] = ()
    order: str = ""
    """By what rows are sorted if the address does not say: `a,-b`."""
    made: tuple[str, pa.Schema] | None = None
    """A query that takes the place of the table, over `{documents}`, and its columns."""

    @cached_property
    def known(self) -> Table | None:
        return find_table(self.table)

    @cached_property
    def columns(self) -> dict[str, ListedColumn]:
        """All columns, names beside the numbers of documents."""
        schema = self._schema
        meanings = {each.name: each.meaning for each in self.known.columns} if self.known else {}
        documents = self.folder.tables.get(DOCUMENTS.name)
        named = self.known.documents if self.known and documents is not None else ()
        found: dict[str, ListedColumn] = {}
        for each in schema:
            found[each.name] = ListedColumn(each.name, each.type, each.name, meaning=meanings.get(each.name, ""))
            if each.name in named and self.table != DOCUMENTS.name:
                for part in ASKED:
                    other = name_column(each.name, part)
                    if other not in schema.names:
                        found[other] = ListedColumn(other, pa.string(), each.name, part, f"{part} of {each.name}")
        return found

    @property
    def _schema(self) -> pa.Schema:
        if self.made is not None:
            return self.made[1]
        kept = self.folder.table(self.table)
        return kept.schema if kept.schema is not None else self.known.schema if self.known else pa.schema([])

    @cached_property
    def shown(self) -> list[ListedColumn]:
        """The columns that people see: the important ones first, ids and URLs beside numbers."""
        known, order = self.known, list(self.columns)
        if known is not None:
            first = [each for each in known.first if each in self.columns]
            rest = [each for each in self.columns if each not in first and each not in known.hidden]
            order = first + rest
        found: list[ListedColumn] = []
        for column in (self.columns[each] for each in order):
            wanted = column.is_plain and column.type != pa.large_string()  # texts of documents are pages of their own
            if wanted and (not column.part or column.part in SHOWN) and column not in found:
                found.append(column)
                names = [self.columns.get(name_column(column.name, part)) for part in SHOWN]
                found += [each for each in names if each and each.part and each not in found]
        return found

    @cached_property
    def keys(self) -> list[Key]:
        """By what rows are sorted."""
        given = self.asked.get("sort", "")
        if given:
            keys = read_keys(given)
        elif self.order:
            keys = read_keys(self.order)
        else:
            order = self.known.order if self.known else ()
            keys = [Key(each.removeprefix("-"), not each.startswith("-")) for each in order]
            keys = [key for key in keys if key.column in self.columns]
        for key in keys:
            self.column(key.column)
        return keys

    @property
    def page(self) -> int:
        """Which page of the table is asked for, from 1."""
        given = self.asked.get("page") or "1"
        if not (given.isascii() and given.isdecimal() and 0 < int(given[:18]) <= 10**15):
            raise ParameterError(f"page must be a whole number from 1, not {given[:40]!r}")
        return int(given)

    def column(self, given: str) -> ListedColumn:
        """A column by name; ParameterError names those that there are."""
        if given not in self.columns or not self.columns[given].is_plain:
            there = ", ".join(each for each, column in self.columns.items() if column.is_plain)
            raise ParameterError(f"{self.table} has no column {given[:60]!r} to choose by; there are: {there}")
        return self.columns[given]

    @cached_property
    def conditions(self) -> list[str]:
        """What rows must fulfil, as expressions."""
        return [*self.fixed, *self._asked_for(lambda column: column.expression)]

    @property
    def condition(self) -> str:
        """What the address asks for as one expression over columns, as `unquilt show --where` takes it."""
        written = [f"({self.where})"] if self.where else []
        return " AND ".join([*self._asked_for(lambda column: name(column.name)), *written])

    def _asked_for(self, spell: Callable[[ListedColumn], str]) -> Iterator[str]:
        for given, value in self.asked.items():
            if value == "" or given in _OTHERS:
                continue
            stem, _, end = given.rpartition(".")
            if end in ENDS and stem:
                column = self.column(stem)
                if not column.is_number:
                    raise ParameterError(f"{stem} has no least and no greatest value: it is no number")
                yield f"{spell(column)} {ENDS[end]} {_number(given, value)}"
            else:
                column = self.column(given)
                yield f"{spell(column)} = {_value(column, value)}"
        if self.asked.get("q"):
            texts = [each for each in self.columns.values() if each.is_text and each.type != pa.large_string()]
            texts = [each for each in texts if each.part in ("", *SHOWN)]
            wanted = f"lower({quote(self.asked['q'])})"
            tests = [f"contains(lower({spell(each)}), {wanted})" for each in texts]
            yield f"({' OR '.join(tests) or 'false'})"

    @cached_property
    def where(self) -> str:
        """The expression that people wrote, checked; empty if there is none."""
        return self._condition.text if self._condition else ""

    @cached_property
    def _condition(self) -> Condition | None:
        given = self.asked.get("where", "").strip()
        there = {each.name: each.type for each in self.columns.values()}
        return Condition(given, there, self.table) if given else None

    @property
    def _asked_columns(self) -> list[ListedColumn]:
        """The columns that the expression names."""
        return [self.columns[each] for each in self._condition.columns] if self._condition else []

    @cached_property
    def _parts_needed(self) -> set[str]:
        """The columns of documents whose names must be there before rows are chosen and sorted."""
        texts = " ".join(self.conditions)
        needed = {each.own for each in self.columns.values() if each.part and each.expression in texts}
        needed |= {self.columns[key.column].own for key in self.keys if self.columns[key.column].part}
        return needed | {each.own for each in self._asked_columns if each.part}

    def _files(self, table: str) -> str:
        paths = self.folder.table(table).paths
        if not paths:
            known = find_table(table)
            fields = known.schema.names if known else []
            return "(SELECT " + ", ".join(f"NULL AS {name(each)}" for each in fields or ["nothing"]) + " WHERE false)"
        return f"read_parquet([{', '.join(quote(path) for path in paths)}])"

    def _from(self, needed: Sequence[str]) -> str:
        table = self.made[0].format(documents=self._files(DOCUMENTS.name)) if self.made else self._files(self.table)
        lines = [f"FROM {table} AS t"]
        for own in needed:
            alias = name("d_" + own)
            lines.append(f"LEFT JOIN {self._files(DOCUMENTS.name)} AS {alias} ON {alias}.doc = t.{name(own)}")
        return "\n".join(lines)

    def _chosen(self, select: str, needed: Sequence[str]) -> str:
        """A query for rows that fulfil all conditions."""
        query = f"SELECT {select}\n{self._from(needed)}"
        conditions = self.conditions
        if conditions:
            query += "\nWHERE " + "\n  AND ".join(conditions)
        return query

    def query(self, columns: Sequence[ListedColumn] | None = None, limit: int | None = None, offset: int = 0) -> str:
        """The rows with these columns (those that people see), in order; all of them, or some."""
        columns = list(columns if columns is not None else self.shown)
        early = sorted(self._parts_needed)
        wanted = list(dict.fromkeys([*columns, *(self.columns[key.column] for key in self.keys)]))
        if self.where:
            wanted = list(dict.fromkeys([*wanted, *self._asked_columns]))
        late = [each for each in columns if each.part and each.own not in early]
        owns = [self.columns[own] for own in dict.fromkeys(each.own for each in late)]
        inner = [each for each in dict.fromkeys([*wanted, *owns]) if each not in late and _there(each, early)]
        chosen = self._chosen(", ".join(f"{each.expression} AS {name(each.name)}" for each in inner), early)
        if self.where:
            chosen = f"SELECT * FROM (\n{chosen}\n) WHERE (\n{self.where}\n)"  # noqa: S608
        order = [f"{name(key.column)} {'DESC' if key.falling else 'ASC'} NULLS LAST" for key in self.keys]
        unique = self.made[1].names[:1] if self.made else self.known.key if self.known else ()
        keys = [each for each in unique if any(each == column.name for column in inner)]
        order += [name(each) for each in keys if each not in [key.column for key in self.keys]]
        chosen += "\nORDER BY " + ", ".join(order) if order else ""
        chosen += f"\nLIMIT {limit} OFFSET {offset}" if limit is not None else ""
        if not late:
            names = ", ".join(name(each.name) for each in columns)
            return chosen if inner == columns else f"SELECT {names} FROM (\n{chosen}\n)"  # noqa: S608
        joins = "\n".join(
            f"LEFT JOIN {self._files(DOCUMENTS.name)} AS {name('d_' + each.name)}"
            f" ON {name('d_' + each.name)}.doc = t.{name(each.name)}"
            for each in owns
        )
        select = ", ".join(
            f"{each.expression if each in late else 't.' + name(each.name)} AS {name(each.name)}" for each in columns
        )
        again = ", ".join(each if each.startswith('"d_') else f"t.{each}" for each in order)
        query = f"SELECT {select} FROM (\n{chosen}\n) AS t\n{joins}"  # noqa: S608
        return query + (f"\nORDER BY {again}" if order else "")

    def count_query(self) -> str:
        """How many rows there are."""
        if self.where:
            few = self._asked_columns or list(self.columns.values())[:1]
            select = ", ".join(f"{each.expression} AS {name(each.name)}" for each in few)
            chosen = self._chosen(select, sorted(self._parts_needed))
            return f"SELECT count(*) FROM (\n{chosen}\n) WHERE (\n{self.where}\n)"  # noqa: S608
        return self._chosen("count(*)", sorted(self._parts_needed))

    @property
    def is_whole(self) -> bool:
        """Whether no row is left out."""
        return not self.conditions and not self.where


def _there(column: ListedColumn, early: Sequence[str]) -> bool:
    return not column.part or column.own in early


def _value(column: ListedColumn, value: str) -> str:
    if pa.types.is_boolean(column.type):
        if value not in ("true", "false"):
            raise ParameterError(f"{column.name} must be true or false, not {value[:40]!r}")
        return value
    return _number(column.name, value) if column.is_number else quote(value)


def _number(column: str, value: str) -> str:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if number != number or number in (float("inf"), float("-inf")):
        raise ParameterError(f"{column} must be a number, not {value[:40]!r}")
    return quote(int(value) if value.lstrip("-").isascii() and value.lstrip("-").isdecimal() else number)
