"""The numbers of sites, by SQL over the tables of finished runs.

Only a few narrow columns are read. Names of sites are held once each; of a page, DuckDB holds a few numbers, and rows
of other tables are grouped by site while they are read where that can be done. What exceeds the budget of memory,
DuckDB writes to the folder for spill files. All sums are of whole numbers, so that their order does not matter; a
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
"""The tables that are looked at beside the documents, and their columns. A query names one as `…_rows`, once."""
_SPREAD = "sqrt(greatest(0, count(*)::HUGEINT * sum({0}::HUGEINT * {0}) - sum({0})::HUGEINT * sum({0}))) / count(*)"
_PAGES = f"""
    SELECT first, count(*) AS pages, sum(words) / count(*) AS words,
        coalesce({_SPREAD.format("words")} / nullif(sum(words) / count(*), 0), 0) AS uneven,
        sum(restored)::BIGINT AS restored, sum(hidden)::BIGINT AS hidden
    FROM pages GROUP BY first
"""  # noqa: S608
_COUNTED = "SELECT numbers.*, site FROM numbers JOIN names USING (first)"
_QUILTED = "SELECT doc FROM verdicts_rows WHERE quilt"
# A page is mixed if at least three others have half of it, none of them most; and one piece if one has most of it.
_JUDGED = f"""
    SELECT first, count(*) AS judged, count(own) AS looked_at, count(*) FILTER (quilt) AS quilts,
        count(*) FILTER (verdict = 'original') AS originals,
        sum((own * {_UNIT})::BIGINT) FILTER (quilt) / nullif(count(own) FILTER (quilt), 0) / {_UNIT} AS own,
        count(*) FILTER (covered >= 0.5) AS elsewhere, count(*) FILTER (mixed) AS mixed,
        count(*) FILTER (covered >= 0.5 AND largest >= 0.8) AS in_one_piece,
        sum((coalesce(attributed, 0) * {_UNIT})::BIGINT) FILTER (quilt OR mixed)
            / nullif(count(*) FILTER (quilt OR mixed), 0) / {_UNIT} AS linked
    FROM (SELECT *, coalesce(covered >= 0.5 AND sources >= 3 AND largest < 0.8, false) AS mixed FROM verdicts_rows)
        JOIN pages USING (doc) GROUP BY first
"""  # noqa: S608
_DRAWN = """
    SELECT quilt::UINTEGER AS quilt_doc, source::UINTEGER AS source, new_grams, linked IS NOT NULL AS is_linked
    FROM sources_rows WHERE quilt IN (SELECT doc FROM quilted)
"""
_DRAWS = """
    SELECT a.first, b.first AS from_first, count(DISTINCT quilt_doc) AS quilts, count(DISTINCT source) AS sources,
        sum(new_grams)::BIGINT AS new_grams,
        coalesce(sum(new_grams) FILTER (is_linked), 0)::BIGINT AS linked_grams
    FROM drawn JOIN pages a ON a.doc = quilt_doc JOIN pages b ON b.doc = source
    WHERE a.first <> b.first GROUP BY ALL
"""
_NAMED_DRAWS = """
    SELECT draws.*, a.site, b.site AS source_site
    FROM draws JOIN names a USING (first) JOIN names b ON b.first = from_first ORDER BY first, from_first
"""
_DRAWING = """
    SELECT first, count(*) AS source_sites,
        (sum(new_grams)::HUGEINT * sum(new_grams)) / sum(new_grams::HUGEINT * new_grams) AS spread
    FROM draws GROUP BY first
"""
_DRAWN_ON = """
    SELECT from_first AS first, count(*) AS takers, sum(new_grams)::BIGINT AS taken_grams FROM draws GROUP BY from_first
"""
_CLUSTERS = "SELECT doc::UINTEGER AS doc, cluster::UINTEGER AS cluster FROM clusters_rows"
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
        JOIN pages ON pages.doc = o.doc AND pages.named = l.leads_to GROUP BY p.first
"""
_PHRASES = f"""
    SELECT first, sum(of_84) / count(*) / {_UNIT} AS popular, {_SPREAD.format("of_84")} / {_UNIT} AS deviation
    FROM (SELECT first, (popular::HUGEINT * {84 * _UNIT} // greatest(shingles, 1))::BIGINT AS of_84
        FROM document_phrases_rows JOIN pages USING (doc)) GROUP BY first
"""  # noqa: S608
_TARGETS = "SELECT first, count(*) AS targets FROM targets_rows JOIN pages USING (doc) GROUP BY first"
_SHARING = """
    SELECT page[1] AS first, count(DISTINCT page[2]) AS sharing FROM (
        SELECT unnest([(x.first, x.doc), (y.first, y.doc)]) AS page
        FROM passage_pairs_rows p JOIN pages x ON x.doc = p.a JOIN pages y ON y.doc = p.b WHERE x.first <> y.first
    ) GROUP BY 1
"""
_SUSPECT_PAGES = "SELECT doc FROM pages JOIN suspects USING (first) ORDER BY doc"
# What suspects have, each thing once, as numbers: the kind of thing (one of _KINDS), and two that say which it is.
_STRETCHES = f"""
    SELECT DISTINCT first, 1::UTINYINT AS kind, source::BIGINT AS a, unnest(range(
        (source_begin + {STRETCH - 1}) // {STRETCH}, source_end // {STRETCH})) AS b
    FROM patches_rows JOIN pages ON pages.doc = quilt JOIN suspects USING (first)
"""  # noqa: S608
_HAVINGS = """
    SELECT DISTINCT first, 0::UTINYINT AS kind, source::BIGINT AS a, 0::BIGINT AS b
    FROM drawn JOIN pages ON pages.doc = quilt_doc JOIN suspects USING (first)
    UNION ALL SELECT first, CASE WHEN 2 * count(DISTINCT doc) > any_value(pages) AND any_value(pages) > 1
        THEN 4 ELSE 2 END, paragraph, 0
    FROM paragraphs JOIN pages USING (doc) JOIN counted USING (first) GROUP BY first, paragraph
    UNION ALL SELECT DISTINCT first, 5, (hash(ip) >> 1)::BIGINT, 0 FROM addresses JOIN pages USING (doc)
"""
_KINDS = ("shared", "passages", "paragraphs", "mutual", "template", "addresses")
_SIZES = "SELECT first, kind, count(DISTINCT a) AS size FROM havings GROUP BY first, kind"
# What several suspects have, and the first of them where these are many. Only the latter need a window, which is held
# in memory as a whole.
_SEVERAL = "SELECT kind, a, b, count(*) AS sites FROM havings GROUP BY kind, a, b HAVING count(*) > 1"
_FEW = f"""
    SELECT first, kind, a, b FROM havings JOIN several USING (kind, a, b) WHERE sites <= {MOST_SITES}
    UNION ALL SELECT first, kind, a, b FROM havings JOIN several USING (kind, a, b) WHERE sites > {MOST_SITES}
        QUALIFY row_number() OVER (PARTITION BY kind, a, b ORDER BY first) <= {MOST_SITES}
"""  # noqa: S608
_COMMON = """
    SELECT first, other_first, kind, count(*) AS common FROM (
        SELECT DISTINCT x.first, y.first AS other_first, kind, a
        FROM few x JOIN few y USING (kind, a, b) WHERE x.first < y.first
    ) GROUP BY ALL
    UNION ALL SELECT least(u.first, p.first), greatest(u.first, p.first), 3, count(*)
    FROM havings u JOIN pages p ON p.doc = u.a JOIN suspects s ON s.first = p.first
    WHERE u.kind = 0 AND u.first <> p.first GROUP BY ALL
"""
_PAIRS = f"""
    WITH held AS (
        SELECT c.first, c.other_first, c.kind, common, least(x.size, y.size) AS size
        FROM common c JOIN sizes x ON x.first = c.first AND x.kind = CASE c.kind WHEN 3 THEN 0 ELSE c.kind END
            JOIN sizes y ON y.first = c.other_first AND y.kind = x.kind
    )
    SELECT h.first, other_first, a.site, b.site AS other,
        {", ".join(f"coalesce(sum(common) FILTER (kind = {n}), 0)::BIGINT AS {name}" for n, name in enumerate(_KINDS))}
    FROM held h JOIN suspects a USING (first) JOIN suspects b ON b.first = other_first
    GROUP BY h.first, other_first, a.site, b.site
    HAVING bool_or(kind IN (4, 5) OR (kind = 2 AND common >= greatest(3, $least * size))
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
        self._numbers: dict[str | None, int] = {}
        """Each site by its name: the number of its first document."""
        self._named: dict[str | None, int] = self._numbers if by != "ip" else {}
        """What sites are called in links."""
        self._load("pages", _LOCATED, self._locate())
        names = {"first": list(self._numbers.values()), "site": list(self._numbers)}
        connection.register("named", pa.table(names, schema=_NAMES))
        self._make("names", "SELECT * FROM named")
        connection.unregister("named")
        self._make("numbers", _PAGES)
        self._make("counted", _COUNTED)

    def count(self) -> list[dict[str, Any]]:
        """All numbers of every site, in the order of their first documents; None where no run says."""
        made: dict[str, str] = {}
        if "verdicts" in self._tables:
            made |= {"quilted": _QUILTED, "judged": _JUDGED, "drawn": _DRAWN, "draws": _DRAWS}
            made |= {"drawing": _DRAWING, "drawn_on": _DRAWN_ON}
        if "clusters" in self._tables:
            made |= {"clusters": _CLUSTERS, "placed": _PLACED, "copied": _COPIED, "there": _THERE}
            made |= {"twins": _TWINS, "twinned": _TWINNED, "homes": _HOMES}
        if "document_phrases" in self._tables:
            made["phrased"] = _PHRASES
        if "targets" in self._tables:
            made["targeted"] = _TARGETS
        if "passage_pairs" in self._tables:
            made["shared_passages"] = _SHARING
        for name, query in made.items():
            self._make(name, query)
        if "clusters" in self._tables:
            self._load("links", _LINKS, self._links(self._find(_FULL)))
            self._make("linking", _LINKED)
            made["linking"] = _LINKED
        on_the_way = ("quilted", "drawn", "draws", "clusters", "placed", "there", "twins")
        parts = " ".join(f"LEFT JOIN {name} USING (first)" for name in made if name not in on_the_way)
        rows = self._connection.sql(f"SELECT * FROM counted {parts} ORDER BY first").to_arrow_table()  # noqa: S608
        self._drop("quilted", "clusters", "placed", "there", "twins", "links")
        return [{**row, **{name: row[name] or 0 for name in _COUNTS if name in row}} for row in rows.to_pylist()]

    def draws(self) -> pa.Table:
        """Which site draws on which."""
        return self._connection.sql(_NAMED_DRAWS).to_arrow_table()

    def pair(self, suspects: pa.Table, least: float) -> pa.Table:
        """The pairs of these sites that share a pool, a template or an address."""
        self._connection.register("suspects", suspects)
        wanted = self._find(_SUSPECT_PAGES)
        self._load("addresses", _ADDRESSES, self._addresses(wanted))
        if "verdicts" not in self._tables:
            self._make("drawn", "SELECT 0 AS quilt_doc, 0 AS source WHERE false")
        self._load("paragraphs", _PARAGRAPHS, self._paragraphs(wanted))
        stretches = [_STRETCHES] if "patches" in self._tables else []
        self._make("havings", " UNION ALL ".join([*stretches, _HAVINGS]))
        self._drop("addresses", "paragraphs")
        for name, query in {"sizes": _SIZES, "several": _SEVERAL, "few": _FEW, "common": _COMMON}.items():
            self._make(name, query)
        pool = _KINDS.index("passages" if stretches else "shared")
        return self._connection.sql(_PAIRS, params={"least": least, "pool": pool}).to_arrow_table()

    def _locate(self) -> Iterator[pa.RecordBatch]:
        """The documents, with the numbers of their sites, and of what these are called in links."""
        places = {"domain": ("domain",), "host": ("host",)}.get(self._by, _PLACES)
        for split in self._documents.splits():
            part = split.read(["doc", *places, *_MEASURED])
            if len(places) == 1:
                names = part.column(places[0]).combine_chunks()
            else:
                rows = zip(*(part.column(name).to_pylist() for name in _PLACES), strict=True)
                names = pa.array((name_site(self._by, *row) for row in rows), pa.string())
            docs = part.column("doc").combine_chunks()
            sites = _number(names, docs, self._numbers)
            named = sites if self._by != "ip" else _number(part.column("domain").combine_chunks(), docs, self._named)
            columns = [docs, sites, named, *(part.column(name) for name in _MEASURED)]
            yield from pa.table(columns, names=_LOCATED.names).cast(_LOCATED).to_batches()

    def _links(self, wanted: pa.Array) -> Iterator[pa.RecordBatch]:
        """Of each page with copies, on a site full of copies: the sites of the corpus that it links to."""
        for part in self._read_among(wanted, ("links",)):
            rows: list[tuple[int, int]] = []
            for doc, links in zip(part["doc"].to_pylist(), part["links"].to_pylist(), strict=True):
                places = {(place.host, place.domain, link) for link in links or () for place in [locate_url(link)]}
                names = {name_site(_linked_by(self._by), link, host, domain, None) for host, domain, link in places}
                rows += [(doc, self._named[name]) for name in names if name is not None and name in self._named]
            columns = [pa.array([row[place] for row in rows], field.type) for place, field in enumerate(_LINKS)]
            yield pa.RecordBatch.from_arrays(columns, schema=_LINKS)

    def _addresses(self, wanted: pa.Array) -> Iterator[pa.RecordBatch]:
        """The addresses that suspects came from."""
        for part in self._read_among(wanted, ("ip",)):
            yield from part.filter(pc.is_valid(part["ip"])).cast(_ADDRESSES).to_batches()

    def _paragraphs(self, wanted: pa.Array) -> Iterator[pa.RecordBatch]:
        """The longer paragraphs of suspects, each as eight bytes of its SHA-1."""
        for part in self._read_among(wanted, ("chunks", "chunk_sha1")):
            chunks, digests = (part[name].combine_chunks() for name in ("chunks", "chunk_sha1"))
            places = pc.list_flatten(chunks)
            docs = part["doc"].combine_chunks().take(pc.list_parent_indices(chunks))
            long = pc.greater_equal(
                pc.subtract(pc.struct_field(places, "end"), pc.struct_field(places, "begin")), SHORTEST
            )
            digests = pc.cast(pc.list_flatten(digests).filter(long), pa.binary())
            heads = pc.binary_slice(digests, 0, 8).cast(pa.binary(8))
            numbers = pa.Array.from_buffers(pa.int64(), len(heads), [None, heads.buffers()[1]], offset=heads.offset)
            yield pa.RecordBatch.from_arrays([docs.filter(long).cast(pa.uint32()), numbers], schema=_PARAGRAPHS)

    def _find(self, query: str) -> pa.Array:
        """The documents that a query names."""
        return self._connection.sql(query).to_arrow_table()["doc"].combine_chunks().cast(pa.int64())

    def _read_among(self, wanted: pa.Array, columns: tuple[str, ...]) -> Iterator[pa.Table]:
        """Some columns of these documents, in their order."""
        for split in self._documents.splits():
            least, greatest = split.keys or (0, 1 << 62)
            here = wanted.filter(pc.and_(pc.greater_equal(wanted, least), pc.less_equal(wanted, greatest)))
            if len(here):
                part = split.read(["doc", *columns])
                yield part.filter(pc.is_in(part["doc"], here))

    def _make(self, name: str, query: str) -> None:
        """A table from a query. Rows of a run that it names are read while it is answered."""
        named = [table for table in _READ if f"{table}_rows" in query]
        for table in named:
            self._connection.register(f"{table}_rows", _reader(self._tables[table], _READ[table]))
        self._connection.execute(f"CREATE TEMP TABLE {name} AS {query}")
        for table in named:
            self._connection.unregister(f"{table}_rows")

    def _drop(self, *names: str) -> None:
        """Tables that nothing asks for any more, so that their place in memory is free."""
        for name in names:
            self._connection.execute(f"DROP TABLE IF EXISTS {name}")

    def _load(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        self._connection.register("loaded", pa.RecordBatchReader.from_batches(schema, batches))
        self._make(name, "SELECT * FROM loaded")
        self._connection.unregister("loaded")


_COUNTS = (
    *("judged", "looked_at", "quilts", "originals", "elsewhere", "mixed", "in_one_piece"),
    *("source_sites", "takers", "taken_grams"),
    *("copied", "twins", "homes", "linked_copies", "targets", "sharing"),
)
"""What a run has looked for and not found is 0."""
_PLACES = ("url", "host", "domain", "ip")
_MEASURED = ("words", "restored", "hidden")
_LOCATED = pa.schema([(name, pa.uint32()) for name in ("doc", "first", "named", *_MEASURED)])
_NAMES = pa.schema([("first", pa.uint32()), ("site", pa.string())])
_LINKS = pa.schema([("doc", pa.uint32()), ("leads_to", pa.uint32())])
_ADDRESSES = pa.schema([("doc", pa.uint32()), ("ip", pa.string())])
_PARAGRAPHS = pa.schema([("doc", pa.uint32()), ("paragraph", pa.int64())])


def _reader(kept: Kept, columns: tuple[str, ...]) -> pa.RecordBatchReader:
    """Some columns of a table, a row group at a time."""
    schema = pa.schema([kept.schema.field(column) for column in columns])  # type: ignore[union-attr]
    batches = (batch for split in kept.splits() for batch in split.read(columns).to_batches())
    return pa.RecordBatchReader.from_batches(schema, batches)


def _number(names: pa.Array, docs: pa.Array, numbers: dict[str | None, int]) -> pa.Array:
    """The number of each of these names: that of the first document that has it. New ones are added to `numbers`."""
    coded = names.dictionary_encode(null_encoding="encode")
    firsts = pa.table({"code": coded.indices, "doc": docs}).group_by("code").aggregate([("doc", "min")])
    first = dict(zip(firsts["code"].to_pylist(), firsts["doc_min"].to_pylist(), strict=True))
    of_code = [numbers.setdefault(name, first[code]) for code, name in enumerate(coded.dictionary.to_pylist())]
    return pa.array(of_code, pa.uint32()).take(coded.indices)


def _linked_by(by: str) -> str:
    """What the sites of links are told by: a link has no address."""
    return "domain" if by == "ip" else by
