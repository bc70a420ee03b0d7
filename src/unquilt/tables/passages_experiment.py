"""The tables of the experiment with passages: quality by parameter, and what whole-document detection misses."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import NOT_LISTED, Table, column, integer

QUALITIES = Table(
    "qualities",
    (
        column(
            "varied",
            pa.string(),
            "`tau`, `nidf`, `antecedents`: single sentences (Figures 6 to 9); `gamma`: passages (Table 2); `ours`",
        ),
        column("signature", pa.string(), "how sentences are compared; `2-shingles` have 2 words"),
        column(
            "value", pa.float64(), "of what is varied; of `nidf` the lower end of the range; of `gamma` as published"
        ),
        column(
            "signatures",
            pa.float64(),
            "mean number of different signatures of a sentence; null with grams",
            null=True,
        ),
        integer("known", "known passages"),
        integer("found", "passages that were found in the same pairs of documents"),
        column("precision", pa.float64(), "mean share of a found passage that is known, in sentences"),
        column("recall", pa.float64(), "mean share of a known passage that is found, in sentences"),
        column("f1", pa.float64(), "their harmonic mean"),
    ),
    key_columns=3,
    row=("quality", "qualities"),
    see="precision and recall by signature and by parameter",
    page=NOT_LISTED,
)

BEYOND = Table(
    "beyond",
    (
        integer("documents", "how many documents of the corpus were looked at, from the first on"),
        integer("near", "documents with a near-duplicate by spot signatures"),
        integer("beyond", "further documents that share a passage with another"),
        integer("shingled", "documents with a near-duplicate by super-shingles"),
        column("near_seconds", pa.float64(), "seconds by the clock that near-duplicates by spot signatures took"),
        column("shingled_seconds", pa.float64(), "seconds by the clock that those by super-shingles took"),
        column("passage_seconds", pa.float64(), "seconds by the clock that passages took"),
    ),
    row=("size", "sizes"),
    see="documents that share passages beyond near-duplicates, and time, by size of the corpus",
    notes="Seconds vary from run to run; nothing else does.",
    page=NOT_LISTED,
)
