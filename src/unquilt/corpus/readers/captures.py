"""What a record of an archive is: a page, something else that is only counted, or a reject.

A `response` with status 2xx is a page, if its content type is one of text; so is a `resource`, and a `conversion`,
which is the text of a page (WET). JavaScript, CSS and robots.txt are found as such (`records.ASIDE`), and so are files
without text, if they are asked for. All other records are about pages, and are only counted; what a `revisit` refers to
is noted. Fields have the names that WARC gives them;
`arc` translates those of its headers.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import NamedTuple

from unquilt.corpus.given import CAPTURE
from unquilt.corpus.options import NONE, Reading
from unquilt.corpus.readers import files, html, http
from unquilt.corpus.readers.http import Body, CodingError, Fields, Response, TooLargeError
from unquilt.corpus.records import GivenFields, Media, Page, Reject, Revisit, Skipped, identify, too_large
from unquilt.corpus.sources import Glimpse

TYPES = frozenset(("warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation"))
"""Types of records."""
SCRIPTS = (
    *("text/javascript", "application/javascript", "application/x-javascript", "text/x-javascript"),
    *("application/ecmascript", "application/x-ecmascript", "text/ecmascript", "text/x-ecmascript", "text/jscript"),
)
"""What servers call JavaScript."""
MEDIA: dict[str, Media] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "text",
    "text/css": "style",
    **dict.fromkeys(SCRIPTS, "script"),
}
VAGUE = frozenset(
    ("", "application/octet-stream", "binary/octet-stream", "unknown/unknown", "text/xml", "application/xml")
)
"""Types of content that say nothing: how it begins tells whether it is a page."""
HEAD = 1024
_REFERRING = ("record-id", "target-uri", "refers-to", "refers-to-target-uri", "payload-digest")

_NO_PAGE = re.compile(r"metadata:|[a-z]++://[^/]*+(/robots\.txt)(?:[?#]|$)", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})-?([01]\d)-?([0-3]\d)T?([0-2]\d):?([0-5]\d):?([0-6]\d)(?:\.\d{1,9})?Z?", re.ASCII)
_TOKEN = re.compile(r"[a-z0-9.+/-]{1,80}")  # Word's has 71


class Record(NamedTuple):
    """A record: the fields of its header, and its body in `data[begin:end]`; of one over the limit (not `whole`), only
    the first bytes of the body are there.
    """

    file: str
    offset: int
    fields: Fields
    data: bytes
    begin: int
    end: int
    whole: bool


def open_record(record: Record, reading: Reading) -> Page | Skipped | Reject:
    """What a record is. Its header may hold anything, and so may the response in it."""
    fields = record.fields
    kind = fields.get("warc-type", "").lower()
    if kind not in ("response", "resource", "conversion"):
        revisit = _revisit(record) if kind == "revisit" else None
        return Skipped(f"{kind} record" if kind in TYPES else "record of unknown type", revisit)
    response = http.parse_response(record.data, record.begin, record.end) if kind == "response" else None
    told = response is not None
    if response is None:
        own = fields.get("content-type") or ("text/plain" if kind == "conversion" else "")
        if kind == "response" and http.content_type(own)[0] in ("", "application/http"):
            return Reject(record.file, record.offset, "bad http", "the response does not begin with an HTTP header")
        response = Response(200, {"content-type": own}, record.data[record.begin : record.end])
    if not 200 <= response.status < 300:
        return Skipped(f"status {response.status}")
    page = _page(record, response, reading, "utf-8" if kind == "conversion" else None)
    if not isinstance(page, Page) or reading.carry == NONE:
        return page
    said = {
        "date": fields.get("warc-date") or None,
        "content_type": response.fields.get("content-type") or None,
        "status": response.status if kind == "response" and told else None,
        "record_id": _unbracket(fields.get("warc-record-id", "")) or None,
        "digest": fields.get("warc-payload-digest") or fields.get("warc-block-digest") or None,
    }
    if page.media == "file":
        return files.describe(page, said)
    return page._replace(given=GivenFields(said, sum(len(str(value)) for value in said.values()), CAPTURE))


def _revisit(record: Record) -> Revisit:
    """What a record says that refers to an earlier one of the same content."""
    fields = record.fields
    said = {name: _unbracket(fields.get(f"warc-{name}", "")) or None for name in _REFERRING}
    return Revisit(
        record.file,
        record.offset,
        said["record-id"],
        said["target-uri"],
        _date(fields.get("warc-date", "")),
        said["refers-to"],
        said["refers-to-target-uri"],
        _date(fields.get("warc-refers-to-date", "")),
        said["payload-digest"],
    )


def _page(record: Record, response: Response, reading: Reading, charset: str | None) -> Page | Skipped | Reject:
    """The page in a response, which is decoded if it may be one."""
    fields, file, offset, limit = record.fields, record.file, record.offset, reading.limits.max_bytes
    url = _unbracket(fields.get("warc-target-uri", ""))
    kind, declared = http.content_type(response.fields.get("content-type"))
    media = MEDIA.get(kind)
    if media is None and kind not in VAGUE:
        if not reading.other_files:
            return _no_page(kind)
        media = "file"
    if about := _NO_PAGE.match(url):
        if not about[1]:
            return Skipped("record of the crawler")
        media = media if media == "file" else "robots"
    try:
        body = http.decode(response, limit) if record.whole else Body(response.body)
    except TooLargeError:
        return too_large("body", limit, file, offset)
    except CodingError as error:
        return Reject(file, offset, "bad content-encoding", str(error))
    if media is None:
        if not html.recognise(Glimpse("", body.content[:HEAD], complete=len(body.content) <= HEAD)):
            if not reading.other_files:
                return _no_page(kind)
            media = "file"
        else:
            media = "html"
    if not record.whole:
        return too_large("record", limit, file, offset)
    ident = identify(_unbracket(fields.get("warc-record-id", "")), file, offset)
    ip, truncated = fields.get("warc-ip-address"), _truncated(fields) or body.truncated
    date = _date(fields.get("warc-date", ""))
    return Page(file, offset, ident, url or None, ip, media, body.content, charset or declared, truncated, date)


def _date(value: str) -> str | None:
    """When a record was fetched, as ISO 8601 has it: WARC files say so with signs between the numbers, ARC files
    without. None for anything else."""
    found = _DATE.fullmatch(value)
    return "{}-{}-{}T{}:{}:{}Z".format(*found.groups()) if found else None


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
