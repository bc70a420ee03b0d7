"""Pages that end the process that reads them, for tests: what their text says happens to it."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from unquilt.corpus import read as reading
from unquilt.corpus.extract.documents import extract_document
from unquilt.corpus.options import Reading
from unquilt.corpus.readers import jsonl, parquet
from unquilt.corpus.records import Document, Found, Frame, Page, Reject
from unquilt.corpus.sources import Slice
from unquilt.corpus.write.parts import PieceRead, ReadPiece, read_piece

_signs = Path()


def _happened(what: str) -> bool:
    """Whether this was asked before, by any process."""
    sign = _signs / what
    if sign.exists():
        return True
    sign.touch()
    return False


def _suffer(page: Page, options: Reading) -> Document | Reject:
    match page.content:
        case "spin":
            while True:
                pass
        case "crash":
            ctypes.string_at(0)
        case "leave":
            os._exit(3)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hungry":
            bytearray(1 << 40)
        case "flaky" if not _happened("flaky"):
            os.kill(os.getpid(), signal.SIGKILL)
        case "twice" if not (_happened("once") and _happened("again")):
            os.kill(os.getpid(), signal.SIGKILL)
    return extract_document(page, options)


class _Deadly:
    """Finds the records of JSONL, and dies while finding the one after `last`."""

    def recognise(self, glimpse: object) -> bool:
        raise NotImplementedError

    cut = staticmethod(jsonl.cut)

    def read(self, part: Slice, options: Reading) -> Iterator[Found]:
        for record in jsonl.read(part, options):
            yield record
            if isinstance(record, Frame):
                page = record.open()
                if isinstance(page, Page) and page.content == "last":
                    os.kill(os.getpid(), signal.SIGKILL)


class _DeadlyRows:
    """Finds the rows of Parquet, and dies while finding the one after `last`."""

    cut, skip = staticmethod(parquet.cut), staticmethod(parquet.skip)

    def recognise(self, glimpse: object) -> bool:
        raise NotImplementedError

    def read(self, part: Slice, options: Reading) -> Iterator[Found]:
        for record in parquet.read(part, options):
            yield record
            if isinstance(record, Page) and record.content == "last":
                os.kill(os.getpid(), signal.SIGKILL)


def read_suffering(task: ReadPiece) -> PieceRead:
    """`read_piece`, with readers and parsers as bad as can be."""
    global _signs
    _signs = task.target.parent
    reading.extract_document = _suffer
    reading.kinds.READERS |= {"jsonl": _Deadly(), "parquet": _DeadlyRows()}
    return read_piece(task)


def leave(task: ReadPiece) -> PieceRead:
    """Ends the process whatever there is to read."""
    raise SystemExit(7)
