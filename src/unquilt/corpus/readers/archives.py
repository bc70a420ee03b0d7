"""Archives: files of records whose headers say how long they are. What WARC and ARC have in common.

We frame records ourselves. FastWARC, the fastest library there is, loses the rest of a file after a flipped bit, and
says nothing of a Content-Length that swallows the records behind it; a crawl has both. Here a broken record costs
itself, and everything that is intact is found.

A file is a sequence of members (`members.py`), and a record never crosses the end of its member. In a member, a record
is expected where the one before ended. Where there is none, or where its length is wrong, the next one is looked for: a
line that begins a header that can be believed. So a slice can begin anywhere in a file; it owns what begins in it.

Offsets are those of the file as stored, as an index of the archive has them: the record of a gzip member or zstd frame
is where that is. Records behind the first one of a member are as much further as they are in the decoded member.

Memory: one record of at most `max_bytes`; a longer one is passed over. Time: linear, whatever is in the file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from unquilt.corpus.options import Reading
from unquilt.corpus.readers import compression
from unquilt.corpus.readers.http import Fields
from unquilt.corpus.readers.members import STRIDE, Member, PackedFile, PlainFile, StreamFile
from unquilt.corpus.records import Found, Frame, Page, Reject, Skipped, Span, Warned
from unquilt.corpus.sources import SMALLEST, Slice, Source

HEADER = 1 << 16
DENSITY = 4
"""How many times larger a compressed file is when decoded, roughly."""
WHOLE = (
    "compressed as a whole, so one process has to read it all, and a broken byte loses the rest; compress each record"
)
BLOCKS = "compressed in blocks that are no records, so one process has to read it all; compress each record"
LOOK = 5
"""How many members tell whether each is a record."""

_BLANKS = b"\r\n"
_BLANK = re.compile(rb"[\r\n]*")
_LENGTH = re.compile(r"[0-9]{1,18}")
_ONCE = re.compile(rb"^(warc-type|warc-record-id)[ \t]*+:", re.IGNORECASE | re.MULTILINE)
_END = 64
"""How many bytes after a record tell whether it ends there."""


class Record(NamedTuple):
    """A record: its header, and its body in `data[begin:end]`; of one over the limit (not `whole`) the first bytes."""

    file: str
    offset: int
    fields: Fields
    data: bytes
    begin: int
    end: int
    whole: bool


class Format(NamedTuple):
    """What tells one kind of archive from another.

    `name` is what a file is. It begins with `magic`, and each record with `prefix`, if they all begin alike. `header`
    matches a header where one is expected. `find(data, begin, edge)` says where the first one begins that can be
    believed where none is expected: behind `begin`, and at `edge` at most. `end` matches what may follow a body, but no
    further blank lines, and `line_end` what is behind one that garbage follows, both in `_END` bytes. `fields` reads a
    header, `page` says what a record is.
    """

    name: str
    magic: bytes
    prefix: bytes
    header: re.Pattern[bytes]
    find: Callable[[bytes, int, int], int | None]
    end: re.Pattern[bytes]
    line_end: re.Pattern[bytes] | None
    fields: Callable[[re.Match[bytes]], Fields]
    page: Callable[[Record, Reading], Page | Skipped | Reject]


class _Problem(NamedTuple):
    reason: str
    detail: str


class _Garbage(NamedTuple):
    begin: int
    end: int


GARBAGE = "garbage"


def cut(source: Source, size: int, form: Format) -> list[Slice]:
    """Byte ranges of about `size` when decoded, all nearly equal. A file whose members are no records stays whole."""
    density = DENSITY if source.compression else 1
    count = 1 if _is_stream(source, form) else max(1, round(source.size * density / size))
    edges = [i * source.size // count for i in range(count + 1)]
    return [Slice(source, a, b, max((b - a) * density, SMALLEST)) for a, b in pairwise(edges)]


def _is_stream(source: Source, form: Format) -> bool:
    """Whether members mean nothing to the records: whether most of those behind the first do not begin with one, as in
    a file of equal blocks. A file compressed as a whole has no such members, and is read as it is.
    """
    if source.compression is None:
        return False
    records = others = 0
    with compression.members(source.path, source.compression) as file:
        first = True
        for _ in range(4 * LOOK):  # some of them may be broken
            data = file.read(HEADER)
            # The end of a gzip member is known only when all of it has been decoded.
            long = source.compression == "gzip" and len(file.read(STRIDE)) == STRIDE
            if long or records + others == LOOK:
                break
            begins = data.startswith(form.prefix) if form.prefix else form.header.match(data) is not None
            if data and not file.fault:
                if not (first and begins):
                    records, others = records + begins, others + (not begins)
                first = False
            if not file.next_member():
                break
    return others > records


def read(part: Slice, reading: Reading, form: Format) -> Iterator[Found]:
    """What the records that begin in a slice are, and what is wrong with it; then its `Span`."""
    source = part.source
    source.check_size(Path(source.path).stat().st_size)
    stop = source.size if part.end is None else part.end
    archive = _Archive(source, reading, form)
    if _is_stream(source, form):
        return archive.read_stream()
    if source.compression:
        return archive.read_packed(part.begin, stop, search=part.begin > 0 and not part.exact)
    return archive.read_plain(part.begin, stop, search=part.begin > 0 and not part.exact)


class _Archive:
    """A file, how it is read, and its format: what all the steps below have to know."""

    def __init__(self, source: Source, reading: Reading, form: Format) -> None:
        self.source, self.name = source, source.name
        self.reading, self.limit = reading, reading.limits.max_bytes
        self.form = form

    def read_stream(self) -> Iterator[Found]:
        """The whole file."""
        any_record = False
        with StreamFile(self.source.path, self.source.compression or "") as file:
            for found in self.records(Member(file), 0, sys.maxsize):
                any_record = any_record or not isinstance(found, Reject)
                yield found
        if any_record:
            yield Warned(self.name, BLOCKS)
        yield Span(0, self.source.size)

    def read_plain(self, begin: int, stop: int, *, search: bool) -> Iterator[Found]:
        """The records that begin in [begin, stop)."""
        with PlainFile(self.source.path, self.source.size) as file:
            member = Member(file, size=self.source.size)
            first = self.search(member, begin - 1, stop) if search else begin
            if first is None:
                yield Span(stop, stop)
            else:
                end = yield from self.records(member, first, stop)
                yield Span(first, end)

    def read_packed(self, begin: int, stop: int, *, search: bool) -> Iterator[Found]:
        """The members that begin in [begin, stop)."""
        end = self.source.size
        with PackedFile(self.source.path, self.source.compression or "", self.source.size, begin) as file:
            if search:
                begin = file.decoder.member if file.decoder.find_member(begin, self.form.prefix, stop) else stop
            for stretch in self._stretches(file) if begin < stop else ():
                if stretch.begin >= stop:
                    end = stretch.begin
                    break
                if isinstance(stretch, Member):
                    yield from self.records(stretch, 0, sys.maxsize)
                else:
                    size = stretch.end - stretch.begin
                    yield self._garbage(stretch.begin, size, all_of_it=size == self.source.size)
        yield Span(begin, end if begin < stop else begin)

    def _stretches(self, file: PackedFile) -> Iterator[Member | _Garbage]:
        """Members and what is between them, from a place where a member is expected."""
        more, garbage = True, None
        flaw = file.decoder.fault
        if flaw and flaw[0].startswith("corrupt") and file.decoder.consumed == file.decoder.member:  # no header is here
            more, garbage = file.decoder.find_member(file.decoder.member, self.form.prefix), file.decoder.skipped
        while True:
            if garbage:
                yield _Garbage(*garbage)
            if not more:
                return
            member = Member(file, file.decoder.member)
            yield member
            more = file.decoder.next_member(self.form.prefix)
            garbage = None if member.broken else file.decoder.skipped  # what is passed over after a fault is part of it

    def records(self, member: Member, at: int, stop: int) -> Generator[Found, None, int]:
        """What the records that begin in [at, stop) of a member are. Returns where the next one begins."""
        alone, count = member.begin + at == 0, 0
        ahead = -1  # where a record is known to begin, behind this one
        while at < stop and at != member.size:
            data, i = member.view(at, HEADER)
            if i == len(data):  # no more is left, though a file has a size: it is being changed
                break
            if data[i] in _BLANKS:
                at = _pass_blank(member, at)
                continue
            if at + 1 != member.size and (flaw := member.fault(at + 1)):  # between records: it has cost another one
                yield Reject(self.name, member.begin + at, *flaw)
            begin, count = at, count + 1
            record, at = self._take(member, begin, data, i)
            hole = member.hole
            torn = isinstance(record, Record) and record.whole and hole is not None and hole < at
            if isinstance(record, _Problem):
                at = self._next(member, at)
            elif torn:  # what is behind a hole belongs to another record, whatever the length says
                at = self._next(member, max(begin, (hole or 0) - 2))
            elif (doubt := member.doubt) is not None and at > max(ahead, doubt):
                found = self.search(member, at - 1, sys.maxsize)
                if found is None:
                    at = member.size or 0  # the last one before wrong bytes: nobody knows where they begin
                else:
                    ahead = found
            if flaw := member.fault(max(at, hole or 0) if torn else at):
                yield Reject(self.name, member.begin + begin, *flaw)
            elif isinstance(record, Record):
                yield Frame(record.file, record.offset, partial(self.form.page, record, self.reading))
            elif record.reason == GARBAGE:
                all_of_it = alone and count == 1 and at == member.size and member.stream.exhausted
                yield self._garbage(member.begin + begin, at - begin, all_of_it=all_of_it)
            else:
                yield Reject(self.name, member.begin + begin, *record)
            if count == 2 and member.begin == 0 and isinstance(member.stream, PackedFile):
                yield Warned(self.name, WHOLE)
            del record, data  # they hold the window
        if flaw := member.fault(sys.maxsize):
            yield Reject(self.name, member.begin + at, *flaw)
        return _pass_blank(member, at)

    def _next(self, member: Member, at: int) -> int:
        """Where the next record begins behind `at`, wherever that is; else the end."""
        found = self.search(member, at, sys.maxsize)
        return found if found is not None else member.size or 0

    def _garbage(self, offset: int, size: int, *, all_of_it: bool) -> Reject:
        reason = f"not {self.form.name}" if all_of_it else GARBAGE
        return Reject(self.name, offset, reason, f"{size} bytes that are no record")

    def _take(self, member: Member, at: int, data: bytes, i: int) -> tuple[Record | _Problem, int]:
        """The record that begins here, and where the next one does; or what is wrong, and from where on to search."""
        header = self.form.header.match(data, i, i + HEADER)
        if header is None:
            if not self.form.prefix or not data.startswith(self.form.prefix, i):
                return _Problem(GARBAGE, ""), at
            long = len(data) - i >= HEADER
            return _Problem("bad header", f"no end within {HEADER} bytes" if long else "cut short"), at
        fields = self.form.fields(header)
        last = at + header.end() - i - 1  # the line end before the body, from which on one would search: held with it
        within = data.rfind(self.form.prefix, i + 1, header.end()) - i if self.form.prefix else -1
        if within > 0 and _runs_on(header[0], within):
            return _Problem("bad header", "goes on with that of another record"), at + within - 1
        declared = fields.get("content-length", "")
        if not _LENGTH.fullmatch(declared):
            return _Problem("wrong length", f"{declared[:40]!a} bytes declared"), last
        length = int(declared)
        end, whole = last + 1 + length, length <= self.limit
        record = closing = None
        if member.holds(end) and (whole or member.stream.patient):
            data, i = member.view(last, 1 + length + _END if whole else HEADER)
            begin, i = i + 1, i + 1 + length
            record = Record(self.name, member.begin + at, fields, data, begin, min(i, len(data)), whole)
            if not whole:
                data, i = member.glance(end, _END)
            if member.holds(end) and i <= len(data):
                closing = self.form.end.match(data, i, i + _END)
                closing = closing or self._end_before_garbage(member, last, data, i, end)
        if record is None or closing is None:
            return _Problem("wrong length", f"{length} bytes declared, but no record ends there"), last
        return record, end + closing.end() - closing.start()

    def _end_before_garbage(self, member: Member, last: int, data: bytes, i: int, end: int) -> re.Match[bytes] | None:
        """The line end behind a body that no record follows. A length that lies may lead to one as well: then other
        records are in what it says is the body.
        """
        closing = self.form.line_end.match(data, i) if self.form.line_end else None
        return closing if closing and self.search(member, last, end) is None else None

    def search(self, member: Member, at: int, stop: int) -> int | None:
        """Where the first header that can be believed begins, behind `at` and before `stop`."""
        while at < stop:
            data, i = member.view(at, STRIDE + HEADER)
            last = len(data) - i < STRIDE + HEADER
            # What begins behind it may be cut short here, and is seen later. All that is held is gone through at once.
            edge = len(data) if last else len(data) - HEADER
            header = self.form.find(data, i, edge)
            if header is not None:
                begin = at + header - i
                return begin if begin < stop else None
            if last:
                return None
            at += edge - i
        return None


def _runs_on(header: bytes, within: int) -> bool:
    """Whether a header lost its end, and goes on with that of another record, whose first line is the end of one of its
    own. The value of a field may end so too, such as a URL; but a field does not occur twice.
    """
    line = header[:within].rpartition(b"\n")[2]
    names = [name.lower() for name in _ONCE.findall(header)]
    return b":" not in line or len(names) > len(set(names))


def _pass_blank(member: Member, at: int) -> int:
    """Past line ends that nobody asked for."""
    while at != member.size:
        data, i = member.view(at, 1)
        end = _BLANK.match(data, i).end()  # type: ignore[union-attr]  # it matches anything
        at += end - i
        if end < len(data) or i == len(data):
            break
    return at
