"""Inputs made to hurt, by who reads them.

A case is an entry point of the package and a generator of input of n bytes; a sweep is an entry point and the tokens of
its grammar, each of which, and each pair of which, makes an input when it is repeated. `hostile.py` tries them.
"""

from __future__ import annotations

import gzip
import random
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import zstandard

from unquilt import _native
from unquilt.columns import buffers
from unquilt.corpus.extract import urls
from unquilt.corpus.extract.documents import extract_document
from unquilt.corpus.find import kinds
from unquilt.corpus.options import Limits, Reading
from unquilt.corpus.readers import compression, html, http, jsonl
from unquilt.corpus.records import Media, Page
from unquilt.corpus.sources import Glimpse, Slice, Source

KIB, MIB = 1 << 10, 1 << 20
HEAD = 64 * KIB
"""How much of a file tells what it is."""

Read = Callable[[Any], object]
Make = Callable[[int], Any]


class Case(NamedTuple):
    """An entry point, input of about n bytes, and how that is stored where this is not to be measured."""

    read: Read
    make: Make
    store: Callable[[Any], Any] = lambda data: data


# Entry points.

READING = Reading(limits=Limits(max_bytes=32 * MIB))
SMALL = Reading(limits=Limits(max_bytes=4 * KIB))


def tell(data: bytes) -> str:
    return kinds.tell_kind(Glimpse("", data[:HEAD], complete=len(data) <= HEAD))


def tell_page(data: bytes) -> bool:
    return html.recognise(Glimpse("", data, complete=True))


def page(media: Media, **fields: str) -> Read:
    def read(data: bytes) -> object:
        return extract_document(Page("a", 0, "a", None, None, media, data, **fields), READING)  # type: ignore[arg-type]

    return read


def linked_page(data: bytes) -> object:
    return _native.extract(data, "http://example.org/a/b/c")


def declared(charset: str | None, *, html: bool = False) -> Read:
    return lambda data: _native.decode(data, charset, html)


def response(header: str) -> Read:
    def read(body: bytes) -> object:
        message = http.parse_response(f"HTTP/1.1 200 OK\r\n{header}\r\n\r\n".encode() + body)
        assert message is not None
        try:
            return http.decode(message, 32 * MIB)
        except (http.CodingError, http.TooLargeError) as error:
            return error

    return read


def http_header(data: bytes) -> object:
    message = http.parse_response(data)
    return message and http.content_type(message.fields.get("content-type"))


def content_type(data: bytes) -> object:
    return http.content_type(data.decode("latin-1"))


def line(data: bytes) -> object:
    return jsonl.read_line(data, 1, "a", READING)


def text_of(function: Callable[[str], object]) -> Read:
    return lambda data: function(data if isinstance(data, str) else data.decode("utf-8", "replace"))


def sketches(text: str) -> None:
    _native.shingles(text, "fast")
    _native.shingles(text, "rabin")


def signatures(text: str) -> object:
    parameters = {"lexicons": 3, "drop": 0.3, "seed": 1, "randomise": "both", "min_terms": 1, "min_share": 0.0}
    return _native.signatures(text, lexicon=LEXICON, **parameters)  # type: ignore[arg-type]


LEXICON = _native.pack_lexicon(buffers(pa.array(["aaaa", "bbbb"], pa.large_string())), 1)


def place(text: str) -> object:
    return urls.locate_url(text), urls.address(text)


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Where files that are read lie; made when the first is written, not wherever this is imported."""
    return tempfile.TemporaryDirectory(prefix="unquilt-hostile-")


def store(suffix: str = "") -> Callable[[bytes], str]:
    def write(data: bytes) -> str:
        path = Path(folder().name, f"file{suffix}")
        path.write_bytes(data)
        return str(path)

    return write


def file(kind: str, reading: Reading = READING, begin: int = 0) -> Read:
    """All records of a file, from a byte on."""

    def read(path: str) -> int:
        size = Path(path).stat().st_size
        with Path(path).open("rb") as head:
            source = Source(path, size, kind, compression.tell_compression(head.read(4)))
        return sum(1 for _ in kinds.reader(kind).read(Slice(source, begin), reading))

    return read


# Input.


def repeat(unit: bytes, before: bytes = b"", after: bytes = b"") -> Make:
    return lambda n: before + unit * (n // len(unit)) + after


def repeat_text(unit: str, before: str = "", after: str = "") -> Make:
    return lambda n: before + unit * (n // len(unit.encode())) + after


def numbered(unit: bytes, before: bytes = b"", after: bytes = b"") -> Make:
    """Units that are all different: `%d` in them is a number, of seven digits."""
    wide = unit.replace(b"%d", b"%07d")
    length = len(wide % 0)
    return lambda n: before + b"".join(wide % i for i in range(n // length)) + after


def packed(pack: Callable[[bytes], bytes], make: Make) -> Make:
    return lambda n: pack(make(n))


def in_pieces(pack: Callable[[bytes], bytes], unit: bytes, after: bytes = b"") -> Make:
    piece = pack(unit) + after
    return lambda n: piece * (n // len(piece))


def lies(header: bytes, end: int, tail: bytes) -> Make:
    """Records one after the other whose lengths all lead to the same place: `end` bytes behind the last of them, where
    the tail is repeated.
    """

    def make(n: int) -> bytes:
        size = len(header % 0)
        count = n // 2 // size
        return b"".join(header % (i * size + end) for i in reversed(range(count))) + tail * (n // 2 // len(tail)) + b"x"

    return make


def deep(n: int) -> bytes:
    """Multiparts inside each other, each closed in the end."""
    count = n // 110
    begins = b"".join(b"Content-Type: multipart/mixed; boundary=b%07d\n\n--b%07d\n" % (i, i) for i in range(count))
    return begins + b"\ntext\n" + b"".join(b"--b%07d--\n" % i for i in reversed(range(count)))


def broken_sum(data: bytes) -> bytes:
    return gzip.compress(data, 1, mtime=0)[:-8] + b"\1\2\3\4\5\6\7\x08"


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


zst = zstandard.ZstdCompressor(write_checksum=True).compress

WARC = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: %07d\r\n\r\n"
ARC = b"http://a.example/ 192.0.2.1 20010101000000 text/html %07d\n"
MULTIPART = b"Content-Type: multipart/mixed; boundary=b\n\n"
DIGEST = b"Content-Type: multipart/digest; boundary=b\n\n"
FROM = b"From a@example.org Mon Jan  1 00:00:00 2001\n"

FILES: dict[str, Case] = {
    name: Case(file(kind, reading), make, store(suffix))
    for name, kind, suffix, reading, make in (
        # A header within a header, and records that are none.
        ("warc: fields that end in first lines", "warc", "", READING, repeat(b"a:WARC/1.0\n", WARC)),
        ("warc: the same, closed", "warc", "", READING, repeat(b"a:WARC/1.0\n" * 4000 + b"\n", b"WARC/1.0\nx")),
        ("warc: the same, typed", "warc", "", READING,
         repeat(b"a:WARC/1.0\n" * 4000 + b"WARC-Type: x\n" + b" y\n" * 5000 + b"\n", b"WARC/1.0\nx")),
        ("warc: continuations", "warc", "", READING, repeat(b" WARC/1.0\n", b"WARC/1.0\na:b\n")),
        ("warc: first lines", "warc", "", READING, repeat(b"WARC/1.0\r\n")),
        ("warc: first lines with blanks", "warc", "", READING, repeat(b"WARC/1.0" + b" " * 500)),
        ("warc: versions", "warc", "", READING, repeat(b"WARC/1.")),
        ("warc: a header without end", "warc", "", READING, repeat(b"a: b\n", b"WARC/1.0\n")),
        ("warc: blank lines", "warc", "", READING, repeat(b"\n", WARC % 0)),
        ("warc: empty records", "warc", "", READING, repeat(WARC % 0 + b"\r\n\r\n")),
        ("warc: records of no type", "warc", "", READING, repeat(b"WARC/1.0\nContent-Length: 0\n\n\n\n")),
        ("warc: garbage after each record", "warc", "", READING, repeat(WARC % 0 + b"\r\n\r\nx")),
        ("warc: garbage", "warc", "", READING, repeat(b"x", WARC % 10)),
        # Lengths that lie.
        ("warc: lengths beyond the end", "warc", "", READING, repeat(WARC % 9_999_999)),
        ("warc: lengths within the file", "warc", "", READING, repeat(WARC % 10_000)),
        ("warc: lengths over the limit", "warc", "", SMALL, repeat(WARC % 2_000_000, after=b"x" * 3 * MIB)),
        ("warc: lengths to one place", "warc", "", READING, lies(WARC, 0, b"\n")),
        ("warc: lengths to one word", "warc", "", READING, lies(WARC, 0, b"WARC/")),
        ("arc: lengths to one place", "arc", "", READING, lies(ARC, 0, b"\n")),
        ("arc: lengths to one word", "arc", "", READING, lies(ARC, 0, b"\na")),
        ("arc: lengths to one scheme", "arc", "", READING,
         lambda n: lies(ARC, 0, b"\n")(n).replace(b"\nx", b"\n" + b"a" * (n // 4))),
        ("arc: lengths within the file", "arc", "", READING, repeat(ARC % 10_000)),
        ("arc: lengths over the limit", "arc", "", SMALL, repeat(ARC % 2_000_000, after=b"x" * 3 * MIB)),
        # Header lines of ARC.
        ("arc: tabs", "arc", "", READING, repeat(b"\t", ARC[:-6] + b"k ", b" x" * 9 + b"\n")),
        ("arc: tabs in the middle of a file", "arc", "", READING, repeat(b"\t", b"x\n" + ARC[:-6] + b"k ", b" x" * 9)),
        ("arc: addresses and dates", "arc", "", READING, repeat(b" 1 123456789012", b"http://a", b"\n")),
        ("arc: words", "arc", "", READING, repeat(b" a", b"x\nhttp://a", b"\n")),
        ("arc: schemes", "arc", "", READING, repeat(b"\na:")),
        ("arc: one scheme", "arc", "", READING, repeat(b"a+", b"x\n")),
        ("arc: empty records", "arc", "", READING, repeat(ARC % 0 + b"\n")),
        # Compressed archives.
        ("warc.gz: a record a member", "warc", ".gz", READING, in_pieces(gzip.compress, WARC % 0 + b"\r\n\r\n")),
        ("warc.gz: broken members", "warc", ".gz", READING, in_pieces(broken_sum, WARC % 0 + b"\r\n\r\n")),
        ("warc.gz: garbage between members", "warc", ".gz", READING,
         in_pieces(gzip.compress, WARC % 0 + b"\r\n\r\n", b"\x1f\x8b\x08")),
        ("warc.gz: no type, and a wrong sum", "warc", ".gz", READING,
         packed(broken_sum, repeat(b"WARC/1.0\nContent-Length: 0\n\n\n\n", after=WARC % 0 + b"\r\n\r\n"))),
        ("warc.gz: members that are none", "warc", ".gz", READING, repeat(b"\x1f\x8b\x08" + b"\0" * 7)),
        ("warc.gz: lengths within the file", "warc", ".gz", READING, packed(gzip.compress, repeat(WARC % 10_000))),
        # Lines.
        ("jsonl: empty lines", "jsonl", "", READING, repeat(b"\n")),
        ("jsonl: broken lines", "jsonl", "", READING, repeat(b"{\n")),
        ("jsonl: one line", "jsonl", "", READING, repeat(b"x")),
        ("jsonl: lines over the limit", "jsonl", "", SMALL, repeat(b"x" * 5 * KIB + b"\n")),
        ("json: nested objects", "json", "", READING, repeat(b'{"a":', b"[")),
        ("json: nested arrays", "json", "", READING, repeat(b"[")),
        ("json: objects that break off", "json", "", READING, repeat(b'{"a":"b",', b'[{"a":1},{"a":1},{"a":1},')),
        ("json: strings that break off", "json", "", READING, repeat(b'{"a":"\n', b'[{"a":1},{"a":1},{"a":1},')),
        ("json: commas", "json", "", READING, repeat(b" ,", b"[")),
        ("json: numbers", "json", "", READING, repeat(b"1,", b"[")),
        ("json: one number", "json", "", READING, repeat(b"1", b"[")),
        ("json: one string", "json", "", READING, repeat(b"\\n", b'[{"a":"')),
        ("json: white space in an object", "json", "", READING, repeat(b" ", b'[{"a":1')),
        ("json: objects over the limit", "json", "", SMALL, repeat(b'{"a":"' + b"x" * 5 * KIB + b'"},', b"[")),
        ("json: closing brackets", "json", "", READING, repeat(b"]", b"[")),
        ("json.gz: broken members", "json", ".gz", READING, in_pieces(broken_sum, b'{"text":"a"},')),
        ("jsonl.gz: broken members", "jsonl", ".gz", READING, in_pieces(broken_sum, b'{"text":"a"}\n')),
        ("jsonl.gz: members of a byte", "jsonl", ".gz", READING, in_pieces(gzip.compress, b"\n")),
        ("jsonl.zst: broken frames", "jsonl", ".zst", READING, in_pieces(zst, b'{"text":"a"}\n', b"\1\2\3")),
        ("jsonl.zst: frames cut short", "jsonl", ".zst", READING, in_pieces(lambda data: zst(data)[:-6], b'{"a":"b"}')),
        ("jsonl.zst: frames that are none", "jsonl", ".zst", READING, repeat(zst(b"")[:4], zst(b"{}\n"))),
        ("jsonl.zst: empty frames", "jsonl", ".zst", READING, in_pieces(zst, b"")),
        ("warc.zst: broken frames", "warc", ".zst", READING, in_pieces(zst, WARC % 0 + b"\r\n\r\n", b"\1\2\3")),
        # Mailboxes.
        ("mbox: From lines", "mail", ".mbox", READING, repeat(FROM, FROM)),
        ("mbox: empty messages", "mail", ".mbox", READING, repeat(FROM + b"\n")),
        ("mbox: almost From lines", "mail", ".mbox", READING, repeat(b"\n\nFrom " + b"Mon Jan 1 " * 50, FROM)),
        ("mbox: From", "mail", ".mbox", READING, repeat(b"\nFrom ", FROM)),
        ("mbox: quoted", "mail", ".mbox", READING, repeat(b"\n>From ", FROM)),
        ("mbox: quotes", "mail", ".mbox", READING, repeat(b">", FROM + b"\n")),
        ("mbox: ids", "mail", ".mbox", READING, repeat(FROM + b"Message-ID: <" + b"a" * 501 + b"\n\n")),
        ("mbox: messages over the limit", "mail", ".mbox", SMALL, repeat(b"x\nFrom ", FROM)),
        ("mbox.gz: holes", "mail", ".mbox.gz", READING, in_pieces(broken_sum, b"x\nFrom x")),
        ("mbox.gz: holes after a message", "mail", ".mbox.gz", READING,
         lambda n: gzip.compress(FROM) + in_pieces(broken_sum, b"x\nFrom x")(n)),
    )
}  # fmt: skip

PAGES: dict[str, Case] = {
    name: Case(linked_page, make)
    for name, make in (
        ("comments, empty", repeat(b"<!---->")),
        ("comments, open", repeat(b"<!--")),
        ("comments, almost closed", repeat(b"--!", b"<!--")),
        ("comments of any kind", repeat(b"<!><?></ >")),
        ("brackets", repeat(b"<")),
        ("tags without end", repeat(b"<a ")),
        ("end tags without end", repeat(b"</a ")),
        ("end tags of nothing", repeat(b"</>")),
        ("end tags", repeat(b"</div>")),
        ("nested elements", repeat(b"<div>")),
        ("nested elements, all kinds", repeat(b"<div><table><tr><td><ul><li><svg><p><b><x-y>")),
        ("nested, then closed", lambda n: b"<b>" * (n // 7) + b"</b>" * (n // 7)),
        ("elements of many names", numbered(b"<x%d>")),
        ("ends of many names", numbered(b"<x></x%d>")),
        ("foreign elements", repeat(b"<svg><g>")),
        ("foreign elements, left", repeat(b"<svg><g><p>")),
        ("foreign elements, returning", repeat(b"<svg><desc>")),
        ("CDATA without end", repeat(b"<![CDATA[", b"<svg>")),
        ("CDATA brackets", repeat(b"]]", b"<svg><![CDATA[")),
        ("rows and cells", repeat(b"<tr><td>", b"<table>")),
        ("tables in tables", repeat(b"<table><td>")),
        ("paragraphs that cannot end", repeat(b"<button><p>")),
        ("list items", repeat(b"<li><b>")),
        ("formatting, closed wrongly", repeat(b"<b><p></b></p>")),
        ("scripts", repeat(b"<script></script>")),
        ("scripts in comments", repeat(b"<!--<script>", b"<script>")),
        ("scripts without end", repeat(b"<script><!--<script>")),
        ("script ends", repeat(b"</script", b"<script><!--<script>")),
        ("titles", repeat(b"<title>")),
        ("title ends", repeat(b"</title", b"<title>")),
        ("textareas", repeat(b"<textarea></textarea>")),
        ("attributes", numbered(b" a%d=b", b"<p", b">")),
        ("attributes, equal", repeat(b" a", b"<p", b">")),
        ("attributes of many tags", repeat(b"<a " + b"x " * 50 + b">")),
        ("equal signs", repeat(b"=", b"<p ", b">")),
        ("slashes", repeat(b"/", b"<p ", b">")),
        ("quotes without end", repeat(b"<a b='", b"", b"")),
        ("styles", repeat(b"display:", b"<p style='", b"'>")),
        ("styles of declarations", repeat(b";", b"<p style='", b"'>")),
        ("styles of references", repeat(b"&#x3b;", b"<p style='", b"'>")),
        ("ampersands", repeat(b"&")),
        ("references", repeat(b"&amp")),
        ("references, long", repeat(b"&CounterClockwiseContourIntegral")),
        ("references, none", repeat(b"&a")),
        ("references of digits", repeat(b"1", b"&#")),
        ("references of zeros", repeat(b"&#x0")),
        ("references in attributes", repeat(b"&amp=", b"<a title='", b"'>")),
        ("white space", repeat(b" \n")),
        ("white space, wide", repeat("\u00a0\u2003".encode())),
        ("white space in pre", repeat(b" \n", b"<pre>x")),
        ("line breaks", repeat(b"<br>")),
        ("line breaks with text", repeat(b"x<br> ")),
        ("chunks", repeat(b"<p>x")),
        ("spaces in words", repeat(b"x  ")),
        ("NULs", repeat(b"\0")),
        ("controls", repeat(b"\x01 ")),
        ("buttons", repeat(b"<button>x</button>")),
        ("links, equal", repeat(b"<a href=x>")),
        ("links", numbered(b"<a href=%d>")),
        ("bases", repeat(b"<base href=x>")),
        ("hidden elements", repeat(b"<p hidden><b>x")),
        ("plain text", repeat(b"<plaintext>")),
    )
}

MAILS: dict[str, Case] = {
    name: Case(page("mail"), make)
    for name, make in (
        ("nested multiparts", deep),
        ("delimiters", repeat(b"--b\n", MULTIPART)),
        ("closing delimiters", repeat(b"--b--\n", MULTIPART)),
        ("dashes", repeat(b"--\n", MULTIPART)),
        ("dashes and blanks", repeat(b"-- ", MULTIPART)),
        ("one line of dashes", repeat(b"-", MULTIPART)),
        ("parts with headers", repeat(b"--b\nContent-Type: text/html\n\n<p>", MULTIPART)),
        ("forwarded mails", repeat(b"Content-Type: message/rfc822\n\n")),
        ("digests", repeat(b"--b\nSubject: x\n\n", DIGEST)),
        ("equal boundaries", repeat(b"--b\n" + MULTIPART, MULTIPART)),
        ("header lines", repeat(b"a: b\n")),
        ("header names", repeat(b"a", b"Subject: x\n")),
        ("header folds", repeat(b" \n", b"Subject: x\n")),
        ("long subjects", repeat(b"--b\nSubject: " + b"=?" * 8 * KIB + b"\n\n", DIGEST)),
        ("subjects of words", repeat(b"--b\nSubject: " + b"=?a?q?a?=" * 1800 + b"\n\n", DIGEST)),
        ("subjects of words after a long one",
         repeat(b"--b\nSubject: =?a?q?" + b"a" * 8 * KIB + b"?=" + b"=?a?q?a?=" * 900 + b"\n\n", DIGEST)),
        ("subjects of questions", repeat(b"?", b"Subject: =?a?q?", b"\n\n")),
        ("parameters", repeat(b"--b\nContent-Type: text/plain" + b";a=b" * 4000 + b"\n\n", MULTIPART)),
        ("parameters in pieces",
         repeat(b"--b\nContent-Type: text/plain; a*0=" + b"a" * 8 * KIB + b"; a*1=a" * 1100 + b"\n\n", MULTIPART)),
        ("parameters, only names", repeat(b"--b\nContent-Type: text/plain" + b";a*1 " * 3200 + b"\n\n", MULTIPART)),
        ("parameters, only stars", repeat(b"--b\nContent-Type: text/plain;" + b"a*" * 8000 + b"\n\n", MULTIPART)),
        ("separators", repeat(b"--b\nContent-Type: text/plain" + b"; " * 8000 + b"\n\n", MULTIPART)),
        ("quotations", repeat(b'--b\nContent-Type: text/plain;a="' + b"\\" * 16000 + b"\n\n", MULTIPART)),
        ("base64", repeat(b"=", b"Content-Transfer-Encoding: base64\n\n")),
        ("base64 of other bytes", repeat(b"!", b"Content-Transfer-Encoding: base64\n\n")),
        ("quoted-printable", repeat(b"=\n", b"Content-Transfer-Encoding: quoted-printable\n\n")),
        ("quoted-printable, equal signs", repeat(b"=", b"Content-Transfer-Encoding: quoted-printable\n\n")),
        ("quoted-printable, line ends", repeat(b"=\r", b"Content-Transfer-Encoding: quoted-printable\n\n")),
        ("uuencode, beginnings", repeat(b"begin 644 a\n", b"Content-Transfer-Encoding: uuencode\n\n")),
        ("uuencode, almost beginnings", repeat(b"begin 644 ", b"Content-Transfer-Encoding: uuencode\n\n")),
        ("uuencode, lines", repeat(b"!aaaa\n", b"Content-Transfer-Encoding: uuencode\n\nbegin 644 a\n")),
        ("carriage returns", repeat(b"\r")),
        ("line ends", repeat(b"\n")),
        ("From lines", repeat(FROM)),
        ("markup in plain text", repeat(b"--b\n\n&<\n--b\nContent-Type: text/html\n\n<p>x\n", MULTIPART)),
    )
}  # fmt: skip

MARKS = "".join(map(chr, (0x0301, 0x0323, 0x0345, 0x05B0, 0x0334, 0x0315, 0x3099, 0x094D)))

TEXTS: dict[str, Make] = {
    "a word": repeat_text("x"),
    "a word beyond ASCII": repeat_text("é"),
    "a word beyond ASCII at its end": repeat_text("x", after="é"),
    "words beyond ASCII at their end": repeat_text("x" * 100 + "é "),
    "marks": repeat_text("\u0301", "a"),
    "marks of alternating classes": repeat_text("\u0301\u0323", "a"),
    "marks of many classes": repeat_text(MARKS, "a"),
    "marks of falling classes": lambda n: "a" + "".join(mark * (n // 16) for mark in "\u0345\u0315\u0301\u0323\u0334"),
    "marks without a letter": repeat_text("\u0323\u0301"),
    "letters with marks": repeat_text("a\u0301\u0323"),
    "letters that marks change": repeat_text("o\u031b\u0302\u0301"),
    "a script without spaces, with marks": repeat_text("か\u3099\u0323"),
    "jamo": repeat_text("\u1100\u1161\u11a8"),
    "leading jamo": repeat_text("\u1100"),
    "trailing jamo": repeat_text("\u11a8", "가"),
    "letters that fold to three": repeat_text("ΐ"),
    "letters that fold to two": repeat_text("ß"),
    "ligatures": repeat_text("\ufb03"),
    "letters that compose with letters": repeat_text("\U00016d67\U00016d67"),
    "dotted capitals": repeat_text("İ"),
    "Han": repeat_text("漢"),
    "Han and ASCII": repeat_text("a漢"),
    "Thai": repeat_text("กำ"),
    "joiners": repeat_text("a\u200d"),
    "emoji": repeat_text("👩\u200d"),
    "separators": repeat_text("\u2028"),
    "punctuation": repeat_text("!?.()[]"),
    "sentences": repeat_text("A b. C d? "),
    "initials": repeat_text("A. "),
    "items of a list": repeat_text("\n- "),
    "opening quotes": repeat_text("“"),
    "equal words": repeat_text("a "),
    "blank lines": repeat_text("\n"),
    "blank lines of blanks": repeat_text(" \r"),
    "blanks": repeat_text(" "),
    "wide blanks": repeat_text("\u00a0\u3000"),
    "paragraphs": repeat_text("a\n\n"),
    "long lines of blanks": repeat_text(" " * 1000 + "a" + " " * 1000 + "\n"),
    "digits of other scripts": repeat_text("१١"),
    "words, all different": lambda n: "".join(f"w{i:07} " for i in range(n // 9)),
    "characters, all different": lambda n: "".join(chr(i % 0xD000) for i in range(n // 3)),
}

UNITS: dict[str, Read] = {
    "grams": text_of(lambda text: _native.grams(text, 5)),
    "words": text_of(_native.words),
    "sentences": text_of(_native.sentences),
    "sketches": text_of(sketches),
    "signatures": text_of(signatures),
    "paragraphs": lambda text: _native.paragraphs(text.encode()),
}

CHARSETS: dict[str, Case] = {
    f"{label or 'undeclared'}: {name}": Case(declared(label, html=label is None), repeat(unit, before))
    for label in (None, "utf-8", "utf-16", "gb18030", "iso-2022-jp")
    for name, before, unit in (
        ("lead bytes", b"", b"\x81"),
        ("cut sequences", b"", b"\xe3\x81a"),
        ("high bytes", b"", b"\xff\xfe"),
        ("four bytes", b"", b"\x810\x810"),
        ("escapes", b"", b"\x1b$B"),
        ("escapes, cut", b"\xe9", b"\x1b("),
        ("NULs on a side", b"", b"a\0"),
        ("lone surrogates", b"", b"\0\xd8"),
        ("Latin letters", b"", b"\xe9 "),
        ("declarations", b"\xe9", b"<meta charset=x>"),
    )
}

MESSAGES: dict[str, Case] = {
    name: Case(read, make)
    for name, read, make in (
        ("chunks of a byte", response("Transfer-Encoding: chunked"), repeat(b"1\r\na\r\n")),
        ("chunks with blanks", response("Transfer-Encoding: chunked"), repeat(b" ")),
        ("chunks with extensions", response("Transfer-Encoding: chunked"), repeat(b"1;a\na\n")),
        ("an extension without end", response("Transfer-Encoding: chunked"), repeat(b";", b"1")),
        ("sizes without end", response("Transfer-Encoding: chunked"), repeat(b"0")),
        ("sizes that lie", response("Transfer-Encoding: chunked"), repeat(b"fffffff\na\n")),
        ("gzip of nothing", response("Content-Encoding: gzip"), repeat(b"\0\0\0\xff\xff", gzip.compress(b"")[:10])),
        ("gzip in gzip", response("Content-Encoding: gzip, gzip"),
         packed(gzip.compress, packed(gzip.compress, repeat(b"x")))),
        ("gzip of random bytes", response("Content-Encoding: gzip"), packed(gzip.compress, random.Random(0).randbytes)),
        ("zstd of nothing", response("Content-Encoding: zstd"), repeat(b"\0\0\0", zstandard.compress(b"")[:6])),
        ("brotli of nothing", response("Content-Encoding: br"), repeat(b"\x06", b"\x0b")),
        ("no gzip", response("Content-Encoding: gzip"), repeat(b"\xff")),
        ("a status of digits", http_header, repeat(b"1", b"HTTP/")),
        ("a status of blanks", http_header, repeat(b" ", b"HTTP/1.1")),
        ("fields", http_header, repeat(b"a:\n", b"HTTP/1.1 200 OK\n")),
        ("folds", http_header, repeat(b"\n ", b"HTTP/1.1 200 OK\na: b")),
        ("carriage returns", http_header, repeat(b"\r", b"HTTP/1.1 200 OK\n")),
        ("types", content_type, repeat(b"; ")),
        ("charsets", content_type, repeat(b"charset")),
        ("charsets and blanks", content_type, repeat(b"charset" + b" " * 1000)),
        ("charset values", content_type, repeat(b"charset= ")),
    )
}  # fmt: skip

LINES: dict[str, Case] = {
    name: Case(line, make)
    for name, make in (
        ("brackets", repeat(b"[")),
        ("objects", repeat(b'{"a":')),
        ("an id of digits", repeat(b"1", b'{"id":', b"}")),
        ("an id of decimals", repeat(b"1", b'{"id":0.', b"}")),
        ("an id of exponents", repeat(b"1", b'{"id":1e', b"}")),
        ("numbers", repeat(b"1,", b"[")),
        ("escapes", repeat(b"\\u00e9", b'{"text":"', b'"}')),
        ("lone surrogates", repeat(b"\\ud800", b'{"text":"', b'"}')),
        ("surrogates", repeat(b"\\ud83d\\ude00", b'{"text":"', b'"}')),
        ("backslashes", repeat(b"\\", b'{"text":"')),
        ("keys", numbered(b'"%d":1,', b"{", b'"a":1}')),
        ("keys, equal", repeat(b'"text":"",', b"{", b'"a":1}')),
        ("blanks", repeat(b" ", b"{")),
        ("bad bytes", repeat(b"\xff", b'{"text":"')),
        ("minuses", repeat(b"-", b"[")),
    )
}

URLS: dict[str, Case] = {
    name: Case(text_of(place), make)
    for name, make in (
        ("dots", repeat_text("/..", "http://a")),
        ("names and dots", repeat_text("/a/..", "http://a")),
        ("dots in percents", repeat_text("/%2e%2e", "http://a")),
        ("components", repeat_text("/a", "http://a")),
        ("one component", repeat_text("a", "http://a/")),
        ("letters beyond ASCII", repeat_text("é", "http://a/")),
        ("a host beyond ASCII", repeat_text("é", "http://")),
        ("a host of marks", repeat_text("\u0301\u0323", "http://a")),
        ("labels beyond ASCII", repeat_text("é.", "http://")),
        ("labels of right-to-left letters", repeat_text("א1.", "http://")),
        ("labels in punycode", repeat_text("xn--a.", "http://")),
        ("a label in punycode", repeat_text("a", "http://xn--")),
        ("labels", repeat_text("a.", "http://")),
        ("numbers", repeat_text("1.", "http://")),
        ("a number", repeat_text("1", "http://")),
        ("a hexadecimal number", repeat_text("f", "http://0x")),
        ("users", repeat_text("a@", "http://")),
        ("colons", repeat_text(":", "http://a")),
        ("an address", repeat_text("1:", "http://[", "]")),
        ("only an address", repeat_text("1:")),
        ("an interface", repeat_text("a", "fe80::1%")),
        ("backslashes", repeat_text("\\", "http:")),
        ("tabs", repeat_text("\t", "ht", "tp://a/")),
        ("blanks", repeat_text(" ", "http://a/")),
        ("percents", repeat_text("%", "http://a/")),
        ("percents in a host", repeat_text("%61", "http://")),
        ("queries", repeat_text("?#", "http://a/")),
        ("a scheme", repeat_text("a")),
        ("a scheme of no fame", repeat_text("é/", "x://")),
    )
}

CASES: dict[str, Case] = (
    FILES
    | {f"html: {name}": case for name, case in PAGES.items()}
    | {f"mail: {name}": case for name, case in MAILS.items()}
    | {f"{unit}: {name}": Case(read, make) for unit, read in UNITS.items() for name, make in TEXTS.items()}
    | {f"charset: {name}": case for name, case in CHARSETS.items()}
    | {f"http: {name}": case for name, case in MESSAGES.items()}
    | {f"json: {name}": case for name, case in LINES.items()}
    | {f"url: {name}": case for name, case in URLS.items()}
)  # fmt: skip


# Sweeps: tokens of the grammars, one after the other and in pairs.


class Sweep(NamedTuple):
    """Who reads what, and what is repeated, by what may come before it and behind it."""

    read: Read
    tokens: Sequence[bytes]
    befores: Sequence[bytes] = (b"",)
    afters: Sequence[bytes] = (b"",)
    store: Callable[[Any], Any] = lambda data: data
    size: int = 4 * KIB
    most: int = 400
    """How many are tried in the short form."""


def _tokens(spaced: str) -> list[bytes]:
    """Tokens between blanks; `␠` is a blank, `␉`, `␍`, `␊` are what they look like."""
    blanks = str.maketrans({"␠": " ", "␉": "\t", "␍": "\r", "␊": "\n", "␀": "\0"})
    return [token.translate(blanks).encode() for token in spaced.split()]


HTML_TOKENS = _tokens(
    "< </ <! <!-- --> --!> - <? > ' \" = / ␠ ␊ & &# &#x ; a 1 <a <p> </p> <b> </b> <div> </div> <table> </table> <td>"
    " <svg> </svg> <desc> <![CDATA[ ]]> <script> </script> <title> </title> <pre> <br> <li> <button> <template>"
    " ␠href= ␠style= display:none ␠hidden &amp &nbsp; <select> <object> </x> <x> ␀ é <plaintext <math> <mi> <option>"
)
MAIL_TOKENS = _tokens(
    "From␠ ␊ ␍␊ ␊␊ -- --b --b-- ␊--b␊ ␊--b--␊ Content-Type:␠ multipart/mixed ;␠boundary=b message/rfc822 text/html"
    ' Subject:␠ =?utf-8?q? =?b?b? ?= =? ? = ; " \\ *0= *1*= a= ␠ ␉ : Content-Transfer-Encoding:␠ base64 uuencode'
    " quoted-printable ␊begin␠644␠a␊ ␊end > >From␠ x Mon Jan 00:00 2001 Message-ID: < X-a:"
)
WARC_TOKENS = _tokens(
    "WARC/1.0 WARC/1.0␍␊ WARC/ ␍␊ ␊ ␍ a:b␊ a:WARC/1.0␊ WARC-Type:response␊ warc-type␠:x␊ Content-Length:0␊"
    " Content-Length:99␊ Content-Length:99999␊ ␠ ␠x␊ : x ␊␊ WARC/1.0␊WARC-Type:response␊Content-Length:0␊␊"
)
ARC_TOKENS = _tokens("http:// filedesc:// a: a ␠ ␉ ␊ ␍ - 1.1.1.1 123456789012 ␠123456789012␠ ␠k ␠9 ␠99999␊ :: + 0␊")
JSON_TOKENS = _tokens('{ } [ ] " \\ \\u0041 \\ud800 1 - + e . , : ␠ ␊ "a": {"a": null true {"text":" "}␊ é ␀ 0')
HTTP_TOKENS = _tokens(
    'HTTP/ 1 . ␠ ␉ 200 ␍ ␊ ␍␊ : a: content-type: text/html ; charset = charset= " , transfer-encoding:chunked␊ ␊␠ é'
)
CHUNK_TOKENS = _tokens("0 1 2 a f ␠ ␉ ; ␍ ␊ ␍␊ 1␊a␊ x ffff ;a␊")
URL_TOKENS = _tokens("http:// / // . .. %2e % : @ [ ] ? # \\ xn-- é 1 0x ␉ a - א ａ \u00ad 。 : ::1 ${ | ^")
TEXT_TOKENS = [
    *_tokens("a A 1 _ é É ß İ ΐ ﬃ 漢 か カ ー ก 한 \u1100 \u1161 \u11a8 ㄱ ٠ 🙂 - . ␠ ␊ ␍ ␀ '"),
    *(chr(code).encode() for code in (0x301, 0x323, 0x345, 0x5B0, 0x334, 0x3099, 0x94D, 0x200D, 0xA0, 0x2028, 0x85)),
]
SENTENCE_TOKENS = [
    *_tokens("a A 1 . ... ! ? ␠ ␊ - ␊-␠ ␊1.␠ ( ) \" ' “ ” 。 ！ 《 漢 Dr. e.g. A.␠ .␠A … é ␠␠"),
    *(chr(code).encode() for code in (0xA0, 0x2028, 0x85, 0x301)),
]
BYTE_TOKENS = [bytes([byte]) for byte in (0, 10, 27, 32, 36, 48, 60, 66, 97, 0x80, 0x81, 0x9F, 0xC3, 0xE3, 0xF0, 0xFF)]

SWEEPS: dict[str, Sweep] = {
    "tell": Sweep(
        tell,
        sorted({*HTML_TOKENS, *MAIL_TOKENS, *WARC_TOKENS, *ARC_TOKENS, *JSON_TOKENS, b"PAR1", b"\xff\xfe"}),
        (b"", b"From a\n", b"{", b"<!--", b"From: a\nTo: b\n"),
        size=16 * KIB,
        most=400,
    ),
    "tell a page": Sweep(tell_page, HTML_TOKENS, (b"", b"<?xml", b"<!--"), size=KIB),
    "html": Sweep(linked_page, HTML_TOKENS, (b"", b"<svg>", b"<a ", b"<table>"), (b"", b">"), size=16 * KIB, most=1500),
    "html main text": Sweep(page("html"), HTML_TOKENS, (b"", b"\xe9"), (b"", b"</p>")),
    "mail": Sweep(page("mail"), MAIL_TOKENS, (b"", MULTIPART, b"Subject: ", b"Content-Type: a/b")),
    "mailbox": Sweep(file("mail"), MAIL_TOKENS, (FROM, FROM + b"\n"), store=store(".mbox"), most=200),
    "warc": Sweep(file("warc"), WARC_TOKENS, (b"", WARC % 0, WARC % 5000), (b"", b"\n\n"), store=store()),
    "arc": Sweep(file("arc"), ARC_TOKENS, (b"", ARC % 0, b"\nhttp://a 1 123456789012"), (b"", b"\n"), store=store()),
    "warc.gz": Sweep(
        file("warc"), [gzip.compress(WARC % 0 + b"\r\n\r\n"), broken_sum(WARC % 0), b"\x1f\x8b\x08\0", b"\0", b"x",
                       gzip.compress(b"")], store=store(".gz"),
    ),
    "jsonl": Sweep(file("jsonl"), JSON_TOKENS, (b"", b'{"text":"', b'{"id":'), store=store(), most=200),
    "json values": Sweep(file("json"), JSON_TOKENS, (b"", b"[", b'[{"a":1},{"a":1},{"a":1},'), store=store(), most=200),
    "json": Sweep(line, JSON_TOKENS, (b"", b'{"text":"', b'{"id":'), (b"", b'"}'), most=400),
    "http": Sweep(http_header, HTTP_TOKENS, (b"HTTP/", b"HTTP/1.1 200 OK\n", b"HTTP/1.1 200 OK\nContent-Type: ")),
    "chunks": Sweep(response("Transfer-Encoding: chunked"), CHUNK_TOKENS, (b"", b"1", b"1;")),
    "content types": Sweep(content_type, HTTP_TOKENS, (b"", b"charset")),
    "urls": Sweep(text_of(place), URL_TOKENS, (b"http://", b"http://a/", b"x://", b"")),
    "words": Sweep(
        text_of(lambda text: _native.grams(text, 3)), TEXT_TOKENS, (b"", b"a"), (b"", b"\xc3\xa9"), size=16 * KIB
    ),
    "paragraphs": Sweep(_native.paragraphs, TEXT_TOKENS),
    "sentences": Sweep(text_of(_native.sentences), SENTENCE_TOKENS, (b"", b"A. "), (b"", b" A"), size=16 * KIB),
    "charsets": Sweep(declared(None, html=True), BYTE_TOKENS, (b"", b"\xe9", b"\xff\xfe")),
    "charsets, declared": Sweep(declared("iso-2022-jp"), BYTE_TOKENS, (b"", b"\x1b$B")),
}  # fmt: skip
