"""Conditions that people write: an expression of DuckDB's SQL over the columns of a row, and nothing else.

`patchfrac > .8 and host = 'news.example'` is held against each row. It comes from a user, or from a program that passes
on what its users wrote. So DuckDB gets no files, network, extensions or settings; and it gets the text only after its
own parser has said that it is one expression made of columns, constants, operators and functions that give the same
answer every time: no subquery, no second statement, no variable of the environment, nothing random. Rows can thus be
asked batch by batch: memory is that of a batch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from unquilt.errors import ParameterError
from unquilt.runs.storage import shown

if TYPE_CHECKING:
    import duckdb

_SAFE: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "memory_limit": "1GB",
    "threads": "1",
}
_ROW = "row of the batch"
_KINDS = {"CONSTANT", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "FUNCTION", "OPERATOR", "CAST", "CASE", "BETWEEN"}
_KINDS |= {"LAMBDA", "COLLATE", "TYPE"}
_MACROS = ("list_", "array_", "nullif", "split_part")
_ENDLESS = {"repeat", "range", "generate_series", "lpad", "rpad", "list_resize", "array_resize", "bar", "sleep_ms"}
"""Functions that make something of any length of nothing: what memory they take is not bounded."""
_UNSTEADY = {"getvariable"}
"""Functions that read settings, though DuckDB 1.5 says that their answer depends on nothing but their arguments."""
_LONGEST = 10_000
_MOST_SHOWN = 60


class Condition:
    """A condition over some columns of a table; `columns` are those that it names.

    Raises ParameterError, which names the columns that there are, unless it is an expression that is true or false.
    """

    def __init__(self, text: str, there: Mapping[str, pa.DataType], table: str) -> None:
        self.text = text
        self._there = there
        self._table = table
        self._connection = _connect()
        named = {name.lower() for name in self._check()}
        self.columns = [name for name in there if name.lower() in named]
        self._check_type()

    def _check(self) -> list[str]:
        """Refuse all but one expression; returns the names in it that may be columns."""
        text = self.text.encode(errors="replace").decode()
        if not text.strip() or len(text) > _LONGEST or "\0" in text:
            raise self._error("it is empty, too long, or no text")
        try:
            return self._check_tree(_parse(self._connection, text))
        except RecursionError as error:
            raise self._error("it is nested too deeply") from error

    def _check_tree(self, tree: Any) -> list[str]:
        if tree["error"]:
            raise self._error(tree.get("error_message", ""))
        statements = tree["statements"]
        pattern = _parse(self._connection, "true")["statements"]
        if len(statements) != 1 or _frame(statements[0]) != _frame(pattern[0]):
            raise self._error("it is more than one expression")
        columns: list[str] = []
        for node in _nodes(statements[0]["node"]["select_list"]):
            if node["class"] not in _KINDS:
                raise self._error(f"a {node['class'].lower().replace('_', ' ')} cannot be part of it")
            if node["class"] == "FUNCTION" and node["function_name"] not in _functions():
                raise self._error(f"there is no function {node['function_name']} here")
            columns += node.get("column_names", ())
        return columns

    def _check_type(self) -> None:
        nothing = pa.schema([(name, self._there[name]) for name in self.columns]).empty_table()
        kind = self._ask(nothing, f"(\n{self.text}\n)").schema.types[0]
        if not pa.types.is_boolean(kind) and not pa.types.is_null(kind):
            raise self._error(f"it is a value ({kind}), not true or false")

    def choose(self, batch: pa.Table) -> pa.Array:
        """The places of the rows of a batch, which has the columns of the condition, for which it is true."""
        return self._ask(batch, f'"{_ROW}"').column(0).combine_chunks().sort()

    def _ask(self, batch: pa.Table, what: str) -> pa.Table:
        """Something of the rows for which the condition, whose text has been checked, is true."""
        import duckdb

        places = pa.array(range(batch.num_rows), pa.int64())
        try:
            self._connection.register("rows", batch.append_column(_ROW, places))
            query = f"SELECT {what} FROM rows WHERE (\n{self.text}\n)"  # noqa: S608
            return self._connection.sql(query).to_arrow_table()
        except (duckdb.Error, UnicodeError) as error:
            raise self._error(str(error)) from error
        finally:
            self._connection.unregister("rows")

    def _error(self, why: str) -> ParameterError:
        first = why.strip().partition("\n")[0].rpartition("Error: ")[2].replace(" in FROM clause!", "")
        if '"' in self.text:
            first += "; texts are in single quotes: 'news.example'"
        reason = f" ({shown(first[:200].rstrip('!.'))})" if first else ""
        quoted = shown(self.text if len(self.text) <= _MOST_SHOWN else f"{self.text[:_MOST_SHOWN]}…")
        there = ", ".join(self._there)
        return ParameterError(
            f"where {quoted!r} is no condition on the columns of {self._table}{reason}; there are: {there}"
        )


def _connect() -> duckdb.DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(":memory:", config=_SAFE)
    connection.execute("SET lock_configuration = true")
    return connection


def _parse(connection: duckdb.DuckDBPyConnection, text: str) -> Any:
    """What DuckDB's parser makes of an expression."""
    found = connection.execute("SELECT json_serialize_sql(?)", [f"SELECT (\n{text}\n)"]).fetchall()
    return json.loads(found[0][0])


def _frame(statement: dict[str, Any]) -> object:
    """A statement without the expressions that it selects, of which it must have one without a name."""
    node = dict(statement["node"])
    chosen = node.pop("select_list", [])
    return statement | {"node": node}, [each["alias"] for each in chosen]


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All expressions in a parsed one, and whatever else has a class."""
    if isinstance(tree, dict):
        if "class" in tree:
            yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value)


@cache
def _functions() -> frozenset[str]:
    """The functions that can be called: those whose answer depends on what they are given, and on nothing else."""
    query = (
        "SELECT function_name, function_type, bool_and(stability = 'CONSISTENT') FROM duckdb_functions() GROUP BY 1, 2"
    )
    found = _connect().execute(query).fetchall()
    scalar = {name for name, kind, steady in found if kind == "scalar" and steady}
    macros = {name for name, kind, _ in found if kind == "macro" and name.startswith(_MACROS)}
    others = {name for name, kind, steady in found if kind == "scalar" and not steady}
    return frozenset((scalar | macros) - others - _ENDLESS - _UNSTEADY)
