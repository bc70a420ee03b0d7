"""The twin of how sets of prototypes are sealed with checksums, and sets that say something else but are sealed."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

LEAD = 72
"""Bytes before the header of a set: magic, version, number of sections, five lengths, root and checksum."""
BLOCK = 4096


def seal(content: bytes) -> bytes:
    """The twin of how checksums are written: those of each block, those of the blocks of these, and so on to one; that,
    and one of what comes first, are in the lead.
    """
    level, tables = content[LEAD:], b""
    while len(level) > BLOCK:
        blocks = range(0, len(level), BLOCK)
        level = b"".join(struct.pack("<I", zlib.crc32(level[begin : begin + BLOCK])) for begin in blocks)
        tables += level
    lead = content[: LEAD - 8] + struct.pack("<I", zlib.crc32(level))
    return lead + struct.pack("<I", zlib.crc32(lead)) + content[LEAD:] + tables


def unseal(file: bytes) -> bytes:
    """A set without its tables of checksums."""
    return file[: LEAD + sum(struct.unpack_from("<5Q", file, 24))]


def change_header(file: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    content = unseal(file)
    (length,) = struct.unpack_from("<Q", content, 24)
    header = json.loads(content[LEAD : LEAD + length])
    new = change(header)
    raw = new if isinstance(new, bytes) else json.dumps(header).encode()
    return seal(content[:24] + struct.pack("<Q", len(raw)) + content[32:LEAD] + raw + content[LEAD + length :])


def change_lead(file: bytes, form: str, at: int, value: int) -> bytes:
    changed = bytearray(unseal(file))
    struct.pack_into(form, changed, at, value)
    return seal(bytes(changed))
