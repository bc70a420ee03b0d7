"""The tables of a corpus: what reading makes."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from unquilt.tables.table import NOT_LISTED, OnPage, Table, column, document, integer

SHA1 = pa.binary(20)
CHUNK = pa.struct([("begin", pa.int32()), ("end", pa.int32())])

DOCUMENTS = Table(
    "documents",
    (
        document("doc", "number of the document, from 0, in the order of the inputs"),
        column("id", pa.string(), "as given; a missing id becomes `file#offset`"),
        column("url", pa.string(), "as given", null=True),
        column("host", pa.string(), "host of the URL", null=True),
        column(
            "domain",
            pa.string(),
            "registered domain of the URL, by the ICANN part of the Public Suffix List",
            null=True,
        ),
        column("ip", pa.string(), "address given with the document", null=True),
        column("path", pa.int32(), "components of the URL's path"),
        column("recursive", pa.bool_(), "whether the URL looks like a crawler that went round in circles"),
        column("media", pa.string(), "`html`, `text` or `mail`; of other texts, `script`, `style` or `robots`"),
        column(
            "truncated",
            pa.string(),
            "why the content is known to be incomplete (`WARC-Truncated`, a body that ends early; `links` if only "
            "those are), else null",
            null=True,
        ),
        column(
            "fetched",
            pa.string(),
            "when it was fetched, as WARC and ARC files say, such as `2024-01-31T23:59:59Z`; else null",
            null=True,
        ),
        column("text", pa.large_string(), "the text"),
        column(
            "seen",
            pa.large_string(),
            "the text as a reader sees its words, code point by code point; null if it is the same",
            null=True,
        ),
        integer("words", "the number of its words"),
        integer("restored", "how many of them were restored, as they are seen but not written so"),
        integer("hidden", "words of the page that its style hides; they are not in the text"),
        column("sequence", pa.binary(16), "digest of the word sequence, case folded: equal for copies"),
        column("raw_sha1", SHA1, "SHA-1 of the content as it was found"),
        column("links", pa.list_(pa.string()), "outgoing links, absolute, each once", null=True),
        column("chunks", pa.list_(CHUNK), "paragraphs: `[begin, end)` in code points of `text`", null=True),
        column("chunk_sha1", pa.list_(SHA1), "SHA-1 of the text of each chunk, white space collapsed", null=True),
        column("raw_chunk_sha1", pa.list_(SHA1), "SHA-1 of the source of each chunk", null=True),
        column(
            "trivial_chunks",
            pa.list_(pa.int32()),
            "numbers, from 0, of the chunks with fewer than two letters or digits",
            null=True,
        ),
        column("file", pa.string(), "the file in which the document was read"),
        integer("offset", "where it begins there: a byte of the decompressed file, or the row of a Parquet file"),
    ),
    row=("document", "documents"),
    see="the pages",
    first=("doc", "id", "words", "url", "text"),
    hidden=(
        *("host", "domain", "ip", "path", "recursive", "media", "truncated", "fetched", "seen", "restored"),
        *("hidden", "sequence", "raw_sha1", "links"),
        *("chunks", "chunk_sha1", "raw_chunk_sha1", "trivial_chunks", "file", "offset"),
    ),
    notes="Of a compressed WARC file, `offset` is the byte at which the gzip member begins in the file as it is. The "
    "columns of JSON lines and Parquet follow under their own names, those whose names are taken as `NAME_given`; "
    "pages of archives have `date`, `content_type`, `status`, `record_id` and `digest` there.",
    extensible=True,
    page=OnPage(
        tab="Documents",
        filters=("host", "domain", "words", "media"),
    ),
    view="unquilt.cli.show.evidence:DocumentsView",
    options=("full",),
)

OTHER_TEXTS = replace(
    DOCUMENTS,
    name="other_texts",
    view="",
    options=(),
    page=NOT_LISTED,
    row=("text", "texts"),
    see="JavaScript, CSS and robots.txt of archives, which only `reuse` looks at",
    notes="Columns are those of `documents`, whose numbers they go on from. The table is there if there are any.",
)

DISGUISES = Table(
    "disguises",
    (
        column("host", pa.string(), "host of the URLs; empty for documents without one"),
        integer("documents", "its documents with restored or hidden words"),
        integer("words", "the words of these"),
        integer("restored", "how many of them were restored"),
        integer("hidden", "words beside them that their styles hide"),
    ),
    row=("site", "sites"),
    see="sites with disguised words",
    order=("restored", "hidden"),
    notes="The table is there if there are any.",
    page=OnPage(
        tab="Disguised words",
        filters=("host",),
        links={"host": "sites?name={host}"},
        sites=("host",),
    ),
)

REVISITS = Table(
    "revisits",
    (
        column("file", pa.string(), "the file in which the record is"),
        integer("offset", "where the record begins there, as in `documents`"),
        column("id", pa.string(), "id of the record", null=True),
        column("url", pa.string(), "URL that was visited again", null=True),
        column("fetched", pa.string(), "when that was", null=True),
        column("refers_to", pa.string(), "id of the record that it refers to", null=True),
        column("refers_to_url", pa.string(), "URL of that record", null=True),
        column("refers_to_date", pa.string(), "when that was fetched", null=True),
        column("digest", pa.string(), "digest of the content, as the archive has it", null=True),
        document("doc", "the document that it is, if that is in the corpus", null=True),
    ),
    key_columns=0,
    row=("revisit", "revisits"),
    see="pages that an archive has once and refers to again",
    first=("url", "fetched", "doc"),
    hidden=("file", "offset", "id", "refers_to", "refers_to_url", "refers_to_date", "digest"),
    notes="A `revisit` of a WARC file is the document with the id that it refers to, else the one with the URL and "
    "date, else the first with the same `digest`. The table is there if there are any.",
    page=OnPage(
        tab="Revisits",
        filters=("url",),
        documents=("doc",),
    ),
)

REJECTS = Table(
    "rejects",
    (
        column("file", pa.string(), "the file in which the record is"),
        integer("offset", "where the record begins there, as in `documents`"),
        column("reason", pa.string(), "why it was left out, in a few words: the same for all records with that fault"),
        column("detail", pa.string(), "what exactly is wrong with it", null=True),
    ),
    key_columns=0,
    row=("record", "records"),
    see="what was left out, and why",
    page=NOT_LISTED,
)

CORPUS_TABLES = {table.name: table for table in (DOCUMENTS, OTHER_TEXTS, REJECTS, DISGUISES, REVISITS)}
"""By name."""
