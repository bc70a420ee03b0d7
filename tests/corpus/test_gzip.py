"""The gzip reader of the core: all kinds of blocks and headers, and an index to enter a file in the middle."""

from __future__ import annotations

import gzip
import struct
import zlib
from itertools import pairwise
from pathlib import Path

import packed
import pytest
from packed import NOISE, TEXT, member, parts

from unquilt._native import Gunzip, gzip_index


def with_header(data: bytes, flags: int, fields: bytes, checked: bool = False) -> bytes:
    """A member with a header of one's own."""
    head = b"\x1f\x8b\x08" + bytes([flags | 2 * checked]) + b"\1\2\3\4\0\3" + fields
    if checked:
        head += struct.pack("<H", zlib.crc32(head) & 0xFFFF)
    return head + member(data)[10:]


def read(path: Path, content: bytes, size: int = 1 << 20) -> list[tuple[bytes, str | None]]:
    return packed.read(Gunzip, path, content, size)


BLOCKS = {
    "stored": member(NOISE, 0),
    "fixed": member(TEXT, 6, zlib.Z_FIXED),
    "dynamic": member(TEXT),
    "huffman": member(TEXT, 6, zlib.Z_HUFFMAN_ONLY),
    "runs": member(bytes(100_000) + TEXT, 1, zlib.Z_RLE),
    "empty": member(b""),
    "one byte": member(b"x"),
}


@pytest.mark.parametrize("size", [1, 7, 258, 1 << 16, 1 << 30])
@pytest.mark.parametrize("blocks", BLOCKS)
def test_all_kinds_of_blocks(tmp_path: Path, blocks: str, size: int) -> None:
    whole = BLOCKS[blocks]
    assert read(tmp_path / "x", whole, size) == [(gzip.decompress(whole), None)]


HEADERS = {
    "text": with_header(TEXT, 1, b""),
    "extra": with_header(TEXT, 4, b"\3\0abc"),
    "longest extra": with_header(TEXT, 4, b"\xff\xff" + bytes(65535)),
    "name": with_header(TEXT, 8, b"name\0"),
    "comment": with_header(TEXT, 16, b"a comment\0"),
    "all": with_header(TEXT, 29, b"\3\0abc" + b"name\0" + b"comment\0", checked=True),
    "longest name": with_header(TEXT, 8, b"n" * 4095 + b"\0"),
}


@pytest.mark.parametrize("header", HEADERS)
def test_all_kinds_of_headers(tmp_path: Path, header: str) -> None:
    assert read(tmp_path / "x", HEADERS[header] * 2) == [(TEXT, None)] * 2


def test_headers_that_are_none(tmp_path: Path) -> None:
    bad = {
        "no gzip header": b"\x1f\x8b\x07" + bytes(20),
        "unknown flags in a gzip header": b"\x1f\x8b\x08\x20" + bytes(20),
        "name or comment of a gzip header too long": with_header(TEXT, 8, b"n" * 4096 + b"\0"),
        "checksum of a gzip header does not match": with_header(TEXT, 2, b"\0\0"),
    }
    for why, content in bad.items():
        (tmp_path / "x").write_bytes(content)
        with Gunzip(str(tmp_path / "x")) as file:
            assert file.fault == ("corrupt gzip", why)
            assert file.read(10) == b""
            assert not file.next_member()


@pytest.mark.parametrize(
    ("place", "detail", "found"),
    [(-8, "checksum does not match", TEXT), (-1, "length does not match", TEXT), (3, "unknown flags", b"")],
)
def test_bad_trailer_or_header(tmp_path: Path, place: int, detail: str, found: bytes) -> None:
    broken = bytearray(member(TEXT))
    broken[place] ^= 0x80
    (tmp_path / "x").write_bytes(broken + member(b"next"))
    with Gunzip(str(tmp_path / "x")) as file:
        assert file.read(1 << 30) == found
        assert file.fault is not None
        assert detail in file.fault[1]
        assert file.next_member()
        assert (file.read(9), file.fault) == (b"next", None)


def damaged() -> bytes:
    broken = bytearray(BLOCKS["dynamic"])
    broken[len(broken) // 2] ^= 0x55
    return b"".join([*BLOCKS.values(), bytes(broken), b"garbage", BLOCKS["dynamic"], BLOCKS["fixed"][:-20]])


def test_bytes_that_are_no_checkpoint_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(member(b"x"))
    with pytest.raises(ValueError, match="not a checkpoint"):
        Gunzip(str(tmp_path / "x"), checkpoint=b"nonsense")


@pytest.mark.parametrize("span", [0, 1, 1000, 50_000, 10**9])
def test_an_index_enters_everywhere(tmp_path: Path, span: int) -> None:
    path = tmp_path / "x"
    found = read(path, damaged())
    whole = [part for part, _ in found]
    points, size = gzip_index(bytes(path), span)
    assert points[0] == (0, b"")
    assert size >= sum(map(len, whole))  # a line feed after a fault
    assert len(points) == 1 if span == 10**9 else all(b[0] - a[0] >= max(1, span) for a, b in pairwise(points))
    for _, checkpoint in points:
        rest = list(parts(Gunzip, path, checkpoint=checkpoint))
        assert rest[1:] == found[len(found) - len(rest) + 1 :]
        data, fault = found[len(found) - len(rest)]
        assert data.endswith(rest[0][0])
        assert fault == rest[0][1]  # a checksum is checked although the beginning was not read
    assert span > 1000 or len(points) > 20
