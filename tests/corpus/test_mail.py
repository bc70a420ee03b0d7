"""Mail files: mailboxes against a splitter that looks at every line, slices against the whole, and 6,046 real mails."""

from __future__ import annotations

import email
import functools
import gzip
import re
import tarfile
import tracemalloc
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import zstandard
from faulty import resolved
from hypothesis import given
from hypothesis import strategies as st

from unquilt.corpus.extract import messages
from unquilt.corpus.extract.documents import extract_document
from unquilt.corpus.find import kinds
from unquilt.corpus.find.inputs import find
from unquilt.corpus.find.pieces import pieces
from unquilt.corpus.options import Limits, Reading
from unquilt.corpus.readers import mail
from unquilt.corpus.records import Document, Found, Page, Reject
from unquilt.corpus.sources import Glimpse, Slice, Source

FROM = b"From a@b.example  Thu Aug  1 10:00:00 2002\n"
HEADER = b"Received: from b\nMessage-ID: <%s@b>\nSubject: s\n"


def source(path: Path, compression: str | None = None) -> Source:
    return Source(str(path), path.stat().st_size, "mail", compression)


def read(path: Path, limit: int = 1 << 20, cuts: tuple[int, ...] = (), compression: str | None = None) -> list[Found]:
    """What is found, in slices that begin at the cuts."""
    file, reading = source(path, compression), Reading(limits=Limits(max_bytes=limit))
    if not cuts:
        return resolved(mail.read(Slice(file), reading))
    edges = [0, *sorted(set(cuts)), file.size]
    return [found for a, b in pairwise(edges) for found in resolved(mail.read(Slice(file, a, b), reading))]


def brief(found: list[Found]) -> list[tuple[int, str, bytes | str]]:
    """Offset, id and content of each page; offset, reason and nothing of each reject."""
    return [
        (each.offset, each.id, each.content) if isinstance(each, Page) else (each.offset, each.reason, b"")
        for each in found
        if isinstance(each, Page | Reject)
    ]


# --- What is mail ---

MAIL = [
    ("1", HEADER),
    ("00001.7c53336b37003a9286aba55d2945844c", FROM + b"Return-Path: <a@b>\n\nx"),
    ("1234.host:2,s", b"Return-Path: <a@b>\r\nDelivered-To: c\r\n\r\nx"),
    ("notes.txt", b"X-Status: O\nFrom: a\n\nx"),
    ("news", b"Path: a!b\nFrom: a\nNewsgroups: c\nSubject: s\n\nx"),
    ("0001-fix.patch", b"From 0123456789abcdef Mon Sep 17 00:00:00 2001\nFrom: a <a@b>\nSubject: [PATCH] x\n\n---\n"),
    ("one-control-byte", b"\1From: \xe9\nTo: b\nSubject: c\n\nx"),
    ("header-alone", b"From: a\nTo: b\nMessage-ID: <c>\n"),
    ("x.eml", b"anything"),
    ("inbox.mbox", b"\0\0\0\0\0\0\0\0\0"),
    ("inbox.mbx", FROM),
]
NO_MAIL = [
    ("a.txt", b"From here on: text.\nTo: all\n"),
    ("b.txt", b"Subject: only one field\n\nx"),
    ("c.txt", b"Subject: twice\nSubject: twice\n\nx"),
    ("o.txt", b"Date: Thursday, February 3, 2000 From: a\nSubject: Re: b\n\nx"),
    ("p.txt", b"From: a\nTo: b\nno blank line\n\nx"),
    ("q.txt", b"From: Berlin\nTo: Munich\nDate: Monday\n"),
    ("r.txt", b"To: the reader\nFrom: the author\nAlice: Hello!\nBob: Hello, Alice.\n\nThe end."),
    ("d.txt", b"Dear all,\nFrom: a\nTo: b\nSubject: c\n"),
    ("e.txt", FROM + b"\nno header follows"),
    ("f.txt", b"Total: 1\nFromage: 2\nTo-do: 3\n"),
    ("g.http", b"Date: Thu, 01 Aug 2002 10:00:00 GMT\nServer: x\nX-Powered-By: y\n\n<html>"),
    ("h.http", b"HTTP/1.1 200 OK\nFrom: a\nTo: b\n\n"),
    ("i.log", b"2002-08-01 10:00:00 From: a To: b\n2002-08-01 10:00:00: x\n"),
    ("j.txt", b"User-agent: *\nDisallow: /\n"),
    ("k.html", HEADER + b"\n<p>x"),
    ("l.json", HEADER),
    ("m", b"<!doctype html>\nFrom: a\nTo: b\n"),
    ("n", b'{"text": "x"}\nFrom: a\nTo: b\n'),
]


@pytest.mark.parametrize(("name", "head"), MAIL)
def test_mail_is_told(name: str, head: bytes) -> None:
    assert kinds.tell_kind(Glimpse(name, head, complete=True)) == "mail"


@pytest.mark.parametrize("raw", [b"\1caf\xe9", b"Gr\xfc\xdfe\0", b"From: \xe9\n\x02\n"])
def test_one_control_byte_makes_no_binary(raw: bytes) -> None:
    assert kinds.tell_kind(Glimpse("mail", raw, complete=True)) == "text"


@pytest.mark.parametrize(("name", "head"), NO_MAIL)
def test_what_is_no_mail_is_told(name: str, head: bytes) -> None:
    assert kinds.tell_kind(Glimpse(name, head, complete=True)) != "mail"


def test_folders_of_messages_need_nothing_special(tmp_path: Path) -> None:
    for name in ("cur/1234.host:2,S", "new/1235.host", "tmp/1236.host", "mh/1", "mh/2", "dovecot.index"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"binary \0\1\2\3" * 9 if "index" in name else HEADER % name.encode() + b"\nx")
    found = find([tmp_path])
    assert [(Path(each.path).name, each.kind) for each in found] == [
        ("1234.host:2,S", "mail"),
        ("dovecot.index", "unknown"),
        ("1", "mail"),
        ("2", "mail"),
        ("1235.host", "mail"),
        ("1236.host", "mail"),
    ]
    pages = [
        page
        for piece in pieces(found)
        for part in piece.slices
        for page in resolved(kinds.reader("mail").read(part, Reading()))
    ]
    assert [each.id for each in pages[:1] if isinstance(each, Page)] == ["cur/1234.host:2,S@b"]


# --- One message ---


@pytest.mark.parametrize("name", ["x.eml", "x", "x.mbox"])
def test_a_message_is_the_file(tmp_path: Path, name: str) -> None:
    raw = HEADER % b"1" + b"\n>From text\n\n" + FROM + b"text\n\n"
    (tmp_path / name).write_bytes(raw)
    file = str(tmp_path / name)
    assert read(tmp_path / name) == [Page(file, 0, "1@b", None, None, "mail", raw)]
    assert brief(read(tmp_path / name, limit=10)) == [(0, "too large", b"")]


def test_eml_is_one_message_even_with_a_from_line(tmp_path: Path) -> None:
    raw = FROM + HEADER % b"1" + b"\n\n" + FROM + b"text"
    (tmp_path / "x.eml").write_bytes(raw)
    assert brief(read(tmp_path / "x.eml")) == [(0, "1@b", raw)]


IDS = [
    (b"Message-ID: <a@b>", "a@b"),
    (b"MESSAGE-id:\r\n <a@b>\r", "a@b"),
    (b"Message-ID : a@b", "a@b"),
    (b"Message-ID: <a@b> (comment)", "a@b"),
    (b"Message-ID: <\xc3\xa9\xff@b>", "é\\xff@b"),
    (b"Message-ID: <a b@c>", "a"),
    (b"Message-ID: <>", None),
    (b"Message-ID: <" + b"a" * 501 + b">", None),
    (b"X: y\n\nMessage-ID: <a@b>", None),
    (b"In-Reply-To: <a@b>", None),
]


@pytest.mark.parametrize(("field", "ident"), IDS)
def test_the_id_is_the_message_id(tmp_path: Path, field: bytes, ident: str | None) -> None:
    file = tmp_path / "x.eml"
    file.write_bytes(field)
    [page] = read(file)
    assert isinstance(page, Page)
    assert page.id == (ident or f"{file}#0")


# --- Mailboxes ---


def split(raw: bytes, limit: int) -> list[tuple[int, bytes | None]]:
    """The messages of a mailbox, line by line: offset, and content if it is within the limit."""
    found: list[tuple[int, list[bytes]]] = []
    offset, blank = 0, True
    for line in re.findall(rb"[^\n]*\n|[^\n]+\Z", raw):
        if blank and line.startswith(b"From ") and messages.ENVELOPE.match(line):
            found.append((offset, []))
        elif found:
            found[-1][1].append(line)
        offset += len(line)
        blank = line in (b"\n", b"\r\n")
    contents: list[tuple[int, bytes | None]] = []
    for offset, lines in found:
        if lines and lines[-1] in (b"\n", b"\r\n"):
            lines.pop()
        fits = sum(map(len, lines)) <= limit
        unquoted = lines[:1] + [re.sub(rb"^>(>*From )", rb"\1", line) for line in lines[1:]]
        contents.append((offset, b"".join(unquoted) if fits else None))
    return contents


LINES = [
    b"\n",
    b"\r\n",
    b"From x\n",
    b">From y\n",
    b">>From z\n",
    b"text\n",
    b"long " * 500 + b"\n",
    b"From ",
    HEADER % b"1",
]
lines = st.sampled_from([FROM, b"\n" + FROM, b"\r\n" + FROM.replace(b"\n", b"\r\n"), *LINES])
mailboxes = st.lists(lines, max_size=30).map(lambda lines: FROM + b"X: y\n" + b"".join(lines))


@given(raw=mailboxes, data=st.data())
def test_slices_give_what_a_splitter_gives_that_looks_at_every_line(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("box") / "x.mbox"
    file.write_bytes(raw)
    limit = data.draw(st.sampled_from([5, 70, 1 << 20]))
    cuts = data.draw(st.lists(st.integers(1, len(raw) - 1), max_size=4).map(tuple))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mail, "BLOCK", data.draw(st.sampled_from([1, 7, 64, mail.BLOCK])))
        whole, slices = read(file, limit), read(file, limit, cuts)
    assert slices == whole
    contents = {each.offset: each.content for each in whole if isinstance(each, Page)}
    assert [(offset, contents.get(offset)) for offset, _, _ in brief(whole)] == split(raw, limit)


def messages_of(*names: bytes) -> list[bytes]:
    return [FROM + HEADER % name + b"\n" + b"text of %s\n" % name * 50 + b"\n" for name in names]


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_compressed_mailboxes_are_read_mail_by_mail(tmp_path: Path, codec: str) -> None:
    raw = b"".join(messages_of(b"1", b"2", b"3"))
    (tmp_path / "x").write_bytes(gzip.compress(raw) if codec == "gzip" else zstandard.compress(raw))
    [file] = find(tmp_path / "x")
    assert (file.kind, file.compression) == ("mail", codec)
    assert [each[1] for each in brief(read(tmp_path / "x", compression=codec))] == ["1@b", "2@b", "3@b"]


def test_a_stream_that_ends_early_costs_the_last_message(tmp_path: Path) -> None:
    raws = messages_of(b"1", b"2", b"3")
    (tmp_path / "x.mbox.gz").write_bytes(gzip.compress(b"".join(raws), 0)[: -len(raws[2]) // 2])
    assert brief(read(tmp_path / "x.mbox.gz", compression="gzip")) == [
        (0, "1@b", split(raws[0], 1 << 20)[0][1]),
        (len(raws[0]), "2@b", split(raws[1], 1 << 20)[0][1]),
        (len(raws[0]) * 2, "truncated gzip", b""),
    ]


def test_a_hole_in_a_stream_costs_the_message_it_is_in(tmp_path: Path) -> None:
    raws = messages_of(b"1", b"2", b"3", b"4")
    members = [gzip.compress(raw, 0) for raw in raws]
    members[1] = members[1][:200] + b"\xff" * 40 + members[1][240:]  # its end is lost, and its blank line
    (tmp_path / "x.mbox.gz").write_bytes(b"".join(members))
    found = brief(read(tmp_path / "x.mbox.gz", compression="gzip"))
    assert [each[1] for each in found] == ["1@b", "corrupt gzip", "3@b", "4@b"]
    assert found[1][0] == len(raws[0])


def test_a_fault_before_the_first_message_is_told(tmp_path: Path) -> None:
    broken = bytearray(gzip.compress(b"x" * 999, 0))
    broken[11] ^= 255
    (tmp_path / "x.mbox.gz").write_bytes(broken + gzip.compress(b"".join(messages_of(b"1"))))
    found = brief(read(tmp_path / "x.mbox.gz", compression="gzip"))
    assert [each[:2] for each in found] == [(0, "corrupt gzip"), (0, "1@b")]


def test_garbage_before_the_first_message_is_told(tmp_path: Path) -> None:
    file = tmp_path / "x.mbox"
    for before, reasons in ((b"garbage\n\n", ["garbage"]), (b"\n\r\n\n", []), (b"garbage\n", ["garbage"])):
        file.write_bytes(before + b"".join(messages_of(b"1", b"2")))
        found = brief(read(file, cuts=(2,)))
        kept = ["2@b"] if before == b"garbage\n" else ["1@b", "2@b"]
        assert [each[1] for each in found] == reasons + kept
    file.write_bytes(bytes(1 << 20))
    assert brief(read(file)) == [(0, "garbage", b"")]


def test_a_broken_first_line_costs_the_first_message(tmp_path: Path) -> None:
    """What is left of it may look like the header of a single message."""
    first, *others = messages_of(b"1", b"2", b"3")
    path = tmp_path / "a.mbox"
    path.write_bytes(b"".join([first.replace(b"From ", b"From:", 1), *others]))
    found = read(path)
    assert [each.id for each in found if isinstance(each, Page)] == ["2@b", "3@b"]
    assert [each.reason for each in found if isinstance(each, Reject)] == ["garbage"]
    path.write_bytes(first.removeprefix(FROM))  # one message, whatever it is called
    assert [each.id for each in read(path) if isinstance(each, Page)] == ["1@b"]


def test_a_message_over_the_limit_is_not_held(tmp_path: Path) -> None:
    file = tmp_path / "x.mbox"
    one, two = messages_of(b"1", b"2")
    large = FROM + b"X: y\n\n" + b"text\n" * (6 << 20) + b"\n"
    file.write_bytes(one + large + two)
    size = len(large)
    tracemalloc.start()
    try:
        for cuts in ((), (10 << 20, 20 << 20)):
            found = brief(read(file, cuts=cuts))
            assert [each[:2] for each in found] == [(0, "1@b"), (len(one), "too large"), (len(one) + size, "2@b")]
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()


def test_only_mailboxes_are_cut(tmp_path: Path) -> None:
    size = 1000
    box, alone, packed = tmp_path / "box", tmp_path / "alone", tmp_path / "packed"
    box.write_bytes(b"".join(messages_of(b"1", b"2", b"3", b"4")))
    alone.write_bytes(HEADER % b"1" + b"\n" + b"text\n" * size)
    packed.write_bytes(box.read_bytes())
    assert len(mail.cut(source(box), Reading(), size)) > 1
    assert len(mail.cut(source(alone), Reading(), size)) == 1
    assert len(mail.cut(source(packed, "gzip"), Reading(), size)) == 1
    found = [page for part in mail.cut(source(box), Reading(), size) for page in resolved(mail.read(part, Reading()))]
    assert found == read(box)


# --- Documents ---


def texts(raw: bytes) -> Document | Reject:
    return extract_document(Page("x", 0, "x", None, None, "mail", raw), Reading())


def test_a_mail_becomes_a_document() -> None:
    made = texts(
        b"Subject: =?utf-8?q?Caf=C3=A9?=\nContent-Type: text/plain; charset=latin1\n\nTr\xe8s bon.\n\nAu revoir.\n"
    )
    assert isinstance(made, Document)
    assert made.text.decode().split("\n\n") == ["Café", "Très bon.", "Au revoir.\n"]


def test_a_mail_of_html_becomes_a_document_with_links() -> None:
    made = texts(b"Subject: s\nContent-Type: text/html\n\n<p>One <a href='http://a.example/'>link</a>.<p>Two")
    assert isinstance(made, Document)
    assert made.text.decode().split() == ["s", "One", "link.", "Two"]
    assert list(made.links) == ["http://a.example/"]


@pytest.mark.slow
def test_a_refused_mail_is_a_reject() -> None:
    parts = b"Content-Type: multipart/mixed; boundary=b\n" + b"\n--b" * messages.MAX_PARTS
    made = texts(parts)
    assert isinstance(made, Reject)
    assert made.reason == "too many parts"


# --- Real mail ---

CORPUS = Path(__file__).parents[3] / "shared" / "data" / "spamassassin.tar.xz"
real = pytest.mark.skipif(not CORPUS.exists(), reason="the mails of SpamAssassin are not there")


@functools.cache
def corpus() -> dict[str, bytes]:
    with tarfile.open(CORPUS) as tar:
        files = [(each.name, tar.extractfile(each)) for each in tar if each.isfile()]
        return {name: file.read() for name, file in files if file}


def mail_by_number(folder: str, number: str) -> bytes:
    return next(raw for name, raw in corpus().items() if f"{folder}/{number}." in name)


@pytest.mark.slow
@real
def test_real_mails_are_told_by_content() -> None:
    heads = [Glimpse("x.txt", raw[: 1 << 16], len(raw) < 1 << 16) for raw in corpus().values()]
    assert [kinds.tell_kind(head) for head in heads] == ["mail"] * 6046


@pytest.mark.slow
@real
def test_real_mails_have_bodies() -> None:
    parsed = [messages.parse_mail(raw) for raw in corpus().values()]
    assert sum(bool(message.body.strip()) for message in parsed) == 6045
    assert sum(bool(message.subject) for message in parsed) == 6027
    assert sum(message.html for message in parsed) == 974


@real
@pytest.mark.parametrize(
    ("folder", "number", "subject"),
    [
        ("easy-ham-1", "00001", "Re: New Sequences Window"),
        ("spam-1", "00407", "[WM] greencard 2004 çekilişini kaçırmayın"),
        ("spam-1", "00035", "[광고] 요즘 뜨는 직종 Best 5 & 자격증 따기 열풍"),
        ("spam-1", "00243", "[ILUG] 純商業辦公室出租"),
        ("spam-2", "00207", "Le dernier sondage avant les élections presidentielles 2002 !"),
        ("spam-2", "00853", "黄山旅游天天发,南京特价宾馆任你选"),
    ],
)
def test_subjects_of_real_mails_are_decoded(folder: str, number: str, subject: str) -> None:
    assert messages.parse_mail(mail_by_number(folder, number)).subject == subject


def library(mail: Any) -> list[bytes]:
    """The texts of a mail as the standard library finds them, chosen as we do."""
    plain: list[bytes] = []
    html: list[bytes] = []
    forwarded: list[bytes] = []

    def walk(part: Any) -> None:
        kind, payload = part.get_content_type(), part.get_payload()
        if kind == "message/rfc822":
            for inner in payload:
                forwarded.extend([str(inner.get("subject", "")).encode(), *library(inner)])
        elif part.is_multipart():
            for inner in payload:
                walk(inner)
        elif kind in ("text/plain", "text/html") and part.get_content_disposition() != "attachment":
            (plain if kind == "text/plain" else html).append(part.get_payload(decode=True))

    walk(mail)
    worded = any(re.search(rb"[0-9A-Za-z\x80-\xff]", text) for text in plain)
    return [text for text in (plain if worded or not html else html) if text] + forwarded


@pytest.mark.slow
@real
def test_real_bodies_are_those_of_the_standard_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but four: footers after base64 are left out, `text/plain charset=…` is read, and so are wrong boundaries."""
    ours: list[bytes] = []
    join = messages._join

    def note(texts: list[messages._Text]) -> messages._Text:
        ours.extend(text.content for text in texts)
        return join(texts)

    monkeypatch.setattr(messages, "_join", note)
    differ = set()
    for name, raw in corpus().items():
        ours.clear()
        messages.parse_mail(raw)
        theirs = library(email.message_from_bytes(raw))
        if [text.rstrip() for text in ours] != [text.rstrip() for text in theirs]:
            differ.add(name)
    assert sorted(Path(name).name[:5] for name in differ) == ["00204", "00313", "00467", "01214"]


@real
def test_a_real_mailbox_in_slices(tmp_path: Path) -> None:
    raws = [raw.rstrip(b"\n") for raw in list(corpus().values())[:500]]
    file = tmp_path / "x"
    file.write_bytes(b"".join((b"" if raw.startswith(b"From ") else FROM) + raw + b"\n\n" for raw in raws))
    whole = read(file)
    assert len(whole) == 500
    assert read(file, cuts=tuple(range(12_345, file.stat().st_size, 98_765))) == whole
    assert {type(extract_document(page, Reading())) for page in whole if isinstance(page, Page)} == {Document}
