"""The tables of repeats: what can be taken out of documents since it stands elsewhere, too."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.table import NOT_LISTED, OnPage, Table, column, document, integer

REMOVED = Table(
    "removed",
    (
        document("doc", "the document that it is taken out of"),
        integer("begin", "where it begins there, in code points of `text`"),
        integer("end", "where it ends, with what separates it from the text behind it"),
        column("why", pa.string(), "`copy` of text that stands elsewhere, or part of a `menu`"),
        integer("words", "how many words it has"),
        document("copy", "the document where the copy stands; null for menus", null=True),
        column("copy_begin", pa.int64(), "where the copy begins there", null=True),
        column("copy_end", pa.int64(), "where the copy ends", null=True),
    ),
    key_columns=2,
    row=("removal", "removals"),
    see="what is taken out of documents, and where its copy stays",
    first=("doc", "begin", "end", "words", "why", "copy", "copy_begin", "copy_end"),
    identified=("doc", "copy"),
    texts={"text": ("doc", "begin", "end")},
    page=OnPage(
        tab="Removed",
        filters=("why", "words"),
        links={"doc": "documents/{doc}?begin={begin}&end={end}"},
        documents=("doc",),
    ),
)

EMPTIED = Table(
    "emptied",
    (
        document("doc", "a document of which nothing worth reading is left"),
        column("why", pa.string(), "`navigation` if it had fewer than 10 words beside menus, else `copies`"),
        integer("words", "how many words it had"),
        integer("left", "how many are left of it, beside menus"),
    ),
    row=("document", "documents"),
    see="documents that go altogether",
    first=("doc", "why", "words", "left"),
    identified=("doc",),
    page=OnPage(documents=("doc",)),
)

CUTS = Table(
    "cuts",
    (
        document("doc", "a document"),
        integer("begin", "the first of its units that stand elsewhere"),
        integer("end", "the unit behind the last"),
        document("copy", "the document where they stand too"),
        integer("copy_begin", "the first unit there"),
    ),
    key_columns=2,
    row=("cut", "cuts"),
    see="units that stand elsewhere, on the way to `removed`",
    on_the_way=True,
    page=NOT_LISTED,
)

MENU_UNITS = Table(
    "menu_units",
    (
        document("doc", "a document"),
        integer("begin", "one of its units that is part of menus"),
        integer("documents", "how many documents have it"),
    ),
    key_columns=2,
    row=("unit", "units"),
    see="units of menus, on the way to `removed`",
    on_the_way=True,
    page=NOT_LISTED,
)

CUT_REQUESTS = Table(
    "cut_requests",
    (
        document("doc", "a document"),
        integer("begin", "the first of its units that are asked for"),
        integer("end", "the unit behind the last"),
        integer("side", "0 for units that are cut, 1 for a copy, 2 for a unit of menus"),
        integer("cut", "the number of the cut"),
    ),
    key_columns=5,
    row=("request", "requests"),
    see="units whose text is looked up, on the way to `removed`",
    on_the_way=True,
    page=NOT_LISTED,
)
