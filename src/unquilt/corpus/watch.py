"""Watch over the reading of a piece: each record is found, and worked on, under `guard`.

A record that ends its process, alone, twice, becomes a reject, and everything else in the piece is read as if nothing
had been. What is found is counted here, so that who writes documents and rejects can show that nothing got lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from unquilt.corpus.options import MIB, Limits
from unquilt.corpus.records import Found, Frame, Page, Reject, Skipped, Span, Warned
from unquilt.guard import HUNGRY, Guard, Inquest, Place

Made = TypeVar("Made")
Skip = Callable[[int, str, str], Iterable[Found]]
"""How to read on behind what cannot be found: given an offset behind the last record that was, and the detail and the
reason of rejects."""

FINDING_SPEED = 8 * MIB
"""Bytes of a slice that are looked through in a second at the least, decoding included: a record may lie behind a line
of gigabytes."""


class Watch:
    """Over one reading of a piece. Without a note nothing is guarded: for a process that is not there to be lost."""

    def __init__(self, note: Path | None = None, limits: Limits | None = None, inquest: Inquest | None = None) -> None:
        self.spans: dict[int, Span] = {}
        self.warnings: list[Warned] = []
        self.seen = 0
        """Records that were found: each becomes a document or a reject, or is skipped."""
        self.number = 0
        """Of the record that was found last, in its slice."""
        self.guard = Guard(note, (limits or Limits()).bounds, inquest)

    def over(
        self, part: int, name: str, found: Iterable[Found], weight: int = 0, skip: Skip | None = None
    ) -> Iterator[Found]:
        """The records of a slice, each found under watch. Where one cannot be found, reading goes on as `skip` says;
        without it, the rest of the slice is given up."""
        records, last, skipped = iter(found), None, False
        more_time = weight / FINDING_SPEED
        self.number = 0
        while True:
            place = Place(part, self.number, finding=True)
            blame = None if skipped else self.guard.inquest.blames(place)
            if blame is not None and skip is not None:
                records, skipped = iter(skip(0 if last is None else last + 1, blame.detail, blame.reason)), True
                continue
            if blame is not None:
                yield self._give_up(name, last, blame.reason, blame.detail)
                return
            try:
                record = self.guard.run(place, partial(next, records, None), more_time)
            except MemoryError:  # of a process that is not to be lost
                yield self._give_up(name, last, HUNGRY, "while the next record was looked for")
                return
            if record is None:
                return
            if isinstance(record, Frame | Page | Reject):
                last = record.offset
            self.seen += isinstance(record, Frame | Page | Reject | Skipped)
            yield record
            record = None  # it may be large, and the next one is about to be looked for
            self.number, skipped = self.number + 1, False

    def _give_up(self, name: str, last: int | None, reason: str, detail: str) -> Reject:
        self.seen += 1
        self.warnings.append(Warned(name, f"{reason}: all that follows a place in it was given up, see rejects"))
        return Reject(name, last or 0, reason, f"{detail}; what follows was given up")

    def work(
        self, part: int, record: Frame | Page, make: Callable[[Frame | Page], Made | None]
    ) -> Made | Reject | None:
        """What `make` makes of a record, unless it is known to end the process. None: it is part of another one."""
        place = Place(part, self.number)
        blame = self.guard.inquest.blames(place)
        if blame is not None:
            return Reject(record.file, record.offset, blame.reason, blame.detail)
        try:
            made = self.guard.run(place, partial(make, record))
        except MemoryError:  # of a process that is not to be lost
            return Reject(record.file, record.offset, HUNGRY, "while its text was made")
        self.seen -= made is None
        return made
