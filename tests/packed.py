"""Compressed files for tests, and what the readers of the core find in them."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import zstandard

from unquilt._native import Gunzip, Members, Unzstd


def words(count: int, seed: int = 0) -> bytes:
    rng = random.Random(seed)
    return b" ".join(b"%d" % rng.randrange(10**6) for _ in range(count)) + b"\n"


TEXT = words(20_000)
NOISE = random.Random(1).randbytes(100_000)


def member(data: bytes, level: int = 6, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> bytes:
    """A gzip member."""
    packer = zlib.compressobj(level, zlib.DEFLATED, 31, 9, strategy)
    return packer.compress(data) + packer.flush()


def frame(data: bytes, level: int = 3, *, checksum: bool = True, size: bool = True) -> bytes:
    """A zstd frame."""
    return zstandard.ZstdCompressor(level, write_checksum=checksum, write_content_size=size).compress(data)


ZSTD = b"\x28\xb5\x2f\xfd"
HEADER = ZSTD + b"\0\x58"  # with a window of 2 MiB, and nothing else
RAW, RUN, COMPRESSED = range(3)


def block(kind: int, size: int, data: bytes, last: bool = False) -> bytes:
    """A block of a zstd frame, true or not."""
    return (last | kind << 1 | size << 3).to_bytes(3, "little") + data


def skippable(data: bytes, kind: int = 0) -> bytes:
    """A frame to be skipped."""
    return bytes([0x50 + kind]) + b"\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data


class Packing(NamedTuple):
    """How to pack, and who unpacks it."""

    reader: Callable[..., Members]
    pack: Callable[[bytes], bytes]
    store: Callable[[bytes], bytes]
    """As it is, without compression."""


def stored_frame(data: bytes) -> bytes:
    """A zstd frame of raw blocks; without a checksum, as we cannot make one."""
    pieces = [data[i : i + 100_000] for i in range(0, len(data), 100_000)] or [b""]
    blocks = [block(RAW, len(piece), piece, i == len(pieces) - 1) for i, piece in enumerate(pieces)]
    return HEADER + b"".join(blocks)


PACKINGS = {
    "gzip": Packing(Gunzip, member, lambda data: member(data, 0)),
    "zstd": Packing(Unzstd, frame, stored_frame),
    "zstd without sizes": Packing(Unzstd, lambda data: frame(data, size=False), stored_frame),
}
each_packing = pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS)


def parts(
    reader: Callable[..., Members], path: Path, size: int = 1 << 20, **options: Any
) -> Iterator[tuple[bytes, str | None]]:
    """What each member gave, and its fault."""
    with reader(str(path), **options) as file:
        while True:
            data = b"".join(iter(lambda: file.read(size), b""))
            yield data, file.fault and file.fault[0]
            if not file.next_member():
                break


def read(
    reader: Callable[..., Members], path: Path, content: bytes, size: int = 1 << 20
) -> list[tuple[bytes, str | None]]:
    path.write_bytes(content)
    return list(parts(reader, path, size))
