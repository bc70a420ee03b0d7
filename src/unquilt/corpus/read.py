"""Read pieces: the end of `corpus`, and the beginning of everything else."""

from __future__ import annotations

from collections.abc import Iterator

from unquilt.corpus import kinds
from unquilt.corpus.batches import batches
from unquilt.corpus.documents import document
from unquilt.corpus.pieces import Piece
from unquilt.corpus.raw import Batch
from unquilt.corpus.records import Document, Page, Reject, Skipped, Span, Warned
from unquilt.corpus.watch import Watch
from unquilt.errors import InputError


def read(piece: Piece, watch: Watch | None = None) -> Iterator[Batch]:
    """The documents of a piece, in order, and what was rejected on the way; the same batches every time.

    A bad record never raises. `InputError` means that a file that was there a moment ago cannot be read any more,
    `InputChangedError` that it has another size. Memory: one batch, and one record of up to `max_bytes`.
    """
    return batches(records(piece, watch or Watch()), piece.reading.max_repeats)


def records(piece: Piece, watch: Watch) -> Iterator[Document | Reject | Skipped]:
    """The same, one by one."""
    for number, part in enumerate(piece.slices):
        source = part.source
        try:
            found = kinds.reader(source.kind).read(part, piece.reading)
            for record in watch.over(number, source.name, found):
                if isinstance(record, Page):
                    yield watch.work(number, record, lambda page: document(page, piece.reading))
                elif isinstance(record, Span):
                    watch.spans[number] = record
                elif isinstance(record, Warned):
                    watch.warnings.append(record)
                else:
                    yield record
        except OSError as error:
            raise InputError(f"{source.name}: {(error.strerror or str(error)).lower()}") from error
