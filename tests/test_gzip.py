"""The gzip reader of the core: every intact member comes back, whatever happens to the others."""

from __future__ import annotations

import gzip
import os
import random
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unquilt._native import Gunzip, gzip_index

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
        assert (file.member, file.skipped) == (begin, (len(first), begin))  # a hole, where something was
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


SMALL = [b"one\n", words(30, 1), b"", words(40, 2), NOISE[:50], b"last\n"]
PACKED = [member(data, level) for data, level in zip(SMALL, (9, 6, 6, 1, 0, 6), strict=True)]


def test_truncated_at_every_byte(tmp_path: Path) -> None:
    whole = b"".join(PACKED)
    ends = [sum(map(len, PACKED[:i])) for i in range(len(PACKED) + 1)]
    for length in range(1, len(whole)):
        found = read(tmp_path / "x", whole[:length])
        complete = sum(end <= length for end in ends[1:])
        assert found[:complete] == [(data, None) for data in SMALL[:complete]]
        if length in ends:
            assert len(found) == complete
        else:
            [(data, fault)] = found[complete:]
            assert SMALL[complete].startswith(data)
            assert fault == "truncated gzip"


def test_every_bit_flipped_costs_one_member(tmp_path: Path) -> None:
    whole = b"".join(PACKED)
    hit = [i for i, packed in enumerate(PACKED) for _ in packed]
    (tmp_path / "x").write_bytes(whole)
    with (tmp_path / "x").open("r+b", 0) as file:
        for bit in range(8 * len(whole)):
            place, byte = bit // 8, whole[bit // 8]
            os.pwrite(file.fileno(), bytes([byte ^ 1 << bit % 8]), place)
            good = [data for data, fault in parts(tmp_path / "x") if fault is None]
            os.pwrite(file.fileno(), bytes([byte]), place)
            others = [data for i, data in enumerate(SMALL) if i != hit[place]]
            assert good in (others, SMALL), bit  # all of them: the bit was in the time or the name of a system


@settings(relaxed, max_examples=500)
@given(st.data())
def test_any_damage_spares_the_others(tmp_path: Path, data: st.DataObject) -> None:
    """Bytes changed, lost or put in: the members that were not touched come back, in order."""
    whole = b"".join(PACKED)
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, min(begin + 200, len(whole))))
    damaged = whole[:begin] + data.draw(st.binary(max_size=100)) + whole[end:]
    ends = [sum(map(len, PACKED[:i])) for i in range(len(PACKED) + 1)]
    spared = [SMALL[i] for i in range(len(SMALL)) if ends[i + 1] <= begin or ends[i] >= end]
    good = iter([part for part, fault in read(tmp_path / "x", damaged) if fault is None])
    assert all(any(part == found for found in good) for part in spared)


def test_a_lost_middle_at_every_byte(tmp_path: Path) -> None:
    """The header of the next member lies in what seems to be data of the first."""
    first, second = member(words(300, 3)), member(words(300, 4), 1)
    for kept in range(1, len(first)):
        found = read(tmp_path / "x", first[:kept] + second)
        assert [part for part, fault in found if fault is None] == [words(300, 4)]


@pytest.mark.parametrize(
    ("place", "detail", "found"),
    [(-8, "checksum does not match", TEXT), (-1, "length does not match", TEXT), (3, "unknown flags", b"")],
)
def test_bad_trailer_or_header(tmp_path: Path, place: int, detail: str, found: bytes) -> None:
    packed = bytearray(member(TEXT))
    packed[place] ^= 0x80
    (tmp_path / "x").write_bytes(packed + member(b"next"))
    with Gunzip(str(tmp_path / "x")) as file:
        assert file.read(1 << 30) == found
        assert file.fault is not None
        assert detail in file.fault[1]
        assert file.next_member()
        assert (file.read(9), file.fault) == (b"next", None)


def test_a_member_inside_another(tmp_path: Path) -> None:
    inner = member(b"WARC/1.0 inner")
    outer = bytearray(member(NOISE + inner + NOISE, 0))
    after = member(b"WARC/1.0 after")
    content = NOISE + inner + NOISE
    assert read(tmp_path / "x", bytes(outer) + after) == [(content, None), (b"WARC/1.0 after", None)]
    outer[-5] ^= 1  # even if its checksum is wrong
    assert read(tmp_path / "x", bytes(outer) + after) == [(content, "corrupt gzip"), (b"WARC/1.0 after", None)]
    outer[10] |= 6  # if it is broken before, nobody can know
    found = [part for part, _ in read(tmp_path / "x", bytes(outer) + after)]
    assert found == [b"", b"WARC/1.0 inner", b"WARC/1.0 after"]


def test_the_prefix_tells_members_from_strangers(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"x" + member(b"stranger") + member(b"WARC/1.0 one") + member(b"anything"))
    with Gunzip(str(tmp_path / "x")) as file:
        assert file.next_member(b"WARC/")
        assert file.read(99) == b"WARC/1.0 one"
        assert file.next_member(b"WARC/")  # follows at once
        assert file.read(99) == b"anything"


BOMB = """
import resource, sys
from unquilt._native import Gunzip
with Gunzip(sys.argv[1]) as file:
    assert file.read(1000) == bytes(1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert file.next_member()
    assert file.read(10) == b"after"
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_bomb_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "x"
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    zeros = bytes(1 << 20)
    path.write_bytes(b"".join(packer.compress(zeros) for _ in range(1024)) + packer.flush() + member(b"after"))
    grown = subprocess.run([sys.executable, "-c", BOMB, str(path)], check=True, capture_output=True, text=True)
    assert int(grown.stdout) < 20_000


HOSTILE = {
    "bare": b"\x1f\x8b\x08",
    "headers": b"\x1f\x8b\x08\0\0\0\0\0\0\3",
    "names": b"\x1f\x8b\x08\x08\1\1\1\1\1\3",
    "empty blocks": b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\0\0\0\xff\xff" * 18,
    "endless blocks": b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\0\xff\xff\0\0" + b"abcde",
}


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_million_false_beginnings(tmp_path: Path, unit: str) -> None:
    """None of them makes the search more than linear, nor what is decoded; and what follows is found."""
    path = tmp_path / "x"
    content = b"x" + HOSTILE[unit] * min(10**6, 8_000_000 // len(HOSTILE[unit])) + b"\xff" * 70_000
    path.write_bytes(content + member(TEXT))
    total = 0
    with Gunzip(str(path)) as file:
        while file.next_member():
            total += file.consumed - file.member
            data = file.read(1 << 30)
            total += len(data)
    assert data == TEXT
    assert total < 3 * len(content) + (40 << 20)


def damaged() -> bytes:
    packed = bytearray(BLOCKS["dynamic"])
    packed[len(packed) // 2] ^= 0x55
    return b"".join([*BLOCKS.values(), bytes(packed), b"garbage", BLOCKS["dynamic"], BLOCKS["fixed"][:-20]])


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
        rest = list(parts(path, checkpoint=checkpoint))
        assert rest[1:] == found[len(found) - len(rest) + 1 :]
        data, fault = found[len(found) - len(rest)]
        assert data.endswith(rest[0][0])
        assert fault == rest[0][1]  # a checksum is checked although the beginning was not read
    assert span > 1000 or len(points) > 20
