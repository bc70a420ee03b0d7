"""Read pieces: the end of `corpus`, and the beginning of everything else.

The way of a record, whatever file it is in:

    a reader finds it           a `Frame`: where it is, and how to open it (or a `Page`, where nothing is to be opened)
    the frame is opened         JSON, HTTP or a mailbox is undone: a `Page`, or why there is none
    a document is made of it    charset, text, chunks, links, digests (`extract.documents`): a `Document`
    documents are gathered      in Arrow (`write.batches`): a `Batch`

Input may make a process hang, crash or run out of memory. So a record is found under guard, and then opened and made
into a document under guard (see `guard`). Records that are found are counted, so that whoever writes documents and
rejects can show that none got lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import TypeVar

from unquilt.corpus.extract.documents import extract_document
from unquilt.corpus.find import kinds
from unquilt.corpus.find.pieces import Piece
from unquilt.corpus.options import MIB, Reading
from unquilt.corpus.records import Document, Found, Frame, Page, Reject, Skipped, Span, Warned
from unquilt.corpus.write.batches import batches
from unquilt.corpus.write.raw import Batch
from unquilt.errors import InputError
from unquilt.guard import HUNGRY, Blame, Guard, Place

Made = TypeVar("Made")
Make = Callable[[Frame | Page], Made | Reject | Skipped | None]
"""A function that makes something of a record, or says why not; None if the record is part of another one."""

FINDING_SPEED = 8 * MIB
"""How many bytes of a slice are surely searched in a second, decoding included. For each of its bytes the search for a
record is allowed more time: there may be a line of gigabytes before it."""


def make_document(record: Frame | Page, reading: Reading) -> Document | Reject | Skipped | None:
    """The document of a record, or why there is none."""
    page = record.open() if isinstance(record, Frame) else record
    return extract_document(page, reading) if isinstance(page, Page) else page


class PieceReader:
    """One reading of a piece. Without a guard nothing is guarded: for a process that must not be lost.

    A bad record never raises. A record that is blamed for the end of processes becomes a reject, and everything else is
    read as if it were not there. `InputError` means that a file that was there a moment ago cannot be read any more,
    `InputChangedError` that it has another size.
    """

    def __init__(self, piece: Piece, guard: Guard | None = None) -> None:
        self._piece = piece
        self._guard = guard or Guard(None, piece.reading.limits.bounds)
        self.seen = 0
        """Records that were found: each becomes a document or a reject, or is skipped."""
        self.spans: dict[int, Span] = {}
        """What the readers of slices said of where they began and ended, by the numbers of the slices."""
        self.warnings: list[Warned] = []

    def batches(self) -> Iterator[Batch]:
        """The documents of the piece, in order, and what was rejected on the way; the same batches every time.

        Memory: one batch, and one record of up to `max_bytes`.
        """
        reading = self._piece.reading
        return batches(self.records(partial(make_document, reading=reading)), reading)

    def records(self, make: Make[Made]) -> Iterator[Made | Reject | Skipped]:
        """What is made of the records of the piece, one by one."""
        self._try_suspect(make)
        for part in range(len(self._piece.slices)):
            record: Found | None
            for place, record in self._find(part):
                self.seen += isinstance(record, Frame | Page | Reject | Skipped)
                if isinstance(record, Frame | Page):
                    made: Made | Reject | Skipped | None = self._work(place, record, make)
                    record = None  # it may be large, and so may be what was made of it: neither is held meanwhile
                    if made is None:
                        self.seen -= 1
                    else:
                        box = [made]
                        del made
                        yield box.pop()
                elif isinstance(record, Span):
                    self.spans[part] = record
                elif isinstance(record, Warned):
                    self.warnings.append(record)
                else:
                    yield record
                del record  # it may be large, and the next one is about to be looked for

    def _try_suspect(self, make: Make[Made]) -> None:
        """If a record is suspected to end its process: find those before it, make something of it, and throw that away.
        If it is guilty, it ends this process, too."""
        suspect = self._guard.inquest.suspect
        if suspect is None or suspect.part < 0:
            return
        with self._guard.trial():
            for place, record in self._find(suspect.part):
                if place.number == suspect.number:
                    if isinstance(record, Frame | Page) and not suspect.finding:
                        self._work(place, record, make)
                    break

    def _find(self, part: int) -> Iterator[tuple[Place, Found]]:
        """What is found in a slice, each under guard, and its place. If the search for a record is known to end its
        process, the reader skips it, if it knows how; else the rest of the slice is given up.
        """
        piece = self._piece.slices[part]
        reader, name = kinds.reader(piece.source.kind), piece.source.name
        records, last, more_time = reader.read(piece, self._piece.reading), None, piece.weight / FINDING_SPEED
        for number in count():
            place, found = Place(part, number, finding=True), None
            blame = self._guard.inquest.blames(place)
            if blame is not None and isinstance(reader, kinds.Skipping):
                behind = 0 if last is None else last + 1
                records, blame = reader.skip(piece, self._piece.reading, behind, blame.detail, blame.reason), None
            if blame is None:
                try:
                    found = self._guard.run(place, partial(next, records, None), more_time)
                except MemoryError:  # of a process that is not to be lost
                    blame = Blame(place, HUNGRY, "while the next record was looked for")
                except OSError as error:
                    raise InputError(f"{name}: {(error.strerror or str(error)).lower()}") from error
            if blame is not None:
                yield place, Reject(name, last or 0, blame.reason, f"{blame.detail}; what follows was given up")
                yield place, Warned(name, f"{blame.reason}: all that follows a place in it was given up, see rejects")
                return
            if found is None:
                return
            if isinstance(found, Frame | Page | Reject):
                last = found.offset
            box = [found]
            del found  # it may be large
            yield Place(part, number), box.pop()

    def _work(self, place: Place, record: Frame | Page, make: Make[Made]) -> Made | Reject | Skipped | None:
        """What `make` makes of a record, unless it is known to end the process."""
        blame = self._guard.inquest.blames(place)
        if blame is not None:
            return Reject(record.file, record.offset, blame.reason, blame.detail)
        try:
            return self._guard.run(place, partial(make, record))
        except MemoryError:  # of a process that is not to be lost
            return Reject(record.file, record.offset, HUNGRY, "while its text was made")
