"""ARC files, the format of archives before WARC, versions 1 and 2: a header is one line, `URL IP date type length`.

Version 2 has the fields status, checksum, location, offset and file name before the length. Fields are given the names
that they have in WARC, so that records are read in the same way from there on: see `archives`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unquilt.corpus.options import Reading
from unquilt.corpus.readers import archives
from unquilt.corpus.readers.framing import Format
from unquilt.corpus.readers.http import Fields
from unquilt.corpus.records import Found
from unquilt.corpus.sources import Glimpse, Slice, Source

SUFFIXES = (".arc",)
MAGIC = b"filedesc://"

# The URL may have spaces in it; the fields after it have none. NULs are a hole in the file, behind which another header
# may go on. Linear: the end of the URL is tried from the end of the line backwards, and each try matches eight words at
# most, without backtracking.
_SCHEME = rb"[A-Za-z][A-Za-z0-9+.-]*+:"
_FIELD = rb"[^ \n\0]*+"
_LENGTH = rb"([^ \r\n\0]++)[ \t]*+\r?\n"
_LINE = rb"(%b[^\n\0]*) ([0-9A-Fa-f.:]++|-) (\d{12,18}+) (%b)(?: %b){0,5} %b" % (_SCHEME, _FIELD, _FIELD, _LENGTH)
_FOUND = re.compile(rb"\n(" + _LINE + rb")")
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d{0,6}")


def recognise(glimpse: Glimpse) -> bool:
    """By the first record, which is about the file; or by its name, as the first bytes may be broken."""
    return glimpse.head.startswith(MAGIC) or glimpse.name.endswith(SUFFIXES)


def cut(source: Source, reading: Reading, size: int) -> list[Slice]:  # noqa: ARG001 (all kinds are cut alike)
    """Byte ranges, see `archives.cut`."""
    return archives.cut(source, size, FORMAT)


def read(part: Slice, reading: Reading) -> Iterator[Found]:
    """The records of a slice, see `archives.read`."""
    return archives.read(part, reading, FORMAT)


def _find(data: bytes, begin: int, edge: int) -> int | None:
    """The first line that looks like a header is one."""
    found = _FOUND.search(data, begin)
    return found.start(1) if found and found.start(1) <= edge else None


def _fields(header: re.Match[bytes]) -> Fields:
    url, ip, date, kind, length = (group.decode("latin-1") for group in header.groups())
    return {
        "warc-type": "warcinfo" if url.startswith("filedesc:") else "response",
        "warc-target-uri": url,
        "warc-ip-address": ip,
        "warc-date": _DATE.sub(r"\1-\2-\3T\4:\5:\6Z", date),
        "content-type": kind,
        "content-length": length,
    }


FORMAT = Format(
    name="an arc",
    header=re.compile(_LINE),
    fields=_fields,
    end=re.compile(rb"\r?\n(?=[\r\n]*+(?:" + _SCHEME + rb"|\Z))|\Z"),
    find=_find,
    line_end=re.compile(rb"\r?\n"),
)
