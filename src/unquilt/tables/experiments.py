"""The tables of experiments: the papers' evaluations on a corpus of one's own."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import NOT_LISTED, Table, column, document, integer

RECALLS = Table(
    "recalls",
    (
        column("lexicon", pa.string(), "whose lexicon it is: `own`, that of this corpus, or the name of a file"),
        integer("lexicons", "K: how many randomised lexicons there are beside the whole one"),
        integer("queries", "documents that were asked for, and have near-duplicates"),
        integer("near_duplicates", "near-duplicates of these, by exact cosine"),
        integer("found", "how many of these have a signature in common with the document"),
        column(
            "recall", pa.float64(), "share of the near-duplicates that is found, in the mean of documents", null=True
        ),
        column("gain", pa.float64(), "how much more that is than without randomised lexicons", null=True),
        integer("legitimate", "legitimate documents", null=True),
        integer("false_alarms", "how many of these have a signature in common with any document", null=True),
    ),
    key_columns=2,
    row=("recall", "recalls"),
    see="how many near-duplicates I-Match finds, by number of randomised lexicons",
    page=NOT_LISTED,
)

NEAR_DOCUMENTS = Table(
    "near_documents",
    (
        document("doc", "a document that was drawn"),
        document("near", "a near-duplicate of it, by exact cosine; null in the row of the document itself", null=True),
    ),
    row=("near-duplicate", "near-duplicates"),
    see="near-duplicates of drawn documents, on the way to `recalls`",
    on_the_way=True,
)

STABILITY = Table(
    "stability",
    (
        integer("changes", "n: how many words of the lexicon were added to a document, or removed"),
        integer("lexicons", "K: how many randomised lexicons there are"),
        column("model", pa.float64(), "1 - (1 - p^n)^K: probability that one of the K signatures stays"),
        integer("documents", "how many documents were changed"),
        column("measured", pa.float64(), "share of these of which one of the K signatures stays", null=True),
    ),
    key_columns=2,
    row=("probability", "probabilities"),
    see="how often a signature stays after words were changed, by the model and as measured",
    page=NOT_LISTED,
)

VARIANTS = Table(
    "variants",
    (
        column(
            "definition",
            pa.string(),
            "`published`; `published-domain` and `published-ip`, with sources of other domains or addresses; `default`",
        ),
        integer("quilts", "how many quilts there are"),
        column("share", pa.float64(), "their share of all documents"),
        column("mean_sources", pa.float64(), "how many sources a quilt has on average", null=True),
        column("of_published", pa.float64(), "share of the quilts as published that are quilts here, too", null=True),
        integer("in_part", "further documents that are stitched together in part"),
    ),
    key_columns=1,
    row=("definition", "definitions"),
    see="how many quilts there are by the definitions of the paper, and by default",
    page=NOT_LISTED,
)

PLANTED_QUILTS = Table(
    "planted_quilts",
    (
        column("definition", pa.string(), "`published` or `default`"),
        column("varied", pa.string(), "`sources`, `share` or `edits`"),
        integer("sources", "how many sources a planted page has, with 40 words of each"),
        column("share", pa.float64(), "which share of its words is copied"),
        column("edits", pa.float64(), "which share of the copied words is replaced"),
        integer("planted", "how many pages were planted"),
        integer("found", "how many of these are quilts"),
        column("recall", pa.float64(), "their share"),
        integer("in_part", "how many others are stitched together in part"),
        column("mean_sources", pa.float64(), "how many sources are found of a quilt on average", null=True),
    ),
    key_columns=5,
    row=("planted kind", "planted kinds"),
    see="how many planted quilts are found, by number of sources, share and edits",
    page=NOT_LISTED,
)
