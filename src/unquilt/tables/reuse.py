"""The tables of reuse: what occurs again and again, and where known content occurs."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.corpus import SHA1
from unquilt.tables.table import NOT_LISTED, OnPage, Table, column, document, integer, share

_OBJECT = (
    document("first", "the first document that has it"),
    integer("begin", "where it begins there, in code points of `text`"),
    column("kind", pa.string(), "`chunk` or `file`"),
    integer("end", "where it ends there"),
    column("sha1", SHA1, "SHA-1 of the chunk, as it is compared, or of the content of the file"),
    integer("occurrences", "how often it occurs"),
    integer("documents", "in how many documents"),
    integer("sites", "on how many sites; a document without a URL is a site of its own"),
    integer("length", "its length in characters"),
    integer("weight", "how much it matters: length × (log₂ sites + log₂ documents / 16), rounded down"),
    column("notice", pa.bool_(), "whether it speaks of copyright or a licence"),
    column("page", pa.bool_(), "whether it occurs in a page, and not only in JavaScript, CSS or robots.txt"),
    column(
        "whole",
        pa.bool_(),
        "in a run of discovery, whether a chunk is all of a file that is listed, and stands nowhere else",
    ),
    column("example", pa.string(), "how it begins"),
)

OBJECTS = Table(
    "objects",
    _OBJECT,
    key_columns=3,
    row=("object", "objects"),
    see="paragraphs and files that occur more than once, those that matter most first",
    first=("weight", "occurrences", "documents", "sites", "length", "kind", "example"),
    hidden=("begin", "end", "sha1", "notice", "page", "whole"),
    order=("whole", "-page", "notice", "-weight"),
    identified=("first",),
    notes="Notices of copyright and licences come last, behind them what occurs in no page, and behind that chunks "
    "that are all of a file, which is listed already. In a run of `detect`, these are the labelled objects that were "
    "found, however often.",
    page=OnPage(
        tab="Objects",
        filters=("kind", "documents", "sites", "length", "notice"),
        links={
            "first": "documents/{first}?begin={begin}&end={end}",
            "example": "objects/{first}/{begin}/{kind}",
        },
        documents=("first",),
    ),
)

STOP_CHUNKS = Table(
    "stop_chunks",
    _OBJECT,
    key_columns=3,
    row=("stop chunk", "stop chunks"),
    see="chunks left out as too short for the number of documents that have them",
    first=("documents", "sites", "length", "example"),
    hidden=("begin", "end", "sha1", "notice", "page", "whole", "kind", "weight"),
    order=("-documents", "-length"),
    identified=("first",),
    page=OnPage(
        links={
            "first": "documents/{first}?begin={begin}&end={end}",
            "example": "documents/{first}?begin={begin}&end={end}",
        },
    ),
)

FREQUENCIES = Table(
    "frequencies",
    (
        integer("occurrences", "how often something occurs"),
        column("what", pa.string(), "`chunks` or `files`"),
        integer("count", "how many different ones occur so often"),
    ),
    key_columns=2,
    row=("frequency", "frequencies"),
    see="how many chunks and files occur how often",
    notes="Stop chunks of the built-in rule and of a file are not counted; those of `--auto-stop` are.",
    page=NOT_LISTED,
)

FOUND_OBJECTS = Table(
    "found_objects",
    (
        document("doc", "the first document that has it"),
        integer("begin", "where it begins there, in code points of `text`"),
        integer("kind", "0 for a chunk, 1 for a file"),
        column("sha1", SHA1, "SHA-1 of the object"),
        integer("occurrences", "how often it occurs"),
        integer("documents", "in how many documents"),
        integer("sites", "on how many sites"),
        integer("length", "its length in characters"),
        integer("weight", "how much it matters"),
        column("stop", pa.bool_(), "whether it is a stop chunk"),
    ),
    key_columns=3,
    row=("object", "objects"),
    see="objects without their texts, on the way to `objects`",
    on_the_way=True,
)

OBJECT_SITES = Table(
    "object_sites",
    (
        document("doc", "the first document of a site that has a labelled object"),
        integer("begin", "where it begins there, in code points of `text`"),
        column("kind", pa.string(), "`chunk` or `file`"),
        integer("end", "where it ends there"),
        column("sha1", SHA1, "SHA-1 of the object"),
        column("site", pa.binary(), "fingerprint of the site; null for a document without a URL", null=True),
        integer("documents", "how many documents of the site have it"),
        integer("occurrences", "how often they have it"),
    ),
    key_columns=3,
    row=("site of an object", "sites of objects"),
    see="on which sites each labelled object stands",
    first=("documents", "occurrences", "kind", "doc"),
    hidden=("begin", "end", "sha1", "site"),
    order=("-documents", "-occurrences"),
    identified=("doc",),
    notes="What `unquilt reuse merge` counts sites from.",
    page=NOT_LISTED,
)

ORIGINS = Table(
    "origins",
    (
        document("first", "the first document that has a labelled chunk or file"),
        integer("begin", "where it begins there, in code points of `text`"),
        column("kind", pa.string(), "`chunk` or `file`"),
        column("sha1", SHA1, "its SHA-1"),
        column("ours", pa.string(), "URL of the first page of ours that has it; its id, if it has none"),
        integer("ours_begin", "where it begins there"),
        integer("ours_end", "where it ends there; 0 for a file"),
        integer("ours_pages", "how many pages of ours have it"),
        integer("documents", "how many documents of the corpus have it"),
        integer("sites", "on how many sites"),
        integer("length", "its length in characters"),
        column("example", pa.string(), "how it begins"),
    ),
    key_columns=3,
    row=("origin", "origins"),
    see="which page of ours each labelled chunk and file is from",
    first=("documents", "sites", "length", "ours", "ours_begin", "ours_pages", "example", "first", "kind"),
    hidden=("begin", "sha1", "ours_end"),
    order=("-sites", "-documents", "-length"),
    identified=("first",),
    notes="Empty if the labels do not know where they are from.",
    page=OnPage(
        tab="Origins",
        filters=("kind", "documents", "sites", "length"),
        links={"example": "objects/{first}/{begin}/{kind}"},
        documents=("first",),
    ),
)

_OURS = (
    column("ours", pa.string(), "URL of the page of ours that most of it is from; its id, if it has none", null=True),
    integer("ours_matched", "how many of its labelled chunks that page has"),
)

CONTENTS = Table(
    "contents",
    (
        document("doc", "a document"),
        column("id", pa.string(), "its id"),
        column("url", pa.string(), "its URL", null=True),
        integer("chunks", "how many chunks it has, without stop chunks"),
        integer("stop_chunks", "how many were left out"),
        integer("matched", "how many of its chunks are labelled"),
        integer("share", "their share in units of 2⁻³⁰, rounded down"),
        column("file", pa.bool_(), "whether all of it is a labelled file"),
        *_OURS,
    ),
    row=("document", "documents"),
    see="how much of each document is labelled",
    first=("doc", "matched", "chunks", "id", "url"),
    hidden=("share",),
    order=("-matched", "-share"),
    page=OnPage(
        documents=("doc",),
    ),
)

TARGETS = Table(
    "targets",
    (
        document("doc", "a document that is a target"),
        column("id", pa.string(), "its id"),
        column("url", pa.string(), "its URL", null=True),
        integer("chunks", "how many chunks it has, without stop chunks"),
        integer("stop_chunks", "how many were left out"),
        integer("matched", "how many of its chunks are labelled"),
        share("contains", "their share"),
        column("file", pa.bool_(), "whether all of it is a labelled file"),
        column("partial", pa.bool_(), "whether the share is above the threshold"),
        *_OURS,
    ),
    row=("target", "targets"),
    see="documents that contain labelled content, those with most of it first",
    first=("doc", "url", "contains", "matched", "chunks", "ours", "file", "partial", "id"),
    hidden=("stop_chunks", "ours_matched"),
    order=("-file", "-matched", "-contains"),
    sparse=("ours",),
    page=OnPage(
        tab="Targets",
        filters=("host", "file", "partial", "contains", "matched"),
        links={"doc": "targets/{doc}"},
        documents=("doc",),
        sites=("host",),
        evidence="unquilt.results.occurrences:find_target",
    ),
    options=("full",),
)

_SUMS = (
    document("first", "the first document in it"),
    integer("level", "1 for a site, one more for each folder"),
    column("prefix", pa.string(), "the beginning of its URLs, without the scheme"),
    integer("documents", "how many documents are in it"),
    integer("chunks", "their chunks, without stop chunks"),
    integer("matched", "how many of these are labelled"),
    integer("contained", "the sum of the documents' shares, in units of 2⁻³⁰"),
)

NEIGHBOURHOOD_SUMS = Table(
    "neighbourhood_sums",
    _SUMS,
    key_columns=2,
    row=("neighbourhood", "neighbourhoods"),
    see="sums over neighbourhoods, on the way to `neighbourhoods`",
    on_the_way=True,
)

NEIGHBOURHOODS = Table(
    "neighbourhoods",
    (
        *_SUMS,
        share("badness", "the mean share of labelled chunks of its documents"),
        share("ratio", "the share of labelled chunks among all of its chunks"),
        column("bad", pa.bool_(), "whether badness is above the threshold"),
        column("excess", pa.float64(), "documents × (badness - threshold): how much more than at the threshold"),
    ),
    key_columns=2,
    row=("neighbourhood", "neighbourhoods"),
    see="sites and folders, the worst first",
    first=("prefix", "badness", "bad", "documents", "matched", "chunks", "ratio", "level"),
    hidden=("contained", "first", "excess"),
    order=("-bad", "-excess", "-matched", "-badness"),
    notes="The worst are those with the greatest `excess`: neither a single page that is copied nor a large site that "
    "is hardly above the threshold leads the list. `--sort -badness` or `--sort -matched` give other orders.",
    page=OnPage(
        tab="Neighbourhoods",
        filters=("level", "bad", "badness", "documents"),
        links={"prefix": "neighbourhoods?under={prefix}"},
        at="neighbourhoods",
    ),
)

SHARES = Table(
    "shares",
    (
        integer("twentieth", "0 for a share of 0, and n for one above (n-1)/20 and up to n/20"),
        column("what", pa.string(), "`documents` (by contains) or `neighbourhoods` (by badness)"),
        integer("count", "how many there are"),
    ),
    key_columns=2,
    row=("bar", "bars"),
    see="how many documents and neighbourhoods have which share of labelled chunks",
    notes="A histogram; counts added up from 0 give the cumulative distribution.",
    page=NOT_LISTED,
)

PATH_LENGTHS = Table(
    "path_lengths",
    (
        integer("components", "components of a URL's path"),
        column("what", pa.string(), "`kept`, or `dropped` for URLs of a crawler that went round in circles"),
        integer("count", "how many documents have so many"),
    ),
    key_columns=2,
    row=("bar", "bars"),
    see="how deep the paths of URLs are",
    page=NOT_LISTED,
)

OCCURRENCES = Table(
    "occurrences",
    (
        document("doc", "a document"),
        integer("begin", "where a labelled chunk begins in it, in code points of `text`"),
        integer("end", "where it ends"),
        column("sha1", SHA1, "its SHA-1"),
    ),
    key_columns=2,
    row=("occurrence", "occurrences"),
    see="where each labelled chunk stands",
    page=NOT_LISTED,
)
