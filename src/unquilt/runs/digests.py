"""Digests of inputs, by blocks, so that each task digests the part of a file that it reads.

The digest of a file of up to 64 MiB is the SHA-256 of its bytes. That of a larger one is the SHA-256 of the SHA-256s of
its blocks of 64 MiB, one after the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

BLOCK = 64 << 20
_ONCE = 1 << 20


def count_blocks(size: int) -> int:
    """How many blocks a file has."""
    return max(1, -(-size // BLOCK))


def digest_blocks(path: str | Path, first: int, last: int) -> list[str]:
    """The SHA-256s of the blocks first..last-1 of a file, in hexadecimal."""
    found = []
    with Path(path).open("rb", buffering=0) as file:
        file.seek(first * BLOCK)
        for _ in range(first, last):
            digest, left = hashlib.sha256(), BLOCK
            while left and (content := file.read(min(_ONCE, left))):
                digest.update(content)
                left -= len(content)
            found.append(digest.hexdigest())
    return found


def join_blocks(blocks: Sequence[str]) -> str:
    """The digest of a file that has these blocks."""
    if len(blocks) == 1:
        return blocks[0]
    return hashlib.sha256(b"".join(map(bytes.fromhex, blocks))).hexdigest()


def digest_file(path: str | Path) -> str:
    """The digest of a file, all of which is read."""
    return join_blocks(digest_blocks(path, 0, count_blocks(Path(path).stat().st_size)))


def tell_time(nanoseconds: int) -> str:
    """The version of a file of this machine: when it was changed last."""
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"time {datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09}Z"
