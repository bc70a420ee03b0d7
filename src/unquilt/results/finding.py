"""Rows of a table by values of one of its columns, read row group by row group, no further than needed; and documents
by id, number or URL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.flow.kept import Kept

MOST_NAMED = 3


def find_rows(
    table: Kept, column: str, values: Sequence[object], columns: Sequence[str], limit: int
) -> list[dict[str, Any]]:
    """The first rows that have one of these values in a column; reads row group by row group, the column and those
    asked for."""

    def has_one(there: pa.ChunkedArray) -> pa.ChunkedArray:
        return pc.is_in(there, value_set=pa.array(values, there.type))

    return _find(table, column, has_one, columns, limit) if values else []


def find_within(table: Kept, column: str, text: str, limit: int) -> list[str]:
    """The first texts of a column that contain this one, whatever the case."""
    found = _find(table, column, lambda there: pc.match_substring(there, text, ignore_case=True), [column], limit)
    return [row[column] for row in found]


def _find(
    table: Kept, column: str, test: Callable[[pa.ChunkedArray], Any], columns: Sequence[str], limit: int
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for split in table.splits():
        part = split.read(list(dict.fromkeys([column, *columns])))
        true = part.filter(test(part.column(column)))
        found += true.slice(0, limit - len(found)).select(list(columns)).to_pylist()
        if len(found) >= limit:
            break
    return found


def find_meant(listed: Kept, given: str) -> list[int]:
    """The numbers of all documents that this id, number or URL can mean.

    Ids and URLs come from outside: they need not be unique, and ids may look like numbers; `doc=12`, `id=12` or `url=…`
    says which is meant. A URL that no document has is looked for again without regard to http or https, to the case of
    the host, and to a slash at the end.
    """
    kind, equals, rest = given.partition("=")
    meant = {name: {given} for name in ("id", "doc", "url")}
    if equals and kind in meant:
        meant[kind].add(rest)
    found = _documents(listed, "id", meant["id"]) | _documents(listed, "url", meant["url"])
    for number in meant["doc"]:
        if number.isascii() and number.isdecimal() and len(number) < 19:  # fewer digits than 2^63 has
            found |= {row["doc"] for row in find_rows(listed, "doc", [int(number)], ["doc"], 1)}
    return sorted(found or _documents(listed, "url", {other for url in meant["url"] for other in spell_otherwise(url)}))


def _documents(listed: Kept, column: str, values: set[str]) -> set[int]:
    return {row["doc"] for row in find_rows(listed, column, sorted(values), ["doc"], MOST_NAMED + 1)}


def spell_otherwise(url: str) -> list[str]:
    """A URL with either scheme, with and without a slash at the end; none for what is surely no URL.

    >>> spell_otherwise("A.example/x")
    ['http://a.example/x', 'http://a.example/x/', 'https://a.example/x', 'https://a.example/x/']
    """
    rest = url.partition("://")[2] or url
    host, slash, path = rest.partition("/")
    if "." not in host and not slash and "://" not in url:
        return []
    stem = f"{host.lower()}{slash}{path}".rstrip("/")
    return [f"{scheme}://{stem}{end}" for scheme in ("http", "https") for end in ("", "/")]
