"""Read pieces: the end of `corpus`, and the beginning of everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from unquilt.corpus.extract.documents import document
from unquilt.corpus.find import kinds
from unquilt.corpus.find.pieces import Piece
from unquilt.corpus.options import Reading
from unquilt.corpus.records import Document, Found, Frame, Page, Reject, Skipped, Span, Warned
from unquilt.corpus.sources import Slice
from unquilt.corpus.watch import Watch
from unquilt.corpus.write.batches import batches
from unquilt.corpus.write.raw import Batch
from unquilt.errors import InputError

Made = TypeVar("Made")
Make = Callable[[Frame | Page], Made | Reject | Skipped | None]
"""What becomes of a record: what was wanted, or why not; None if it is part of another one."""


def read(piece: Piece, watch: Watch | None = None) -> Iterator[Batch]:
    """The documents of a piece, in order, and what was rejected on the way; the same batches every time.

    A bad record never raises. `InputError` means that a file that was there a moment ago cannot be read any more,
    `InputChangedError` that it has another size. Memory: one batch, and one record of up to `max_bytes`.
    """
    found = records(piece, watch or Watch(), partial(make_document, reading=piece.reading))
    return batches(found, piece.reading.max_repeats)


def make_document(record: Frame | Page, reading: Reading) -> Document | Reject | Skipped | None:
    """The document of a record, or why there is none."""
    page = record.page() if isinstance(record, Frame) else record
    return document(page, reading) if isinstance(page, Page) else page


def records(piece: Piece, watch: Watch, make: Make[Made]) -> Iterator[Made | Reject | Skipped]:
    """What is made of the records of a piece, one by one."""
    for number, part in enumerate(piece.slices):
        for record in _found(number, part, piece.reading, watch):
            if isinstance(record, Frame | Page):
                made: Made | Reject | Skipped | None = watch.work(number, record, make)
                if made is not None:
                    yield made
                del made
            elif isinstance(record, Span):
                watch.spans[number] = record
            elif isinstance(record, Warned):
                watch.warnings.append(record)
            else:
                yield record
            del record  # it may be large, and the next one is about to be looked for


def try_suspect(piece: Piece, watch: Watch, make: Make[Made]) -> None:
    """Make something of the one record that is suspected to end its process, for nobody; what comes before it is only
    found. If it is not the one, one is still here afterwards."""
    suspect = watch.guard.inquest.suspect
    if suspect is None or suspect.part < 0:
        return
    with watch.guard.trial():
        for record in _found(suspect.part, piece.slices[suspect.part], piece.reading, watch):
            if watch.number == suspect.number:
                if isinstance(record, Frame | Page) and not suspect.finding:
                    watch.work(suspect.part, record, make)
                break


def _found(number: int, part: Slice, reading: Reading, watch: Watch) -> Iterator[Found]:
    """The records of a slice, under watch."""
    reader, name = kinds.reader(part.source.kind), part.source.name
    skip = partial(reader.skip, part, reading) if hasattr(reader, "skip") else None
    try:
        yield from watch.over(number, name, _lazily(reader, part, reading), part.weight, skip)
    except OSError as error:
        raise InputError(f"{name}: {(error.strerror or str(error)).lower()}") from error


def _lazily(reader: kinds.Reader, part: Slice, reading: Reading) -> Iterator[Found]:
    """What a reader finds; it does not even look at the file before it is asked for the first record."""
    yield from reader.read(part, reading)
