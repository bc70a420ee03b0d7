"""The tables of near-duplicates, and of copies."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import Table, column, document, integer

_WORDS = {"null": True, "later": True}
"""Columns about word sets, which older runs do not have."""

CLUSTERS = Table(
    "clusters",
    (
        document("doc", "a document that has copies or near-duplicates"),
        document("cluster", "the lowest of them"),
        column("keep", pa.bool_(), "whether `doc` is the one that is kept: that lowest one, or by `--keep`"),
    ),
    row=("document", "documents"),
    see="which documents are near-duplicates of which",
    identified=("doc", "cluster"),
)

KEPT = Table(
    "kept",
    (
        document("doc", "a document: all of them are here"),
        column("keep", pa.bool_(), "whether it is kept; one document of each cluster is, and all that are in none"),
        document("kept_instead", "the document that is kept in its stead; null if it is kept itself", null=True),
        column(
            "similarity",
            pa.float64(),
            "Jaccard coefficient of the circular grams of the two; null if it is kept itself, or with --no-similarity",
            null=True,
        ),
    ),
    row=("document", "documents"),
    see="which documents to keep, and which to drop in favour of which",
    identified=("doc", "kept_instead"),
)

MEMBERS = Table(
    "members",
    (
        document("doc", "a document of a cluster"),
        document("cluster", "the lowest of its cluster"),
        document("kept", "the one that is kept"),
    ),
    row=("document", "documents"),
    see="the documents of clusters, on the way to which are kept",
    on_the_way=True,
)

CHOSEN = MEMBERS.named("chosen")
"""The same, where another than the lowest is kept."""

EDGES = Table(
    "edges",
    (document("doc", "a document"), document("other", "a lower one that it is near to")),
    key_columns=2,
    row=("edge", "edges"),
    see="what ties documents together, on the way to clusters",
    on_the_way=True,
)

CANDIDATES = Table(
    "candidates",
    (document("doc", "a document"), document("other", "a lower one that it may be near to")),
    key_columns=2,
    row=("candidate", "candidates"),
    see="which documents to compare first, on the way to edges",
    on_the_way=True,
)

FURTHER = CANDIDATES.named("further")
"""Candidates that are compared only if documents do not hang together already."""

UNSETTLED = CANDIDATES.named("unsettled")
"""Those of them that are."""

COMPONENTS = Table(
    "components",
    (document("doc", "a document with an edge"), document("other", "a lower one of its component")),
    key_columns=2,
    row=("edge", "edges"),
    see="chains of edges, each round shorter, on the way to clusters",
    on_the_way=True,
)
"""Kept for each round under a name of its own, such as components_0."""

TREES = COMPONENTS.named("trees")
"""The same, when only some of the edges are known."""

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
        document("cluster", "the lowest document of the cluster"),
        integer("documents", "how many documents there are in the cluster"),
        column("least", pa.float64(), "least Jaccard coefficient of the circular grams of another and the one kept"),
        column("median", pa.float64(), "the median of these coefficients"),
        document("kept", "the document that is kept", later=True),
        column("least_cosine", pa.float64(), "least cosine of the word sets, with I-Match; else null", **_WORDS),
        column("median_cosine", pa.float64(), "the median of these cosines", **_WORDS),
    ),
    row=("cluster", "clusters"),
    see="how similar the documents of a cluster are, the loosest clusters first",
    sparse=("least_cosine", "median_cosine"),
    order=("-least", "documents"),
    notes="Cosines are of the sets of words that I-Match looks at: four characters or more, at most one digit.",
    identified=("kept",),
)

PAIRS = Table(
    "pairs",
    (
        document("doc", "a document"),
        document("other", "a near-duplicate of it"),
        column("jaccard", pa.float64(), "the Jaccard coefficient of their circular grams"),
        column("cosine", pa.float64(), "the cosine of their word sets, with I-Match; else null", **_WORDS),
    ),
    key_columns=2,
    row=("pair", "pairs"),
    see="what holds the clusters together",
    sparse=("cosine",),
    notes="These pairs are enough to tie each cluster together; two near-duplicates need not be among them.",
    identified=("doc", "other"),
)
