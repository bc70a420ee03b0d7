"""The tables of a sweep: how many quilts there are for other parameters."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import NOT_LISTED, Table, column, integer, share

_K = integer("k", "words in a gram")
_M = integer("m", "maximum number of documents that share a patch gram")
_C = integer("c", "minimum number of sources of a quilt")

SWEEP = Table(
    "sweep",
    (
        _K,
        _M,
        _C,
        column("sigma", pa.float64(), "least share of the grams of a quilt that sources cover"),
        integer("quilts", "how many quilts there are"),
        share("share", "their share of all documents; collapsed copies count as one document"),
        column("mean_sources", pa.float64(), "how many sources a quilt has on average; 0 if there are none"),
    ),
    key_columns=4,
    row=("combination", "combinations"),
    see="the whole grid",
    page=NOT_LISTED,
)

COUNTS = Table(
    "counts",
    (
        _K,
        _M,
        _C,
        integer("sigma", "place of the least covered share among the values given, from 0"),
        integer("quilts", "how many quilts there are"),
        integer("sources", "sources of all of them together"),
        integer("documents", "documents of the corpus; collapsed copies count as one document"),
    ),
    key_columns=4,
    row=("combination", "combinations"),
    see="what was counted for one k, on the way to sweep",
    on_the_way=True,
)
"""Kept for each k under a name of its own, such as counts_5."""
