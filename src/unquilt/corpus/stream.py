"""Documents one by one, as they come: for answers at once, where a corpus is not wanted."""

from __future__ import annotations

import codecs
import io
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from unquilt.corpus.documents import document
from unquilt.corpus.inputs import STDIN, find, spool
from unquilt.corpus.jsonl import read_line
from unquilt.corpus.options import Reading
from unquilt.corpus.pieces import pieces
from unquilt.corpus.read import records
from unquilt.corpus.records import Document, Page, Reject, Skipped, too_large
from unquilt.corpus.sources import Source
from unquilt.corpus.watch import Watch

_MOST_BLANK = 1 << 16
"""White space to look beyond for the first line of JSON."""


def stream(inputs: Sequence[str], stdin: BinaryIO, reading: Reading) -> Iterator[Document | Reject]:
    """The documents of files, folders and globs, and of standard input (`-`), in the order given.

    Lines of JSON on standard input are read as they come; anything else there, such as a mail, when it has ended.
    Raises `InputError`, before anything is read, for what is not there.
    """
    named = {item: find([item]) for item in inputs if item != STDIN}
    for item in inputs:
        yield from _standard_input(stdin, reading) if item == STDIN else _files(named[item], reading)


def _files(sources: Sequence[Source], reading: Reading) -> Iterator[Document | Reject]:
    for piece in pieces(sources, reading, cut=sys.maxsize):  # where archives may be cut, only `intake` can tell
        for record in records(piece, Watch()):
            if not isinstance(record, Skipped):
                yield record


def _standard_input(stdin: BinaryIO, reading: Reading) -> Iterator[Document | Reject]:
    most = reading.limits.max_bytes + 1
    blank, first = b"", stdin.readline(most)
    while first.isspace() and len(blank) < _MOST_BLANK:
        blank, first = blank + first, stdin.readline(most)
    if not first or first.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{":
        yield from _lines(first, len(blank), stdin, reading)
        return
    with tempfile.TemporaryDirectory(prefix="unquilt-") as folder:
        whole = io.BufferedReader(_Joined(blank + first, stdin))
        yield from _files(find([STDIN], spool(whole, Path(folder))), reading)


class _Joined(io.RawIOBase):
    """A file with what was read of it in front again."""

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


def _lines(line: bytes, offset: int, file: BinaryIO, reading: Reading) -> Iterator[Document | Reject]:
    most, watch = reading.limits.max_bytes, Watch()

    def make(page: Page) -> Document | Reject:
        return document(page, reading)

    while line:
        if len(line) > most and not line.endswith(b"\n"):
            yield too_large("line", most, STDIN, offset)
            while line and not line.endswith(b"\n"):
                offset += len(line)
                line = file.readline(1 << 20)
        else:
            record = read_line(line, offset, STDIN, reading.fields)
            if record is not None:
                yield watch.work(0, record, make) if isinstance(record, Page) else record
        offset += len(line)
        line = file.readline(most + 1)
