"""What a reader yields: documents and rejects, one at a time, before they are put together in batches."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from unquilt.corpus.paragraphs import paragraphs


class Document(NamedTuple):
    """One document, see `raw.RAW_DOCUMENTS`.

    `text` is valid UTF-8. Its chunks: `begins` and `ends` in code points (`array("i")`), and in `digests`, one after
    the other, the SHA-1 of their raw bytes; so they cost a third of what lists would, and become Arrow as they are.
    """

    id: str
    url: str | None
    ip: str | None
    text: bytes
    raw_sha1: bytes
    links: Sequence[str]
    begins: array[int]
    ends: array[int]
    digests: bytes
    file: str
    offset: int


class Reject(NamedTuple):
    """A record that was left out: where, why in one stable phrase, and the particulars. See `raw.REJECTS`."""

    file: str
    offset: int
    reason: str
    detail: str


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


def plain(
    file: str, offset: int, ident: str, url: object, ip: object, *, text: str, utf8: bytes, raw: bytes
) -> Document:
    """A document of plain text: its chunks are its paragraphs. `utf8` is `text` encoded, `raw` the content as found."""
    begins, ends, digests = paragraphs(text)
    return Document(
        ident,
        url if isinstance(url, str) and url else None,
        ip if isinstance(ip, str) else None,
        utf8,
        hashlib.sha1(raw, usedforsecurity=False).digest(),
        (),
        begins,
        ends,
        digests,
        file,
        offset,
    )


def undecodable(error: UnicodeDecodeError, file: str, offset: int) -> Reject:
    """The reject for bytes that are no text."""
    return Reject(file, offset, "not utf-8", f"{error.encoding}: {error.reason} at byte {error.start}")


def too_large(what: str, limit: int, file: str, offset: int) -> Reject:
    """The reject for a record over the limit."""
    return Reject(file, offset, "too large", f"{what} of more than {limit} bytes (max_bytes)")
