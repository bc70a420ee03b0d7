"""What `inputs`, `pieces` and the readers pass around: input files, slices of them, and a first look at them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import NamedTuple

from unquilt.errors import InputChangedError
from unquilt.runs.digests import count_blocks

SMALLEST = 4096
"""The least weight of a slice, in bytes: opening a file costs as much as reading a few kilobytes."""


def spell_path(path: str) -> str:
    """The path as it stands in tables: bytes that are no UTF-8 are written as `\\xNN`, everything else as given."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


class Seen(NamedTuple):
    """What a file was when the run began: what the system said of it (see `state`), and its digest if that costs
    little. Else nothing is read for this, and it has a version: when it was changed, or what a store calls its bytes.
    """

    sha256: str
    state: tuple[int, ...]
    version: str = ""


def state(there: os.stat_result) -> tuple[int, ...]:
    """Differs between two files of a folder, and between two states of one file, as far as the system's clock can
    tell. Two machines that share a folder say the same."""
    return there.st_ino, there.st_size, there.st_mtime_ns, there.st_ctime_ns


@dataclass(frozen=True, slots=True)
class Source:
    """One input file: where it is, its bytes on disk, its kind and its compression (None, "gzip", "zstd").

    `alias` stands in tables instead of the path: `-` for standard input, whose spooled copy has another path each time.
    `url` is where a file that is one page comes from, as far as its path tells (see `addresses`).
    `index` says where a compressed file can be cut (see `compression.Index`); what is read is the same without it.
    `seen` is what the file was when the run began, for `inputs.unchanged` to compare it with.
    """

    path: str
    size: int
    kind: str
    compression: str | None = None
    alias: str = ""
    url: str = ""
    index: tuple[tuple[int, bytes], ...] = field(default=(), repr=False, compare=False)
    seen: Seen | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The file as it is called in tables and messages."""
        return self.alias or spell_path(self.path)

    def __str__(self) -> str:
        return self.name

    def check_size(self, size: int) -> None:
        """Raise `InputChangedError` if the file no longer has the size it had when it was found."""
        if size != self.size:
            raise InputChangedError(
                f"{self.name}: had {self.size} bytes when the run began, now {size}; run again when nothing changes it"
            )


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a source, from `begin` to `end`: bytes, or row groups of Parquet. Without an `end`, to the last.

    `weight` is about how many bytes there are to read. `exact` says that a record is known to begin at `begin`, so that
    the reader must not look for one. `checkpoint` is where a compressed file is entered, one byte before `begin`.
    `share` is which slice of its source it is, and of how many: whoever reads it digests as large a share of the file.
    """

    source: Source
    begin: int = 0
    end: int | None = None
    weight: int = SMALLEST
    exact: bool = False
    checkpoint: bytes = b""
    share: tuple[int, int] = (0, 1)

    def list_blocks(self) -> tuple[int, int]:
        """The blocks of its source (see `runs.digests`) that its reader digests; all readers together do all."""
        number, slices = self.share
        blocks = count_blocks(self.source.size)
        return number * blocks // slices, (number + 1) * blocks // slices


def whole(source: Source) -> list[Slice]:
    """The source in one slice."""
    return [Slice(source, weight=max(source.size, SMALLEST))]


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What the kind of a file is told by: its name in lower case without `.gz` or `.zst`, and its first bytes,
    decompressed (`head`).

    `complete` says that `head` is all there is. `size` and `tail`, the last bytes, are there for plain files only.
    """

    name: str
    head: bytes
    complete: bool
    compression: str | None = None
    size: int = 0
    tail: bytes = b""
