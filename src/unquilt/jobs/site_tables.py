"""The numbers of sites, by SQL over the tables of finished runs.

Only a few narrow columns are read, and grouped by site. DuckDB holds them within the budget of memory, and writes
what exceeds it to the folder for spill files. All sums are of whole numbers, so that their order does not matter; a
quotient is the last step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from unquilt.corpus.extract.urls import locate_url
from unquilt.flow.kept import Kept
from unquilt.site_names import name_site

_UNIT = 1 << 20
"""Shares are added up in these units, as whole numbers."""
MOST_SITES = 100
"""Of a cluster or a paragraph that more sites have, the first ones are held against each other."""
STRETCH = 100
"""Code points of a source: two sites that took the same stretch of it took the same passage."""
SHORTEST = 60
"""Code points of the shortest paragraph by which sites are held against each other."""
_READ = {
    "verdicts": ("doc", "quilt", "verdict", "own", "covered", "sources", "largest", "attributed"),
    "sources": ("quilt", "source", "new_grams", "linked"),
    "patches": ("quilt", "source", "source_begin", "source_end"),
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
# A page is mixed if at least three others have half of it, none of them most; and one piece if one has most of it.
_JUDGED = f"""
    SELECT first, count(*) AS judged, count(own) AS looked_at, count(*) FILTER (quilt) AS quilts,
        count(*) FILTER (verdict = 'original') AS originals,
        sum((own * {_UNIT})::BIGINT) FILTER (quilt) / nullif(count(own) FILTER (quilt), 0) / {_UNIT} AS own,
        count(*) FILTER (mixed) AS mixed, count(*) FILTER (covered >= 0.5 AND largest >= 0.8) AS in_one_piece,
        sum((coalesce(attributed, 0) * {_UNIT})::BIGINT) FILTER (quilt OR mixed)
            / nullif(count(*) FILTER (quilt OR mixed), 0) / {_UNIT} AS linked
    FROM (SELECT *, coalesce(covered >= 0.5 AND sources >= 3 AND largest < 0.8, false) AS mixed FROM verdicts)
        JOIN pages USING (doc) GROUP BY first
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
    SELECT first, count(*) AS source_sites,
        (sum(new_grams)::HUGEINT * sum(new_grams)) / sum(new_grams::HUGEINT * new_grams) AS spread
    FROM draws GROUP BY first
"""
_DRAWN_ON = """
    SELECT from_first AS first, count(*) AS takers, sum(new_grams)::BIGINT AS taken_grams FROM draws GROUP BY from_first
"""
_PLACED = """
    SELECT doc, cluster, first FROM clusters JOIN pages USING (doc)
    WHERE cluster IN (SELECT cluster FROM clusters JOIN pages USING (doc) GROUP BY cluster
        HAVING count(DISTINCT first) > 1)
"""
_COPIED = "SELECT first, count(*) AS copied FROM placed GROUP BY first"
# The sites that have a cluster, the first of them, each with its share of copies.
_THERE = f"""
    SELECT cluster, first, copied * {_UNIT} // pages AS share
    FROM (SELECT DISTINCT cluster, first FROM placed) JOIN copied USING (first) JOIN counted USING (first)
    QUALIFY row_number() OVER (PARTITION BY cluster ORDER BY first) <= {MOST_SITES}
"""  # noqa: S608
# Of each pair of sites: the pages of the one in a cluster with a page of the other.
_TWINS = """
    SELECT a.first, b.first AS twin_first, count(DISTINCT a.doc) AS twin_pages
    FROM placed a JOIN there b ON a.cluster = b.cluster AND a.first <> b.first GROUP BY ALL
"""
_TWINNED = f"""
    SELECT t.first, count(*) AS twins,
        arg_min(p.site, (-t.twin_pages, t.twin_first)) AS twin, max(t.twin_pages) AS twin_pages,
        arg_min(coalesce(back.twin_pages, 0) / p.pages, (-t.twin_pages, t.twin_first)) AS twin_back,
        sum(t.twin_pages * (coalesce(back.twin_pages, 0) * {_UNIT} // p.pages)) / sum(t.twin_pages) / {_UNIT} AS back,
        sum(t.twin_pages * (c.copied * {_UNIT} // p.pages)) / sum(t.twin_pages) / {_UNIT} AS twins_copied
    FROM twins t JOIN copied c ON c.first = t.twin_first JOIN counted p ON p.first = t.twin_first
        LEFT JOIN twins back ON back.first = t.twin_first AND back.twin_first = t.first
    GROUP BY t.first
"""  # noqa: S608
# On how many other sites with clearly fewer copies a copied page stands: the median.
_HOMES = f"""
    SELECT first, quantile_disc(homes, 0.5) AS homes FROM (
        SELECT p.first, p.doc, count(*) FILTER (4 * t.share < 3 * (copied * {_UNIT} // pages)) AS homes
        FROM placed p JOIN there t ON t.cluster = p.cluster AND t.first <> p.first
            JOIN copied ON copied.first = p.first JOIN counted ON counted.first = p.first
        GROUP BY p.first, p.doc
    ) GROUP BY first
"""  # noqa: S608
_FULL = """
    SELECT doc FROM placed JOIN copied USING (first) JOIN counted USING (first) WHERE 2 * copied >= pages ORDER BY doc
"""
_LINKED = """
    SELECT p.first, count(DISTINCT p.doc) AS linked_copies
    FROM placed p JOIN links l USING (doc) JOIN placed o ON o.cluster = p.cluster AND o.first <> p.first
        JOIN pages ON pages.doc = o.doc AND pages.linked_as = l.leads_to GROUP BY p.first
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
_SUSPECT_PAGES = "SELECT doc FROM pages JOIN suspects USING (first) ORDER BY doc"
# What suspects have, each thing once: stretches of sources, sources, paragraphs, parts of their template, addresses.
_HAVINGS = f"""
    WITH texts AS (
        SELECT first, paragraph, 2 * count(DISTINCT doc) > any_value(pages) AND any_value(pages) > 1 AS is_template
        FROM paragraphs JOIN pages USING (doc) JOIN counted USING (first) GROUP BY ALL
    )
    SELECT DISTINCT first, 'passages' AS kind, source AS a, unnest(range(
        (source_begin + {STRETCH - 1}) // {STRETCH}, source_end // {STRETCH})) AS b
    FROM patches JOIN pages ON pages.doc = quilt JOIN suspects USING (first)
    UNION ALL SELECT DISTINCT first, 'shared', source, 0
    FROM drawn JOIN pages ON pages.doc = quilt_doc JOIN suspects USING (first)
    UNION ALL SELECT first, CASE WHEN is_template THEN 'template' ELSE 'paragraphs' END, paragraph, 0 FROM texts
    UNION ALL SELECT DISTINCT first, 'addresses', (hash(ip) >> 1)::BIGINT, 0
    FROM pages JOIN suspects USING (first) WHERE ip IS NOT NULL
"""  # noqa: S608
_PAIRS = f"""
    WITH few AS (
        SELECT * FROM havings QUALIFY row_number() OVER (PARTITION BY kind, a, b ORDER BY first) <= {MOST_SITES}
    ), sizes AS (SELECT first, kind, count(DISTINCT a) AS size FROM havings GROUP BY ALL
    ), common AS (
        SELECT x.first, y.first AS other_first, kind, count(DISTINCT a) AS common
        FROM few x JOIN few y USING (kind, a, b) WHERE x.first < y.first GROUP BY ALL
    ), within AS (
        SELECT least(u.first, p.first) AS first, greatest(u.first, p.first) AS other_first, 'mutual' AS kind,
            count(*) AS common
        FROM havings u JOIN pages p ON p.doc = u.a JOIN suspects s ON s.first = p.first
        WHERE u.kind = 'shared' AND u.first <> p.first GROUP BY ALL
    ), held AS (
        SELECT c.first, c.other_first, c.kind, common, least(x.size, y.size) AS size
        FROM (SELECT * FROM common UNION ALL SELECT * FROM within) c
        JOIN sizes x ON x.first = c.first AND x.kind = CASE c.kind WHEN 'mutual' THEN 'shared' ELSE c.kind END
        JOIN sizes y ON y.first = c.other_first AND y.kind = x.kind
    )
    SELECT h.first, other_first, a.site, b.site AS other,
        coalesce(sum(common) FILTER (kind = 'shared'), 0)::BIGINT AS shared,
        coalesce(sum(common) FILTER (kind = 'passages'), 0)::BIGINT AS passages,
        coalesce(sum(common) FILTER (kind = 'paragraphs'), 0)::BIGINT AS paragraphs,
        coalesce(sum(common) FILTER (kind = 'mutual'), 0)::BIGINT AS mutual,
        coalesce(sum(common) FILTER (kind = 'template'), 0)::BIGINT AS template,
        coalesce(sum(common) FILTER (kind = 'addresses'), 0)::BIGINT AS addresses
    FROM held h JOIN suspects a USING (first) JOIN suspects b ON b.first = other_first
    GROUP BY h.first, other_first, a.site, b.site
    HAVING bool_or(kind IN ('template', 'addresses') OR (kind = 'paragraphs' AND common >= greatest(3, $least * size))
            OR (kind = $pool AND common >= greatest(5, 2 * $least * size)))
    ORDER BY h.first, other_first
"""  # noqa: S608


class SiteTables:
    """The numbers of the sites of one corpus: `tables` are those of runs, by name."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, documents: Kept, tables: Mapping[str, Kept], by: str
    ) -> None:
        self._connection = connection
        self._documents = documents
        self._tables = tables
        self._by = by
        self._load("documents", _locate(documents, by), _LOCATED)
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
        made: dict[str, str] = {}
        if "verdicts" in self._tables:
            made |= {"judged": _JUDGED, "drawn": _DRAWN, "draws": _DRAWS}
            made |= {"drawing": _DRAWING, "drawn_on": _DRAWN_ON}
        if "clusters" in self._tables:
            made |= {"placed": _PLACED, "copied": _COPIED, "there": _THERE, "twins": _TWINS, "twinned": _TWINNED}
            made |= {"homes": _HOMES}
        if "document_phrases" in self._tables:
            made["phrased"] = _PHRASES
        if "targets" in self._tables:
            made["targeted"] = _TARGETS
        if "passage_pairs" in self._tables:
            made["shared_passages"] = _SHARING
        for name, query in made.items():
            self._make(name, query)
        if "clusters" in self._tables:
            self._load("links", self._links(self._find(_FULL)), _LINKS)
            self._make("linking", _LINKED)
            made["linking"] = _LINKED
        on_the_way = ("drawn", "draws", "placed", "there", "twins")
        parts = " ".join(f"LEFT JOIN {name} USING (first)" for name in made if name not in on_the_way)
        rows = self._connection.sql(f"SELECT * FROM counted {parts} ORDER BY first").to_arrow_table()  # noqa: S608
        return [{**row, **{name: row[name] or 0 for name in _COUNTS if name in row}} for row in rows.to_pylist()]

    def draws(self) -> pa.Table:
        """Which site draws on which."""
        return self._connection.sql("SELECT * FROM draws ORDER BY first, from_first").to_arrow_table()

    def pair(self, suspects: pa.Table, least: float) -> pa.Table:
        """The pairs of these sites that share a pool, a template or an address."""
        self._connection.register("suspects", suspects)
        self._load("paragraphs", self._paragraphs(self._find(_SUSPECT_PAGES)), _PARAGRAPHS)
        if "patches" not in self._tables:
            self._make("patches", "SELECT 0 AS quilt, 0 AS source, 0 AS source_begin, 0 AS source_end WHERE false")
        if "verdicts" not in self._tables:
            self._make("drawn", "SELECT 0 AS quilt_doc, 0 AS source WHERE false")
        self._make("havings", _HAVINGS)
        pool = "passages" if "patches" in self._tables else "shared"
        return self._connection.sql(_PAIRS, params={"least": least, "pool": pool}).to_arrow_table()

    def _links(self, wanted: pa.Array) -> Iterator[pa.RecordBatch]:
        """Of each page with copies, on a site full of copies: the sites that it links to."""
        for part in self._read_among(wanted, ("links",)):
            rows: list[tuple[int, str]] = []
            for doc, links in zip(part["doc"].to_pylist(), part["links"].to_pylist(), strict=True):
                places = {(place.host, place.domain, link) for link in links or () for place in [locate_url(link)]}
                names = {name_site(_linked_by(self._by), link, host, domain, None) for host, domain, link in places}
                rows += [(doc, name) for name in sorted(name for name in names if name is not None)]
            columns = [pa.array([row[place] for row in rows], field.type) for place, field in enumerate(_LINKS)]
            yield pa.RecordBatch.from_arrays(columns, schema=_LINKS)

    def _paragraphs(self, wanted: pa.Array) -> Iterator[pa.RecordBatch]:
        """The longer paragraphs of suspects, each as eight bytes of its SHA-1."""
        for part in self._read_among(wanted, ("chunks", "chunk_sha1")):
            chunks, digests = (part[name].combine_chunks() for name in ("chunks", "chunk_sha1"))
            places = pc.list_flatten(chunks)
            docs = part["doc"].combine_chunks().take(pc.list_parent_indices(chunks))
            long = pc.greater_equal(
                pc.subtract(pc.struct_field(places, "end"), pc.struct_field(places, "begin")), SHORTEST
            )
            heads = pc.binary_slice(pc.cast(pc.list_flatten(digests), pa.binary()), 0, 8)
            numbers = [int.from_bytes(head, "big", signed=True) for head in heads.filter(long).to_pylist()]
            yield pa.RecordBatch.from_arrays([docs.filter(long), pa.array(numbers, pa.int64())], schema=_PARAGRAPHS)

    def _find(self, query: str) -> pa.Array:
        """The documents that a query names."""
        return self._connection.sql(query).to_arrow_table()["doc"].combine_chunks()

    def _read_among(self, wanted: pa.Array, columns: tuple[str, ...]) -> Iterator[pa.Table]:
        """Some columns of these documents, in their order."""
        for split in self._documents.splits():
            least, greatest = split.keys or (0, 1 << 62)
            here = wanted.filter(pc.and_(pc.greater_equal(wanted, least), pc.less_equal(wanted, greatest)))
            if len(here):
                part = split.read(["doc", *columns])
                yield part.filter(pc.is_in(part["doc"], here))

    def _make(self, name: str, query: str) -> None:
        self._connection.execute(f"CREATE TEMP TABLE {name} AS {query}")

    def _load(self, name: str, batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> None:
        self._connection.register(f"{name}_rows", pa.RecordBatchReader.from_batches(schema, batches))
        self._make(name, f"SELECT * FROM {name}_rows")  # noqa: S608
        self._connection.unregister(f"{name}_rows")


_COUNTS = (
    *("judged", "looked_at", "quilts", "originals", "mixed", "in_one_piece", "source_sites", "takers", "taken_grams"),
    *("copied", "twins", "homes", "linked_copies", "targets", "sharing"),
)
"""What a run has looked for and not found is 0."""
_PLACES = ("url", "host", "domain", "ip")
_MEASURED = ("words", "restored", "hidden")
_LOCATED = pa.schema(
    [
        ("doc", pa.int64()),
        *((name, pa.string()) for name in ("site", "linked_as", "ip")),
        *((name, pa.int64()) for name in _MEASURED),
    ]
)
_LINKS = pa.schema([("doc", pa.int64()), ("leads_to", pa.string())])
_PARAGRAPHS = pa.schema([("doc", pa.int64()), ("paragraph", pa.int64())])


def _rows(kept: Kept, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    for split in kept.splits():
        yield from split.read(columns).to_batches()


def _linked_by(by: str) -> str:
    """What the sites of links are told by: a link has no address."""
    return "domain" if by == "ip" else by


def _locate(documents: Kept, by: str) -> Iterator[pa.RecordBatch]:
    """The documents with their sites, and with the names that these have in links."""
    for split in documents.splits():
        part = split.read(["doc", *_PLACES, *_MEASURED])
        rows = list(zip(*(part.column(name).to_pylist() for name in _PLACES), strict=True))
        names = pa.array([name_site(by, *row) for row in rows], pa.string())
        known = names if by != "ip" else part.column("domain")
        columns = [part.column("doc"), names, known, *(part.column(name) for name in ("ip", *_MEASURED))]
        yield from pa.table(columns, schema=_LOCATED).to_batches()
