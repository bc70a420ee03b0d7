"""The tables of parts of a corpus as tables of the whole, by SQL over DuckDB.

Documents get other numbers: the pages of all parts come first, in the order of the parts, and behind them the other
documents (JavaScript, CSS, robots.txt) in the same order. Counts add up. Rows that do not fit into memory are written
to the folder for spill files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import duckdb
import pyarrow as pa

from unquilt import _native
from unquilt.analyses.detect import SCALE
from unquilt.errors import StorageError, UnquiltError, damaged
from unquilt.flow.kept import Kept
from unquilt.jobs.corpora import open_table
from unquilt.runs import Run
from unquilt.settings import Settings
from unquilt.tables.reuse import (
    CONTENTS,
    NEIGHBOURHOOD_SUMS,
    NEIGHBOURHOODS,
    OBJECT_SITES,
    OBJECTS,
    OCCURRENCES,
    ORIGINS,
    PATH_LENGTHS,
)
from unquilt.tables.table import Table

_LEAST_FOR_A_THREAD = 64 << 20
"""Bytes that a thread of DuckDB needs."""
_ROWS = 16_384
# `parts` are the rows of all parts, with the numbers of the whole. As in all of our tables, strings are sorted by their
# length first.
_CONTENTS = "SELECT * FROM parts ORDER BY doc"
_NEIGHBOURHOOD_SUMS = """
    SELECT min("first") AS "first", any_value(level) AS level, prefix, sum(documents)::BIGINT AS documents,
        sum(chunks)::BIGINT AS chunks, sum(matched)::BIGINT AS matched, sum(contained)::BIGINT AS contained
    FROM parts GROUP BY prefix ORDER BY "first", level
"""
_PATH_LENGTHS = """
    SELECT components, what, sum("count")::BIGINT AS "count"
    FROM parts GROUP BY components, what ORDER BY components, strlen(what)
"""
# A document without a URL has no `site`, and is a site of its own.
_OBJECT_SITES = """
    SELECT min(doc) AS doc, arg_min(begin, doc) AS begin, kind, arg_min("end", doc) AS "end", sha1, site,
        sum(documents)::BIGINT AS documents, sum(occurrences)::BIGINT AS occurrences
    FROM parts GROUP BY kind, sha1, site, CASE WHEN site IS NULL THEN parts.doc END
    ORDER BY 1, 2, strlen(kind)
"""
# Objects are counted from their sites in the whole. Their texts come from the part that has the first document.
_OBJECTS = """
    SELECT "first", begin, kind, parts."end", sha1, counted.occurrences, counted.documents, counted.sites,
        counted.length, 0 AS weight, notice, page, whole, example
    FROM (
        SELECT min(doc) AS "first", arg_min(begin, doc) AS begin, kind, arg_min("end" - begin, doc) AS length, sha1,
            sum(occurrences)::BIGINT AS occurrences, sum(documents)::BIGINT AS documents, count(*) AS sites
        FROM merged_sites GROUP BY kind, sha1
    ) AS counted LEFT JOIN parts USING ("first", begin, kind, sha1)
    ORDER BY "first", begin, strlen(kind)
"""
# All parts were held against the same labels, so that they say the same of what both have.
_ORIGINS = """
    SELECT "first", begin, kind, sha1, known.ours, known.ours_begin, known.ours_end, known.ours_pages,
        documents, sites, length, example
    FROM merged_objects JOIN (
        SELECT kind, sha1, any_value(ours) AS ours, any_value(ours_begin) AS ours_begin,
            any_value(ours_end) AS ours_end, any_value(ours_pages) AS ours_pages
        FROM parts GROUP BY kind, sha1
    ) AS known USING (kind, sha1)
    ORDER BY "first", begin, strlen(kind)
"""
_OCCURRENCES = 'SELECT * FROM parts ORDER BY doc, begin, "end"'
_QUERIES = {
    CONTENTS.name: (CONTENTS, _CONTENTS),
    NEIGHBOURHOOD_SUMS.name: (NEIGHBOURHOODS, _NEIGHBOURHOOD_SUMS),
    PATH_LENGTHS.name: (PATH_LENGTHS, _PATH_LENGTHS),
    OBJECT_SITES.name: (OBJECT_SITES, _OBJECT_SITES),
    OBJECTS.name: (OBJECTS, _OBJECTS),
    ORIGINS.name: (ORIGINS, _ORIGINS),
    OCCURRENCES.name: (OCCURRENCES, _OCCURRENCES),
}
"""For each table of the whole: the table of the parts that it is made of, and the query."""
_SHARES = {
    (CONTENTS.name, "badness"): "share",
    (NEIGHBOURHOOD_SUMS.name, "badness"): "contained // documents",
    (
        NEIGHBOURHOOD_SUMS.name,
        "ratio",
    ): f"CASE WHEN chunks = 0 THEN 0 ELSE (matched::HUGEINT * {SCALE} // chunks)::BIGINT END",
}


@dataclass(frozen=True)
class RunPart:
    """The tables of a part by name, how many of its documents are pages, and how many documents of the whole come
    before its pages, and before its other documents."""

    tables: dict[str, Kept]
    pages: int
    offset: int
    other_offset: int

    def renumber(self, column: str) -> str:
        """The SQL for the numbers in the whole of the documents in a column."""
        shift, other_shift = self.offset, self.other_offset - self.pages
        return f'"{column}" + CASE WHEN "{column}" < {self.pages} THEN {shift} ELSE {other_shift} END'


class MergedTables:
    """Makes the tables of the whole in a run folder. Use in a `with` block."""

    def __init__(self, run: Run, parts: Sequence[RunPart], settings: Settings) -> None:
        self._run = run
        self._parts = parts
        memory = settings.memory // 2
        self._config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{memory}B",
            "threads": str(max(1, min(settings.threads, memory // _LEAST_FOR_A_THREAD))),
            "temp_directory": str(run.spill),
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
        }
        self._fault: UnquiltError | None = None

    def __enter__(self) -> Self:
        self._connection = duckdb.connect(":memory:", config=self._config)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def merge(self, table: Table) -> Kept:
        """A table of the whole; made unless it is there already."""
        if not self._run.done(table.name):
            read, query = _QUERIES[table.name]
            writer = self._run.writer(table.name, table.schema, on_the_way=table.on_the_way)
            with self._run.stage(table.name) as stage, self._asking(), writer:
                self._open_parts(read)
                if table == OBJECTS:
                    self._open("merged_sites", self._kept(OBJECT_SITES))
                if table == ORIGINS:
                    self._open("merged_objects", self._kept(OBJECTS))
                for batch in self._connection.sql(query).to_arrow_reader(_ROWS):
                    writer.write(self._weigh(batch) if table == OBJECTS else batch)
                stage.record(rows=writer.rows)
            self._run.mark(table.name, tables=[table.name])
        return self._kept(table)

    def count_shares(self, table: Table, by: str = "badness") -> dict[str, int]:
        """Number, sum and sum of squares of the shares in a table of the whole, as kernels count them."""
        share = _SHARES[table.name, by]
        with self._asking():
            self._open("whole", self._kept(table))
            query = f"SELECT count(*), sum({share}), sum(({share})::HUGEINT * ({share})) FROM whole"  # noqa: S608
            (found,) = self._connection.execute(query).fetchall()
        number, total, squares = (int(value or 0) for value in found)
        return {"number": number, "sum": total, "squares_rest": squares}

    def _kept(self, table: Table) -> Kept:
        return open_table(self._run, table.name, table)

    def _open_parts(self, table: Table) -> None:
        """Makes a view of the rows that all parts have of a table."""
        selected = []
        for number, part in enumerate(self._parts):
            name = f"part_{number}"
            self._open(name, part.tables[table.name])
            documents = [column for column in table.schema.names if column in ("doc", "first")]
            replaced = ", ".join(f'{part.renumber(column)} AS "{column}"' for column in documents)
            selected.append(f"SELECT *{f' REPLACE ({replaced})' if replaced else ''} FROM {name}")  # noqa: S608
        self._connection.execute(f"CREATE OR REPLACE TEMP VIEW parts AS {' UNION ALL '.join(selected)}")

    def _open(self, name: str, kept: Kept) -> None:
        """Makes a relation of a table, which can be read once; its rows are checked as ours always are."""

        def read() -> Iterator[pa.RecordBatch]:
            try:
                for split in kept.splits():
                    yield from split.read(kept.columns).to_batches()
            except UnquiltError as error:  # which DuckDB would wrap into one of its own
                self._fault = error
                raise

        schema = kept.schema
        assert schema is not None, "a table that was kept has columns"
        self._connection.register(name, pa.RecordBatchReader.from_batches(schema, read()))

    def _weigh(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Objects with their weights. Every one of them must have its text from the part with its first document."""
        if batch.column("example").null_count:
            raise damaged(self._run.path, "the objects of a part do not fit its sites; run the part again")
        counts = (batch.column(name).to_pylist() for name in ("length", "sites", "documents"))
        weights = pa.array([_native.weigh(*row) for row in zip(*counts, strict=True)], pa.int64())
        return batch.set_column(batch.schema.get_field_index("weight"), "weight", weights)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except duckdb.Error as error:
            if self._fault is not None:
                raise self._fault from error
            why = str(error).splitlines()[0][:200]
            raise StorageError(f"{self._run.spill}: parts cannot be merged: {why}") from error
