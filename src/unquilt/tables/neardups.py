"""The tables of near-duplicates, and of copies."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import Table, column, document, integer

CLUSTERS = Table(
    "clusters",
    (
        document("doc", "a document that has copies or near-duplicates"),
        document("cluster", "the lowest of them"),
        column("keep", pa.bool_(), "whether `doc` is that lowest one, which is kept"),
    ),
    row=("document", "documents"),
    see="which documents are near-duplicates of which",
    identified=("doc", "cluster"),
)

EDGES = Table(
    "edges",
    (document("doc", "a document"), document("other", "a lower one that it is near to")),
    key_columns=2,
    row=("edge", "edges"),
    see="what ties documents together, on the way to clusters",
    on_the_way=True,
)

COMPONENTS = Table(
    "components",
    (document("doc", "a document with an edge"), document("other", "a lower one of its component")),
    key_columns=2,
    row=("edge", "edges"),
    see="chains of edges, each round shorter, on the way to clusters",
    on_the_way=True,
)
"""Kept for each round under a name of its own, such as components_0."""

COMPARED = Table(
    "compared",
    (
        document("doc", "a document"),
        document("other", "one that it is compared with"),
        integer("reasons", "why, as bits of similarity.rs"),
    ),
    key_columns=2,
    row=("comparison", "comparisons"),
    see="what is compared, on the way to similarity",
    on_the_way=True,
)

SIMILARITY = Table(
    "similarity",
    (
        document("cluster", "the document that is kept"),
        integer("documents", "how many documents there are in its cluster"),
        column("least", pa.float64(), "least Jaccard coefficient of the circular grams of another and the one kept"),
        column("median", pa.float64(), "the median of these coefficients"),
    ),
    row=("cluster", "clusters"),
    see="how similar the documents of a cluster are, the loosest clusters first",
    order=("-least", "documents"),
    identified=("cluster",),
)

PAIRS = Table(
    "pairs",
    (
        document("doc", "a document"),
        document("other", "a near-duplicate of it"),
        column("jaccard", pa.float64(), "the Jaccard coefficient of their circular grams"),
    ),
    key_columns=2,
    row=("pair", "pairs"),
    see="what holds the clusters together",
    notes="These pairs are enough to tie each cluster together; two near-duplicates need not be among them.",
    identified=("doc", "other"),
)
