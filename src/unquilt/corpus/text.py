"""Plain text: a file is a document.

UTF-8, with or without a byte order mark, or UTF-16 and UTF-32 with one. Nothing is guessed: other bytes are rejected.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from unquilt.corpus.compression import Stream
from unquilt.corpus.options import Fields, Limits
from unquilt.corpus.records import Document, Reject, plain, too_large, undecodable
from unquilt.corpus.sources import Glimpse, Slice, Source, whole

# UTF-32 first: its little-endian mark begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)

_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"
_PADDING = bytes(8)


def encoding(head: bytes) -> str:
    """The encoding by byte order mark; without one, UTF-8."""
    return next((name for mark, name in MARKS if head.startswith(mark)), "utf-8")


def recognise(glimpse: Glimpse) -> bool:
    """Whatever does not look binary: a mark, or few control characters and no run of zeros.

    Valid UTF-8 may have up to 30 % control characters (a log with a few NULs is still a text), other bytes 1 % (text in
    Latin-1 has none; random bytes have 10 %).
    """
    head = glimpse.head
    if encoding(head) != "utf-8":
        return True
    if _PADDING in head:
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls <= len(head) * (0.3 if _is_utf8(head, glimpse.complete) else 0.01)


def _is_utf8(head: bytes, complete: bool) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=complete)
    except UnicodeDecodeError:
        return False
    return True


def cut(source: Source, fields: Fields, size: int) -> list[Slice]:  # noqa: ARG001 (all kinds are cut alike)
    """A text stays whole."""
    return whole(source)


def read(part: Slice, fields: Fields, limits: Limits) -> Iterator[Document | Reject]:  # noqa: ARG001
    """The file as one document, or as one reject: of a broken stream no half document is kept. Memory: the file."""
    source, limit, name = part.source, limits.max_bytes, part.source.name
    with Stream(source.path, source.compression) as stream:
        source.check_size(stream.size_on_disk)
        raw = stream.read(1 + (limit if source.compression else min(limit, source.size)))
        fault = stream.fault
    if len(raw) > limit:
        yield too_large("file", limit, name, 0)
    elif fault:
        yield Reject(name, len(raw), *fault)
    else:
        yield _document(raw, limit, name)


def _document(raw: bytes, limit: int, name: str) -> Document | Reject:
    code = encoding(raw)
    try:
        text = str(raw, code)
    except UnicodeDecodeError as error:
        return undecodable(error, name, 0)
    utf8 = raw if code == "utf-8" else text.encode()
    if len(utf8) > limit:
        return too_large("text", limit, name, 0)
    return plain(name, 0, name, None, None, text=text, utf8=utf8, raw=raw)
