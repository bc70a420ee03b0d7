"""Plain, gzip and zstd files as one kind of stream.

The readers of the standard library raise at a broken byte and lose what they had decoded before it. A web corpus has
broken bytes. So here a stream just ends at the first fault, after everything that could be decoded, and says so in
`fault`. Concatenated gzip members and zstd frames are read through.

Compression is told by magic bytes; a new one is a generator and a line in `CODECS`. Memory: at most 1 MiB of decoded
data at a time for gzip, 32 MiB for a hostile zstd file (1 KiB of it can hold 256 blocks of 128 KiB, and the decoder
has no way to stop half-way), plus the window of up to 128 MiB that a zstd frame may ask for.
"""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

import zstandard

GZIP_FEED = 1 << 16
ZSTD_FEED = 1 << 10
BLOCK = 1 << 20


class Fault(NamedTuple):
    """Why a stream ended early: a reason for the rejects, and what the decoder said."""

    reason: str
    detail: str


class _BrokenError(Exception):
    """Carries a fault from a decoder to its stream; never leaves this module."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.fault = Fault(reason, detail)


def _gunzip(file: BinaryIO) -> Iterator[bytes]:
    data = file.read(GZIP_FEED)
    while data:
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            if not data:
                yield member.flush()
                raise _BrokenError("truncated gzip", "the file ends inside a gzip member")
            before = member.copy()  # the output of a failing call is lost: `_salvage` repeats it from here
            try:
                block = member.decompress(data, BLOCK)
            except zlib.error as error:
                yield _salvage(before, data)
                raise _BrokenError("corrupt gzip", str(error)) from error
            data = member.unused_data if member.eof else member.unconsumed_tail or file.read(GZIP_FEED)
            yield block
        data = _skip_padding(file, data)


def _salvage(member: zlib._Decompress, data: bytes) -> bytes:
    """All that can be decoded of `data` before its first bad byte; byte by byte, about 30 ms, once a file."""
    blocks = []
    try:
        for i in range(len(data)):
            blocks.append(member.decompress(data[i : i + 1]))  # noqa: PERF401 (the blocks before the error are kept)
    except zlib.error:
        pass
    return b"".join(blocks)


def _skip_padding(file: BinaryIO, data: bytes) -> bytes:
    """What follows a member, without the zeros that tapes and block devices leave there."""
    while not (data := data.lstrip(b"\0")):
        if not (data := file.read(GZIP_FEED)):
            break
    return data


def _unzstd(file: BinaryIO) -> Iterator[bytes]:
    decompressor = zstandard.ZstdDecompressor()
    data = file.read(ZSTD_FEED)
    while data:
        frame = decompressor.decompressobj()
        while not frame.eof:
            if not data:
                raise _BrokenError("truncated zstd", "the file ends inside a zstd frame")
            try:
                block = frame.decompress(data)
            except zstandard.ZstdError as error:
                raise _BrokenError("corrupt zstd", str(error)) from error
            data = frame.unused_data if frame.eof else file.read(ZSTD_FEED)
            yield block
        data = data or file.read(ZSTD_FEED)


class Codec(NamedTuple):
    """How a compressed file begins, and how it is decoded."""

    magic: tuple[bytes, ...]
    decode: Callable[[BinaryIO], Iterator[bytes]]


_SKIPPABLE = tuple(bytes([0x50 + i]) + b"\x2a\x4d\x18" for i in range(16))

CODECS = {
    "gzip": Codec((b"\x1f\x8b\x08",), _gunzip),
    "zstd": Codec((b"\x28\xb5\x2f\xfd", *_SKIPPABLE), _unzstd),
}


def tell(head: bytes) -> str | None:
    """The compression of a file that begins with these bytes (4 are enough); None if plain."""
    for name, codec in CODECS.items():
        if head.startswith(codec.magic):
            return name
    return None


class _Decoded(io.RawIOBase):
    """The blocks of a decoder as a raw file. It ends at a fault, and keeps it."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")
        self.fault: Fault | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            while not self._rest:
                self._rest = memoryview(next(self._blocks))
        except StopIteration:
            return 0
        except _BrokenError as broken:
            self.fault = broken.fault
            return 0
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


class Stream:
    """A file opened for reading, decompressed. `fault` is known once its end is reached. Use it in a `with`."""

    def __init__(self, path: str, compression: str | None) -> None:
        self._disk = io.BufferedReader(io.FileIO(path), BLOCK)
        self._decoded: _Decoded | None = None
        file: io.BufferedReader[Any] = self._disk
        if compression is not None:
            self._decoded = _Decoded(CODECS[compression].decode(self._disk))
            file = io.BufferedReader(self._decoded, BLOCK)
        self.read = file.read
        self.readline = file.readline
        self.seek = file.seek

    @property
    def fault(self) -> Fault | None:
        """Why the stream ended before its time, None if it did not, or not yet."""
        return self._decoded.fault if self._decoded else None

    @property
    def size_on_disk(self) -> int:
        """Bytes of the file as it is now, compressed."""
        return os.fstat(self._disk.fileno()).st_size

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._disk.close()
