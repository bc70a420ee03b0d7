"""The readers of compressed files: every intact member comes back, whatever happens to the others."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from itertools import accumulate
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from packed import (
    COMPRESSED,
    HEADER,
    NOISE,
    PACKINGS,
    RAW,
    RUN,
    TEXT,
    ZSTD,
    Packing,
    block,
    each_packing,
    frame,
    member,
    parts,
    read,
    skippable,
    words,
)

from unquilt._native import Gunzip, Unzstd


@each_packing
def test_members_know_where_they_begin_and_end(packing: Packing, tmp_path: Path) -> None:
    first, second = packing.pack(b"one"), packing.pack(TEXT)
    path = tmp_path / "x"
    path.write_bytes(first + bytes(100) + second + b"garbage" + second)
    with packing.reader(bytes(path)) as file:
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
    with packing.reader(str(path), begin) as file:
        assert file.read(1 << 30) == TEXT
        assert not file.next_member(stop=end + 7)
        assert file.skipped == (end, end + 7)
        assert file.next_member()


@each_packing
def test_files_that_cannot_be_opened_are_the_usual_errors(packing: Packing, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        packing.reader(str(tmp_path / "none"))
    assert (caught.value.filename, caught.value.strerror) == (str(tmp_path / "none"), "No such file or directory")
    with pytest.raises(IsADirectoryError):
        packing.reader(str(tmp_path))
    (tmp_path / "x").write_bytes(packing.pack(b"x"))
    file = packing.reader(str(tmp_path / "x"))
    file.close()
    with pytest.raises(ValueError, match="closed"):
        file.read(1)


SMALL = [b"one\n", words(30, 1), b"", words(40, 2), NOISE[:50], b"last\n"]
PACKED = {
    "gzip": [member(data, level) for data, level in zip(SMALL, (9, 6, 6, 1, 0, 6), strict=True)],
    "zstd": [frame(data, level) for data, level in zip(SMALL, (19, 3, 3, 1, 1, 3), strict=True)],
    "zstd without sizes": [frame(data, size=False) for data in SMALL],
}
each_file = pytest.mark.parametrize("name", PACKED)


def ends(name: str) -> list[int]:
    """Where the members end."""
    return list(accumulate(map(len, PACKED[name])))


@each_file
def test_truncated_at_every_byte(name: str, tmp_path: Path) -> None:
    whole, reader = b"".join(PACKED[name]), PACKINGS[name].reader
    for length in range(1, len(whole)):
        found = read(reader, tmp_path / "x", whole[:length])
        complete = sum(end <= length for end in ends(name))
        assert found[:complete] == [(data, None) for data in SMALL[:complete]]
        if length in ends(name):
            assert len(found) == complete
        else:
            [(data, fault)] = found[complete:]
            assert SMALL[complete].startswith(data)
            assert fault == f"truncated {name[:4]}"


@each_file
def test_every_bit_flipped_costs_one_member(name: str, tmp_path: Path) -> None:
    whole, reader = b"".join(PACKED[name]), PACKINGS[name].reader
    hit = [i for i, packed in enumerate(PACKED[name]) for _ in packed]
    (tmp_path / "x").write_bytes(whole)
    with (tmp_path / "x").open("r+b", 0) as file:
        for bit in range(8 * len(whole)):
            place, byte = bit // 8, whole[bit // 8]
            os.pwrite(file.fileno(), bytes([byte ^ 1 << bit % 8]), place)
            good = [data for data, fault in parts(reader, tmp_path / "x") if fault is None]
            os.pwrite(file.fileno(), bytes([byte]), place)
            others = [data for i, data in enumerate(SMALL) if i != hit[place]]
            assert good in (others, SMALL), bit  # all of them: the bit is one that nobody needs


@pytest.mark.slow
@each_file
@settings(max_examples=300)
@given(st.data())
def test_any_damage_spares_the_others(name: str, tmp_path: Path, data: st.DataObject) -> None:
    """Bytes changed, lost or put in: the members that were not touched come back, in order."""
    whole, reader = b"".join(PACKED[name]), PACKINGS[name].reader
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, min(begin + 200, len(whole))))
    damaged = whole[:begin] + data.draw(st.binary(max_size=100)) + whole[end:]
    places = [0, *ends(name)]
    spared = [SMALL[i] for i in range(len(SMALL)) if places[i + 1] <= begin or places[i] >= end]
    good = iter([part for part, fault in read(reader, tmp_path / "x", damaged) if fault is None])
    assert all(any(part == found for found in good) for part in spared)


@pytest.mark.slow
@each_packing
def test_a_lost_middle_at_every_byte(packing: Packing, tmp_path: Path) -> None:
    """The header of the next member lies in what seems to be data of the first."""
    first, second = packing.pack(words(300, 3)), packing.pack(words(300, 4))
    for kept in range(1, len(first)):
        found = read(packing.reader, tmp_path / "x", first[:kept] + second)
        assert [part for part, fault in found if fault is None] == [words(300, 4)]


@each_packing
def test_a_member_inside_another(packing: Packing, tmp_path: Path) -> None:
    inner, after = packing.pack(b"WARC/1.0 inner"), packing.pack(b"WARC/1.0 after")
    content = NOISE + inner + NOISE
    outer = bytearray(packing.store(content))
    path = tmp_path / "x"
    assert read(packing.reader, path, bytes(outer) + after) == [(content, None), (b"WARC/1.0 after", None)]
    if packing.reader is Gunzip:
        outer[-5] ^= 1  # even if its checksum is wrong
    else:
        outer[4] |= 4  # even if what follows is taken for its checksum
        outer += b"none"
    expected = [(content, f"corrupt {'gzip' if packing.reader is Gunzip else 'zstd'}"), (b"WARC/1.0 after", None)]
    assert read(packing.reader, path, bytes(outer) + after) == expected
    assert read(packing.reader, path, bytes(outer)) == expected[:1]
    outer[10 if packing.reader is Gunzip else len(HEADER)] |= 6  # if it is broken before, nobody can know
    found = [part for part, _ in read(packing.reader, path, bytes(outer) + after)]
    assert found == [b"", b"WARC/1.0 inner", b"WARC/1.0 after"]


@each_packing
def test_the_prefix_tells_members_from_strangers(packing: Packing, tmp_path: Path) -> None:
    members = [packing.pack(data) for data in (b"stranger", b"WARC/1.0 one", b"anything")]
    (tmp_path / "x").write_bytes(b"x" + b"".join(members))
    with packing.reader(str(tmp_path / "x")) as file:
        assert file.next_member(b"WARC/")
        assert file.read(99) == b"WARC/1.0 one"
        assert file.next_member(b"WARC/")  # follows at once
        assert file.read(99) == b"anything"


BOMB = """
import resource, sys
from unquilt import _native
with getattr(_native, sys.argv[2])(sys.argv[1]) as file:
    assert file.read(1000) == bytes(1000)
    while file.read(1 << 16) == bytes(1 << 16) and file.consumed < 30_000:
        pass
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert file.next_member()
    assert file.read(10) == b"after"
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def zeros(size: int) -> dict[str, bytes]:
    """So many MiB of zeros."""
    gzip, zstd = zlib.compressobj(1, zlib.DEFLATED, 31), zstandard.ZstdCompressor().compressobj()
    return {
        reader: b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(size)), packer.flush()])
        for reader, packer in {"Gunzip": gzip, "Unzstd": zstd}.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["Gunzip", "Unzstd"])
def test_a_bomb_takes_no_memory(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(zeros(512)[reader] + (member if reader == "Gunzip" else frame)(b"after"))
    run = [sys.executable, "-c", BOMB, str(path), reader]
    grown = subprocess.run(run, check=True, capture_output=True, text=True)
    assert int(grown.stdout) < 20_000


GZIP = b"\x1f\x8b\x08"
HOSTILE = {
    "bare": GZIP,
    "headers": GZIP + b"\0\0\0\0\0\0\3",
    "names": GZIP + b"\x08\1\1\1\1\1\3",
    "extra fields": GZIP + b"\x06\0\0\0\0\0\3\xff\xff",
    "empty blocks": GZIP + b"\0\0\0\0\0\0\3" + b"\0\0\0\xff\xff" * 18,
    "endless blocks": GZIP + b"\0\0\0\0\0\0\3" + b"\0\xff\xff\0\0" + b"abcde",
    "bare zstd": ZSTD,
    "headers of zstd": HEADER,
    "raw zstd": HEADER + block(RAW, 1 << 17, b""),
    "compressed zstd": HEADER + block(COMPRESSED, 1 << 17, b""),
    "small compressed zstd": HEADER + block(COMPRESSED, 99, b""),
    "runs of zstd": HEADER + block(RUN, 8, b"x"),
    "text of zstd": frame(TEXT, size=False)[:9000],
    "windows of zstd": ZSTD + b"\0\xf8" + block(RAW, 1 << 17, b""),
    "no frames of zstd": b"y" + skippable(b"")[:4] + b"\0\0\1\0",
    "chains of zstd": HEADER + block(COMPRESSED, 5, b"\xff" * 5) + block(RAW, 0, b"") * 20,
}


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_a_million_false_beginnings(tmp_path: Path, unit: str) -> None:
    """None of them makes the search more than linear, nor what is decoded; and what follows is found."""
    path, reader = tmp_path / "x", Unzstd if "zstd" in unit else Gunzip
    content = b"x" + HOSTILE[unit] * min(10**6, 4_000_000 // len(HOSTILE[unit])) + b"\xff" * 200_000
    path.write_bytes(content + (frame if reader is Unzstd else member)(TEXT))
    total = 0
    with reader(str(path)) as file:
        while file.next_member():
            total += file.consumed - file.member
            data = file.read(1 << 30)
            total += len(data)
    assert data == TEXT
    assert total < 3 * len(content) + (40 << 20)
