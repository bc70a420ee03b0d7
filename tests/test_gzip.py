"""The gzip reader of the core: every intact member comes back, whatever happens to the others."""

from __future__ import annotations

import gzip
import random
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from unquilt._native import Gunzip

relaxed = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def words(count: int, seed: int = 0) -> bytes:
    rng = random.Random(seed)
    return b" ".join(b"%d" % rng.randrange(10**6) for _ in range(count)) + b"\n"


TEXT = words(20_000)
NOISE = random.Random(1).randbytes(100_000)


def member(data: bytes, level: int = 6, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, 31, 9, strategy)
    return packer.compress(data) + packer.flush()


def with_header(data: bytes, flags: int, fields: bytes, checked: bool = False) -> bytes:
    """A member with a header of one's own."""
    head = b"\x1f\x8b\x08" + bytes([flags | 2 * checked]) + b"\1\2\3\4\0\3" + fields
    if checked:
        head += struct.pack("<H", zlib.crc32(head) & 0xFFFF)
    return head + member(data)[10:]


def parts(path: Path, size: int = 1 << 20, **options: Any) -> Iterator[tuple[bytes, str | None]]:
    """What each member gave, and its fault."""
    with Gunzip(str(path), **options) as file:
        while True:
            data = b"".join(iter(lambda: file.read(size), b""))
            yield data, file.fault and file.fault[0]
            if not file.next_member():
                break


def read(path: Path, content: bytes, size: int = 1 << 20) -> list[tuple[bytes, str | None]]:
    path.write_bytes(content)
    return list(parts(path, size))


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
    packed = BLOCKS[blocks]
    assert read(tmp_path / "x", packed, size) == [(gzip.decompress(packed), None)]


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


def test_positions(tmp_path: Path) -> None:
    first, second = member(b"one"), member(TEXT)
    path = tmp_path / "x"
    path.write_bytes(first + bytes(100) + second + b"garbage" + second)
    with Gunzip(bytes(path)) as file:
        assert (file.member, file.read(3), file.read(1), file.consumed) == (0, b"one", b"", len(first))
        assert file.next_member()
        begin = len(first) + 100
        assert (file.member, file.skipped) == (begin, None)
        assert file.next_member()  # passes over what was not read
        end = begin + len(second)
        assert (file.member, file.skipped) == (end + 7, (end, end + 7))
        assert file.read(1 << 30) == TEXT
        assert not file.next_member()
        assert (file.fault, file.skipped, file.consumed) == (None, None, path.stat().st_size)
        assert file.find_member(1, b"12", stop=begin) is False
        assert file.find_member(1, TEXT[:10], stop=begin + 1)
        assert (file.member, file.skipped) == (begin, (1, begin))
    with Gunzip(str(path), begin) as file:
        assert file.read(1 << 30) == TEXT
        assert not file.next_member(stop=end + 7)
        assert file.skipped == (end, end + 7)
        assert file.next_member()


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        Gunzip(str(tmp_path / "none"))
    assert (caught.value.filename, caught.value.strerror) == (str(tmp_path / "none"), "No such file or directory")
    with pytest.raises(IsADirectoryError):
        Gunzip(str(tmp_path))
    (tmp_path / "x").write_bytes(member(b"x"))
    with pytest.raises(ValueError, match="not a checkpoint"):
        Gunzip(str(tmp_path / "x"), checkpoint=b"nonsense")
    file = Gunzip(str(tmp_path / "x"))
    file.close()
    with pytest.raises(ValueError, match="closed"):
        file.read(1)
