"""The Arrow schema of every table: the one contract between stages, and with whoever reads a run.

Document numbers and counts are `int64`, fingerprints too (many readers have no unsigned integers). The first column,
or the first two where noted, are the primary key, and every table is written in its order; rejects are in the order of
the inputs. Offsets are half-open, in
code points of `text`.
"""

from __future__ import annotations

import pyarrow as pa

SHA1 = pa.binary(20)
LATER = ("attributed", "linked")
"""Columns that runs by the first versions do not have, and that whoever reads a table can do without."""
NUMBERS = ("doc", "quilt", "source", "cluster", "first")
"""First columns that are numbers of documents: a table that begins with one is in its order."""

DOCUMENTS = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("url", pa.string()),
        pa.field("host", pa.string()),
        pa.field("domain", pa.string()),
        pa.field("ip", pa.string()),
        pa.field("path", pa.int32(), nullable=False),  # components of the URL's path
        pa.field("recursive", pa.bool_(), nullable=False),  # the URL looks like a crawler going round in circles
        pa.field("media", pa.string(), nullable=False),  # html, text or mail
        pa.field("truncated", pa.string()),  # why the content is known to be incomplete
        pa.field("text", pa.large_string(), nullable=False),
        pa.field("words", pa.int64(), nullable=False),
        pa.field("sequence", pa.binary(16), nullable=False),  # digest of the folded words: equal for copies
        pa.field("raw_sha1", SHA1, nullable=False),
        pa.field("links", pa.list_(pa.string())),
        pa.field("chunks", pa.list_(pa.struct([("begin", pa.int32()), ("end", pa.int32())]))),
        pa.field("chunk_sha1", pa.list_(SHA1)),  # of the text, white space collapsed
        pa.field("raw_chunk_sha1", pa.list_(SHA1)),  # of the source between paragraph boundaries
        pa.field("file", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
    ]
)

REJECTS = pa.schema(
    [
        pa.field("file", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("detail", pa.string()),
    ]
)

STANDING = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("kept", pa.int64(), nullable=False),  # itself, or the copy that is kept instead
        pa.field("servers", pa.binary()),  # see servers.rs
    ]
)

CLUSTERS = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("cluster", pa.int64(), nullable=False),  # its lowest document
        pa.field("keep", pa.bool_(), nullable=False),
    ]
)

EDGES = pa.schema(  # primary key (doc, other)
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("other", pa.int64(), nullable=False),
    ]
)

COMPARED = pa.schema(  # primary key (doc, other); on the way to similarity
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("other", pa.int64(), nullable=False),
        pa.field("reasons", pa.int64(), nullable=False),  # bits, as similarity.rs has them
    ]
)

SIMILARITY = pa.schema(
    [
        pa.field("cluster", pa.int64(), nullable=False),  # the document that is kept
        pa.field("documents", pa.int64(), nullable=False),
        pa.field("least", pa.float64(), nullable=False),  # Jaccard coefficients of the others to the one that is kept
        pa.field("median", pa.float64(), nullable=False),
    ]
)

PAIRS = pa.schema(  # primary key (doc, other)
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("other", pa.int64(), nullable=False),
        pa.field("jaccard", pa.float64(), nullable=False),
    ]
)

QUILTS = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("url", pa.string()),
        pa.field("words", pa.int64(), nullable=False),
        pa.field("grams", pa.int64(), nullable=False),
        pa.field("patch_grams", pa.int64(), nullable=False),
        pa.field("patchfrac", pa.float64(), nullable=False),
        pa.field("sources", pa.int64(), nullable=False),
        pa.field("attributed", pa.float64(), nullable=False),  # share of the patch grams that linked sources cover
    ]
)

SOURCES = pa.schema(  # primary key (quilt, rank)
    [
        pa.field("quilt", pa.int64(), nullable=False),
        pa.field("rank", pa.int64(), nullable=False),
        pa.field("source", pa.int64(), nullable=False),
        pa.field("new_grams", pa.int64(), nullable=False),
        pa.field("all_grams", pa.int64(), nullable=False),
        pa.field("linked", pa.string()),  # page, domain or null
    ]
)

NAMED = pa.schema(  # primary key (quilt, rank); on the way to sources
    [
        pa.field("quilt", pa.int64(), nullable=False),
        pa.field("rank", pa.int64(), nullable=False),
        pa.field("source", pa.int64(), nullable=False),
        pa.field("new_grams", pa.int64(), nullable=False),
        pa.field("all_grams", pa.int64(), nullable=False),
        pa.field("patch_grams", pa.int64(), nullable=False),  # of the quilt
        pa.field("shared", pa.large_binary(), nullable=False),  # how many of the new grams later sources have, too
        pa.field("names", pa.large_binary(), nullable=False),  # fingerprints of the source's URLs and domains
    ]
)

PATCHES = pa.schema(  # primary key (quilt, begin)
    [
        pa.field("quilt", pa.int64(), nullable=False),
        pa.field("begin", pa.int64(), nullable=False),
        pa.field("end", pa.int64(), nullable=False),
        pa.field("source", pa.int64(), nullable=False),
        pa.field("source_begin", pa.int64(), nullable=False),
        pa.field("source_end", pa.int64(), nullable=False),
        pa.field("words", pa.int64(), nullable=False),
    ]
)

ASKED = pa.schema(  # primary key (source, quilt); on the way to patches
    [
        pa.field("source", pa.int64(), nullable=False),
        pa.field("quilt", pa.int64(), nullable=False),
        pa.field("rank", pa.int64(), nullable=False),
        pa.field("grams", pa.large_binary(), nullable=False),  # fingerprints of those that both have
    ]
)

SLICES = pa.schema(  # primary key (quilt, rank, source, begin); on the way to patches
    [
        pa.field("quilt", pa.int64(), nullable=False),
        pa.field("rank", pa.int64(), nullable=False),
        pa.field("source", pa.int64(), nullable=False),
        pa.field("begin", pa.int64(), nullable=False),
        pa.field("words", pa.large_binary(), nullable=False),  # both as patches.rs packs them
        pa.field("places", pa.large_binary(), nullable=False),
    ]
)

QUILTING_DOMAINS = pa.schema(
    [
        pa.field("first", pa.int64(), nullable=False),  # its lowest document
        pa.field("domain", pa.string()),
        pa.field("documents", pa.int64(), nullable=False),
        pa.field("quilts", pa.int64(), nullable=False),
        pa.field("share", pa.float64(), nullable=False),  # quilts / documents
    ]
)

SOURCE_DOMAINS = pa.schema(
    [
        pa.field("first", pa.int64(), nullable=False),  # its lowest document
        pa.field("domain", pa.string()),
        pa.field("quilts", pa.int64(), nullable=False),  # that draw on it
        pa.field("sources", pa.int64(), nullable=False),
        pa.field("new_grams", pa.int64(), nullable=False),
    ]
)

SWEEP = pa.schema(  # primary key (k, m, c, sigma)
    [
        pa.field("k", pa.int64(), nullable=False),
        pa.field("m", pa.int64(), nullable=False),
        pa.field("c", pa.int64(), nullable=False),
        pa.field("sigma", pa.float64(), nullable=False),
        pa.field("quilts", pa.int64(), nullable=False),
        pa.field("share", pa.float64(), nullable=False),  # of all documents, copies that were collapsed being one
        pa.field("mean_sources", pa.float64(), nullable=False),  # of the quilts; 0 if there are none
    ]
)

COUNTS = pa.schema(  # what a sweep counted for one k; primary key (k, m, c, sigma)
    [
        pa.field("k", pa.int64(), nullable=False),
        pa.field("m", pa.int64(), nullable=False),
        pa.field("c", pa.int64(), nullable=False),
        pa.field("sigma", pa.int64(), nullable=False),  # its place among the values given, from 0
        pa.field("quilts", pa.int64(), nullable=False),
        pa.field("sources", pa.int64(), nullable=False),  # of all quilts together
        pa.field("documents", pa.int64(), nullable=False),
    ]
)

WORDS = pa.schema(  # what a lexicon is made of
    [
        pa.field("fingerprint", pa.int64(), nullable=False),  # primary key; of unsigned order
        pa.field("word", pa.string(), nullable=False),  # folded
        pa.field("df", pa.int64(), nullable=False),  # documents that it is in
    ]
)

TABLES = {
    "documents": DOCUMENTS,
    "rejects": REJECTS,
    "standing": STANDING,
    "clusters": CLUSTERS,
    "edges": EDGES,
    "compared": COMPARED,
    "similarity": SIMILARITY,
    "pairs": PAIRS,
    "quilts": QUILTS,
    "sources": SOURCES,
    "named": NAMED,
    "patches": PATCHES,
    "asked": ASKED,
    "slices": SLICES,
    "quilting_domains": QUILTING_DOMAINS,
    "source_domains": SOURCE_DOMAINS,
    "sweep": SWEEP,
    "words": WORDS,
}
"""The tables by the name that they have in a run folder."""
