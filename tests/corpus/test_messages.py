"""Messages: what is read of which, and that nothing makes the parser raise, or take long."""

from __future__ import annotations

import base64
import binascii
import quopri
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unquilt.corpus.extract import messages
from unquilt.corpus.extract.messages import MAX_PARTS, Message, RefusedError, parse_mail

MIB = 1 << 20
MULTIPART = b"Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n"
UU = b"begin 644 x\n" + binascii.b2a_uu(b"one two three") + b"`\nend\n"


def multipart(*parts: bytes, kind: bytes = b"mixed", boundary: bytes = b"b") -> bytes:
    lines = [b"Content-Type: multipart/%s; boundary=%s\n" % (kind, boundary), *parts]
    return (b"\n--%s\n" % boundary).join(lines) + b"\n--%s--\n" % boundary


def encoded(encoding: bytes, body: bytes) -> bytes:
    return b"Content-Transfer-Encoding: %s\n\n%s" % (encoding, body)


HTML = b"Content-Type: text/html\n\n"
FORWARDED = b"Content-Type: message/rfc822\n\n"

SUBJECTS = [
    (b"Hello", "Hello"),
    (b"  two \t words  ", "two words"),
    (b"folded\n over\r\n\tlines", "folded over lines"),
    (b"=?utf-8?Q?caf=C3=A9_au_lait?=", "café au lait"),
    (b"=?ISO-8859-1?q?caf=E9?= =?iso-8859-1?b?6Q==?= x", "caféé x"),
    (b"=?utf-8?b?ww==?=\n =?utf-8?b?qQ==?=", "é"),  # a character cut in two is still one
    (b"=?utf-8?q?a?= b =?utf-8?q?c?=", "a b c"),
    (b"=?gb2312?B?ztLKxw==?=", "我是"),
    (b"=?koi8-r*ru?q?=D1?=", "я"),
    (b"=?utf-8?q?why? because?=", "why? because"),
    (b"=?utf-8?q?never_closed", "never closed"),
    (b"=?utf-8?b?!!bm8gcGFkZGluZw?=", "no padding"),
    (b"=?nonsense?q?word?=", "word"),
    (b"=?utf-8?x?word?=", "=?utf-8?x?word?="),
    ("naïve".encode(), "naïve"),
    (b"\xa3 5", "£ 5"),
    (b"", ""),
]


@pytest.mark.parametrize(("raw", "subject"), SUBJECTS)
def test_subjects_are_decoded(raw: bytes, subject: str) -> None:
    message = b"Subject: " + raw + b"\nContent-Type: text/plain; charset=iso-8859-1\n\nbody"
    assert parse_mail(message) == Message(subject, b"body", html=False, charset="iso-8859-1")


BODIES = [
    # what is read, and the body
    ("", b"", b""),
    ("no header", b"Just text.\nMore: text", b"Just text.\nMore: text"),
    ("blank line, no header", b"\nJust text.", b"Just text."),
    ("no body", b"Subject: s\n", b""),
    ("no blank line", b"Subject: s\nText.\n\nMore.", b"Text.\n\nMore."),
    ("begins with a space", b"  text\nmore", b"  text\nmore"),
    ("in a mailbox", b"From a@b  Thu Aug  1 10:00:00 2002\nTo: c\n\nx", b"x"),
    ("begins with From", b"From here on, text.", b"From here on, text."),
    ("CRLF", b"To: c\r\n\r\nx\r\ny\r\n", b"x\r\ny\r\n"),
    ("CR", b"To: c\r\rx\ry", b"x\ny"),
    ("NULs", b"To: \0\n\n\0x", b"\0x"),
    ("8 bits in a name", b"T\xf6: c\n\nx", b"T\xf6: c\n\nx"),
    ("base64", encoded(b"base64", b"aGVs\nbG8="), b"hello"),
    ("base64, cut", encoded(b"BASE64 ", b"aGVsbG8gd29y\nbGQhI"), b"hello world!"),
    ("base64 and a footer", encoded(b"base64", b"aGVsbG8=\n\n-- \nlist"), b"hello"),
    ("quoted-printable", encoded(b"quoted-printable", b"a=3Db=\nc=zz="), b"a=bc=zz"),
    ("uuencode", encoded(b"x-uuencode", b"See:\n" + UU), b"one two three"),
    ("uuencode without begin", encoded(b"uuencode", b"text"), b"text"),
    ("unknown encoding", encoded(b"rot13", b"text"), b"text"),
    ("no type", b"Content-Type:\n\nx", b"x"),
    ("strange type", b"Content-Type: plain\n\nx", b"x"),
    ("other type", b"Content-Type: image/png\n\nx", b""),
    ("attachment", b"Content-Disposition: ATTACHMENT; filename=x\n\nx", b""),
    ("plain before HTML", multipart(b"\nplain", HTML + b"<p>html", kind=b"alternative"), b"plain"),
    ("plain after HTML", multipart(HTML + b"<p>html", b"\nplain"), b"plain"),
    ("plain without words", multipart(b"\n \n--\n_\n", HTML + b"<p>html"), b"<p>html"),
    ("no-break spaces", multipart(b"\n\xc2\xa0\n", HTML + b"<p>html"), b"<p>html"),
    ("nothing but signs", multipart(b"\n!!!"), b"!!!"),
    ("two parts", multipart(b"\none", b"\ntwo\n"), b"one\n\ntwo\n"),
    ("empty parts", multipart(b"\n", b"\ntwo", b""), b"two"),
    ("parts of other types", multipart(b"Content-Type: image/png\n\npng", b"\ntext"), b"text"),
    ("two charsets", multipart(b"Content-Type: text/plain; charset=koi8-r\n\n\xc1", b"\nb"), "а\n\nb".encode()),
    ("preamble, epilogue", multipart(b"\nx").replace(b"\n\n", b"\n\npreamble\n", 1) + b"epilogue", b"x"),
    ("nested", multipart(multipart(b"\none", b"\ntwo", boundary=b"c"), b"\nthree"), b"one\n\ntwo\n\nthree"),
    ("nested, one boundary", multipart(multipart(b"\none", b"\ntwo"), b"\nthree"), b"one\n\ntwo\n\nthree"),
    ("inner one not closed", multipart(multipart(b"\none", boundary=b"c")[:-7], b"\ntwo"), b"one\n\ntwo"),
    ("inner one after the outer", multipart(multipart(b"\none", boundary=b"c")) + b"--c\n\ntwo", b"one"),
    ("never closed", MULTIPART + b"--b\n\none\n", b"one\n"),
    ("never opened", MULTIPART + b"--c\ntext", b"--c\ntext"),
    ("inner one never opened", multipart(MULTIPART.replace(b"=b", b"=c") + b"text"), b"text"),
    ("no boundary", b"Content-Type: multipart/mixed\n\ntext", b"text"),
    ("boundary cut up", MULTIPART.replace(b"boundary=b", b'boundary*0=";";\n boundary*1=b') + b"--;b\n\nx", b"x"),
    ("boundary quoted", MULTIPART.replace(b"=b", b'="b \\"; c" ; x') + b'--b "; c\n\nx', b"x"),
    ("boundary quoted, not closed", MULTIPART.replace(b"=b", b'="b c') + b"--b c\n\nx", b"x"),
    ("boundary with a colon", MULTIPART.replace(b"=b", b"=b:c") + b"--b:c\n--b:c\n\nx", b"x"),
    ("delimiter with spaces", MULTIPART + b"--b \t\r\n\r\none\r\n--b-- \r\n", b"one"),
    ("delimiter with more", MULTIPART + b"--b\n\none\n--bc\n--b--c", b"one\n--bc\n--b--c"),
    ("part without a header", multipart(b"text: is\nhere"), b"text: is\nhere"),
    ("part that begins like a header", multipart(b"Note: text\n\nis here"), b"Note: text\n\nis here"),
    ("text that looks like a header", b"Note: text\nAlso: this\n", b"Note: text\nAlso: this\n"),
    ("text right behind the header", b"Subject: s\n folded: on\nNote: text\nis here", b"Note: text\nis here"),
    ("text alone behind the header", b"From: Berlin\nTo: Munich\nPrice: 40\n", b"Price: 40\n"),
    ("strange field before the body", b"Subject: s\nPrice: 40\n\nx", b"x"),
    ("control character in a header", b"From: a\n\1To: b\nCc\0: c\nSubject: s\n\nx", b"x"),
    ("forwarded", multipart(b"\nsee", FORWARDED + b"Subject: =?utf-8?q?f?=\n\ntext"), b"see\n\nf\n\ntext"),
    ("forwarded in a mailbox's way", FORWARDED + b">From a Thu Aug  1 10:00:00 2002\nSubject: f\n\nx", b"f\n\nx"),
    ("forwarded, attached", multipart(b"Content-Disposition: attachment\n" + FORWARDED + b"\ntext"), b"text"),
    ("forwarded twice", FORWARDED + b"Subject: 1\n" + FORWARDED + b"Subject: 2\n\nx", b"1\n\n2\n\nx"),
    ("forwarded, encoded", b"Content-Type: message/rfc822\n" + encoded(b"base64", b"aGVsbG8="), b""),
    ("forwarded parts", multipart(FORWARDED + multipart(b"\none", boundary=b"c"), b"\ntwo"), b"two\n\none"),
    ("digest", multipart(b"\nSubject: 1\n\none", b"\nSubject: 2\n\ntwo", kind=b"digest"), b"1\n\none\n\n2\n\ntwo"),
    ("HTML forwarded", multipart(b"\na & b < c", FORWARDED + HTML + b"<p>x"), b"<pre>a &amp; b &lt; c</pre>\n\n<p>x"),
]


@pytest.mark.parametrize(("raw", "body"), [case[1:] for case in BODIES], ids=[case[0] for case in BODIES])
def test_bodies_of_mails_are_their_texts(raw: bytes, body: bytes) -> None:
    assert parse_mail(raw).body == body


def test_html_and_charset_are_told() -> None:
    html = b"Content-Type: TEXT/HTML; CharSet = 'Big5' ; x=y\n\n<p>x"
    assert parse_mail(html) == Message("", b"<p>x", html=True, charset="Big5")
    assert parse_mail(b"Content-Type: text/plain charset=us-ascii format=flowed\n\nx").charset == "us-ascii"
    assert parse_mail(multipart(html, html)) == Message("", b"<p>x\n\n<p>x", html=True, charset="utf-8")


def test_of_several_fields_the_first_counts() -> None:
    assert parse_mail(b"SUBJECT : 1\nSubject: 2\n\n").subject == "1"


def test_a_header_ends_at_the_first_empty_line() -> None:
    assert messages.header(b"From a Thu Aug  1 10:00:00 2002\r\nTo: b\r\n c\r\n\r\nx: y") == b"\nTo: b\r\n c\r"
    assert messages.header(b"text") == messages.header(b"") == messages.header(b"\nTo: b") == b""


ENVELOPES = [
    (b"From a@b  Thu Aug  1 10:00:00 2002", True),
    (b"From - Thu Aug 01 10:00:00 +0000 2002\r\n", True),
    (b"From A B <a@b> Thu, 1 Aug 2002 10:00:00 +0000\n", True),
    (b"From a!b Thu Aug  1 10:00 GMT 2002 remote from c\n", True),
    (b"From 0123456789abcdef Mon Sep 17 00:00:00 2001\n", True),
    (b"From a@b Thu Aug  1 10:00:00 2002 and so on, and on, and on, and on, and on, and on, and on, and on\n", False),
    (b"From Thursday, 1 Aug 2002 at 10:00 on\n", False),
    (b"From a@b Thu Aug 1 2002\n", False),
    (b"From a@b 10:00:00 Thu Aug 1\n2002", False),
    (b"From: a@b Thu Aug  1 10:00:00 2002\n", False),
]


@pytest.mark.parametrize(("line", "is_one"), ENVELOPES)
def test_envelope_lines_are_told_from_text(line: bytes, is_one: bool) -> None:
    assert (messages.ENVELOPE.match(line) is not None) is is_one


# A tree of parts, written as a message, against what the definition says is in it.

ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "8bit": bytes,
    "base64": base64.encodebytes,
    "quoted-printable": quopri.encodestring,
}
leaves = st.tuples(
    st.sampled_from(["text/plain", "text/html", "image/png"]),
    st.booleans(),
    st.sampled_from(sorted(ENCODERS)),
    st.text("ab \n-<&é我", max_size=20),
)
trees: st.SearchStrategy[Any] = st.recursive(
    leaves, lambda inner: st.lists(inner, min_size=1, max_size=4) | st.tuples(st.just("mail"), inner), max_leaves=12
)


def written(tree: Any, number: list[int]) -> bytes:
    if isinstance(tree, list):
        number[0] += 1
        return multipart(*(written(part, number) for part in tree), boundary=b"=_%d" % number[0])
    if tree[0] == "mail":
        return FORWARDED + b"Subject: forwarded\n" + written(tree[1], number)
    kind, attached, encoding, text = tree
    head = f"Content-Type: {kind}; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n"
    head += "Content-Disposition: attachment\n" if attached else ""
    return head.encode() + b"\n" + ENCODERS[encoding](text.encode())


def expected(tree: Any) -> list[tuple[str, str]]:
    """The texts, each with its type."""
    plain: list[str] = []
    html: list[str] = []
    mails: list[Any] = []

    def walk(tree: Any) -> None:
        if isinstance(tree, list):
            for part in tree:
                walk(part)
        elif tree[0] == "mail":
            mails.append(tree[1])
        elif not tree[1] and tree[0] != "image/png":
            (html if tree[0] == "text/html" else plain).append(tree[3])

    walk(tree)
    own = plain if not html or any(letter.isalnum() for text in plain for letter in text) else html
    kind = "html" if own is html else "plain"
    return [(kind, text) for text in own if text] + [
        text for mail in mails for text in [("plain", "forwarded"), *expected(mail)]
    ]


@given(trees)
def test_a_tree_of_parts_has_the_texts_that_the_definition_says(tree: Any) -> None:
    message = parse_mail(written(tree, [0]))
    texts = expected(tree)
    html = any(kind == "html" for kind, _ in texts)
    if html and len(texts) > 1:
        escape = str.maketrans({"&": "&amp;", "<": "&lt;"})
        texts = [(kind, f"<pre>{text.translate(escape)}</pre>" if kind == "plain" else text) for kind, text in texts]
    assert (message.html, message.body.decode()) == (html, "\n\n".join(text for _, text in texts))


# Nothing makes it raise.

SEEDS = [raw for _, raw, _ in BODIES] + [b"Subject: " + raw + b"\n\nbody" for raw, _ in SUBJECTS]
SNIPPETS = [
    b"\n",
    b"\r\n",
    b"--b",
    b"--",
    b":",
    b";",
    b"=",
    b'"',
    b"=?",
    b"?=",
    b"\0",
    b"\xff",
    b" ",
    FORWARDED,
    MULTIPART,
]


@st.composite
def mutants(draw: st.DrawFn) -> bytes:
    raw = b"\n".join(draw(st.lists(st.sampled_from(SEEDS), min_size=1, max_size=3)))
    for _ in range(draw(st.integers(1, 8))):
        at, size = draw(st.integers(0, len(raw))), draw(st.integers(0, 20))
        new = draw(st.sampled_from(SNIPPETS) | st.binary(max_size=8) | st.just(raw[:at][-30:]))
        raw = raw[:at] + new + raw[at + size :]
    return raw


@given(mutants() | st.binary(max_size=300))
def test_any_bytes_are_a_message(raw: bytes) -> None:
    message = parse_mail(raw)
    assert message.subject == " ".join(message.subject.encode().decode().split())
    assert message.charset is None or message.charset.isascii()
    assert message == parse_mail(raw)


def fill(pattern: bytes, size: int = 2 * MIB) -> bytes:
    return pattern * (size // len(pattern))


def nested(depth: int) -> bytes:
    return b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(depth))


PART, SUBPART = b"--b\nContent-Type: text/plain", b"--b\n" + FORWARDED + b"Subject: "
HOSTILE = {
    "1,000 deep": nested(1_000) + b"\nx",
    "40,000 deep, then dashes": nested(40_000) + b"\n" + fill(b"--b7x\n"),
    "40,000 forwarded": FORWARDED * 40_000 + b"\nx",
    "90,000 parts": MULTIPART + b"--b\n\nx\n" * 90_000,
    "a boundary that never ends": b'Content-Type: multipart/mixed; boundary="' + fill(b"b"),
    "a delimiter that never ends": MULTIPART + b"--b" + fill(b"b"),
    "dashes": MULTIPART + fill(b"--\n") + fill(b"--b-\n"),
    "a field that never ends": b"Subject: " + fill(b"x"),
    "a field of many lines": b"Subject: x\n" + fill(b" x\n"),
    "a name that never ends": fill(b"x"),
    "a name and spaces": b"x" + fill(b" "),
    "many fields": fill(b"x:\n") + fill(b"Subject:\n"),
    "parameters: separators": MULTIPART + fill(PART + b" ;" * 8_000 + b"\n\n"),
    "parameters: quotation marks": MULTIPART + fill(PART + b';x="' * 4_000 + b"\n\n"),
    "parameters: spaces": MULTIPART + fill(PART + b";x" + b" " * 16_000 + b"\n\n"),
    "encoded words": MULTIPART + fill(SUBPART + b"=?a?q?" * 2_000 + b"\n\n"),
    "encoded words, none closed": MULTIPART + fill(SUBPART + b"=?a?q?? " * 2_000 + b"\n\n"),
    "base64 of garbage": encoded(b"base64", fill(b"a\0\xff!") + b"=" * 99),
    "quoted-printable of garbage": encoded(b"quoted-printable", fill(b"==\n= =") + b"="),
    "uuencode of garbage": encoded(b"uuencode", b"begin 644 x\n" + fill(b"!A!!!!!\nM\n")),
    "begin": encoded(b"uuencode", fill(b"begin 644\n")),
    "From": b"From " + fill(b"Thu Aug 1 10:00 "),
    "NULs": fill(b"\0"),
    "no-break spaces": multipart(b"\n" + fill(b"\xc2\xa0"), HTML + b"x"),
}


@pytest.mark.slow
@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_is_linear(raw: bytes) -> None:
    began = time.process_time()
    parse_mail(raw)
    assert time.process_time() - began < 10  # at most 2 s; what is quadratic takes hours


@pytest.mark.slow
def test_too_many_parts_are_refused() -> None:
    for raw in (MULTIPART + b"--b\n" * MAX_PARTS, FORWARDED * MAX_PARTS):
        with pytest.raises(RefusedError, match="too many parts"):
            parse_mail(raw)


def test_memory_is_a_few_copies() -> None:
    raw = MULTIPART + b"--b\n\n" + fill(b"x\n")
    tracemalloc.start()
    try:
        parse_mail(raw)
        assert tracemalloc.get_traced_memory()[1] < 5 * len(raw)
    finally:
        tracemalloc.stop()
