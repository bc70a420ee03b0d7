"""The tables of near-duplicates, of copies, and of the words that lexicons are made of (`stores.lexicons`)."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import OnPage, Table, column, document, integer, share

CLUSTERS = Table(
    "clusters",
    (
        document("doc", "a document that has copies or near-duplicates"),
        document("cluster", "the lowest of them"),
        column("keep", pa.bool_(), "whether `doc` is kept; with a threshold, several of a cluster may be"),
    ),
    row=("document", "documents"),
    see="which documents are near-duplicates of which",
    identified=("doc", "cluster"),
    page=OnPage(
        filters=("host", "cluster", "keep"),
        links={"cluster": "clusters/{cluster}"},
        documents=("doc",),
        sites=("host",),
        judged="unquilt.page.views.clusters:describe_row",
    ),
    view="unquilt.cli.show.clusters:ClustersView",
    options=("full", "order", "diff"),
)

KEPT = Table(
    "kept",
    (
        document("doc", "a document: all of them are here"),
        column("keep", pa.bool_(), "whether it is kept: with a threshold unless one that is kept is near to it"),
        document("kept_instead", "the document that is kept in its stead; null if it is kept itself", null=True),
        share(
            "similarity",
            "Jaccard coefficient of the circular grams of the two, or their containment; null if it is kept itself",
            null=True,
        ),
    ),
    row=("document", "documents"),
    see="which documents to keep, and which to drop in favour of which",
    notes="With a threshold, the similarity of a document that is dropped is never below it. Without one, it is the "
    "Jaccard coefficient, null with --no-similarity. People see the least similar drops first, as the "
    "riskiest ones, and documents that are kept last.",
    order=("similarity",),
    identified=("doc", "kept_instead"),
    page=OnPage(
        tab="Drops, the riskiest first",
        filters=("keep", "similarity"),
        links={"similarity": "clusters/{doc}?with={doc}"},
        documents=("doc",),
        judged="unquilt.page.views.clusters:describe_drop",
    ),
)

AUDIT = Table(
    "audit",
    (
        column("by", pa.string(), "what documents are grouped by: a column of the inputs, `domain`, `words`, …"),
        column("value", pa.string(), "the group; empty for documents without a value"),
        integer("documents", "how many documents it has"),
        integer("dropped", "how many of them would go"),
        share("lost", "their share"),
        integer("dropped_words", "how many words these have"),
        integer("sites", "of a page that is kept for many: on how many sites these are", null=True),
    ),
    key_columns=2,
    row=("group", "groups"),
    see="what would go, by columns of the inputs, site and length",
    order=("-lost", "-dropped"),
    notes="`by` is a column of the inputs with at most 200 different texts, `domain` (only those that lose any), "
    "`words` (classes of length), `kept_instead` (pages that are kept for 100 documents or more, by their ids: "
    "`documents` are these and it) or `pair` (of the documents that would go, those that are unlike the one that is "
    "kept).",
    page=OnPage(
        tab="What would go",
        filters=("by", "documents", "lost"),
    ),
)

PREFERENCES = Table(
    "preferences",
    (
        document("doc", "a document: all of them are here"),
        integer("rank", "its rank; the least is preferred"),
        integer("within", "its place among those of the same rank"),
    ),
    row=("document", "documents"),
    see="which documents are preferred, on the way to which are kept",
    on_the_way=True,
)

MEMBERS = Table(
    "members",
    (
        document("doc", "a document of a cluster"),
        document("cluster", "the lowest of its cluster"),
        document("kept", "the preferred one"),
    ),
    row=("document", "documents"),
    see="the documents of clusters, on the way to which are kept",
    on_the_way=True,
)

CHOSEN = MEMBERS.named("chosen")
"""The same, where another than the lowest is preferred."""

DROPPED = Table(
    "dropped",
    (document("doc", "a document that is dropped"), document("kept", "the one that is kept instead")),
    row=("document", "documents"),
    see="the documents that a kept one is near to, on the way to which are kept",
    on_the_way=True,
)

EDGES = Table(
    "edges",
    (document("doc", "a document"), document("other", "a preferred one that it is near to")),
    key_columns=2,
    row=("edge", "edges"),
    see="what ties documents together, on the way to clusters",
    on_the_way=True,
)

CANDIDATES = Table(
    "candidates",
    (document("doc", "a document"), document("other", "a preferred one that it may be near to")),
    key_columns=2,
    row=("candidate", "candidates"),
    see="which documents to compare first, on the way to edges",
    on_the_way=True,
)

FURTHER = CANDIDATES.named("further")
"""Candidates that are compared only if documents do not hang together already, or if what is kept depends on it."""

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

LINKS = CANDIDATES.named("links")
"""Candidates that tie together what other candidates may tie together."""

LINKED = COMPONENTS.named("linked")
"""Their components."""

OVERLAPS = Table(
    "overlaps",
    (
        document("doc", "a document"),
        document("other", "a preferred one that it was compared with"),
        integer("common", "the circular grams that both have"),
        integer("grams", "those of the document"),
        integer("other_grams", "those of the other"),
    ),
    key_columns=2,
    row=("comparison", "comparisons"),
    see="which candidates were compared, on the way to edges",
    on_the_way=True,
)

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
        share("least", "least Jaccard coefficient of the circular grams of another and `kept`"),
        share("median", "the median of these coefficients"),
        document("kept", "the preferred document, which is kept"),
        column("least_cosine", pa.float64(), "least cosine of the word sets, with I-Match; else null", null=True),
        column("median_cosine", pa.float64(), "the median of these cosines", null=True),
    ),
    row=("cluster", "clusters"),
    see="how similar the documents of a cluster are, the loosest clusters first",
    sparse=("least_cosine", "median_cosine"),
    order=("least", "-documents"),
    notes="Cosines are of the sets of words that I-Match looks at: four characters or more, at most one digit.",
    identified=("kept",),
    page=OnPage(
        tab="Clusters",
        filters=("kept_host", "least", "documents"),
        links={"cluster": "clusters/{cluster}"},
        judged="unquilt.page.views.clusters:describe_row",
    ),
)

PAIRS = Table(
    "pairs",
    (
        document("doc", "a document"),
        document("other", "a near-duplicate of it"),
        share("jaccard", "the Jaccard coefficient of their circular grams"),
        column("cosine", pa.float64(), "the cosine of their word sets, with I-Match; else null", null=True),
    ),
    key_columns=2,
    row=("pair", "pairs"),
    see="what holds the clusters together",
    sparse=("cosine",),
    notes="These pairs are enough to tie each cluster together; two near-duplicates need not be among them.",
    identified=("doc", "other"),
    page=OnPage(
        documents=("doc", "other"),
    ),
)


WORDS = Table(
    "words",
    (
        integer("fingerprint", "of the word; rows are in its order, read as an unsigned number"),
        column("word", pa.string(), "the word, case folded"),
        integer("df", "how many documents have it"),
    ),
    row=("word", "words"),
    see="in how many documents each word is",
    first=("word", "df"),
    order=("-df",),
    on_the_way=True,
)

KEPT_COPIES = Table(
    "kept_copies",
    (
        document("doc", "a document"),
        document("kept", "itself, or the copy that is kept instead"),
        column("servers", pa.binary(), "code of the servers it stands on, as servers.rs packs it", null=True),
    ),
    row=("document", "documents"),
    see="on which servers documents stand, and which copy is kept",
    on_the_way=True,
)

COPY_TABLES = (CLUSTERS, KEPT_COPIES, EDGES, COMPONENTS)
"""What an analysis that looks for copies first makes on the way."""
