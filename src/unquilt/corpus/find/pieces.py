"""The units of parallel reading.

Large files are cut where their kind allows it, small ones packed together. Pieces, and the records in them, are in the
order of the inputs, then of the offsets, so reading them one after the other is reading the corpus in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from unquilt.corpus.find import kinds
from unquilt.corpus.given import GivenColumns, GivenPlan, make_plan
from unquilt.corpus.options import MIB, Reading
from unquilt.corpus.readers.parquet import read_given_schema
from unquilt.corpus.sources import Slice, Source, whole
from unquilt.errors import InputError
from unquilt.guard import Blame, Each, each_guarded, here

CUT = 64 * MIB
PACK = 32 * MIB
CUTS = 64
"""How many files a process cuts before it answers."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one task reads: slices of sources, in order, and how. Small, and can be pickled."""

    number: int
    slices: tuple[Slice, ...]
    reading: Reading

    @property
    def name(self) -> str:
        """What it is, in messages."""
        first = self.slices[0]
        part = "" if first.begin == 0 and first.end is None else f", from {first.begin} on"
        more = f" and {len(self.slices) - 1} more" if len(self.slices) > 1 else ""
        return f"{first.source.name}{part}{more}"


def check(
    sources: Sequence[Source], reading: Reading, each: Each = here, notes: Path | None = None, *, cut: int = CUT
) -> GivenPlan | None:
    """Raise `InputError` for a source that `pieces` would raise it for, or whose columns are not like those of others:
    to be called before a folder is made. Returns how columns will be kept, if that is known before anything is read."""
    parquet = [source for source in sources if source.kind == "parquet"]  # the one kind whose cutting may fail
    for _ in _cut(parquet, reading, each, notes, cut):
        pass
    columns = GivenColumns()
    schemas = list(each_guarded(each, _GivenSchema(reading), parquet, reading.limits.bounds, notes, CUTS))
    for source, schema in zip(parquet, schemas, strict=True):
        if not isinstance(schema, Blame):
            columns.meet(schema, source.name, reading)
    known = len(parquet) == len(sources) and not any(isinstance(schema, Blame) for schema in schemas)
    return make_plan([("", columns.to_schema())], reading) if known else None


def pieces(
    sources: Iterable[Source],
    reading: Reading | None = None,
    each: Each = here,
    notes: Path | None = None,
    *,
    cut: int = CUT,
    pack: int = PACK,
) -> list[Piece]:
    """Cut the sources in slices of about `cut` bytes, and pack neighbours together up to `pack` bytes.

    Where a file can be cut is up to its reader; Parquet is cut by row groups, for which its footer is read
    (`InputError` if that or the column of the texts is missing). The same sources always give the same pieces. Files
    are looked into by `each`, in other processes, as in `inputs.find`.
    """
    reading = reading or Reading()
    packs: list[list[Slice]] = []
    weight = 0
    for parts in _cut(list(sources), reading, each, notes, cut):
        for part in (replace(part, share=(number, len(parts))) for number, part in enumerate(parts)):
            if not packs or weight + part.weight > pack:
                packs.append([])
                weight = 0
            packs[-1].append(part)
            weight += part.weight
    return [Piece(number, tuple(parts), reading) for number, parts in enumerate(packs)]


def _cut(
    sources: Sequence[Source], reading: Reading, each: Each, notes: Path | None, size: int
) -> Iterator[list[Slice]]:
    """The slices of each source."""
    cuts = each_guarded(each, _Cut(reading, size), sources, reading.limits.bounds, notes, CUTS)
    for source, found in zip(sources, cuts, strict=True):
        if isinstance(found, Blame) and source.kind == "parquet":
            raise InputError(f"{source.name}: its footer cannot be read: {found.reason}: {found.detail}")
        yield whole(source) if isinstance(found, Blame) else found


@dataclass(frozen=True, slots=True)
class _GivenSchema:
    """A function that reads the columns of a Parquet file, and can be pickled."""

    reading: Reading

    def __call__(self, source: Source) -> pa.Schema:
        return read_given_schema(source, self.reading)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A function that cuts a source, and can be pickled."""

    reading: Reading
    size: int

    def __call__(self, source: Source) -> list[Slice]:
        return kinds.reader(source.kind).cut(source, self.reading, self.size)
