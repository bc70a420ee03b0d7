"""Archives: files of records whose headers say how long they are. What WARC and ARC have in common.

The way of a record, each step in a module of its own that knows only the ones before:

    compression   bytes of the file become decoded bytes
    members       a file is a sequence of members, which decode on their own; a record never crosses the end of one
    archives      which members a slice of a file owns, and what lies between them
    framing       where in a member records begin and end                                → Frame
    captures      what a record is: a page, something else to be counted, or a reject    → Page, Skipped, Reject

The last step is taken by `corpus.read`, which then has `extract.documents` make a Document of the page.

We frame records ourselves. FastWARC, the fastest library there is, loses the rest of a file after a flipped bit, and
says nothing of a Content-Length that swallows the records behind it; a crawl has both. Here a broken record costs
itself, and everything that is intact is found.

Offsets are those of the file as stored, as an index of the archive has them: the record of a gzip member or zstd frame
is where that is. Records behind the first one of a member are as much further as they are in the decoded member.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from unquilt.corpus.options import Reading
from unquilt.corpus.readers import compression
from unquilt.corpus.readers.framing import HEADER, Format, MemberRecords, garbage
from unquilt.corpus.readers.members import STRIDE, Member, PackedFile, PlainFile, StreamFile
from unquilt.corpus.records import Found, Frame, Span, Warned
from unquilt.corpus.sources import SMALLEST, Slice, Source
from unquilt.remote.files import measure

DENSITY = 4
"""How many times larger a compressed file is when decoded, roughly."""
WHOLE = (
    "compressed as a whole, so one process has to read it all, and a broken byte loses the rest; compress each record"
)
BLOCKS = "compressed in blocks that are not records, so one process has to read it all; compress each record"
LOOK = 5
"""How many members tell whether each is a record."""


def cut(source: Source, size: int, form: Format) -> list[Slice]:
    """Byte ranges of about `size` when decoded, all nearly equal. A file whose members are no records stays whole."""
    density = DENSITY if source.compression else 1
    count = 1 if _is_stream(source, form) else max(1, round(source.size * density / size))
    edges = [i * source.size // count for i in range(count + 1)]
    return [Slice(source, a, b, max((b - a) * density, SMALLEST)) for a, b in pairwise(edges)]


def _is_stream(source: Source, form: Format) -> bool:
    """Whether records and members have nothing to do with each other, as in a file that was compressed in equal blocks:
    most members behind the first do not begin with a record. A file compressed as a whole has one member, and is none.
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
    source.check_size(measure(source.path))
    stop = source.size if part.end is None else part.end
    search = part.begin > 0 and not part.exact
    if _is_stream(source, form):
        yield from _read_stream(source, reading, form)
    elif source.compression:
        yield from _read_packed(source, reading, form, part.begin, stop, search=search)
    else:
        yield from _read_plain(source, reading, form, part.begin, stop, search=search)


def _read_stream(source: Source, reading: Reading, form: Format) -> Iterator[Found]:
    """The whole file, whose members are no records, as if it were one member."""
    any_record = False
    with StreamFile(source.path, source.compression or "") as file:
        for found in MemberRecords(Member(file), source.name, reading, form).frames(0, sys.maxsize):
            any_record = any_record or isinstance(found, Frame)
            yield found
    if any_record:
        yield Warned(source.name, BLOCKS)
    yield Span(0, source.size)


def _read_plain(
    source: Source, reading: Reading, form: Format, begin: int, stop: int, *, search: bool
) -> Iterator[Found]:
    """The records that begin in [begin, stop)."""
    with PlainFile(source.path, source.size) as file:
        records = MemberRecords(Member(file, size=source.size), source.name, reading, form)
        first = records.search(begin - 1, stop) if search else begin
        if first is None:
            yield Span(stop, stop)
        else:
            end = yield from records.frames(first, stop)
            yield Span(first, end)


def _read_packed(
    source: Source, reading: Reading, form: Format, begin: int, stop: int, *, search: bool
) -> Iterator[Found]:
    """The records of the members that begin in [begin, stop)."""
    end = source.size
    with PackedFile(source.path, source.compression or "", source.size, begin) as file:
        if search:
            begin = file.decoder.member if file.decoder.find_member(begin, form.prefix, stop) else stop
        for stretch in _stretches(file, form) if begin < stop else ():
            if stretch.begin >= stop:
                end = stretch.begin
                break
            if isinstance(stretch, Member):
                yield from _read_member(stretch, source.name, reading, form)
            else:
                size = stretch.end - stretch.begin
                yield garbage(source.name, stretch.begin, size, form.name if size == source.size else "")
    yield Span(begin, end if begin < stop else begin)


class _Garbage(NamedTuple):
    """Bytes of a compressed file that belong to no member."""

    begin: int
    end: int


def _stretches(file: PackedFile, form: Format) -> Iterator[Member | _Garbage]:
    """Members and what is between them, from a place where a member is expected."""
    more, skipped = True, None
    flaw = file.decoder.fault
    if flaw and flaw[0].startswith("corrupt") and file.decoder.consumed == file.decoder.member:  # no header is here
        more, skipped = file.decoder.find_member(file.decoder.member, form.prefix), file.decoder.skipped
    while True:
        if skipped:
            yield _Garbage(*skipped)
        if not more:
            return
        member = Member(file, file.decoder.member)
        yield member
        more = file.decoder.next_member(form.prefix)
        skipped = None if member.broken else file.decoder.skipped  # what is passed over after a fault is part of it


def _read_member(member: Member, name: str, reading: Reading, form: Format) -> Iterator[Found]:
    """The records of a member. If the first one of a file holds several, the file was compressed as a whole."""
    records, warned = MemberRecords(member, name, reading, form), member.begin > 0
    for found in records.frames(0, sys.maxsize):
        yield found
        if not warned and records.count == 2:
            warned = True
            yield Warned(name, WHOLE)
