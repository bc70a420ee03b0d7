"""The records of a member, one after the other: where each begins and ends, and what its header says.

A record is expected where the one before ended. Where there is none, or where its length is wrong, the next one is
looked for: a line that begins a header that can be believed. So a slice can begin anywhere in a file; it owns what
begins in it. What a record holds is not looked at here: that is for `captures`, and may end the process.

Memory: one record of at most `max_bytes`; a longer one is passed over. Time: linear, whatever is in the file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator
from functools import partial
from typing import NamedTuple

from unquilt.corpus.options import Reading
from unquilt.corpus.readers import captures
from unquilt.corpus.readers.captures import Record
from unquilt.corpus.readers.http import Fields
from unquilt.corpus.readers.members import STRIDE, Member
from unquilt.corpus.records import Frame, Reject

HEADER = 1 << 16
"""Bytes that a header may have."""

_BLANKS = b"\r\n"
_BLANK = re.compile(rb"[\r\n]*")
_LENGTH = re.compile(r"[0-9]{1,18}")
_ONCE = re.compile(rb"^(warc-type|warc-record-id)[ \t]*+:", re.IGNORECASE | re.MULTILINE)
_END = 64
"""How many bytes after a record tell whether it ends there."""


class Format(NamedTuple):
    """How records are framed in one kind of archive.

    `name` is what a file of this kind is called in rejects. `header` matches a header where one is expected, and
    `fields` reads it. `end` matches what may follow a body, without further blank lines; `line_end`, if it is given,
    what follows a body that garbage comes after. Both are tried on `_END` bytes. `find(data, begin, edge)` says where
    the first header begins that can be believed where none is expected: behind `begin`, and at `edge` at most. `prefix`
    is how each record begins, if they all begin alike.
    """

    name: str
    header: re.Pattern[bytes]
    fields: Callable[[re.Match[bytes]], Fields]
    end: re.Pattern[bytes]
    find: Callable[[bytes, int, int], int | None]
    prefix: bytes = b""
    line_end: re.Pattern[bytes] | None = None


class _Taken(NamedTuple):
    """A record, and where in its member it ends."""

    record: Record
    end: int


class _Problem(NamedTuple):
    """Why there is no record where one was expected, and from where on to search for the next one."""

    reason: str
    detail: str
    resume: int


GARBAGE = "garbage"


class MemberRecords:
    """The records of one member of a file that is called `file` in tables. All positions are offsets in the member."""

    __slots__ = ("_ahead", "_file", "_form", "_member", "_reading", "count")

    def __init__(self, member: Member, file: str, reading: Reading, form: Format) -> None:
        self._member = member
        self._file = file
        self._reading = reading
        self._form = form
        self._ahead = -1
        """Where a record is known to begin, if bytes are in doubt: those before it are believed."""
        self.count = 0
        """How many records there were so far, or places where one should have been."""

    def frames(self, begin: int, stop: int) -> Generator[Frame | Reject, None, int]:
        """What begins in [begin, stop): a frame for each record, a reject for what is none, or broken.

        Returns where the next record begins.
        """
        member, at = self._member, begin
        while at < stop and at != member.size:
            data, i = member.view(at, HEADER)
            if i == len(data):  # there are fewer bytes than the file had: it is being changed
                break
            if data[i] in _BLANKS:
                at = self._pass_blank(at)
                continue
            if at + 1 != member.size and (flaw := member.fault(at + 1)):  # it lies before this record, and cost another
                yield Reject(self._file, member.begin + at, *flaw)
            here, self.count = at, self.count + 1
            taken = self._take(here, data, i)
            hole = member.hole
            torn = isinstance(taken, _Taken) and taken.record.whole and hole is not None and hole < taken.end
            # What is behind a hole belongs to another record, whatever the length says.
            at = self._next(max(here, (hole or 0) - 2)) if torn else self._behind(taken)
            if flaw := member.fault(max(at, hole or 0) if torn else at):
                yield Reject(self._file, member.begin + here, *flaw)
            elif isinstance(taken, _Taken):
                yield Frame(self._file, taken.record.offset, partial(captures.open_record, taken.record, self._reading))
            elif taken.reason == GARBAGE:
                first = member.begin + begin == 0 and self.count == 1
                all_of_it = first and at == member.size and member.stream.exhausted
                yield garbage(self._file, member.begin + here, at - here, self._form.name if all_of_it else "")
            else:
                yield Reject(self._file, member.begin + here, taken.reason, taken.detail)
            del taken, data  # they hold the window
        if flaw := member.fault(sys.maxsize):
            yield Reject(self._file, member.begin + at, *flaw)
        return self._pass_blank(at)

    def _take(self, at: int, data: bytes, i: int) -> _Taken | _Problem:
        """The record that begins at `at`, which is `data[i]`."""
        member, form = self._member, self._form
        header = form.header.match(data, i, i + HEADER)
        if header is None:
            if not form.prefix or not data.startswith(form.prefix, i):
                return _Problem(GARBAGE, "", at)
            long = len(data) - i >= HEADER
            return _Problem("bad header", f"no end within {HEADER} bytes" if long else "cut short", at)
        fields = form.fields(header)
        last = at + header.end() - i - 1  # the line end before the body, from which on one would search: held with it
        within = data.rfind(form.prefix, i + 1, header.end()) - i if form.prefix else -1
        if within > 0 and _runs_on(header[0], within):
            return _Problem("bad header", "goes on with that of another record", at + within - 1)
        declared = fields.get("content-length", "")
        if not _LENGTH.fullmatch(declared):
            return _Problem("wrong length", f"{declared[:40]!a} bytes declared", last)
        length = int(declared)
        end, whole = last + 1 + length, length <= self._reading.limits.max_bytes
        if member.holds(end) and (whole or member.stream.patient):
            data, i = member.view(last, 1 + length + _END if whole else HEADER)
            body, i = i + 1, i + 1 + length
            record = Record(self._file, member.begin + at, fields, data, body, min(i, len(data)), whole)
            if not whole:
                data, i = member.glance(end, _END)
            if member.holds(end) and i <= len(data):
                closing = form.end.match(data, i, i + _END) or self._end_before_garbage(last, data, i, end)
                if closing is not None:
                    return _Taken(record, end + closing.end() - closing.start())
        return _Problem("wrong length", f"{length} bytes declared, but no record ends there", last)

    def _end_before_garbage(self, last: int, data: bytes, i: int, end: int) -> re.Match[bytes] | None:
        """The line end behind a body that garbage follows. A wrong length may lead to a line end by chance; if so,
        other records are found in what would be the body.
        """
        closing = self._form.line_end.match(data, i) if self._form.line_end else None
        return closing if closing and self.search(last, end) is None else None

    def _behind(self, taken: _Taken | _Problem) -> int:
        """Where to go on behind what was taken.

        If a checksum is wrong, some bytes before it are, and it is not known which. A record among them is believed if
        another one begins behind it. The last one is taken to go on to the end, and so is rejected with the fault.
        """
        if isinstance(taken, _Problem):
            return self._next(taken.resume)
        doubt = self._member.doubt
        if doubt is not None and taken.end > max(self._ahead, doubt):
            found = self.search(taken.end - 1, sys.maxsize)
            if found is None:
                return self._member.size or 0
            self._ahead = found
        return taken.end

    def _next(self, at: int) -> int:
        """Where the next record begins behind `at`, wherever that is; else the end."""
        found = self.search(at, sys.maxsize)
        return found if found is not None else self._member.size or 0

    def search(self, at: int, stop: int) -> int | None:
        """Where the first header that can be believed begins, behind `at` and before `stop`."""
        while at < stop:
            data, i = self._member.view(at, STRIDE + HEADER)
            last = len(data) - i < STRIDE + HEADER
            # A header that begins behind `edge` may go on behind what is held: it is looked at in the next turn.
            edge = len(data) if last else len(data) - HEADER
            header = self._form.find(data, i, edge)
            if header is not None:
                begin = at + header - i
                return begin if begin < stop else None
            if last:
                return None
            at += edge - i
        return None

    def _pass_blank(self, at: int) -> int:
        """Where the blank lines end that begin at `at`."""
        while at != self._member.size:
            data, i = self._member.view(at, 1)
            end = _BLANK.match(data, i).end()  # type: ignore[union-attr]  # it matches anything
            at += end - i
            if end < len(data) or i == len(data):
                break
        return at


def garbage(file: str, offset: int, size: int, not_a: str = "") -> Reject:
    """The reject for bytes that are not a record, or for a file that is all of another kind than it is said to be."""
    return Reject(file, offset, f"not {not_a}" if not_a else GARBAGE, f"{size} bytes that are not a record")


def _runs_on(header: bytes, within: int) -> bool:
    """Whether a header lost its end, and goes on with the header of another record, which begins at `within`. That may
    also be the value of a field, such as a URL; so it is one only if a field of the record occurs twice, or if the line
    before it is no field.
    """
    line = header[:within].rpartition(b"\n")[2]
    names = [name.lower() for name in _ONCE.findall(header)]
    return b":" not in line or len(names) > len(set(names))
