"""WARC files (ISO 28500), and WET and WAT, which are WARC too: what a header looks like, and where one may begin.

What is done with it is the same for ARC: see `archives`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from unquilt.corpus.options import Reading
from unquilt.corpus.readers import archives, http
from unquilt.corpus.readers.captures import TYPES
from unquilt.corpus.readers.framing import HEADER, Format
from unquilt.corpus.readers.http import Fields
from unquilt.corpus.records import Found
from unquilt.corpus.sources import Glimpse, Slice, Source

SUFFIXES = (".warc", ".wet", ".wat")

_VERSION = rb"WARC/\d{1,3}+\.\d{1,3}+[ \t]*+\r?\n"
_RECOGNISED = re.compile(_VERSION)
# Where a record must begin, a header (`_HEADER`) may hold almost any lines up to a blank one. Where it only may begin,
# all lines must be fields (`_FIELDS`). A header ends without a match at a row of NULs, and at the first line of another
# one: its own rest is missing there.
_LINE = rb"(?!\r?\n|WARC/\d)[^\n\0]*+(?:\0(?!\0{7})[^\n\0]*+)*\n"
_HEADER = re.compile(_VERSION + rb"(?:" + _LINE + rb")*\r?\n")
_FIELDS = re.compile(rb"(?:[^\s:][^\n:]*+:[^\n]*+\n(?:[ \t][^\n]*+\n)*)*")
_BLANK_LINE = re.compile(rb"\r?\n")
_TYPE = re.compile(rb"^warc-type[ \t]*+:[^\n]*+\n(?:[ \t][^\n]*+\n)*", re.IGNORECASE | re.MULTILINE)


def recognise(glimpse: Glimpse) -> bool:
    """By its first line; or by its name, as the first line may be broken."""
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

    It need not begin at the beginning of a line, as garbage before it has no line end. So any field of a header may end
    with the first line of another one. To stay linear, fields are matched once for all headers that may begin in them.
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
    """Consecutive fields, in `data[begin:end]`, and the blank line behind them, if there is one."""

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
        """Whether a header begins at `header` whose fields begin at `at`, and end the block. To be called with rising
        positions only."""
        while self.type < at:
            self.next_type()
        return self.known and self.limit - header <= HEADER and self.data[at] not in b" \t"


FORMAT = Format(
    name="a warc",
    header=_HEADER,
    fields=_fields,
    end=re.compile(rb"\r\n\r\n|(?=[\r\n]*+(?:WARC/\d|\Z))"),
    find=_find,
    prefix=b"WARC/",
)
