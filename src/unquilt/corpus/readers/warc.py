"""WARC files (ISO 28500), and WET and WAT, which are WARC too: how records are framed, and which ones are pages.

A `response` with a good status is a page, if its type is one that holds text; so is a `resource`, and a `conversion`,
which is the text of a page (WET). All other records are about pages, and are counted only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import suppress

from unquilt.corpus.options import Reading
from unquilt.corpus.readers import archives, html, http
from unquilt.corpus.readers.archives import Format, Record
from unquilt.corpus.readers.http import Body, CodingError, Fields, Message, TooLargeError
from unquilt.corpus.records import Found, Media, Page, Reject, Skipped, identify, too_large
from unquilt.corpus.sources import Glimpse, Slice, Source

SUFFIXES = (".warc", ".wet", ".wat")
TYPES = frozenset(("warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation"))
MEDIA: dict[str, Media] = {"text/html": "html", "application/xhtml+xml": "html", "text/plain": "text"}
VAGUE = frozenset(
    ("", "application/octet-stream", "binary/octet-stream", "unknown/unknown", "text/xml", "application/xml")
)
"""Types that say nothing: whether it is a page is told by how it begins."""
HEAD = 1024

_VERSION = rb"WARC/\d{1,3}+\.\d{1,3}+[ \t]*+\r?\n"
_RECOGNISED = re.compile(_VERSION)
# Almost anything up to a blank line where a record must be; lines that are fields, where it only may be. A row of NULs,
# or the first line of the next header, tells that the rest is missing: a header must not go on with that of another.
_LINE = rb"(?!\r?\n|WARC/\d)[^\n\0]*+(?:\0(?!\0{7})[^\n\0]*+)*+\n"
_HEADER = re.compile(_VERSION + rb"(?:" + _LINE + rb")*+\r?\n")
_FIELDS = re.compile(rb"(?:[^\s:][^\n:]*+:[^\n]*+\n(?:[ \t][^\n]*+\n)*+)*+")
_BLANK_LINE = re.compile(rb"\r?\n")
_TYPE = re.compile(rb"^warc-type[ \t]*+:[^\n]*+\n(?:[ \t][^\n]*+\n)*+", re.IGNORECASE | re.MULTILINE)
_NO_PAGE = re.compile(r"metadata:|[a-z]++://[^/]*+(/robots\.txt)(?:[?#]|$)", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z0-9.+/-]{1,80}")  # Word's has 71


def recognise(glimpse: Glimpse) -> bool:
    """By its first line; or by name, as the beginning may be what is broken."""
    return _RECOGNISED.match(glimpse.head) is not None or glimpse.name.endswith(SUFFIXES)


def cut(source: Source, reading: Reading, size: int) -> list[Slice]:  # noqa: ARG001 (all kinds are cut alike)
    """Byte ranges, see `archives.cut`."""
    return archives.cut(source, size, FORMAT)


def read(part: Slice, reading: Reading) -> Iterator[Found]:
    """The records of a slice, see `archives.read`."""
    return archives.read(part, reading, FORMAT)


def _fields(header: re.Match[bytes]) -> Fields:
    return http.fields(header[0])


def _find(data: bytes, begin: int, edge: int) -> int | None:
    """The first header of nothing but fields, one of which says that it is a record of a known type.

    It may begin wherever its first line is: garbage before it has no line end. So each field of a header may be the
    first line of another one. Linear all the same: fields are gone through once, whatever begins among them.
    """
    block = _Block(data, 0, 0)
    for line in _RECOGNISED.finditer(data, begin + 1):
        header, at = line.span()
        if header > edge:
            return None
        if at >= block.end:
            block = _Block(data, at, _FIELDS.match(data, at).end())  # type: ignore[union-attr]  # it matches anything
        if block.ends_header(header, at):
            return header
    return None


class _Block:
    """Lines in `data[begin:end]` that are all fields, and the blank line behind them, if there is one."""

    def __init__(self, data: bytes, begin: int, end: int) -> None:
        self.data, self.end = data, end
        blank = _BLANK_LINE.match(data, end)
        self.limit = blank.end() if blank else sys.maxsize
        self.types = _TYPE.finditer(data, begin, end if blank else begin)
        self.next_type()

    def next_type(self) -> None:
        found = next(self.types, None)
        self.type = found.start() if found else sys.maxsize
        self.known = found is not None and http.fields(found[0]).get("warc-type", "").lower() in TYPES

    def ends_header(self, header: int, at: int) -> bool:
        """Whether what begins at `header`, and has its fields from `at` on, can be believed. To be asked in order."""
        while self.type < at:
            self.next_type()
        return self.known and self.limit - header <= archives.HEADER and self.data[at] not in b" \t"


def page(record: Record, reading: Reading) -> Page | Skipped | Reject:
    """What a record is. Its header may hold anything, and so may the message in it."""
    fields = record.fields
    kind = fields.get("warc-type", "").lower()
    if kind not in ("response", "resource", "conversion"):
        return Skipped(f"{kind} record" if kind in TYPES else "record of unknown type")
    message = http.parse(record.data, record.begin, record.end) if kind == "response" else None
    if message is None:
        own = fields.get("content-type") or ("text/plain" if kind == "conversion" else "")
        if kind == "response" and http.content_type(own)[0] in ("", "application/http"):
            return Reject(record.file, record.offset, "bad http", "the response does not begin with an HTTP header")
        message = http.Message(200, {"content-type": own}, record.data[record.begin : record.end])
    if not 200 <= message.status < 300:
        return Skipped(f"status {message.status}")
    return _page(record, message, reading.limits.max_bytes, "utf-8" if kind == "conversion" else None)


def _page(record: Record, message: Message, limit: int, charset: str | None) -> Page | Skipped | Reject:
    """The page in a message, which is decoded if it may be one."""
    fields, file, offset = record.fields, record.file, record.offset
    url = _unbracket(fields.get("warc-target-uri", ""))
    kind, declared = http.content_type(message.fields.get("content-type"))
    media = MEDIA.get(kind)
    if media is None and kind not in VAGUE:
        return _no_page(kind)
    if about := _NO_PAGE.match(url):
        return Skipped("robots.txt" if about[1] else "record of the crawler")
    try:
        body = http.decode(message, limit) if record.whole else Body(message.body)
    except TooLargeError:
        return too_large("body", limit, file, offset)
    except CodingError as error:
        return Reject(file, offset, "bad content-encoding", str(error))
    if media is None:
        if not html.recognise(Glimpse("", body.content[:HEAD], complete=len(body.content) <= HEAD)):
            return _no_page(kind)
        media = "html"
    if not record.whole:
        return too_large("record", limit, file, offset)
    ident = identify(_unbracket(fields.get("warc-record-id", "")), file, offset)
    ip, truncated = fields.get("warc-ip-address"), _truncated(fields) or body.truncated
    return Page(file, offset, ident, url or None, ip, media, body.content, charset or declared, truncated)


def _no_page(kind: str) -> Skipped:
    """Counted by type, which may be any bytes and is shown to people."""
    if not kind:
        return Skipped("type missing")
    return Skipped(f"type {kind}" if _TOKEN.fullmatch(kind) else "type of no sense")


def _truncated(fields: Fields) -> str | None:
    """Why the archive says that the record is incomplete ("length", "time", …), or that it goes on in another one."""
    why = fields.get("warc-truncated")
    if why is None:
        return "segment" if "warc-segment-number" in fields else None
    return why if _TOKEN.fullmatch(why) else "unspecified"


def _unbracket(value: str) -> str:
    """A URL or id without the brackets that it may have; in UTF-8, if that is what its bytes are."""
    if not value.isascii():
        with suppress(UnicodeDecodeError):
            value = value.encode("latin-1").decode()
    return value.strip("<> \t")


FORMAT = Format(
    name="a warc",
    magic=b"WARC/",
    prefix=b"WARC/",
    header=_HEADER,
    find=_find,
    end=re.compile(rb"\r\n\r\n|(?=[\r\n]*+(?:WARC/\d|\Z))"),
    line_end=None,  # `end` has it
    fields=_fields,
    page=page,
)
