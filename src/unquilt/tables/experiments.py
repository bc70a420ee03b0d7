"""The tables of experiments: the papers' evaluations on a corpus of one's own."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import NOT_LISTED, Table, column, integer

_LABELS = column("labels", pa.string(), "`informed`: all chunks of the pages; `blind`: those that discovery finds")
_STOPS = column("stop_chunks", pa.string(), "`out` if stop chunks are taken out first, else `in`")
_CHANGE = column(
    "operation", pa.string(), "what is done to the pages' chunks: they are `added`, `deleted` or `changed`"
)

INJECTIONS = Table(
    "injections",
    (
        integer("copies", "how many times the pages are copied, each time to a site of its own"),
        column("what", pa.string(), "`files`, `altered files` (with a head and a tail of their own) or `chunks`"),
        integer("threshold", "what is discovered occurs more often than this"),
        integer("there", "how many different ones the pages have"),
        integer("discovered", "how many of these are discovered"),
        column("share", pa.float64(), "their share"),
    ),
    key_columns=2,
    row=("count", "counts"),
    see="how many of the copied files and chunks are discovered, by number of copies",
    page=NOT_LISTED,
)

MUTATIONS = Table(
    "mutations",
    (
        _LABELS,
        _STOPS,
        _CHANGE,
        integer("chunks", "how many chunks of each page"),
        column("times", pa.float64(), "the same, in mean chunks per page"),
        integer("pages", "pages that still have chunks, in the mean of all runs, rounded"),
        column(
            "contains",
            pa.float64(),
            "mean share of labelled chunks of a page, which is the badness of their site",
            null=True,
        ),
        column("error", pa.float64(), "standard error of that mean over all runs", null=True),
        column("ratio", pa.float64(), "share of labelled chunks among all chunks of the site", null=True),
        column("targets", pa.float64(), "share of all pages that are above the threshold for pages"),
    ),
    key_columns=4,
    row=("point", "points"),
    see="what is left of the pages' and the site's badness after chunks were added, deleted or changed",
    page=NOT_LISTED,
)

TOLERANCES = Table(
    "tolerances",
    (
        _LABELS,
        _STOPS,
        _CHANGE,
        column(
            "what",
            pa.string(),
            "`pages` by the mean share, `neighbourhood` by badness, `neighbourhood ratio` by the share of all chunks",
        ),
        column("threshold", pa.float64(), "that for pages, or for neighbourhoods"),
        column(
            "times",
            pa.float64(),
            "most mutations, in mean chunks per page, after which pages are left and it is above the threshold",
        ),
        column("always", pa.bool_(), "whether it never fell to the threshold, as long as there were pages"),
    ),
    key_columns=4,
    row=("tolerance", "tolerances"),
    see="how much pages and site can be changed before they are no longer found",
    page=NOT_LISTED,
)

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
