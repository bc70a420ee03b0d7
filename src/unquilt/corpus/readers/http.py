"""HTTP messages as archives keep them: status, header fields, and the body with its codings undone.

A crawler stores what a server sent, and servers send anything: header fields that are wrong about the body, chunks that
are none, bodies cut short, decompression bombs. Whatever can be read is read: a wrong coding is no reason to lose a
page. What a message holds raises nothing but the two errors below. A header is read up to `HEADER` bytes. A body is
decoded in steps, so a bomb costs at most the limit and one step (1 MiB; 8 MiB and a window of 8 MiB for zstd). Chunks
are joined by the core, so that many tiny ones cost little.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import brotli
import zstandard

from unquilt import _native
from unquilt.corpus.readers import text
from unquilt.corpus.sources import Glimpse

HEADER = 1 << 16
CODINGS = 5
FEED, ZSTD_FEED = 1 << 12, 1 << 8  # 256 bytes of zstd may hold 64 blocks of 128 KiB, and they all come at once
STEP = 1 << 20

Fields = dict[str, str]


class TooLargeError(Exception):
    """The body is larger than the limit when decoded."""


class CodingError(Exception):
    """Nothing of a body could be decoded, and as it stands it does not look like text."""


class Response(NamedTuple):
    """A response: its status, its header fields (`fields`), its body as it was transferred."""

    status: int
    fields: Fields
    body: bytes


class Body(NamedTuple):
    """A body without its codings; `truncated` says which one of them ended before its time, if any."""

    content: bytes
    truncated: str | None = None


_STATUS = re.compile(rb"HTTP/\d++(?:\.\d++)?[ \t]++(\d{3})(?!\d)")
_BLANK_LINE = re.compile(rb"\n\r?\n")
_FOLD = re.compile(r"\r?\n[ \t]+")
_TYPE = re.compile(r"[\s,;]*([^\s,;]*)")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.IGNORECASE | re.ASCII)


def parse_response(data: bytes, begin: int = 0, end: int | None = None) -> Response | None:
    """The message in these bytes; None if it has no status line, or its header does not end within `HEADER` bytes."""
    end = len(data) if end is None else end
    limit = min(end, begin + HEADER)
    status = _STATUS.match(data, begin, limit)
    blank = _BLANK_LINE.search(data, begin, limit)
    if status is None or (blank is None and end - begin >= HEADER):
        return None
    header, body = blank.span() if blank else (end, end)
    return Response(int(status[1]), fields(data[begin:header]), data[body:end])


def fields(header: bytes) -> Fields:
    """The fields of a header by their names in lower case, in Latin-1; of equal ones the first; lines without a colon
    are no fields.

    >>> fields(b"HTTP/1.0 200 OK\\r\\nContent-Type: text/html;\\r\\n charset=utf-8\\r\\n")
    {'content-type': 'text/html; charset=utf-8'}
    """
    block = header.decode("latin-1")
    if "\n " in block or "\n\t" in block:
        block = _FOLD.sub(" ", block)
    found: Fields = {}
    for line in block.split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            found.setdefault(name.strip(" \t").lower(), value.strip(" \t\r"))  # not `strip()`: 0xA0 may end a UTF-8 "à"
    return found


def content_type(value: str | None) -> tuple[str, str | None]:
    """The media type in lower case, "" if there is none, and the charset.

    >>> content_type('Text/HTML; charset="utf-8"')
    ('text/html', 'utf-8')
    """
    kind = _TYPE.match(value or "")
    charset = _CHARSET.search(value or "")
    return kind[1].lower() if kind else "", charset[1] if charset else None


def decode(response: Response, limit: int) -> Body:
    """The body with chunks joined and codings undone. Raises `TooLargeError` and `CodingError`.

    What does not have the coding that the header says it has is taken as it is, if it looks like text.
    """
    content, truncated = response.body, None
    transfer = _tokens(response.fields.get("transfer-encoding"))
    if "chunked" in transfer:
        content, truncated = _join_chunks(content)
    codings = [
        CODECS[token] for token in _tokens(response.fields.get("content-encoding")) + transfer if token in CODECS
    ]
    if len(codings) > CODINGS:
        raise CodingError(f"{len(codings)} content encodings")
    for codec in reversed(codings):
        content, whole = _undo(codec, content, limit)
        truncated = truncated if whole else truncated or "content-encoding"
    if len(content) > limit:
        raise TooLargeError
    return Body(content, truncated)


def _tokens(value: str | None) -> list[str]:
    return [token.strip().lower() for token in value.split(",")] if value else []


def _join_chunks(body: bytes) -> tuple[bytes, str | None]:
    """The chunks joined, up to the first bad one, and what was cut short; the body itself if its begin is no chunk."""
    joined = _native.join_chunks(body)
    if joined is None:
        return body, None
    content, whole = joined
    return content, None if whole else "chunks"


def _undo(codec: Callable[[bytes], Iterator[bytes]], body: bytes, limit: int) -> tuple[bytes, bool]:
    """The decoded body, and whether it is whole."""
    blocks: list[bytes] = []
    size = 0
    try:
        for block in codec(body) if body else ():
            size += len(block)
            if size > limit:
                raise TooLargeError
            if block:
                blocks.append(block)
    except (EOFError, zlib.error, brotli.error, zstandard.ZstdError) as error:
        if size:
            return b"".join(blocks), False
        if text.recognise(Glimpse("", body[:STEP], complete=len(body) <= STEP)):
            return body, True
        raise CodingError(str(error)) from error
    return b"".join(blocks), True


def _inflate(body: bytes, wbits: int = 31) -> Iterator[bytes]:
    decoder = zlib.decompressobj(wbits)
    view = memoryview(body)
    for at in range(0, len(body), FEED):
        data: bytes | memoryview = view[at : at + FEED]
        while data:
            yield decoder.decompress(data, STEP)
            data = decoder.unconsumed_tail
        if decoder.eof:
            return
    yield decoder.flush()
    if not decoder.eof:
        raise EOFError("cut short")


def _deflate(body: bytes) -> Iterator[bytes]:
    """`deflate` means zlib's format by the standard, but many servers send it without zlib's header."""
    is_zlib = body[0] & 15 == 8 and int.from_bytes(body[:2]) % 31 == 0
    return _inflate(body, 15 if is_zlib else -15)


def _unbrotli(body: bytes) -> Iterator[bytes]:
    decoder = brotli.Decompressor()
    for at in range(0, len(body), FEED):
        yield decoder.process(body[at : at + FEED], output_buffer_limit=STEP)
        while not decoder.can_accept_more_data():
            yield decoder.process(b"", output_buffer_limit=STEP)
        if decoder.is_finished():
            return
    raise EOFError("cut short")


def _unzstd(body: bytes) -> Iterator[bytes]:
    decoder = zstandard.ZstdDecompressor(max_window_size=8 << 20).decompressobj()  # more is not allowed on the web
    for at in range(0, len(body), ZSTD_FEED):
        yield decoder.decompress(body[at : at + ZSTD_FEED])
        if decoder.eof:
            return
    raise EOFError("cut short")


CODECS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _inflate,
    "x-gzip": _inflate,
    "deflate": _deflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
