"""The hosts of a corpus: a table that is not stored, but counted when somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from unquilt.flow.kept import Kept
from unquilt.tables.table import OnPage, Table, column, integer

HOSTS_OF_CORPUS = Table(
    "corpus_hosts",
    (
        column("host", pa.string(), "a host of the corpus"),
        column("domain", pa.string(), "its registered domain", null=True),
        integer("documents", "how many documents are on it"),
        integer("words", "how many words these have"),
    ),
    row=("host", "hosts"),
    see="the hosts of the corpus",
    order=("-documents",),
    page=OnPage(
        tab="Hosts",
        filters=("domain", "documents"),
        links={"host": "sites?name={host}"},
    ),
)


@dataclass(frozen=True)
class _Counted(Kept):
    """A table in memory that is read like one on disk."""

    documents: Kept | None = None

    @cached_property
    def _found(self) -> pa.Table:
        assert self.documents is not None
        columns = ["host", "domain", "words"]
        parts = [split.read(columns) for split in self.documents.splits()]
        pages = pa.concat_tables(
            [HOSTS_OF_CORPUS.schema.empty_table().select(columns), *parts], promote_options="permissive"
        )
        counted = pages.filter(pages.column("host").is_valid()).group_by("host", use_threads=False)
        sums = counted.aggregate([("domain", "min"), ("host", "count"), ("words", "sum")])
        return sums.sort_by("host").select([0, 1, 2, 3]).rename_columns(HOSTS_OF_CORPUS.schema.names)

    @property
    def rows(self) -> int:
        return int(self._found.num_rows)

    @property
    def columns(self) -> list[str]:
        return list(HOSTS_OF_CORPUS.schema.names)

    @property
    def schema(self) -> pa.Schema:
        return HOSTS_OF_CORPUS.schema

    def splits(self) -> list[_Counted]:  # type: ignore[override]
        return [self]

    def read(self, columns: Sequence[str]) -> pa.Table:
        return self._found.select(list(columns))


def count_hosts(documents: Kept) -> tuple[Table, Kept]:
    """The table of the hosts of these documents."""
    return HOSTS_OF_CORPUS, _Counted(HOSTS_OF_CORPUS.name, (), documents=documents)
