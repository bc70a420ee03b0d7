"""Plain text: a file is a document. Its charset is told by its byte order mark, or by its bytes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from unquilt.corpus.options import Reading
from unquilt.corpus.readers.compression import Stream
from unquilt.corpus.records import Found, Media, Page, Reject, too_large
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
    """Whatever does not look binary: it has a byte order mark, or few control characters and no run of zeros.

    Valid UTF-8 may have up to 30 % control characters (a log with a few NULs is still a text), other bytes 1 % (text in
    Latin-1 has none; random bytes have 10 %), and one in any case: a short mail with a slip in it is no binary.
    """
    head = glimpse.head
    if encoding(head) != "utf-8":
        return True
    if _PADDING in head:
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls <= max(1, len(head) * (0.3 if _is_utf8(head, glimpse.complete) else 0.01))


def _is_utf8(head: bytes, complete: bool) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=complete)
    except UnicodeDecodeError:
        return False
    return True


def cut(source: Source, reading: Reading, size: int) -> list[Slice]:  # noqa: ARG001 (all kinds are cut alike)
    """A text stays whole."""
    return whole(source)


def read(part: Slice, reading: Reading) -> Iterator[Found]:
    """The file as one page; as one reject if any of it is missing. Memory: the file."""
    return whole_file(part, "text", reading)


def whole_file(part: Slice, media: Media, reading: Reading) -> Iterator[Found]:
    """A file that is one page. Garbage behind the end of a compressed one is a reject, and does not cost the page."""
    source, limit, name = part.source, reading.limits.max_bytes, part.source.name
    with Stream(source.path, source.compression) as stream:
        source.check_size(stream.size_on_disk)
        raw = stream.read(1 + (limit if source.compression else min(limit, source.size)))
        faults = stream.faults
    if len(raw) > limit:
        yield too_large("file", limit, name, 0)
        return
    if all(fault.reason == "garbage" for fault in faults):
        yield Page(name, 0, name, source.url or None, None, media, raw)
    if faults:
        yield Reject(name, *faults[0])
