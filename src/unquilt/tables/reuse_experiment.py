"""The tables of the experiment with reuse."""

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

INJECTED = Table(
    "injected",
    (
        integer("copies", "how many times the pages are copied, each time to a site of its own"),
        column("what", pa.string(), "`files` or `chunks`"),
        integer("occurrences", "how often one of the pages' files or chunks then occurs in the corpus"),
        integer("count", "how many different ones occur so often"),
        column("discovered", pa.bool_(), "whether that is above the threshold"),
    ),
    key_columns=3,
    row=("frequency", "frequencies"),
    see="how often the copied files and chunks occur then, by number of copies",
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
        column("ratio_error", pa.float64(), "its standard error over all runs", null=True),
        column("targets", pa.float64(), "share of all pages that are above the threshold for pages"),
        column("targets_error", pa.float64(), "its standard error over all runs"),
        column("mean_chunks", pa.float64(), "mean number of chunks of the pages that still have some", null=True),
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

CLEANINGS = Table(
    "cleanings",
    (
        column("stop_chunks", pa.string(), "`out` if stop chunks are taken out of all documents first, else `in`"),
        integer("labels", "labelled chunks: the most frequent ones that are not stop chunks"),
        integer("stopped", "different stop chunks"),
        integer("chunks", "chunks of all documents, as far as they are left"),
        integer("matched", "labelled ones among them"),
        integer("targets", "documents with a share of labelled chunks above mean + σ"),
        integer("neighbourhoods", "sites and folders"),
        column("threshold", pa.float64(), "mean + σ of their badness"),
        integer("bad", "neighbourhoods above it"),
        column("share", pa.float64(), "their share"),
    ),
    key_columns=1,
    row=("detection", "detections"),
    see="bad neighbourhoods of the whole corpus, with and without stop chunks",
    page=NOT_LISTED,
)
