"""Plain, gzip and zstd files as one kind of stream.

The readers of the standard library raise at a broken byte, and lose the rest of the file. A web corpus has broken
bytes. So a stream here goes on after one: first comes everything that could be decoded before the bad byte, then the
next gzip member or zstd frame that is intact. It begins on a fresh line: if what came before did not end with a line
feed, one is put between, so that two halves of lines never become one. `faults` says where something is missing.

A gzip file can also be entered in the middle, at a checkpoint; `index` makes them.

Compression is told by the first bytes of a file; if these may be broken, by its name. A new compression is a line in
`CODECS`. Memory: 1 MiB of the file, 128 KiB of decoded data, and the window of up to 128 MiB that a zstd frame may ask
for.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable, Generator
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple, Self

from unquilt._native import Gunzip, Members, Unzstd, gzip_index
from unquilt.remote.files import measure, open_bytes, open_raw

BLOCK = 1 << 20
DECODED = 1 << 17
"""Bytes that are decoded at a time: few enough to stay in the processor's cache until they are copied."""


class Fault(NamedTuple):
    """A hole in a stream: where in the decoded bytes, why (the reason of a reject), and what the decoder said."""

    offset: int
    reason: str
    detail: str


Flaw = tuple[str, str]
"""A fault as a decoder knows it: reason and detail."""


Pieces = Generator[bytes | Flaw | None]
"""What a decoder yields: None where a member begins, its decoded bytes, and why some are missing."""


def _unpack(opened: Callable[[], Members]) -> Pieces:
    with opened() as file:
        more = True
        while more:
            yield None
            while block := file.read(DECODED):
                yield block
            flaw = file.fault
            more = file.next_member()
            if flaw is None and file.skipped is not None:
                begin, end = file.skipped
                flaw = "garbage", f"{end - begin} bytes that belong to no member"
            if flaw is not None:
                yield flaw


class Codec(NamedTuple):
    """A compression: the suffix of its files, how they begin, and what reads their members from an offset on."""

    suffix: str
    magic: tuple[bytes, ...]
    members: Callable[[Any, int], Members]


_SKIPPABLE = tuple(bytes([0x50 + i]) + b"\x2a\x4d\x18" for i in range(16))

CODECS = {
    "gzip": Codec(".gz", (b"\x1f\x8b\x08",), Gunzip),
    "zstd": Codec(".zst", (b"\x28\xb5\x2f\xfd", *_SKIPPABLE), Unzstd),
}


def tell_compression(head: bytes) -> str | None:
    """The compression of a file that begins with these bytes (4 are enough); None if it is plain, or broken there."""
    return next((name for name, codec in CODECS.items() if head.startswith(codec.magic)), None)


def promised(path: str) -> str | None:
    """The compression that the name of a file promises."""
    return next((name for name, codec in CODECS.items() if path.lower().endswith(codec.suffix)), None)


def members(path: str, compression: str, begin: int = 0) -> Members:
    """The members of a compressed file, from the one that begins at this byte on."""
    return CODECS[compression].members(open_bytes(path), begin)


Index = tuple[tuple[int, bytes], ...]
"""Where a stream can be entered: (offset, checkpoint), in order; first its beginning, last its end, without one."""


def index(path: str, span: int) -> Index:
    """The index of a gzip file: a checkpoint about every `span` bytes of its `Stream`, 5 to 30 KB each.

    Costs one pass over the file, about as long as decoding it takes, and no memory but that of the index.
    """
    points, size = gzip_index(path, span)
    return (*points, (size, b""))


class _DecodedFile(io.RawIOBase):
    """What a decoder yields, as a raw file that can be buffered. Faults are noted."""

    def __init__(self, pieces: Pieces, offset: int) -> None:
        self.faults: deque[Fault] = deque()
        self.torn: dict[int, int] = {}
        self._pieces = pieces
        self._offset = offset
        self._member = offset
        self._rest = memoryview(b"")
        self._last = b"\n"
        self._broken = False

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._pieces.close()
        super().close()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            try:
                piece = next(self._pieces)
            except StopIteration:
                return 0
            if piece is None:
                self._member = self._offset
            elif isinstance(piece, tuple):
                self._note(Fault(self._offset, *piece))
            elif piece:
                self._rest = memoryview(self._join(piece))
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        self._offset += size
        return size

    def _note(self, fault: Fault) -> None:
        """One hole in the stream is one fault, however many members fell into it."""
        if not self._broken:
            self.faults.append(fault)
            self.torn[fault.offset] = self._member
        self._broken = True

    def _join(self, block: bytes) -> bytes:
        if self._broken and self._last != b"\n":
            block = b"\n" + block
        self._last, self._broken = block[-1:], False
        return block


class Stream:
    """A file opened for reading, decompressed, with a fresh line after each fault. Use it in a `with`.

    It begins at `offset` of the decoded bytes; in a compressed file that must be the offset of the `checkpoint`.
    `faults` are those met so far, in order; since the stream reads ahead, they may lie behind what was asked for.
    Whoever has dealt with a fault may remove it. `torn` is the offset of a fault → where the member began that has it.
    """

    def __init__(self, path: str, compression: str | None, offset: int = 0, checkpoint: bytes = b"") -> None:
        self._path = path
        self.faults: deque[Fault] = deque()
        self.torn: dict[int, int] = {}
        self._file: io.BufferedReader[Any]
        if compression is None:
            self._file = io.BufferedReader(open_raw(path), BLOCK)
            self._file.seek(offset)
        else:
            opened = partial(Gunzip, path, 0, checkpoint) if checkpoint else partial(members, path, compression)
            decoded = _DecodedFile(_unpack(opened), offset)
            self._file = io.BufferedReader(decoded, DECODED)
            self.faults, self.torn = decoded.faults, decoded.torn
        self.read = self._file.read
        self.readline = self._file.readline

    @property
    def fault(self) -> Flaw | None:
        """The first fault that is known, if there is one."""
        return self.faults[0][1:] if self.faults else None

    @property
    def size_on_disk(self) -> int:
        """Bytes of the file as it is now, compressed."""
        return measure(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
