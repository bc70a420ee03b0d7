"""Conditions that people write: an expression of DuckDB's SQL over the columns of a row, and nothing else.

`patchfrac > .8 and host = 'news.example'` is held against each row. It comes from a user, or from a program that passes
on what its users wrote. So DuckDB gets no files, network, extensions or settings, and it gets the text only after its
own parser has said that it is one expression, made of columns, constants, operators and functions of a list: no
subquery, no second statement, no lambda. Each function of the list gives the same answer every time, takes time in
proportion to its arguments, and makes nothing longer than they are; a condition calls a limited number of them. What is
looked for in texts is a short constant, or a short column. So time and memory are those of reading the rows, batch by
batch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from unquilt.errors import ParameterError, StorageError
from unquilt.jobs.patience import interrupting
from unquilt.runs.storage import shown

if TYPE_CHECKING:
    import duckdb

_SAFE: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "memory_limit": "256MB",
    "threads": "1",
}
_ROW = "row of the batch"
_KINDS = {"CONSTANT", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "FUNCTION", "OPERATOR", "CAST", "CASE", "BETWEEN"}
_KINDS |= {"COLLATE", "TYPE"}
_NUMBERS = (
    "+ - * / // % ^ ** @ & | << >> ~ xor abs sign ceil ceiling floor round trunc sqrt exp ln log log2 log10 pow power"
)
_NUMBERS += " mod isnan isinf isfinite greatest least nullif if ifnull"
_LIKE = {"~~": "LIKE", "!~~": "LIKE", "~~*": "ILIKE", "!~~*": "ILIKE", "~~~": "GLOB"}
_LIKE |= {f"{no}{name}_escape": name.upper() for no in ("", "not_") for name in ("like", "ilike")}
_REGULAR = {"regexp_matches", "regexp_full_match"}
_COUNTS = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_LARGEST_PATTERN = 1_000
"""Steps of an automaton, or characters of a pattern: each character of a text may take as many."""
_TEXTS = "lower lcase upper ucase left right substr substring length len strlen char_length"
_TEXTS += " starts_with prefix ends_with suffix ^@"
_SEARCHES = frozenset(["contains", "instr", "strpos", "position", "split_part", "trim", "ltrim", "rtrim"])
"""What they look for may be met, in part, at each character of a text."""
_LISTS = "list_contains list_has array_contains array_has list_has_any array_has_any list_has_all array_has_all"
_LISTS += " array_length list_count"
_DATES = "date_part date_trunc year month day hour minute second epoch to_years to_months to_weeks to_days to_hours"
_DATES += " to_minutes to_seconds"
_FUNCTIONS = frozenset(" ".join((_NUMBERS, _TEXTS, _LISTS, _DATES)).split())
_OF_COLUMNS = {"hex"}
"""Functions that double their argument: allowed for a column only, or a few of them would fill the memory."""
_OF_CONSTANTS = {"list_value"}
"""[1, 2]: a list of columns would be as long as the condition says."""
_TYPES = frozenset(
    [
        "boolean",
        "tinyint",
        "smallint",
        "integer",
        "bigint",
        "hugeint",
        "utinyint",
        "usmallint",
        "uinteger",
        "ubigint",
        "float",
        "double",
        "decimal",
        "varchar",
        "date",
        "time",
        "timestamp",
        "timestamptz",
    ]
) | {"timestamp with time zone"}
"""Casts to others, such as bits, make something longer of a text."""
_LONGEST, _LONGEST_COMPOSED = 2_000, 40_000
_MOST_CALLS = 50
_MOST_BRACKETS = 200
_MOST_SHOWN = 60


class Key(NamedTuple):
    """A column to sort by."""

    column: str
    falling: bool = False


def read_keys(given: str | Sequence[str]) -> list[Key]:
    """The columns in `a,-b`.

    >>> read_keys("host,-patchfrac")
    [Key(column='host', falling=False), Key(column='patchfrac', falling=True)]
    """
    parts = given.split(",") if isinstance(given, str) else given
    return [Key(part.strip().removeprefix("-"), part.strip().startswith("-")) for part in parts if part.strip()]


def quote(name: str) -> str:
    """The name of a column as SQL has it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


class ComposedCondition(str):
    """A condition that is put together: of values that were quoted, and of a written one that was checked alone. It may
    be longer than those that people write."""

    __slots__ = ()


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
        is_composed = isinstance(self.text, ComposedCondition)
        longest = _LONGEST_COMPOSED if is_composed else _LONGEST
        if not text.strip() or len(text) > longest or "\0" in text:
            raise self._error("it is empty, too long, or no text")
        if text.count("(") > _MOST_BRACKETS and not is_composed:  # the parser takes memory for them all at once
            raise self._error("it is nested too deeply")
        try:
            self._check_tree(_parse(self._connection, f"\n{text}\n"))  # also alone: `a) or (b` is not an expression
            return self._check_tree(_parse(self._connection, f"(\n{text}\n)"))
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
        calls = 0
        for node in _nodes(statements[0]["node"]["select_list"]):
            kind = node["class"]
            if kind not in _KINDS:
                raise self._error(f"a {kind.lower().replace('_', ' ')} cannot be part of it")
            if kind == "FUNCTION":
                calls += 1
                self._check_call(node)
            if kind == "CAST" and (others := _list_types(node) - _TYPES):
                raise self._error(f"nothing can be cast to {min(others)} in a condition")
            columns += node.get("column_names", ())
        if calls > _MOST_CALLS:
            raise self._error(f"it calls {calls} functions and operators; {_MOST_CALLS} are allowed")
        return columns

    def _check_call(self, call: dict[str, Any]) -> None:
        """Refuse a function that is not of the list, or that would take long with such arguments."""
        name, given = call["function_name"], _list_arguments(call)
        kinds = {argument["class"] for argument in given}
        if name in _REGULAR or name in _LIKE:
            patterns = [_read_constant(argument) for argument in given[1:]]
            if any(pattern is None or not _is_fast(name, pattern) for pattern in patterns):
                hint = "; write a regular expression in its place" if name in _LIKE else ""
                raise self._error(f"the pattern of {_LIKE.get(name, name)} is not a constant, or could take long{hint}")
        elif name in _SEARCHES:
            texts = {each.lower() for each, kind in self._there.items() if pa.types.is_large_string(kind)}
            named = {column.lower() for node in _nodes(given[1:]) for column in node.get("column_names", ())}
            if texts & named:
                raise self._error(f"{name} cannot look for whole texts ({min(texts & named)})")
        elif not (
            name in _FUNCTIONS
            or (name in _OF_COLUMNS and kinds == {"COLUMN_REF"})
            or (name in _OF_CONSTANTS and kinds <= {"CONSTANT"})
        ):
            raise self._error(f"the function {name} cannot be called so in a condition")

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
            with interrupting(self._connection):
                return self._connection.sql(query).to_arrow_table()
        except duckdb.OutOfMemoryException as error:
            raise StorageError(f"the condition needs more memory than it may ({_SAFE['memory_limit']})") from error
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
            f"where {quoted!r} is not a condition on the columns of {self._table}{reason}; there are: {there}"
        )


def _connect() -> duckdb.DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(":memory:", config=_SAFE)
    connection.execute("SET lock_configuration = true")
    return connection


def _parse(connection: duckdb.DuckDBPyConnection, text: str) -> Any:
    """What DuckDB's parser makes of an expression."""
    found = connection.execute("SELECT json_serialize_sql(?)", [f"SELECT {text}"]).fetchall()
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


def _list_arguments(call: dict[str, Any]) -> list[dict[str, Any]]:
    given = call.get("arguments") or call.get("children") or []
    return [argument.get("expression", argument) for argument in given]


def _read_constant(node: dict[str, Any]) -> str | None:
    """A text that is written in a condition; None for anything else."""
    # Versions of DuckDB write constants in two ways.
    text = node.get("literal", {}).get("text") or node.get("value", {}).get("value")
    return text if isinstance(text, str) else None


def _is_fast(name: str, pattern: str) -> bool:
    """Whether a pattern is matched in steps that do not multiply with each other: the automaton of a regular expression
    is small, and LIKE and GLOB, which try again at each character behind a wildcard, have one before their end."""
    size = len(pattern)
    if name in _REGULAR:
        for least, most in _COUNTS.findall(pattern):  # counts such as `{30}` multiply it
            size *= max(1, int(most or least))
    elif name not in ("~~", "!~~") or "_" in pattern:  # LIKE without _ looks for one piece behind the other
        wildcard = "*" if name == "~~~" else "%"
        if len(re.findall(rf"[{wildcard}]+", pattern.rstrip(wildcard))) > 1:
            return False
    return size <= _LARGEST_PATTERN


def _list_types(cast: dict[str, Any]) -> set[str]:
    """The types to which an expression is cast, as this and earlier versions of DuckDB name them."""
    named = cast.get("type_expr")
    if named is None:
        return {str(cast["cast_type"]["id"]).lower()}
    return {str(node["type_name"]).lower() for node in _nodes(named) if node["class"] == "TYPE"}
