"""Some rows of a table, as an address asks for them.

`host=a.example` (equal), `host.has=example` (has it as a part), `patchfrac.min=0.5`, `patchfrac.max=1`, `q=` (somewhere
in a column of texts), `where=` (a condition, as `unquilt show --where` takes it), `sort=-covered`, `columns=url,words`,
`page=2`. All of it becomes one condition and an order, and rows are read as everywhere (`results.rows`). `query` says
the same in SQL, for people to take with them.

In the browser, URLs come first, and of many columns those that matter most; files have all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa

from unquilt.errors import ParameterError
from unquilt.jobs.conditions import ComposedCondition, Condition, Key, read_keys
from unquilt.jobs.patience import check_time
from unquilt.results.folders import RunFolder
from unquilt.results.hosts import HOSTS_OF_CORPUS
from unquilt.results.names import SHOWN
from unquilt.results.rows import RowColumn, Selection, TableRows, arrange
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.table import Table

ROWS = 50
"""Rows on a page."""
FEW_COLUMNS = 9
"""Columns on a page, unless others are chosen."""
MOST_VALUES = 20
"""Values that are proposed for a filter."""
ENDS = {"min": ">=", "max": "<="}
HAS = "has"
_OTHERS = ("q", "where", "sort", "page", "format", "columns", "column")


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
class Listing:
    """Rows of a table of a run: those of a condition of ours, `fixed`, that the `asked` ones (of an address) leave."""

    folder: RunFolder
    table: str
    asked: Mapping[str, str] = field(default_factory=dict)
    fixed: str = ""
    order: str = ""
    """By what rows are sorted if the address does not say: `a,-b`."""
    about: int | None = None
    """Only rows whose first column is this document: these are found without looking through the table."""
    only: tuple[str, object] | None = None
    """Only rows with this value in this column."""

    @property
    def _made(self) -> Any:
        return (
            self.folder.hosts if self.table == HOSTS_OF_CORPUS.name and DOCUMENTS.name in self.folder.tables else None
        )

    @cached_property
    def _all(self) -> TableRows:
        return TableRows(self.folder, self.table, made=self._made)

    @property
    def known(self) -> Table | None:
        return self._all.known

    @property
    def columns(self) -> dict[str, RowColumn]:
        """All columns, names beside the numbers of documents."""
        return self._all.columns

    @cached_property
    def _arranged(self) -> Selection:
        if self._made is not None:
            return Selection(list(self.columns), sort=HOSTS_OF_CORPUS.order)
        return arrange(self.folder, self.table, Selection())

    @cached_property
    def shown(self) -> list[RowColumn]:
        """The columns that people see, as in the terminal; but texts of documents are pages of their own."""
        chosen = [self.columns[each] for each in self._arranged.columns or self.columns]
        return [each for each in chosen if each.is_plain and each.type != pa.large_string()]

    @cached_property
    def listed(self) -> list[RowColumn]:
        """The columns on a page of the browser: those that are chosen, or the first; names of documents come first."""
        chosen = [self.column(each) for each in self.asked.get("columns", "").split(",") if each]
        if chosen:
            return chosen
        names = [each for each in self.shown if (each.part or each.name) == "url"]
        ids = [each for each in self.shown if each.part == "id" or each.name == "id"]
        told = {each.name.removesuffix("url") for each in names} if self.folder.has_urls else set()
        names = [each for each in names if each.name.removesuffix("url") in told]
        ids = [each for each in ids if each.name.removesuffix("id") not in told]
        first = [*names, *ids]
        numbers = set(self.known.documents) if self.known else set()
        others = [each for each in self.shown if (each.part or each.name) not in SHOWN]
        plain = [each for each in others if each.name not in numbers or not first]
        return [*first, *plain][: max(FEW_COLUMNS, len(first) + 3)]

    def values(self, column: str, part: str) -> list[str]:
        """Values of a column of texts that begin with, or else have, a part: the first ones, to propose."""
        chosen, wanted = self.column(column), part.casefold()
        found: dict[str, None] = {}
        if chosen.is_text and chosen.type != pa.large_string():
            for batch in TableRows(self.folder, self.table, Selection([column]), made=self._made):
                check_time()
                values = (value for value in batch.column(0).unique().to_pylist() if value)
                found |= dict.fromkeys(value for value in values if wanted in value.casefold())
                if len(found) > 50 * MOST_VALUES:
                    break
        return sorted(found, key=lambda each: (not each.casefold().startswith(wanted), each))[:MOST_VALUES]

    @cached_property
    def keys(self) -> list[Key]:
        """By what rows are sorted."""
        keys = read_keys(self.asked.get("sort") or self.order or self._arranged.sort)
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

    def column(self, given: str) -> RowColumn:
        """A column by name; ParameterError names those that there are."""
        if given not in self.columns or not self.columns[given].is_plain or self.columns[given].passage:
            there = ", ".join(each for each, column in self.columns.items() if column.is_plain and not column.passage)
            raise ParameterError(f"{self.table} has no column {given[:60]!r} to choose by; there are: {there}")
        return self.columns[given]

    @cached_property
    def condition(self) -> str:
        """What the address asks for as one condition, as `unquilt show --where` takes it."""
        written = self.asked.get("where", "").strip()
        if written:  # alone, so that an error is about what was written
            there = {each.name: each.type for each in self.columns.values() if not each.passage}
            written = Condition(written, there, self.table).text
        return " AND ".join([*self._asked_for(), *([f"(\n{written}\n)"] if written else [])])

    def _asked_for(self) -> Iterator[str]:
        for given, value in self.asked.items():
            if value == "" or given in _OTHERS:
                continue
            stem, _, end = given.rpartition(".")
            if end == HAS and stem:
                if not self.column(stem).is_text:
                    raise ParameterError(f"{stem} cannot be searched, because it is not a text")
                yield f"contains(lower({name(stem)}), lower({quote(value)}))"
            elif end in ENDS and stem:
                column = self.column(stem)
                if not column.is_number:
                    raise ParameterError(f"{stem} has no minimum and no maximum, because it is not a number")
                yield f"{name(stem)} {ENDS[end]} {_number(given, value)}"
            else:
                yield f"{name(given)} = {_value(self.column(given), value)}"
        if self.asked.get("q"):
            texts = [each for each in self.columns.values() if each.is_text and each.type != pa.large_string()]
            wanted = f"lower({quote(self.asked['q'])})"
            tests = [f"contains(lower({name(each.name)}), {wanted})" for each in texts if each.part in ("", *SHOWN)]
            yield f"({' OR '.join(tests) or 'false'})"

    @property
    def where(self) -> str:
        """All that rows must fulfil."""
        return " AND ".join(f"({each})" for each in (self.fixed, self.condition) if each)

    def _open(self, columns: Sequence[str] = (), limit: int | None = None, offset: int = 0) -> TableRows:
        sort = [f"{'-' if key.falling else ''}{key.column}" for key in self.keys]
        chosen = columns or [each.name for each in self.shown]
        where = ComposedCondition(self.where) if self.where else None
        selection = Selection(chosen, where, sort, limit, offset)
        return TableRows(self.folder, self.table, selection, about=self.about, only=self.only, made=self._made)

    def rows(self, columns: Sequence[str] = (), limit: int | None = None, offset: int = 0) -> list[dict[str, Any]]:
        """Rows with these columns, or with those that people see."""
        return list(self._open(columns, limit, offset).rows())

    def batches(self) -> Iterator[pa.Table]:
        """All rows, however many, with the columns that people see."""
        return iter(self._open())

    def count(self) -> int:
        """How many rows there are."""
        return self._open().count()

    def query(self) -> str:
        """The same rows in DuckDB's SQL."""
        source, names = self._source(self.table), [each for each in self.columns.values() if each.part]
        if self._made is not None:
            counted = "SELECT host, min(domain) AS domain, count(*) AS documents, sum(words)::BIGINT AS words"
            source = f"({counted} FROM {self._source(DOCUMENTS.name)} WHERE host IS NOT NULL GROUP BY host)"
        text, joined = f"{self.where} {self.keys}", ""
        wanted = {*self.shown, *(each for each in names if name(each.name) in text or each.name in text)}
        extra = [each for each in names if each in wanted]
        for own in dict.fromkeys(each.own for each in extra):
            alias = name(f"of_{own}")
            joined += f"\n  LEFT JOIN {self._source(DOCUMENTS.name)} AS {alias} ON {alias}.doc = t.{name(own)}"
        select = ", ".join(["t.*", *(f"{name(f'of_{e.own}')}.{name(e.part)} AS {name(e.name)}" for e in extra)])
        lines = [
            f"SELECT {', '.join(name(each.name) for each in self.shown)}",
            f"FROM (SELECT {select}\n  FROM {source} AS t{joined})",  # noqa: S608 - for people to read, not run here
        ]
        conditions = [f"{name(next(iter(self.columns)))} = {self.about}"] if self.about is not None else []
        conditions += [f"{name(self.only[0])} = {quote(self.only[1])}"] if self.only else []
        conditions += [self.where] if self.where else []
        lines += [f"WHERE {' AND '.join(conditions)}"] if conditions else []
        order = [f"{name(key.column)} {'DESC' if key.falling else 'ASC'} NULLS LAST" for key in self.keys]
        order += ["file_row_number"] if "file_row_number" in source else [name(each) for each in self._key]
        lines += [f"ORDER BY {', '.join(order)}"] if order else []
        return "\n".join(lines)

    @property
    def _key(self) -> Sequence[str]:
        return self.known.key if self.known else ()

    def _source(self, table: str) -> str:
        paths = self.folder.table(table).paths if table in self.folder.tables else ()
        if len(paths) == 1 and table == self.table:  # rows that are equal stay in the order of the file
            return f"read_parquet({quote(paths[0])}, file_row_number = true)"
        if paths:
            return f"read_parquet([{', '.join(quote(path) for path in paths)}])"
        fields = list(self.columns) if table == self.table else DOCUMENTS.schema.names
        return "(SELECT " + ", ".join(f"NULL AS {name(each)}" for each in fields or ["nothing"]) + " WHERE false)"


def _value(column: RowColumn, value: str) -> str:
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
