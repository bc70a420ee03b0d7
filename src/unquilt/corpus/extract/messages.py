"""Mails: from the bytes of a message (RFC 5322, MIME) to its subject and its body.

Spam is written to confuse parsers, so this one makes something of any bytes, in linear time: it goes through the
message once, from delimiter line to delimiter line, without recursion, and copies only what is text. (The `email`
package of the standard library takes time in proportion to lines × depth, many times the memory of a message of short
lines, and raises `RecursionError` at a depth that depends on its caller. On real mail it finds the same texts; the
tests compare the two.)

What is read, where the standards leave a choice or mail does not keep to them:

- A header ends at the first line that is neither a field nor the continuation of one. If no blank line follows, it ends
  behind the last field that mails have: what follows may be text such as "Note: …". Without any such field there is no
  header, and all of it is text. A control character in the name of a field is no end. Of several fields of one name the
  first counts, and of a field its first 16 KiB.
- The text of a mail is in its parts of type text/plain; if these have no word, in those of type text/html. Attachments
  are left out. A part without a type, or with none that can be read, is plain text.
- A forwarded mail (message/rfc822, attached or not) is a text of its own, subject and body, after that of the mail it
  is in. One with a transfer encoding, which the standard forbids, is left out.
- A delimiter is a line of its own. A multipart whose delimiter never comes is plain text. One that is never closed ends
  where the part ends that it is in. One that was closed may go on, if its delimiter comes again. If a multipart has the
  same boundary as one that it is in, delimiters belong to the outer one.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from typing import NamedTuple

from unquilt import _native

MAX_PARTS = 100_000
FIELD = 1 << 14
CHARSET = 40

ENVELOPE = re.compile(
    rb"""From\ [^\n]{0,500}?\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?[ ]
    (?=.{0,5}\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b)
    (?=.{0,30}\b\d?\d:\d\d)(?=.{0,30}\b(?:19|20)\d\d\b)(?![^\n]{81})[^\n]*(?:\n|\Z)""",
    re.VERBOSE,
)
"""The line before a message in a mailbox: `From `, a sender, a date; some have a time zone, or `remote from` a host."""


class Message(NamedTuple):
    """The text of a mail. `charset` is that of the body as it was declared, None if it was not."""

    subject: str
    body: bytes
    html: bool
    charset: str | None


class RefusedError(Exception):
    """A message that costs more than its text is worth. Its arguments are the reason and the detail of a reject."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)


def parse_mail(raw: bytes) -> Message:
    """The subject and the body of a message; any bytes are one. Raises only `RefusedError`, for the number of parts.

    >>> parse_mail(b"Subject: Re:\\n =?utf-8?q?caf=C3=A9?=\\n\\nTwo, please.\\n")
    Message(subject='Re: café', body=b'Two, please.\\n', html=False, charset=None)
    """
    if b"\n" not in raw:
        raw = raw.replace(b"\r", b"\n")  # from an old Macintosh
    raw = b"\n" + raw  # so that every line has a line end before it
    first, *forwarded = _mails(raw)
    texts = _texts(raw, first)
    for mail in forwarded:
        texts += [_Text(_subject(mail).encode(), html=False, charset="utf-8"), *_texts(raw, mail)]
    return Message(_subject(first), *_join([text for text in texts if text.content]))


def header(raw: bytes) -> bytes:
    """The header of a message, a line end before each line; without the line that precedes it in a mailbox.

    >>> header(b"To: a\\nCc: b\\n\\nBody: c")
    b'\\nTo: a\\nCc: b'
    """
    raw = b"\n" + raw
    at = _envelope(raw, 0)
    return raw[at : _header_end(raw, at)]


# Structure. A position `at` is that of the line end before the first line of what is there.


class _Head(NamedTuple):
    """What the header of a mail, or of a part, says."""

    subject: bytes
    type: bytes
    charset: str | None
    boundary: bytes
    encoding: bytes
    attached: bool


class _Part(NamedTuple):
    head: _Head
    begin: int
    end: int


class _Mail(NamedTuple):
    head: _Head
    parts: list[_Part]


class _Multipart(NamedTuple):
    """A multipart that may have more parts to come, and what they are unless they say it."""

    boundary: bytes
    mail: _Mail
    default: bytes


class _Delimiter(NamedTuple):
    """A line between parts: where it is, to which of the open multiparts it belongs, and whether it closes it."""

    begin: int
    end: int
    level: int
    closing: bool


_PLAIN, _HTML, _MAIL = b"text/plain", b"text/html", b"message/rfc822"
_WHOLE = _Head(b"", _MAIL, None, b"", b"", attached=False)  # as if the mail itself were forwarded
_EPILOGUE = _WHOLE._replace(type=b"")
_DASHES = re.compile(rb"\n--([^\n]+)")


def _mails(raw: bytes) -> list[_Mail]:
    """The mail and those forwarded in it, each with the parts that are text."""
    mails: list[_Mail] = []
    opened: list[_Multipart] = []  # the outermost first
    levels: dict[bytes, int] = {}  # where in `opened` a boundary is
    head, at = _WHOLE, 0
    for _ in range(MAX_PARTS):
        if head.type == _MAIL and head.encoding not in _DECODERS:
            head, at = _head(raw, _envelope(raw, at), _PLAIN)
            mail = _Mail(head, [])
            mails.append(mail)
            continue
        if head.boundary and head.boundary not in levels:
            levels[head.boundary] = len(opened)
            opened.append(_Multipart(head.boundary, mail, _MAIL if head.type == b"multipart/digest" else _PLAIN))
        line = _delimiter(raw, at, levels)
        unopened = head.type.startswith(b"multipart/") and line.level < levels.get(head.boundary, len(opened))
        if (head.type in (_PLAIN, _HTML) or unopened) and not head.attached:
            mail.parts.append(_Part(head, at + 1, line.begin))
        if line.level < 0:
            return mails
        for closed in opened[line.level + 1 :]:
            del levels[closed.boundary]
        del opened[line.level + 1 :]
        mail = opened[-1].mail
        head, at = (_EPILOGUE, line.end) if line.closing else _head(raw, line.end, opened[-1].default)
    raise RefusedError("too many parts", f"more than {MAX_PARTS} parts and forwarded mails")


def _delimiter(raw: bytes, at: int, levels: dict[bytes, int]) -> _Delimiter:
    """The next delimiter of any open multipart, or the end of the message."""
    for line in _DASHES.finditer(raw, at) if levels else ():
        name = line[1].rstrip()
        if name in levels:
            return _Delimiter(line.start(), line.end(), levels[name], closing=False)
        if name[-2:] == b"--" and name[:-2] in levels:
            return _Delimiter(line.start(), line.end(), levels[name[:-2]], closing=True)
    return _Delimiter(len(raw), len(raw), -1, closing=True)


def _line_end(raw: bytes, at: int) -> int:
    end = raw.find(b"\n", at)
    return end if end >= 0 else len(raw)


# Headers.

# The end of a line that no line of a header follows. No field begins with the dashes of a delimiter.
_END = re.compile(rb"\n(?!(?!--)[\0-\x08\x0e-\x1f!-9;-~\x7f]+[ \t]*:|[ \t])")
_MAIL_FIELD = re.compile(
    rb"""\n(?:received|return-path|delivered-to|envelope-to|message-id|in-reply-to|references|mime-version|date|subject
    |from|sender|reply-to|to|cc|bcc|newsgroups|path|organization|precedence|status|lines|user-agent|importance|priority
    |(?:x|content|list|resent|errors|arc|dkim|authentication|thread)-[^\s:]+)[ \t]*:""",
    re.IGNORECASE | re.VERBOSE,
)
"""A field that mails have."""
_ANY_FIELD = re.compile(rb"\n[!-9;-~]+[ \t]*:")
_FIELD = re.compile(rb"\n(subject|content-(?:type|transfer-encoding|disposition))[ \t]*:", re.IGNORECASE)
_UNFOLDED = re.compile(rb"\n(?![ \t])")
_TYPE = re.compile(rb"\s*([^\s;/]+/[^\s;]+)")
# Linear: of several separators it begins at the first only, and a quotation that is not closed is all the rest.
_PARAMETER = re.compile(
    rb"""(?<![;\s])[;\s]+([^\s=;*]+)(\*\d+)?\*?\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"?|([^;]*))""", re.DOTALL
)
_QUOTED = re.compile(rb"\\(.)", re.DOTALL)
_BLANK = re.compile(rb"\n\r?(?=\n)")


def _envelope(raw: bytes, at: int) -> int:
    """Go past the line that precedes a message in a mailbox, quoted or not."""
    begin = at + 1 + raw.startswith(b">", at + 1)
    return _line_end(raw, begin) if ENVELOPE.match(raw, begin) else at


def _header_end(raw: bytes, at: int) -> int:
    if raw.startswith((b" ", b"\t"), at + 1):  # it continues nothing
        return at
    end = _END.search(raw, at)
    return end.start() if end else len(raw)


def _head(raw: bytes, at: int, default: bytes) -> tuple[_Head, int]:
    """The header of a mail or a part, and where the body is: after a blank line, if there is one."""
    end = _header_end(raw, at)
    blank = _BLANK.match(raw, end)
    known = _last_known(raw, at, end)
    if known < 0 or not blank:
        end = max(at, known)
        blank = _BLANK.match(raw, end)
    fields: dict[bytes, bytes] = {}
    for field in _FIELD.finditer(raw, at, end):
        name, begin = field[1].lower(), field.end()
        if name not in fields:
            stop = min(end, begin + FIELD)
            unfolded = _UNFOLDED.search(raw, begin, stop)
            fields[name] = raw[begin : unfolded.start() if unfolded else stop]
    content_type = fields.get(b"content-type", default)
    named = _TYPE.match(content_type)
    kind = named[1].lower() if named else _PLAIN
    parameters = _parameters(content_type)
    charset = parameters.get(b"charset", b"").decode("ascii", "ignore").strip("' ").split()
    head = _Head(
        subject=fields.get(b"subject", b""),
        type=kind,
        charset=charset[0][:CHARSET] if charset else None,
        boundary=parameters.get(b"boundary", b"").rstrip() if kind.startswith(b"multipart/") else b"",
        encoding=fields.get(b"content-transfer-encoding", b"").strip().lower(),
        attached=fields.get(b"content-disposition", b"").lstrip().lower().startswith(b"attachment"),
    )
    return head, blank.end() if blank else end


def _last_known(raw: bytes, at: int, end: int) -> int:
    """Where the last field of a header ends that mails have; -1 if it has none."""
    begin = max((field.end() for field in _MAIL_FIELD.finditer(raw, at, end)), default=-1)
    if begin < 0:
        return begin
    unfolded = _UNFOLDED.search(raw, begin, end)
    return unfolded.start() if unfolded else end


def fields(head: bytes) -> set[bytes]:
    """The names of the fields of a header, in lower case; those that mails do not have become one empty name.

    >>> sorted(fields(b"\\nTo: a\\nPrice: b\\n and c: d\\nX-Mailer: e"))
    [b'', b'to', b'x-mailer']
    """
    known = {field[0].rstrip(b": \t").lstrip().lower() for field in _MAIL_FIELD.finditer(head)}
    lines = len(_ANY_FIELD.findall(head))
    return known | ({b""} if lines > sum(1 for _ in _MAIL_FIELD.finditer(head)) else set())


def _parameters(field: bytes) -> dict[bytes, bytes]:
    """The parameters of a field; the pieces of one that was cut up (`name*0`, `name*1`, RFC 2231) in their order."""
    pieces: dict[bytes, list[bytes]] = {}
    for name, piece, quoted, bare in _PARAMETER.findall(field):
        before = pieces.setdefault(name.lower(), [])
        if piece or not before:
            before.append(_QUOTED.sub(rb"\1", quoted) or bare.rstrip())
    return {name: b"".join(parts) for name, parts in pieces.items()}


# Texts.


class _Text(NamedTuple):
    content: bytes
    html: bool
    charset: str | None


_LETTER = re.compile(rb"[0-9A-Za-z]")
_WORD = re.compile(r"[^\W_]")
_NO_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
_UU_BEGIN = re.compile(rb"^begin [0-7]{3,4} [^\n]*\n", re.MULTILINE)
_UU_LINE = re.compile(rb"^[!-_][ -`]{4,}", re.MULTILINE)
# Charset (and language), encoding, text. One that is not closed takes all the rest, so that nothing is tried twice.
_ENCODED_WORD = re.compile(rb"=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*(?:\?(?!=)[^?]*)*)(?:\?=)?", re.IGNORECASE)


def _subject(mail: _Mail) -> str:
    """The subject on one line, its encoded words (RFC 2047) decoded.

    Neighbours are decoded together if they are in one charset, as some mailers cut through characters. What is not
    encoded, and should be ASCII, is UTF-8, or else in the charset of the text.
    """
    plain, *words = _ENCODED_WORD.split(mail.head.subject)
    runs = [(b"", [plain])]
    for charset, how, encoded, following in zip(*[iter(words)] * 4, strict=True):
        if runs[-1][0] != charset:
            runs.append((charset, []))
        runs[-1][1].append(_base64(encoded) if how in b"bB" else binascii.a2b_qp(encoded, header=True))
        if following.strip():  # white space alone is there for folding
            runs.append((b"", [following]))
    declared = next((part.head.charset for part in mail.parts), None)
    decoded = "".join(_decode_run(b"".join(run), str(charset, "ascii", "ignore"), declared) for charset, run in runs)
    return " ".join(decoded.split())


def _decode_run(run: bytes, charset: str, declared: str | None) -> str:
    if not charset:
        try:
            return run.decode()
        except UnicodeDecodeError:
            pass
    return _utf8(_Text(run, html=False, charset=charset[:CHARSET] or declared)).decode()


def _texts(raw: bytes, mail: _Mail) -> list[_Text]:
    """The parts that are the text of a mail, without their transfer encoding."""
    plain, html = (
        [
            _Text(_decode(raw[begin:end].removesuffix(b"\r"), head.encoding), kind, head.charset)
            for head, begin, end in mail.parts
            if (head.type == _HTML) is kind
        ]
        for kind in (False, True)
    )
    return plain if not html or any(map(_has_word, plain)) else html


def _has_word(text: _Text) -> bool:
    if _LETTER.search(text.content):
        return True
    return not text.content.isascii() and _WORD.search(_utf8(text).decode()) is not None


def _join(texts: list[_Text]) -> _Text:
    """Texts as one; where HTML and plain text meet, plain text becomes HTML."""
    if len(texts) <= 1:
        return texts[0] if texts else _Text(b"", html=False, charset=None)
    html = any(text.html for text in texts)
    contents = [_as_html(_utf8(text)) if html and not text.html else _utf8(text) for text in texts]
    return _Text(b"\n\n".join(contents), html, "utf-8")


def _as_html(plain: bytes) -> bytes:
    return b"<pre>" + plain.replace(b"&", b"&amp;").replace(b"<", b"&lt;") + b"</pre>"


def _utf8(text: _Text) -> bytes:
    return _native.decode(text.content, text.charset, text.html)[0]


# Transfer encodings. With 7bit, 8bit, binary, or an unknown name, content is taken as it is. In encoded content, bytes
# that do not belong there are passed over.


def _decode(content: bytes, encoding: bytes) -> bytes:
    decoder = _DECODERS.get(encoding)
    return decoder(content) if decoder else content


def _base64(content: bytes) -> bytes:
    """Up to the padding: what follows it is the footer of a mailing list. A digit alone at the end is none."""
    digits = content.partition(b"=")[0].translate(None, _NO_BASE64)
    whole = len(digits) - (len(digits) % 4 == 1)
    return binascii.a2b_base64(digits[:whole] + b"==")


def _uudecode(content: bytes) -> bytes:
    """From `begin` to `end`, each line as long as it says; without a `begin` it is no such thing."""
    begin = _UU_BEGIN.search(content)
    if not begin:
        return content
    end = content.find(b"\nend", begin.end() - 1)
    decoded = bytearray()
    for line in _UU_LINE.finditer(content, begin.end(), end if end >= 0 else len(content)):
        digits = ((line[0][0] - 32) * 4 + 2) // 3
        decoded += binascii.a2b_uu(line[0][: 1 + digits])
    return bytes(decoded)


_DECODERS: dict[bytes, Callable[[bytes], bytes]] = {
    b"base64": _base64,
    b"quoted-printable": binascii.a2b_qp,
    **dict.fromkeys((b"uuencode", b"x-uuencode", b"uue", b"x-uue"), _uudecode),
}
