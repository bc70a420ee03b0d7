"""The tables of reuse: what occurs again and again, and where known content occurs."""

from __future__ import annotations

import pyarrow as pa

from unquilt.tables.corpus import SHA1
from unquilt.tables.table import Table, column, document, integer

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
    column("example", pa.string(), "how it begins"),
)

OBJECTS = Table(
    "objects",
    _OBJECT,
    key_columns=3,
    row=("object", "objects"),
    see="paragraphs and files that occur more than once, those that matter most first",
    first=("weight", "occurrences", "documents", "sites", "length", "kind", "example"),
    hidden=("begin", "end", "sha1", "notice"),
    order=("-notice", "weight"),
    identified=("first",),
    notes="Notices of copyright and licences come last. In a run of `detect`, these are the labelled objects that were "
    "found, however often.",
)

STOP_CHUNKS = Table(
    "stop_chunks",
    _OBJECT,
    key_columns=3,
    row=("stop chunk", "stop chunks"),
    see="chunks left out as too short for the number of documents that have them",
    first=("documents", "sites", "length", "example"),
    hidden=("begin", "end", "sha1", "notice", "kind", "weight"),
    order=("documents", "length"),
    identified=("first",),
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
)

FOUND_OBJECTS = Table(
    "found_objects",
    (
        document("doc", "the first document that has it"),
        column("sha1", SHA1, "SHA-1 of the object"),
        integer("kind", "0 for a chunk, 1 for a file"),
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
