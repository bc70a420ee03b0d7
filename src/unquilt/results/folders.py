"""A run or corpus folder to read from, in any state: its tables, and those of the corpus that it was made from.

A run that read its inputs itself has its corpus in its own folder. A run over a corpus folder recorded the path and the
fingerprint of that: it is found there, or, if both were moved, beside the run. Without its corpus, a run still has its
own tables, but neither ids for its sources nor rejects. Only what is needed is read: one column, or some row groups.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from unquilt.analyses.catalogue import find_table
from unquilt.errors import ParameterError, RunError
from unquilt.flow.kept import Kept
from unquilt.jobs.corpora import documents, find_corpus, open_table, other_texts
from unquilt.remote.paths import place
from unquilt.results.hosts import count_hosts
from unquilt.results.names import Names
from unquilt.runs import Run
from unquilt.tables.corpus import CORPUS_TABLES, DOCUMENTS, OTHER_TEXTS
from unquilt.tables.table import Table

_SHORT = ("id", "url", "host", "domain", "fetched")
"""Short columns of documents. A view asks for several of them, one after the other, of the same few documents, which
are in as many row groups; so all are read at once, and kept."""
_MOST_KEPT = 4096
"""Documents of which these are kept."""


class RunFolder:
    """A run with the corpus it was made from; for a corpus, the two are the same."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._names: dict[tuple[str, ...], Names] = {}
        self._short: tuple[object, dict[int, dict[str, Any]]] = (None, {})
        self.corpus = run if run.manifest["analysis"] == "ingest" else find_corpus(run)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open the folder of a run; the error for any other folder names the runs in it."""
        try:
            return cls(Run.read(path))
        except RunError as error:
            if not place(path).exists():
                raise RunError(f"{path}: no such folder") from error
            runs = sorted(str(entry.parent) for entry in place(path).glob("*/manifest.json"))
            hint = f"; but these in it are: {', '.join(runs[:5])}" if runs else ""
            raise RunError(f"{error}{hint}") from error

    @cached_property
    def complete(self) -> bool:
        """Whether the run was complete when this was first asked: to look at all its files again takes a while."""
        return self.run.complete

    @cached_property
    def tables(self) -> dict[str, Kept]:
        """All tables that can be shown, by name: those of the run, then those of its corpus."""
        found = {name: open_table(self.run, name, self.describe(name)) for name in self.run.tables}
        if self.corpus is not None:
            found |= {
                name: open_table(self.corpus, name, CORPUS_TABLES.get(name))
                for name in self.corpus.tables
                if name not in found
            }
            if self.corpus.done(DOCUMENTS.name):
                found[DOCUMENTS.name] = documents(self.corpus, others=self._numbers_others())
                aside = other_texts(self.corpus)
                found |= {} if aside is None else {OTHER_TEXTS.name: aside}
        return found

    @cached_property
    def has_urls(self) -> bool:
        """Whether documents have URLs mostly, by the first row group of the corpus; true where there is no corpus."""
        if DOCUMENTS.name not in self.tables:
            return True
        for split in self.tables[DOCUMENTS.name].splits()[:1]:
            urls = split.read(["url"]).column("url")
            return bool(2 * urls.null_count <= len(urls))
        return True

    def _numbers_others(self) -> bool:
        """Whether JavaScript, CSS and robots.txt may be among the documents that the tables of the run are about."""
        return self.run.manifest["parameters"].get("pages_only") is False

    def describe(self, name: str) -> Table | None:
        """What is known of a table of this name, first of those that the analysis of the run makes."""
        return find_table(name, self.run.manifest["analysis"])

    def table(self, name: str) -> Kept:
        """One table by name; a wrong name is answered with the right ones."""
        if name not in self.tables:
            there = ", ".join(sorted(self.tables)) or "none yet, as it is not complete"
            raise ParameterError(f"{self.run.path} has no table {name!r}; there are: {there}")
        return self.tables[name]

    def pages(self, numbers: Iterable[int]) -> dict[int, tuple[str, str | None]]:
        """Id and URL of documents by number, as far as the corpus is there."""
        return {number: (row["id"], row["url"]) for number, row in self.documents(numbers, ["id", "url"])}

    def documents(
        self, numbers: Iterable[int], columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Documents by number, in order, as far as the corpus is there; reads only these columns, of the row groups
        that have some of them, one at a time."""
        if DOCUMENTS.name not in self.tables:
            return
        wanted = sorted({number for number in numbers if number >= 0})
        if columns and set(columns) <= set(_SHORT) and len(wanted) <= _MOST_KEPT // 2:
            for number, row in self._short_rows(wanted):
                yield number, {name: row[name] for name in columns}
        else:
            yield from self._read(wanted, columns)

    def _short_rows(self, wanted: Sequence[int]) -> Iterator[tuple[int, dict[str, Any]]]:
        """The short columns of documents. Those that are kept are forgotten when a file of the corpus has changed."""
        table = self.tables[DOCUMENTS.name]
        state = None
        with suppress(OSError):  # a file that is gone is told of where it is read
            state = [(status.st_mtime_ns, status.st_size, status.st_ino) for status in map(os.stat, table.paths)]
        kept = self._short[1] if state is not None and self._short[0] == state else {}
        missing = [number for number in wanted if number not in kept]
        found = dict(self._read(missing, [name for name in _SHORT if name in table.columns]))
        if len(kept) + len(found) > _MOST_KEPT:
            kept = {number: kept[number] for number in wanted if number in kept}
        kept = kept | found
        self._short = state, kept
        return ((number, kept[number]) for number in wanted if number in kept)

    def _read(self, wanted: Sequence[int], columns: Sequence[str] | None) -> Iterator[tuple[int, dict[str, Any]]]:
        table, at, first = self.tables[DOCUMENTS.name], 0, 0
        for split in table.splits() if wanted else ():
            until = bisect_left(wanted, first + split.rows)
            if here := wanted[at:until]:
                part = split.read(columns or table.columns).take([number - first for number in here])
                yield from zip(here, part.to_pylist(), strict=True)
            at, first = until, first + split.rows

    def names(self, columns: Sequence[str]) -> Names:
        """The names of its documents, of these columns; the same for everybody who asks, so that they are read once."""
        key = tuple(columns)
        if key not in self._names:
            self._names[key] = Names(self.tables[DOCUMENTS.name], key)
        return self._names[key]

    @cached_property
    def hosts(self) -> tuple[Table, Kept]:
        """The hosts of its corpus as a table; counted when its rows are first read."""
        return count_hosts(self.tables[DOCUMENTS.name])

    def columns(self, name: str) -> list[str]:
        """The columns of a table."""
        return self.table(name).columns

    def about(self, name: str, number: int) -> list[dict[str, Any]]:
        """The rows of a table whose first column is this document; none if there is no such table."""
        if name not in self.tables:
            return []
        if name == DOCUMENTS.name:
            return [row for _, row in self.documents([number])]
        found: list[dict[str, Any]] = self.tables[name].between(number, number).to_pylist()
        return found
