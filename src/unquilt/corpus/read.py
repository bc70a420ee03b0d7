"""Read pieces: the end of `corpus`, and the beginning of everything else."""

from __future__ import annotations

from collections.abc import Iterator

from unquilt.corpus import kinds
from unquilt.corpus.batches import batches
from unquilt.corpus.options import Limits
from unquilt.corpus.pieces import Piece
from unquilt.corpus.raw import Batch
from unquilt.corpus.records import Document, Reject
from unquilt.errors import InputError


def read(piece: Piece, limits: Limits | None = None) -> Iterator[Batch]:
    """The documents of a piece, in order, and what was rejected on the way; the same batches every time.

    A bad record never raises. `InputError` means that a file that was there a moment ago cannot be read any more,
    `InputChangedError` that it has another size. Memory: one batch, and one record of up to `limits.max_bytes`.
    """
    return batches(_records(piece, limits or Limits()))


def _records(piece: Piece, limits: Limits) -> Iterator[Document | Reject]:
    for part in piece.slices:
        try:
            yield from kinds.reader(part.source.kind).read(part, piece.fields, limits)
        except OSError as error:
            raise InputError(f"{part.source.name}: {(error.strerror or str(error)).lower()}") from error
