"""The table that lexicons are made of; a lexicon itself is a file of its own (`stores.lexicons`)."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import Table, column, integer

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
