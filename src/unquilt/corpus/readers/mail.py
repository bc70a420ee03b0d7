"""Mail: mailboxes (mbox), and files that are one message (.eml, Maildir, MH).

A mailbox is cut at any byte: a slice owns the messages whose `From ` line begins in it. Such a line separates messages
if it is the first of the file or follows a blank line, and ends with a date; so "From here on" in a text does not. What
a mailbox adds to a message is taken off again: the `From ` line, the blank line at the end, and one `>` before each
`>From ` at the beginning of a line. A message over the limit is passed over without being held in memory.

Large blocks are searched for `From `; going through lines one by one would be much slower.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from typing import Literal, NamedTuple

from unquilt.corpus.extract import messages
from unquilt.corpus.options import Reading
from unquilt.corpus.readers import jsonl, text
from unquilt.corpus.readers.compression import Fault, Stream
from unquilt.corpus.records import Found, Frame, Page, Reject, identify, too_large
from unquilt.corpus.sources import Glimpse, Slice, Source, whole

MAILBOXES = (".mbox", ".mbx")
SUFFIXES = (".eml", *MAILBOXES)
HEAD = 1 << 16
BLOCK = 1 << 20
CONTEXT = 3
"""How many bytes before a line tell whether it follows a blank one."""
LINE = 1 << 10
"""Longer than any `From ` line."""

_ROUTE = {b"from", b"to", b"received", b"return-path", b"delivered-to", b"message-id"}
"""Fields that say from where or to whom; texts, and what web servers send, may begin with others."""
_PROOF = {b"received", b"return-path", b"delivered-to", b"message-id"}
"""Fields that nothing but mails has."""
_MESSAGE_ID = re.compile(rb"\nmessage-id[ \t]*:\s*<?([^<>\s\0-\x1f]{1,500})(?:[>\s]|\Z)", re.IGNORECASE)
_BLANK = re.compile(rb"\n\r?\n")
_SEPARATOR = re.compile(rb"\n\r?\n(?=From )")
_QUOTED = re.compile(rb"\n>(>*From )")


def recognise(glimpse: Glimpse) -> bool:
    """By name, or by how it begins: a `From ` line and a header, or the header of a message.

    A header is that of a message if it has two different fields that mails have, one of which says from where or to
    whom, and a body after a blank line. Unless it has a field that nothing but mails has, it must have no others: the
    lines of a play ("To: …", "Alice: …") are a text. A file that begins so is mail, whatever its name; also a patch as
    `git` writes it, or an article of Usenet. Pages and JSON never begin so; a file called .html or .json is not mail.
    """
    return glimpse.name.endswith(SUFFIXES) or _tell(glimpse.head) is not None


def _tell(head: bytes) -> Literal["mailbox", "message"] | None:
    """What a file with this beginning is; None if it is no mail."""
    header = messages.header(head)
    if messages.ENVELOPE.match(head):
        return "mailbox" if header else None
    names = messages.fields(header)
    proof, rest = names & _PROOF, head[max(0, len(header) - 1) :]
    body = _BLANK.match(rest) and rest.strip()
    alone = proof and not rest.strip()
    told = (body or alone) and len(names - {b""}) >= 2 and names & _ROUTE and (proof or b"" not in names)
    return "message" if told else None


def cut(source: Source, reading: Reading, size: int) -> list[Slice]:
    """Byte ranges, as of JSONL; a message alone, or a file that is compressed, stays whole."""
    if source.compression or source.size <= size or not _is_mailbox(source, _head(source)):
        return whole(source)
    return jsonl.cut(source, reading, size)


def read(part: Slice, reading: Reading) -> Iterator[Found]:
    """The messages that begin in the slice. Memory: one message, and a block."""
    head = _head(part.source)
    if not _is_mailbox(part.source, head):
        for found in text.whole_file(part, "mail", reading):
            yield Frame(found.file, 0, partial(_identified, found)) if isinstance(found, Page) else found
        return
    first = head.lstrip(b"\r\n")
    if part.begin == 0 and first and not messages.ENVELOPE.match(first):
        yield Reject(part.source.name, 0, "garbage", "what is before the first message")
    yield from _mailbox(part, reading)


def _head(source: Source) -> bytes:
    with Stream(source.path, source.compression) as stream:
        return stream.read(HEAD)


def _is_mailbox(source: Source, head: bytes) -> bool:
    """By how the file begins; if that tells nothing, by its name. A file called .eml is always one message. One called
    .mbox that begins like a message is a mailbox if others follow: then its first `From ` line is broken.
    """
    name = source.path.lower().removesuffix(".gz").removesuffix(".zst")
    told = "message" if name.endswith(".eml") else _tell(head)
    if told != "message":
        return told == "mailbox" or name.endswith(MAILBOXES)
    others = (_tell(head[blank.end() :]) == "mailbox" for blank in _SEPARATOR.finditer(head))
    return name.endswith(MAILBOXES) and any(others)


def _mailbox(part: Slice, reading: Reading) -> Iterator[Found]:
    """The messages of a mailbox. A hole in the stream costs the message that it is in; a wrong checksum costs the
    message that ends there."""
    name, limit = part.source.name, reading.limits.max_bytes
    stop = sys.maxsize if part.end is None else part.end
    with Stream(part.source.path, part.source.compression, max(part.begin - CONTEXT, 0)) as stream:
        part.source.check_size(stream.size_on_disk)
        for frame in _frames(stream, part.begin, stop, limit):
            broken: Fault | None = None
            while stream.faults and stream.faults[0].offset <= frame.end:
                fault = stream.faults.popleft()
                if fault.offset <= frame.begin or frame.ends_before(fault):
                    yield Reject(name, *fault)
                else:
                    broken = broken or fault
            intact = frame.until(stream.torn[broken.offset]) if broken else frame
            if intact:
                yield Frame(name, intact.begin, partial(_page, intact, name, limit))
            if broken:
                yield Reject(name, intact.end if intact else frame.begin, *broken[1:])
        for fault in stream.faults:
            yield Reject(name, *fault)


class _Stored(NamedTuple):
    """Where a message begins and ends in the file, and its bytes with the `From ` line; None if they are too many."""

    begin: int
    end: int
    raw: bytes | None

    def ends_before(self, fault: Fault) -> bool:
        """Whether the fault is behind the message: the message ends there with a blank line, as it should, and the
        fault is not about the bytes before it.
        """
        whole = self.raw is None or self.raw.endswith((b"\n\n", b"\n\r\n"))
        return fault.offset == self.end and whole and "checksum" not in fault.detail

    def until(self, end: int) -> _Stored | None:
        """The message up to `end`, where a broken member began, if it ends there as a message should."""
        raw = self.raw[: max(end - self.begin, 0)] if self.raw else b""
        return _Stored(self.begin, end, raw) if raw.endswith((b"\n\n", b"\n\r\n")) else None


def _frames(stream: Stream, begin: int, stop: int, limit: int) -> Iterator[_Stored]:
    """The messages whose `From ` line begins in [begin, stop)."""
    window = _Window(stream, begin)
    message: int | None = None  # where the one begins that we are in
    while True:
        separator = window.find()
        if separator is not None:
            if message is not None:
                yield window.frame(message, separator)
            if separator >= stop:
                return
            message = separator
            continue
        if message is not None and window.next - message > limit + LINE:
            yield _Stored(message, window.next, None)
            message = None
        if message is None and window.next >= stop:
            return
        if not window.read(keep=message):
            break
    if message is not None:
        yield window.frame(message, window.end)


class _Window:
    """The bytes of a mailbox that are held, and where in them the next message begins. All positions are offsets."""

    def __init__(self, stream: Stream, begin: int) -> None:
        self._stream = stream
        # The file is read as if there were a blank line before it.
        self._held = bytearray(b"\n\n" if begin < CONTEXT else b"")
        self._begin = max(begin - CONTEXT, 0) - len(self._held)
        self._complete = False
        self._holes: set[int] = set()
        self._last_hole = -1
        self.next = begin
        """No separator is before this but those that were found."""

    @property
    def end(self) -> int:
        return self._begin + len(self._held)

    def read(self, keep: int | None) -> bool:
        """Drop what is before `keep`, or all that was searched, and read on. Whether there was anything to do."""
        if self._complete:
            return False
        done = max((self.next - CONTEXT if keep is None else keep) - self._begin, 0)
        del self._held[:done]
        self._begin += done
        block = self._stream.read(BLOCK)
        self._held += block
        self._complete = not block
        self._note_holes()
        return True

    def _note_holes(self) -> None:
        """Note where the faults are that reading has just come across, however many were there before."""
        for fault in reversed(self._stream.faults):
            if fault.offset <= self._last_hole:
                break
            self._holes.add(fault.offset)
        self._last_hole = max(self._last_hole, self._stream.faults[-1].offset if self._stream.faults else -1)

    def find(self) -> int | None:
        """The next separator; None if it may not be held yet."""
        held = self._held
        while (at := held.find(b"\nFrom ", self.next - 1 - self._begin)) >= 0:
            line = at + 1
            self.next = self._begin + line
            if line + LINE > len(held) and not self._complete:
                return None
            self.next += 1
            if self._is_fresh(line) and messages.ENVELOPE.match(held, line):
                return self._begin + line
        self.next = max(self.next, self.end - len(b"From"))
        return None

    def _is_fresh(self, line: int) -> bool:
        """Whether this line follows a blank one, or a hole in the stream."""
        if self._held[line - 2 : line] == b"\n\n" or self._held[line - 3 : line] == b"\n\r\n":
            return True
        offset = self._begin + line
        return offset - 1 in self._holes or offset in self._holes

    def frame(self, begin: int, end: int) -> _Stored:
        return _Stored(begin, end, bytes(memoryview(self._held)[begin - self._begin : end - self._begin]))


def _page(frame: _Stored, name: str, limit: int) -> Page | Reject:
    """The message of a frame, without what the mailbox added."""
    content = frame.raw
    if content is not None:
        begin = content.find(b"\n") + 1 or len(content)
        end = len(content) - (2 if content.endswith(b"\n\r\n") else content.endswith(b"\n\n"))
        content = content[begin:end]
    if content is None or len(content) > limit:
        return too_large("message", limit, name, frame.begin)
    if b">From " in content:
        content = _QUOTED.sub(rb"\n\1", content)
    ident = _identify(content, name, frame.begin)
    return Page(name, frame.begin, ident, None, None, "mail", content)


def _identified(page: Page) -> Page:
    """The page of a message, with the Message-ID as its id."""
    assert isinstance(page.content, bytes)
    return page._replace(id=_identify(page.content, page.file, page.offset))


def _identify(content: bytes, name: str, offset: int) -> str:
    """The Message-ID of a mail, if it has one of sane length before its first blank line."""
    head = b"\n" + content[:HEAD]
    blank = _BLANK.search(head)
    found = _MESSAGE_ID.search(head, 0, blank.end() if blank else len(head))
    return identify(found[1].decode("utf-8", "backslashreplace") if found else None, name, offset)
