"""Some rows of a table, drawn at random and the same for everybody: those whose keyed hashes are smallest.

A row is hashed by its primary key, where documents count by their ids, with the seed as the key. So a sample depends
on what was found and on the seed, not on engines, threads or numbering; one of 20 is the beginning of one of 100; and
hashes are a random order at the same time, in which items are judged. Cost: one pass over the keys of the table.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from unquilt.analyses.catalogue import find_table
from unquilt.errors import ParameterError
from unquilt.results.folders import RunFolder
from unquilt.results.rows import Selection, TableRows, arrange, name_column
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.passages import PASSAGES

LARGEST = 100_000


@dataclass(frozen=True)
class Item:
    """A row that was drawn: its key, the ids and URLs of the documents in it, and of a passage where it ends."""

    key: Mapping[str, Any]
    names: Mapping[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A sample: its items in the order in which they are judged, and how many rows they were drawn from."""

    items: list[Item]
    population: int


def draw(
    folder: RunFolder, table: str, size: int, seed: int, where: str | None = None, top: int = 0, sort: str = ""
) -> Drawn:
    """A sample of the rows of a table for which `where` is true; with `top`, of the first so many of these, by `sort`
    or in the order in which people want them."""
    if not 1 <= size <= LARGEST:
        raise ParameterError(f"sample must be between 1 and {LARGEST:,}, not {size:,}")
    population = 0
    best: list[tuple[int, int, Item]] = []  # a heap of the smallest hashes, negated
    for item in _read_items(folder, table, where, top, sort):
        population += 1
        rank = _hash(seed, item)
        if len(best) < size:
            heapq.heappush(best, (-rank, population, item))
        elif -rank > best[0][0]:
            heapq.heapreplace(best, (-rank, population, item))
    return Drawn([item for _, _, item in sorted(best, key=lambda each: (-each[0], each[1]))], population)


def _hash(seed: int, item: Item) -> int:
    values = [item.names.get(name_column(column, "id")) or value for column, value in item.key.items()]
    text = json.dumps(values, ensure_ascii=False, default=lambda value: value.hex()).encode()
    return int.from_bytes(blake2b(text, digest_size=16, key=str(seed).encode()[:64]).digest(), "big")


def find_key(folder: RunFolder, table: str) -> list[str]:
    """The columns that tell the rows of a table apart; all columns if nothing is known of it."""
    known = find_table(table)
    return list(known.key) if known is not None and known.key else folder.columns(table)


def _read_items(folder: RunFolder, table: str, where: str | None, top: int, sort: str) -> Iterator[Item]:
    key = find_key(folder, table)
    known = find_table(table)
    documents = [name for name in (known.documents if known else ()) if name in key]
    rows = TableRows(folder, table, Selection(where=where))
    names = [name_column(column, part) for column in documents for part in ("id", "url")]
    if table == DOCUMENTS.name:
        names = ["id", "url"]
    if table == PASSAGES.name:
        names += ["a_end", "b_end"]  # so that labels can be compared with: unquilt score --labels
    names = [name for name in names if name in rows.columns]
    chosen = list(dict.fromkeys([*key, *names]))
    selection = Selection(chosen, where)
    if top:
        selection = arrange(folder, table, replace(selection, limit=top, sort=sort))
    for part in TableRows(folder, table, selection):
        for row in part.to_pylist():
            yield Item({column: row[column] for column in key}, {name: row[name] for name in names})
