"""The units of parallel reading.

Large files are cut where their kind allows it, small ones packed together. Pieces, and the records in them, are in the
order of the inputs, then of the offsets, so reading them one after the other is reading the corpus in order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from unquilt.corpus import kinds
from unquilt.corpus.options import MIB, Reading
from unquilt.corpus.sources import Slice, Source

CUT = 64 * MIB
PACK = 32 * MIB


@dataclass(frozen=True, slots=True)
class Piece:
    """What one task reads: slices of sources, in order, and how. Small, and can be pickled."""

    number: int
    slices: tuple[Slice, ...]
    reading: Reading


def check(sources: Iterable[Source], reading: Reading) -> None:
    """Raise `InputError` for a source that `pieces` would stumble over; before there is a folder to leave behind."""
    for source in sources:
        if source.kind == "parquet":  # the one kind whose cutting looks into the file
            kinds.reader(source.kind).cut(source, reading, CUT)


def pieces(
    sources: Iterable[Source], reading: Reading | None = None, *, cut: int = CUT, pack: int = PACK
) -> list[Piece]:
    """Cut the sources in slices of about `cut` bytes, and pack neighbours together up to `pack` bytes.

    Uncompressed JSONL is cut by bytes, Parquet by row groups (which reads its footer, and raises `InputError` if that
    or the column of the texts is missing); other files stay whole. The same sources always give the same pieces.
    """
    reading = reading or Reading()
    packs: list[list[Slice]] = []
    weight = 0
    for source in sources:
        for part in kinds.reader(source.kind).cut(source, reading, cut):
            if not packs or weight + part.weight > pack:
                packs.append([])
                weight = 0
            packs[-1].append(part)
            weight += part.weight
    return [Piece(number, tuple(parts), reading) for number, parts in enumerate(packs)]
