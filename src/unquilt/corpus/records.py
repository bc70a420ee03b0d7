"""What readers find, and what becomes of it: pages, documents, rejects."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import pyarrow as pa

Media = Literal["html", "text", "mail", "script", "style", "robots", "file"]
ASIDE = frozenset(("script", "style", "robots", "file"))
"""Media of what stands beside pages: JavaScript, CSS, robots.txt, and files without text, such as images. Their
documents are kept in a table of their own (`tables.corpus.OTHER_TEXTS`), which only `reuse` looks at."""


class GivenFields(NamedTuple):
    """The fields of a record by name, its text left out; `schema` has their types, if these are known, and `size` is
    about the bytes that they take."""

    values: Mapping[str, Any]
    size: int
    schema: pa.Schema | None = None


class GivenRow(NamedTuple):
    """A row of a table: the columns that are kept, and the schema of the table with all columns."""

    batch: pa.RecordBatch
    row: int
    schema: pa.Schema

    @property
    def size(self) -> int:
        return int(self.batch.nbytes // max(1, self.batch.num_rows))


Given = GivenFields | GivenRow


class Page(NamedTuple):
    """A record as a reader found it, before any work on its content (see `extract.documents`).

    `content` is bytes as they were stored, or a str if the file itself (JSON, Parquet) says that it is text. `charset`
    is the charset that was declared outside the content, `truncated` why the archive says that it is incomplete,
    `fetched` when the archive says that it was fetched, as `2024-01-31T23:59:59Z`, `given` what the input says of the
    record beside all that (see `corpus.given`).
    """

    file: str
    offset: int
    id: str
    url: str | None
    ip: str | None
    media: Media
    content: bytes | str
    charset: str | None = None
    truncated: str | None = None
    fetched: str | None = None
    given: Given | None = None


class Frame(NamedTuple):
    """A record of which nothing is known yet but where it is. `open` looks into it, which may take long, or even end
    the process; so the reader must be able to find the next record without having opened this one. `open` returns None
    for a record that turns out to be part of another one.
    """

    file: str
    offset: int
    open: Callable[[], Page | Skipped | Reject | None]


class Skipped(NamedTuple):
    """A record that is no document and was never meant to be one, such as a WARC request; `what` it is is counted."""

    what: str
    revisit: Revisit | None = None


class Revisit(NamedTuple):
    """A record that says that a page was as it had been before: where it is, its own id, URL and date, those of the
    record that it refers to, as far as it says, and the digest of the content. See `tables.corpus.REVISITS`."""

    file: str
    offset: int
    id: str | None
    url: str | None
    fetched: str | None
    refers_to: str | None
    refers_to_url: str | None
    refers_to_date: str | None
    digest: str | None


class Reject(NamedTuple):
    """A record that was left out: where, why in one stable phrase, and the particulars. See `tables.corpus.REJECTS`."""

    file: str
    offset: int
    reason: str
    detail: str


class Warned(NamedTuple):
    """Something a user should know about a file although nothing of it is lost, such as that it cannot be cut."""

    file: str
    what: str


class Span(NamedTuple):
    """The last thing that the reader of a slice yields: it read the records that begin in [begin, end) of the file.

    `end` is where the next record begins, and follows from the last one that was read. `begin` may be a guess: a slice
    that begins in the middle of a record looks for the next one. So where they differ, the end of one slice is right
    and the begin of the next is wrong (see `ingestion`). Readers that never have to guess yield no span.
    """

    begin: int
    end: int


Found = Frame | Page | Skipped | Reject | Warned | Span


class Chunks(NamedTuple):
    """The chunks of a text: `begins` and `ends` as the bytes of 32-bit integers, in code points, and of each chunk the
    SHA-1 as it stands in the source (`raw`) and of its text with white space collapsed (`text`), one after the other.
    `trivial` has the numbers of those with fewer than two letters or digits, as 32-bit integers, too.
    """

    begins: bytes
    ends: bytes
    raw: bytes
    text: bytes
    trivial: bytes


class Document(NamedTuple):
    """One document, see `raw.RAW_DOCUMENTS`. `text` is valid UTF-8; the page's content is no longer there. `seen` is
    the text as a reader sees its words, if that differs."""

    page: Page
    text: bytes
    raw_sha1: bytes
    links: Sequence[str]
    chunks: Chunks
    seen: bytes | None = None
    restored: int = 0
    hidden: int = 0


def identify(value: object, file: str, offset: int) -> str:
    """The id of a record: a string as it is, a number in decimal, anything else (or nothing) becomes `file#offset`.

    >>> identify(17, "a.jsonl", 230), identify(None, "a.jsonl", 230)
    ('17', 'a.jsonl#230')
    """
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    return f"{file}#{offset}"


def string(value: object) -> str | None:
    """A value that is a string, and not an empty one."""
    return value if isinstance(value, str) and value else None


def undecodable(error: UnicodeDecodeError, file: str, offset: int) -> Reject:
    """The reject for bytes that are no text."""
    return Reject(file, offset, "not utf-8", f"{error.encoding}: {error.reason} at byte {error.start}")


def too_large(what: str, limit: int, file: str, offset: int) -> Reject:
    """The reject for a record over the limit."""
    return Reject(file, offset, "too large", f"{what} of more than {limit} bytes (max_bytes)")
