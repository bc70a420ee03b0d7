"""Survive what a record does to the process that reads it.

Parsers hang, run out of memory and crash, and no one else's library promises otherwise. So each record is worked on
under a note, in a file mapped into memory that outlives the process, and under a timer of processor time that ends it.
Whoever started the process reads the note (`blame`) and has the piece read again without that record: everything else
in it is read as if nothing had been. A record is known by its number in the slice, as reading is deterministic.
"""

from __future__ import annotations

import mmap
import resource
import signal
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from unquilt.corpus.options import MIB, Limits
from unquilt.corpus.records import Document, Found, Page, Reject, Span, Warned

_NOTE = struct.Struct("<qqq")
_FINDING, _WORKING = 1, 2
_HUNGRY = "out of memory"


class Blame(NamedTuple):
    """A record that ended its process: its slice, its number there, whether it was being found or worked on, why."""

    slice: int
    number: int
    finding: bool
    reason: str
    detail: str


class Watch:
    """Over one reading of a piece. Without a note nothing is guarded: for a process that is not there to be lost."""

    def __init__(self, note: Path | None = None, limits: Limits | None = None, blamed: Sequence[Blame] = ()) -> None:
        self.spans: dict[int, Span] = {}
        self.warnings: list[Warned] = []
        self._blamed = {(each.slice, each.number, each.finding): each for each in blamed}
        self._number = 0
        self._note: mmap.mmap | None = None
        self._deadline = limits.deadline if limits else 0.0
        if note is not None:
            note.write_bytes(bytes(_NOTE.size))
            with note.open("r+b") as file:
                self._note = mmap.mmap(file.fileno(), _NOTE.size)
            _limit_memory(limits or Limits())

    def over(self, part: int, name: str, found: Iterable[Found]) -> Iterator[Found]:
        """The records of a slice, each found under watch; where one cannot even be found, the rest is given up."""
        records = iter(found)
        self._number = 0
        offset = 0
        while True:
            blame = self._blamed.get((part, self._number, True))
            if blame is not None:
                yield Reject(name, offset, blame.reason, f"{blame.detail}; what follows was given up")
                break
            self._begin(part, _FINDING)
            try:
                record = next(records, None)
            except MemoryError:
                yield Reject(name, offset, _HUNGRY, "while the next record was looked for; what follows was given up")
                break
            if record is None:
                break
            if isinstance(record, Page | Reject):
                offset = record.offset
            yield record
            self._number += 1
        self._end()

    def work(self, part: int, page: Page, make: Callable[[Page], Document | Reject]) -> Document | Reject:
        """What `make` makes of a page, unless it is known to end the process."""
        blame = self._blamed.get((part, self._number, False))
        if blame is not None:
            return Reject(page.file, page.offset, blame.reason, blame.detail)
        self._begin(part, _WORKING)
        try:
            return make(page)
        except MemoryError:
            return Reject(page.file, page.offset, _HUNGRY, f"content of {len(page.content)} bytes")

    def _begin(self, part: int, what: int) -> None:
        if self._note is not None:
            _NOTE.pack_into(self._note, 0, what, part, self._number)
            signal.setitimer(signal.ITIMER_PROF, self._deadline)  # nobody handles SIGPROF, so it ends the process

    def _end(self) -> None:
        if self._note is not None:
            _NOTE.pack_into(self._note, 0, 0, 0, 0)
            signal.setitimer(signal.ITIMER_PROF, 0)


def blame(note: Path, code: int, limits: Limits) -> Blame | None:
    """Which record ended a process with this exit code; None if it was not at work on any."""
    try:
        what, part, number = _NOTE.unpack(note.read_bytes())
    except (OSError, struct.error):
        return None
    if not what:
        return None
    if code == -signal.SIGPROF:
        reason, detail = "too slow", f"more than {limits.deadline:g} s of processor time (deadline)"
    else:
        reason, detail = "crashed", f"the process that read it ended by {_cause(code)}"
    return Blame(part, number, what == _FINDING, reason, detail)


def _cause(code: int) -> str:
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"exit code {code}"


def _limit_memory(limits: Limits) -> None:
    """A record that wants more memory than any honest one ends its own process, not the machine's other ones."""
    enough = 2048 * MIB + 16 * limits.max_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (enough if hard == resource.RLIM_INFINITY else min(enough, hard), hard))
