"""Answers for documents one by one, as they come, without making a corpus of them first.

Input is as hostile here as anywhere, so documents are read and answered in a process that may be lost (`guard`); one
that ends the process costs its own answer only. Lines of JSON on standard input are sent to the process as they come,
as many as are there at a time. Files are read by the process itself, which is asked for answers until there are no
more.
"""

from __future__ import annotations

import codecs
import io
import select
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

from unquilt.corpus.find.inputs import STDIN, find, spool
from unquilt.corpus.find.pieces import Piece, pieces
from unquilt.corpus.options import Reading
from unquilt.corpus.read import PieceReader, make_document
from unquilt.corpus.readers.jsonl import read_line
from unquilt.corpus.records import ASIDE, Document, Frame, Page, Reject, Skipped, too_large
from unquilt.corpus.sources import Source
from unquilt.engines.workers import Workers
from unquilt.errors import InputError
from unquilt.guard import Blame, Bundle, Guard, Inquest, carry_out
from unquilt.remote.fetched import fetch
from unquilt.stores.detectors import Detector, PageContent
from unquilt.stores.filters import Filter

AT_ONCE = 64
"""How many answers for documents of files are fetched at a time."""
BLOCK = 1 << 20
_MOST_BLANK = 1 << 16
"""How many bytes of white space may come before the first line of JSON."""


class Answer(NamedTuple):
    """Of a document: the ids of the prototypes that it is near to; None if it has too few words to be compared."""

    id: str
    prototypes: list[str] | None


class LabelAnswer(NamedTuple):
    """Of a document: what it contains of a set of labels."""

    id: str
    url: str | None
    content: PageContent


Answered = Answer | LabelAnswer


@dataclass(frozen=True)
class Question:
    """A question about documents that a file answers. Can be pickled."""

    path: str
    identity: tuple[int, ...]

    @classmethod
    def about(cls, path: Path) -> Self:
        """About the set in a file, as the file is now."""
        path = fetch(path)
        now = path.stat()
        return cls(str(path.absolute()), (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns))

    def answer(self, document: Document) -> Answered:
        """The answer for one document."""
        raise NotImplementedError

    def refuse_replaced(self) -> None:
        """Raise if the file was replaced: it is opened again by a new process, after another one was lost."""
        if Question.about(Path(self.path)).identity != self.identity:
            raise InputError(f"{self.path} was replaced while it was asked; run again")


class PrototypeQuestion(Question):
    """Which prototypes of a set is a document near to?"""

    def answer(self, document: Document) -> Answer:
        return Answer(document.page.id, _open_filter(self).answer(document.text.decode()))


class LabelQuestion(Question):
    """What does a document contain of a set of labels?"""

    def answer(self, document: Document) -> LabelAnswer:
        seen = document.text if document.seen is None else document.seen
        found = _open_detector(self).ask(document.text, seen, document.chunks, document.raw_sha1)
        return LabelAnswer(document.page.id, document.page.url, found)


@lru_cache(maxsize=1)
def _open_filter(question: PrototypeQuestion) -> Filter:
    filter_ = Filter.load(question.path)
    question.refuse_replaced()
    return filter_


@lru_cache(maxsize=1)
def _open_detector(question: LabelQuestion) -> Detector:
    detector = Detector.load(question.path)
    question.refuse_replaced()
    return detector


def answers(
    inputs: Sequence[str], stdin: BinaryIO, reading: Reading, question: Question
) -> Iterator[Answered | Reject]:
    """The answers for the documents of files, folders and globs, and of standard input (`-`), in the order given.

    Lines of JSON on standard input are answered as they come; anything else there, such as a mail, when it has ended.
    Raises `InputError`, before anything is read, for what is not there.
    """
    with tempfile.TemporaryDirectory(prefix="unquilt-") as folder, Workers(1) as workers:
        desk = _Desk(workers, Path(folder), reading, question)
        named = {item: desk.find([item]) for item in inputs if item != STDIN}
        for item in inputs:
            yield from desk.standard_input(stdin) if item == STDIN else desk.files(named[item])


@dataclass(frozen=True)
class _Desk:
    """What is needed to answer documents: a process, a folder for its notes and for standard input, and the
    question."""

    workers: Workers
    folder: Path
    reading: Reading
    question: Question

    def find(self, inputs: Sequence[str], stdin: Path | None = None) -> list[Source]:
        return find(inputs, stdin, self.workers.map, self.folder, self.reading.limits.bounds)

    def files(self, sources: Sequence[Source]) -> Iterator[Answered | Reject]:
        # Whole files: slices of an archive would have to be checked against each other, as `ingestion` does.
        for piece in pieces(sources, self.reading, self.workers.map, self.folder, cut=sys.maxsize):
            session, ended = _Session(piece, self.question, self.folder / "piece.note"), False
            while not ended:
                (some,) = self.workers.map(go_on, [session])
                yield from some.answers
                session = replace(session, done=session.done + len(some.answers), inquest=some.inquest)
                ended = some.ended

    def standard_input(self, stdin: BinaryIO) -> Iterator[Answered | Reject]:
        lines = _IncomingLines(stdin, self.reading.limits.max_bytes)
        first = lines.peek(_MOST_BLANK)
        if not first or first.startswith(b"{"):
            for some in lines:
                yield from self._answer_lines(some)
            return
        yield from self.files(self.find([STDIN], spool(lines.rest(), self.folder)))

    def _answer_lines(self, lines: Sequence[_Line]) -> Iterator[Answered | Reject]:
        function = _LineAnswer(self.reading, self.question)
        bundle = Bundle(function, tuple(lines), self.reading.limits.bounds, self.folder / "lines.note")
        (results,) = self.workers.map(carry_out, [bundle])
        for line, result in zip(lines, results, strict=True):
            yield Reject(STDIN, line.offset, result.reason, result.detail) if isinstance(result, Blame) else result


def _make_answer(record: Frame | Page, reading: Reading, question: Question) -> Answered | Reject | Skipped | None:
    made = make_document(record, reading)
    if isinstance(made, Document) and made.page.media in ASIDE:
        return Skipped(made.page.media)
    return question.answer(made) if isinstance(made, Document) else made


# Lines of JSON as they come.


class _Line(NamedTuple):
    """A line with its line end, and where it begins; without its bytes, if it is too long (`cut`)."""

    offset: int
    data: bytes
    cut: bool = False

    def __str__(self) -> str:
        return f"{STDIN}, from {self.offset} on"


@dataclass(frozen=True)
class _LineAnswer:
    """A function that answers the document on a line, and can be pickled."""

    reading: Reading
    question: Question

    def __call__(self, line: _Line) -> Answered | Reject:
        if line.cut:
            return too_large("line", self.reading.limits.max_bytes, STDIN, line.offset)
        frame = Frame(STDIN, line.offset, partial(read_line, line.data, line.offset, STDIN, self.reading))
        made = _make_answer(frame, self.reading, self.question)
        assert isinstance(made, Answer | LabelAnswer | Reject)
        return made


class _IncomingLines:
    """The lines of a file, in lists of as many as are there without waiting; without blank ones. Memory: a block, and a
    line of up to `most` bytes; a longer one is not held."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file, self._most = file, most
        self._read_some: Callable[[int], bytes] = getattr(file, "read1", file.read)
        self._peeked = b""

    def _read(self, size: int) -> bytes:
        """The bytes that are there, after waiting for some. A signal that comes just before a read would not interrupt
        it; so this waits in steps of a second, between which signals are handled."""
        with suppress(OSError):  # not a file of the system: reading it never waits
            while not select.select([self._file], [], [], 1.0)[0]:
                pass
        return self._read_some(size)

    def peek(self, most: int) -> bytes:
        """How the file begins, without a byte order mark and up to `most` bytes of white space."""
        while len(self._peeked) < most and not self._begins():
            block = self._read(BLOCK)
            if not block:
                break
            self._peeked += block
        return self._begins()

    def _begins(self) -> bytes:
        return self._peeked.removeprefix(codecs.BOM_UTF8).lstrip()

    def rest(self) -> io.BufferedReader:
        """The whole file, if no lines were taken from it yet."""
        return io.BufferedReader(_Joined(self._peeked, self._file))

    def __iter__(self) -> Iterator[list[_Line]]:
        growing = _Growing(self._most)
        for block in chain([self._peeked], iter(partial(self._read, BLOCK), b"")):
            *ended, last = block.split(b"\n")
            lines = [line for part in ended for line in (growing.add(part), growing.end())]
            lines.append(growing.add(last))
            if some := [line for line in lines if line is not None]:
                yield some
        line = growing.end()
        if line is not None:
            yield [line]


class _Growing:
    """A line that is put together from its parts. One that is too long is returned as soon as that is known, others
    when they end."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._begin = self._size = 0

    def add(self, part: bytes) -> _Line | None:
        """Adds a part. Returns the line if it has just become too long."""
        before, self._size = self._size, self._size + len(part)
        if self._size <= self._most:
            self._parts.append(part)
            return None
        self._parts.clear()
        return _Line(self._begin, b"", cut=True) if before <= self._most else None

    def end(self) -> _Line | None:
        """Ends the line, and begins the next. Returns it, with its line end, unless it is blank or too long."""
        data = b"".join([*self._parts, b"\n"])
        line = _Line(self._begin, data)
        too_long = self._size > self._most
        self._begin += self._size + 1
        self._parts, self._size = [], 0
        return None if too_long or data.isspace() else line


class _Joined(io.RawIOBase):
    """A file, with the bytes that were already read from it put in front again."""

    def __init__(self, first: bytes, file: BinaryIO) -> None:
        self._first, self._file = first, file

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        if not self._first:
            self._first = self._file.read(len(target))
        count = min(len(target), len(self._first))
        target[:count] = self._first[:count]
        self._first = self._first[count:]
        return count


# Files: the process keeps its place in a piece from one request for answers to the next.


@dataclass(frozen=True)
class _Session:
    """A task: answer some documents of a piece, behind the first `done` ones."""

    piece: Piece
    question: Question
    note: Path
    done: int = 0
    inquest: Inquest = field(default_factory=Inquest)

    def retry(self, code: int) -> _Session:
        """What to do after a process was lost over this."""
        bounds = self.piece.reading.limits.bounds
        return replace(self, inquest=self.inquest.after(self.note, code, bounds, self.piece.name))


class _Some(NamedTuple):
    """The result of a `_Session`: some answers, whether these are the last, and the inquest as it is now."""

    answers: list[Answered | Reject]
    ended: bool
    inquest: Inquest


class _Going(NamedTuple):
    """What this process was asked for last, and could go on with: the note it belongs to, how many documents were
    answered, and the answers that come next."""

    note: Path
    done: int
    rest: Iterator[Answered | Reject]


_going: list[_Going] = []
"""At most one."""


def go_on(session: _Session) -> _Some:
    """The next answers. A new process reads the documents again that were already answered, and passes them over."""
    going = _going.pop() if _going else None
    if going is None or (going.note, going.done) != (session.note, session.done):
        going = _begin(session)
    some = list(islice(going.rest, AT_ONCE))
    ended = len(some) < AT_ONCE
    if not ended:
        _going.append(going._replace(done=going.done + len(some)))
    return _Some(some, ended, session.inquest)


def _begin(session: _Session) -> _Going:
    piece = session.piece
    make = partial(_make_answer, reading=piece.reading, question=session.question)
    reader = PieceReader(piece, Guard(session.note, piece.reading.limits.bounds, session.inquest))
    made: Iterator[Answered | Reject | Skipped] = reader.records(make)
    rest = (each for each in made if not isinstance(each, Skipped))
    return _Going(session.note, session.done, islice(rest, session.done, None))
