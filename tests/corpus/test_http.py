"""HTTP messages: what servers send, lies included."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from unquilt.corpus.readers import http
from unquilt.corpus.readers.http import Body, CodingError, Response, TooLargeError

TEXT = b"".join(b"<p>paragraph %d of a page</p>\n" % random.Random(i).randrange(10**9) for i in range(20_000))
LIMIT = 1 << 20


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "X-GZIP": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": raw_deflate,
    "br": partial(brotli.compress, quality=5),
    "zstd": zstandard.ZstdCompressor().compress,
}
each_coding = pytest.mark.parametrize("coding", PACKERS)


def decode(body: bytes, limit: int = LIMIT, **fields: str) -> Body:
    return http.decode(Response(200, {name.replace("_", "-"): value for name, value in fields.items()}, body), limit)


def chunked(body: bytes, size: int = 100) -> bytes:
    parts = [body[i : i + size] for i in range(0, len(body), size)]
    return b"".join(b"%X;note=1\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
def test_a_response_is_parsed_with_its_fields(end: bytes) -> None:
    header = [b"HTTP/1.1 203 Fine", b"Content-TYPE : text/html", b"X: a", b"\t b:c", b"no field", b"X: second"]
    message = http.parse_response(end.join([*header, b"", b"body\n\n"]))
    assert message == Response(203, {"content-type": "text/html", "x": "a b:c"}, b"body\n\n")


@pytest.mark.parametrize(
    ("data", "parsed"),
    [
        (b"HTTP/1.0 200\r\n\r\n", Response(200, {}, b"")),
        (b"HTTP/2 404 x\r\nA: b\r\n", Response(404, {"a": "b"}, b"")),
        (b"HTTP/1.1 200 OK\r\nA: \xc3\xa0\r\n\r\n", Response(200, {"a": "Ã\xa0"}, b"")),
        (b"HTTP/1.1 2000 OK\r\n\r\n", None),
        (b"<html>", None),
        (b"", None),
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * http.HEADER + b"\r\n\r\n", None),
    ],
)
def test_odd_responses_are_parsed_as_browsers_do(data: bytes, parsed: Response | None) -> None:
    assert http.parse_response(data) == parsed
    assert http.parse_response(b"__" + data + b"__", 2, 2 + len(data)) == parsed


@given(st.binary(max_size=300))
def test_no_bytes_break_the_parser(data: bytes) -> None:
    message = http.parse_response(b"HTTP/1.1 200 OK\r\n" + data)
    assert message is not None
    http.content_type(message.fields.get("content-type"))


@pytest.mark.parametrize(
    ("value", "kind", "charset"),
    [
        (None, "", None),
        ("", "", None),
        ("text/html", "text/html", None),
        (" Text/HTML ;charset = 'UTF-8' ", "text/html", "UTF-8"),
        ("text/html charset=utf-8", "text/html", "utf-8"),
        ("text/html, text/plain", "text/html", None),
        ("; charset=latin1", "charset=latin1", "latin1"),
        ("text/html; charset=" + "x" * 99, "text/html", "x" * 40),
    ],
)
def test_content_types_are_read_with_their_charset(value: str | None, kind: str, charset: str | None) -> None:
    assert http.content_type(value) == (kind, charset)


def test_chunked_bodies_are_joined() -> None:
    assert decode(chunked(TEXT), transfer_encoding="Chunked") == (TEXT, None)
    assert decode(chunked(TEXT).replace(b"\r\n", b"\n"), transfer_encoding="chunked") == (TEXT, None)
    assert decode(chunked(b""), transfer_encoding="chunked") == (b"", None)
    assert decode(TEXT, transfer_encoding="chunked") == (TEXT, None)


def test_broken_chunks() -> None:
    """What came before the first broken one is kept."""
    body = chunked(TEXT).replace(b"\r\n64;note=1\r\n", b"\r\nzz;note=1\r\n", 5).replace(b"\r\nzz", b"\r\n64", 4)
    assert decode(body, transfer_encoding="chunked") == (TEXT[:500], "chunks")
    assert decode(chunked(TEXT)[:1000], transfer_encoding="chunked").truncated == "chunks"
    assert TEXT.startswith(decode(chunked(TEXT)[:1000], transfer_encoding="chunked").content)


@each_coding
def test_each_coding_is_decoded_chunked_or_not(coding: str) -> None:
    assert decode(PACKERS[coding](TEXT), content_encoding=coding) == (TEXT, None)
    assert decode(chunked(PACKERS[coding](TEXT)), content_encoding=coding, transfer_encoding="chunked") == (TEXT, None)
    assert decode(chunked(PACKERS[coding](TEXT)), transfer_encoding=f"{coding}, chunked") == (TEXT, None)
    assert decode(b"", content_encoding=coding) == (b"", None)
    assert decode(PACKERS[coding](b""), content_encoding=coding) == (b"", None)


def test_stacked_codings_are_decoded_up_to_a_limit() -> None:
    body = brotli.compress(gzip.compress(TEXT))
    assert decode(body, content_encoding="gzip, identity, br") == (TEXT, None)
    assert decode(gzip.compress(TEXT), content_encoding="gzip, gzip") == (TEXT, None)
    with pytest.raises(CodingError):
        decode(body, content_encoding=", ".join(["gzip"] * 1000))


@each_coding
def test_not_coded_at_all(coding: str) -> None:
    assert decode(TEXT, content_encoding=coding) == (TEXT, None)
    assert decode("<p>Grüße".encode(), content_encoding=coding) == ("<p>Grüße".encode(), None)


@each_coding
@pytest.mark.parametrize("share", [0.5, 0.9, 0.999])
def test_a_body_that_is_cut_short_gives_what_it_has(coding: str, share: float) -> None:
    packed = PACKERS[coding](TEXT)
    content, truncated = decode(packed[: int(len(packed) * share)], content_encoding=coding)
    assert truncated == "content-encoding"
    assert TEXT.startswith(content)
    assert len(content) > len(TEXT) * share * 0.6


@each_coding
def test_nothing_can_be_decoded(coding: str) -> None:
    with pytest.raises(CodingError):
        decode(b"\x1f\x8b\x08\0\0\0" + bytes(100), content_encoding=coding)


@pytest.mark.slow
@each_coding
def test_bomb(coding: str) -> None:
    """docs/faults.md 10: memory is that of the limit and a few steps."""
    bomb = PACKERS[coding](bytes(100 << 20))
    tracemalloc.start()
    with pytest.raises(TooLargeError):
        decode(bomb, content_encoding=coding, limit=8 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30 << 20


@each_coding
def test_a_body_over_the_limit_is_refused(coding: str) -> None:
    assert decode(PACKERS[coding](TEXT), limit=len(TEXT), content_encoding=coding) == (TEXT, None)
    with pytest.raises(TooLargeError):
        decode(PACKERS[coding](TEXT), limit=len(TEXT) - 1, content_encoding=coding)


@given(st.binary(max_size=300), st.sampled_from(list(PACKERS)), st.sampled_from(["chunked", "gzip", ""]))
def test_no_body_breaks_the_decoder(body: bytes, coding: str, transfer: str) -> None:
    with suppress(CodingError, TooLargeError):
        decode(body, content_encoding=coding, transfer_encoding=transfer)
