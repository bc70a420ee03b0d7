"""The numbers of sites, by SQL over the tables of finished runs.

Only a few narrow columns are read, and grouped by site. DuckDB holds them within the budget of memory, and writes
what exceeds it to the folder for spill files. All sums are of whole numbers, so that their order does not matter; a
quotient is the last step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Any

import duckdb
import pyarrow as pa

from unquilt.corpus.extract.urls import name_site
from unquilt.flow.kept import Kept

_UNIT = 1 << 20
"""Shares are added up in these units, as whole numbers."""
_READ = {
    "verdicts": ("doc", "quilt", "verdict", "own"),
    "sources": ("quilt", "source", "new_grams", "linked"),
    "clusters": ("doc", "cluster"),
    "document_phrases": ("doc", "shingles", "popular"),
    "targets": ("doc",),
    "passage_pairs": ("a", "b"),
}
"""The tables that are looked at beside the documents, and their columns."""
_SPREAD = "sqrt(greatest(0, count(*)::HUGEINT * sum({0}::HUGEINT * {0}) - sum({0})::HUGEINT * sum({0}))) / count(*)"
_PAGES = f"""
    SELECT first, count(*) AS pages, any_value(site) AS site, sum(words) / count(*) AS words,
        coalesce({_SPREAD.format("words")} / nullif(sum(words) / count(*), 0), 0) AS uneven,
        sum(restored)::BIGINT AS restored, sum(hidden)::BIGINT AS hidden
    FROM pages GROUP BY first
"""  # noqa: S608
_JUDGED = f"""
    SELECT first, count(*) AS judged, count(own) AS looked_at, count(*) FILTER (quilt) AS quilts,
        count(*) FILTER (verdict = 'original') AS originals,
        sum((own * {_UNIT})::BIGINT) FILTER (quilt) / nullif(count(own) FILTER (quilt), 0) / {_UNIT} AS own
    FROM verdicts JOIN pages USING (doc) GROUP BY first
"""  # noqa: S608
_DRAWN = """
    SELECT s.quilt AS quilt_doc, source, new_grams, linked
    FROM sources s JOIN verdicts v ON v.doc = s.quilt WHERE v.quilt
"""
_DRAWS = """
    SELECT a.first, b.first AS from_first, any_value(a.site) AS site, any_value(b.site) AS source_site,
        count(DISTINCT quilt_doc) AS quilts, count(DISTINCT source) AS sources, sum(new_grams)::BIGINT AS new_grams,
        coalesce(sum(new_grams) FILTER (linked IS NOT NULL), 0)::BIGINT AS linked_grams
    FROM drawn JOIN pages a ON a.doc = quilt_doc JOIN pages b ON b.doc = source
    WHERE a.first <> b.first GROUP BY ALL ORDER BY a.first, from_first
"""
_DRAWING = """
    SELECT first, count(*) AS source_sites, sum(linked_grams) / sum(new_grams) AS linked,
        (sum(new_grams)::HUGEINT * sum(new_grams)) / sum(new_grams::HUGEINT * new_grams) AS spread
    FROM draws GROUP BY first
"""
_DRAWN_ON = """
    SELECT from_first AS first, count(*) AS takers, sum(new_grams)::BIGINT AS taken_grams FROM draws GROUP BY from_first
"""
# Of each pair of sites: the pages of the one in a cluster with a page of the other.
_TWINS = """
    WITH placed AS (SELECT doc, cluster, first, site FROM clusters JOIN pages USING (doc)),
        there AS (SELECT DISTINCT cluster, first, site FROM placed)
    SELECT a.first, b.first AS twin_first, any_value(b.site) AS twin, count(DISTINCT a.doc) AS twin_pages
    FROM placed a JOIN there b ON a.cluster = b.cluster AND a.first <> b.first GROUP BY ALL
"""
_COPIED = """
    WITH placed AS (SELECT doc, cluster, first FROM clusters JOIN pages USING (doc)),
        wide AS (SELECT cluster FROM placed GROUP BY cluster HAVING count(DISTINCT first) > 1)
    SELECT first, count(*) AS copied FROM placed JOIN wide USING (cluster) GROUP BY first
"""
_TWINNED = """
    SELECT t.first, count(*) AS twins, arg_min(t.twin, struct_pack(a := -t.twin_pages, b := t.twin_first)) AS twin,
        max(t.twin_pages) AS twin_pages,
        sum(t.twin_pages * (c.copied * 1048576 // p.pages)) / sum(t.twin_pages) / 1048576 AS twins_copied
    FROM twins t JOIN copied c ON c.first = t.twin_first JOIN counted p ON p.first = t.twin_first GROUP BY t.first
"""
_PHRASES = f"""
    SELECT first, sum(of_84) / count(*) / {_UNIT} AS popular, {_SPREAD.format("of_84")} / {_UNIT} AS deviation
    FROM (SELECT first, (popular::HUGEINT * {84 * _UNIT} // greatest(shingles, 1))::BIGINT AS of_84
        FROM document_phrases JOIN pages USING (doc)) GROUP BY first
"""  # noqa: S608
_TARGETS = "SELECT first, count(*) AS targets FROM targets JOIN pages USING (doc) GROUP BY first"
_SHARING = """
    SELECT page[1] AS first, count(DISTINCT page[2]) AS sharing FROM (
        SELECT unnest([(x.first, x.doc), (y.first, y.doc)]) AS page
        FROM passage_pairs p JOIN pages x ON x.doc = p.a JOIN pages y ON y.doc = p.b WHERE x.first <> y.first
    ) GROUP BY 1
"""
# Pairs of stitched sites: the sources that both have, or that one has in the other, or addresses of both.
_PAIRS = """
    WITH used AS (
        SELECT DISTINCT p.first, p.site, source FROM drawn JOIN pages p ON p.doc = quilt_doc JOIN suspects USING (first)
    ), sizes AS (SELECT first, count(*) AS used FROM used GROUP BY first
    ), common AS (
        SELECT a.first, b.first AS other_first, count(*) AS shared
        FROM used a JOIN used b ON a.source = b.source AND a.first < b.first GROUP BY ALL
    ), within AS (
        SELECT least(u.first, p.first) AS first, greatest(u.first, p.first) AS other_first, count(*) AS mutual
        FROM used u JOIN pages p ON p.doc = u.source JOIN suspects s ON s.first = p.first
        WHERE u.first <> p.first GROUP BY ALL
    ), located AS (SELECT DISTINCT first, ip FROM pages JOIN suspects USING (first) WHERE ip IS NOT NULL
    ), homes AS (
        SELECT a.first, b.first AS other_first, count(*) AS addresses
        FROM located a JOIN located b ON a.ip = b.ip AND a.first < b.first GROUP BY ALL
    ), pairs AS (
        SELECT first, other_first, coalesce(shared, 0) AS shared, coalesce(mutual, 0) AS mutual,
            coalesce(addresses, 0) AS addresses
        FROM common FULL JOIN within USING (first, other_first) FULL JOIN homes USING (first, other_first)
    )
    SELECT first, other_first, a.site, b.site AS other, shared, mutual, addresses
    FROM pairs JOIN sizes x USING (first) JOIN sizes y ON y.first = other_first
        JOIN suspects a USING (first) JOIN suspects b ON b.first = other_first
    WHERE shared >= greatest(3, $least * least(x.used, y.used)) OR mutual >= greatest(3, $least * least(x.used, y.used))
        OR addresses > 0
    ORDER BY first, other_first
"""


class SiteTables:
    """The numbers of the sites of one corpus: `tables` are those of runs, by name."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, documents: Kept, tables: Mapping[str, Kept], by: str
    ) -> None:
        self._connection = connection
        self._tables = tables
        self._load("documents", _placed(documents, by), _PLACED)
        self._make("firsts", "SELECT site, min(doc) AS first FROM documents GROUP BY site")
        self._make(
            "pages",
            "SELECT documents.*, first FROM documents JOIN firsts ON documents.site IS NOT DISTINCT FROM firsts.site",
        )
        for name, columns in _READ.items():
            if name in tables:
                kept = tables[name]
                schema = pa.schema([kept.schema.field(column) for column in columns])  # type: ignore[union-attr]
                self._load(name, _rows(kept, columns), schema)
        self._make("counted", _PAGES)

    def count(self) -> list[dict[str, Any]]:
        """All numbers of every site, in the order of their first documents; None where no run says."""
        parts = ["counted"]
        if "verdicts" in self._tables:
            self._make("judged", _JUDGED)
            self._make("drawn", _DRAWN)
            self._make("draws", _DRAWS)
            self._make("drawing", _DRAWING)
            self._make("drawn_on", _DRAWN_ON)
            parts += ["judged", "drawing", "drawn_on"]
        if "clusters" in self._tables:
            self._make("copied", _COPIED)
            self._make("twins", _TWINS)
            self._make("twinned", _TWINNED)
            parts += ["copied", "twinned"]
        for name, made, query in (
            ("document_phrases", "phrased", _PHRASES),
            ("targets", "targeted", _TARGETS),
            ("passage_pairs", "shared_passages", _SHARING),
        ):
            if name in self._tables:
                self._make(made, query)
                parts.append(made)
        joined = " LEFT JOIN ".join([parts[0], *(f"{part} USING (first)" for part in parts[1:])])
        rows = self._connection.sql(f"SELECT * FROM {joined} ORDER BY first").to_arrow_table().to_pylist()  # noqa: S608
        return [{**row, **self._zeros(row)} for row in rows]

    def _zeros(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """What a run has looked for and not found is 0."""
        counts = (
            "quilts",
            "originals",
            "source_sites",
            "takers",
            "taken_grams",
            "copied",
            "twins",
            "targets",
            "sharing",
        )
        return {name: row[name] or 0 for name in counts if name in row}

    def draws(self) -> pa.Table:
        """Which site draws on which."""
        return self._connection.sql("SELECT * FROM draws ORDER BY first, from_first").to_arrow_table()

    def pair(self, suspects: pa.Table, least: float) -> pa.Table:
        """The pairs of these sites that share sources, pages or addresses."""
        self._connection.register("suspects", suspects)
        return self._connection.sql(_PAIRS, params={"least": least}).to_arrow_table()

    def _make(self, name: str, query: str) -> None:
        self._connection.execute(f"CREATE TEMP TABLE {name} AS {query}")

    def _load(self, name: str, batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> None:
        self._connection.register(f"{name}_rows", pa.RecordBatchReader.from_batches(schema, batches))
        self._make(name, f"SELECT * FROM {name}_rows")  # noqa: S608
        self._connection.unregister(f"{name}_rows")


_LOCATED = ("url", "host", "domain", "ip")
_MEASURED = ("words", "restored", "hidden")
_PLACED = pa.schema(
    [("doc", pa.int64()), ("site", pa.string()), ("ip", pa.string()), *((name, pa.int64()) for name in _MEASURED)]
)


def _rows(kept: Kept, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    for split in kept.splits():
        yield from split.read(columns).to_batches()


def _placed(documents: Kept, by: str) -> Iterator[pa.RecordBatch]:
    """The documents with their sites."""
    for split in documents.splits():
        part = split.read(["doc", *_LOCATED, *_MEASURED])
        names = [
            name_site(*row)
            for row in zip(repeat(by), *(part.column(name).to_pylist() for name in _LOCATED), strict=False)
        ]
        columns = [
            part.column("doc"),
            pa.array(names, pa.string()),
            *(part.column(name) for name in ("ip", *_MEASURED)),
        ]
        yield from pa.table(columns, schema=_PLACED).to_batches()
