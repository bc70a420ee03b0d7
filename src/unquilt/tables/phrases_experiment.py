"""The tables of the experiment with phrases: the figures of the paper for one corpus or several."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import NOT_LISTED, Table, column, integer

_CORPUS = column("corpus", pa.string(), "`own`, or the name of a corpus beside it")

PHRASE_CORPORA = Table(
    "phrase_corpora",
    (
        _CORPUS,
        integer("documents", "documents, near-duplicates of others left out"),
        column("mean", pa.float64(), "mean number of popular shingles of a document, of 84", null=True),
        column("many", pa.float64(), "share of documents with at least `least` popular shingles", null=True),
        column("sources", pa.float64(), "mean size of the covering sets of the uniform sample", null=True),
        column("foreign", pa.float64(), "mean share of these that foreign documents cover", null=True),
        integer("candidates", "sites that consist of popular phrases"),
    ),
    row=("corpus", "corpora"),
    see="how much of each corpus consists of popular phrases",
    page=NOT_LISTED,
)

SHINGLE_CURVES = Table(
    "shingle_curves",
    (
        _CORPUS,
        integer("documents", "a number of documents"),
        integer("shingles", "how many shingles are in so many documents"),
    ),
    key_columns=2,
    row=("number", "numbers"),
    see="how many shingles are in how many documents (Figure 1)",
    page=NOT_LISTED,
)

POPULAR_CURVES = Table(
    "popular_curves",
    (
        _CORPUS,
        column("site", pa.string(), "the site whose documents these are; empty for all documents"),
        integer("popular", "a number of popular shingles, of 84, rounded down"),
        column("share", pa.float64(), "share of the documents that have so many"),
    ),
    key_columns=3,
    row=("share", "shares"),
    see="which share of documents has how many popular shingles (Figure 2)",
    page=NOT_LISTED,
)

COVER_SIZES = Table(
    "cover_sizes",
    (
        _CORPUS,
        column(
            "sample", pa.string(), "`counts`: so many documents for each number of popular shingles; `uniform`; `site`"
        ),
        integer("popular", "a number of popular shingles, of 84, rounded down"),
        integer("sources", "a number of documents that cover these"),
        integer("documents", "how many documents of the sample have so many of both"),
        column("foreign", pa.float64(), "mean share of the covered shingles that foreign documents have"),
    ),
    key_columns=4,
    row=("size", "sizes"),
    see="how many documents it takes to cover popular shingles (Figures 3 to 7)",
    page=NOT_LISTED,
)

PHRASE_SITES = Table(
    "phrase_sites",
    (
        _CORPUS,
        column("site", pa.string(), "a site whose pages have many popular shingles on average"),
        integer("pages", "how many pages it has"),
        column("mean", pa.float64(), "mean number of popular shingles of a page, of 84"),
        column("deviation", pa.float64(), "standard deviation of this number"),
        column("candidate", pa.bool_(), "whether it is a candidate: its pages are alike in this"),
    ),
    key_columns=2,
    row=("site", "sites"),
    see="sites by mean and deviation of popular shingles (Figures 8 and 9)",
    page=NOT_LISTED,
)
