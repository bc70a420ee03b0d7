"""Compressed streams give all that can be decoded, and say where something is missing."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from unquilt.corpus.readers.compression import Fault, Stream, tell_compression

TEXT = b"".join(
    b"line %d of some text, which is not very exciting\n" % random.Random(i).randrange(10**9) for i in range(20_000)
)


def compress_zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


COMPRESS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "zstd": compress_zstd}
each = pytest.mark.parametrize("codec", COMPRESS)


def decode(path: Path, content: bytes) -> tuple[bytes, list[Fault]]:
    path.write_bytes(content)
    with Stream(str(path), tell_compression(content[:4])) as stream:
        return stream.read(), list(stream.faults)


@each
def test_a_whole_file_is_recognised_and_decoded(codec: str, tmp_path: Path) -> None:
    packed = COMPRESS[codec](TEXT)
    assert tell_compression(packed) == codec
    assert decode(tmp_path / "x", packed) == (TEXT, [])


@each
def test_members_are_read_through(codec: str, tmp_path: Path) -> None:
    packed = b"".join(COMPRESS[codec](part) for part in (b"one\n", b"", TEXT, b"two\n"))
    assert decode(tmp_path / "x", packed) == (b"one\n" + TEXT + b"two\n", [])


@each
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 1.0])
def test_a_truncated_file_gives_what_it_has_and_a_fault(codec: str, share: float, tmp_path: Path) -> None:
    packed = COMPRESS[codec](TEXT)
    data, faults = decode(tmp_path / "x", packed[: max(5, int(share * (len(packed) - 1)))])
    assert [(fault.offset, fault.reason) for fault in faults] == [(len(data), f"truncated {codec}")]
    assert TEXT.startswith(data)
    assert share < 0.9 or len(data) > len(TEXT) // 2


@each
def test_truncated_second_member(codec: str, tmp_path: Path) -> None:
    data, faults = decode(tmp_path / "x", COMPRESS[codec](b"one\n") + COMPRESS[codec](TEXT)[:8])
    assert data == b"one\n"
    assert [(fault.offset, fault.reason) for fault in faults] == [(len(data), f"truncated {codec}")]


@each
def test_garbage_after_a_member(codec: str, tmp_path: Path) -> None:
    data, faults = decode(tmp_path / "x", COMPRESS[codec](TEXT) + b"garbage, more garbage")
    assert data == TEXT
    assert [(fault.offset, fault.reason) for fault in faults] == [(len(data), "garbage")]


@each
@pytest.mark.parametrize(("end", "between"), [(b"half a line", b"\n"), (b"a line\n", b"")])
def test_after_a_fault_a_line_begins(codec: str, end: bytes, between: bytes, tmp_path: Path) -> None:
    data, faults = decode(tmp_path / "x", COMPRESS[codec](end) + b"garbage" + COMPRESS[codec](TEXT))
    assert data == end + between + TEXT
    assert [(fault.offset, fault.reason) for fault in faults] == [(len(end), "garbage")]


def test_one_hole_is_one_fault(tmp_path: Path) -> None:
    broken = bytearray(gzip.compress(b"lost"))
    broken[10] |= 6  # a block of no known type
    empty = gzip.compress(b"")
    data, faults = decode(
        tmp_path / "x", b"".join([gzip.compress(b"one"), broken, empty, broken, gzip.compress(b"two")])
    )
    assert data == b"one\ntwo"
    assert [fault.offset for fault in faults] == [3]


@each
def test_lost_bytes_spare_the_next_member(codec: str, tmp_path: Path) -> None:
    first, second = COMPRESS[codec](TEXT[:50_000]), COMPRESS[codec](TEXT)
    for kept in range(7, len(first), 999):
        data, faults = decode(tmp_path / "x", first[:kept] + second)
        assert data.endswith(b"\n" * bool(data[: -len(TEXT)]) + TEXT)
        assert len(faults) == 1


def test_zstd_false_beginnings(tmp_path: Path) -> None:
    content = compress_zstd(b"one\n") + b"\x28\xb5\x2f\xfd" * 10_000 + compress_zstd(b"two\n")
    data, faults = decode(tmp_path / "x", content)
    assert data == b"one\ntwo\n"
    assert len(faults) == 1


def test_gzip_padding(tmp_path: Path) -> None:
    """Zeros that fill up the last block of a tape mean nothing; any others are a hole where something may have been."""
    packed = gzip.compress(b"one\n") + gzip.compress(b"two\n")
    for size in (512, 1024, 10_240):
        assert decode(tmp_path / "x", packed.ljust(size, b"\0")) == (b"one\ntwo\n", [])
    data, faults = decode(tmp_path / "x", packed + bytes(100))
    assert (data, [(fault.offset, fault.reason) for fault in faults]) == (b"one\ntwo\n", [(8, "garbage")])
    data, faults = decode(tmp_path / "x", packed + bytes(200_000) + packed)
    assert (data, [(fault.offset, fault.reason) for fault in faults]) == (b"one\ntwo\n" * 2, [(8, "garbage")])


def test_gzip_bad_checksum_keeps_everything(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[-6] ^= 1
    data, faults = decode(tmp_path / "x", bytes(packed))
    assert data == TEXT
    assert [(fault.offset, fault.reason) for fault in faults] == [(len(data), "corrupt gzip")]
    assert faults[0].detail == "checksum does not match"


def test_gzip_keeps_what_was_decoded_before_a_bad_byte(tmp_path: Path) -> None:
    first = zlib.compressobj(wbits=31)
    good = first.compress(TEXT) + first.flush(zlib.Z_FULL_FLUSH)
    data, faults = decode(tmp_path / "x", good + b"\xff" * 100)  # a block of the reserved type
    assert data == TEXT
    assert [(fault.offset, fault.reason) for fault in faults] == [(len(data), "corrupt gzip")]


def test_zstd_bit_flip_is_found_by_the_checksum(tmp_path: Path) -> None:
    packed = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(TEXT))
    packed[-1] ^= 1
    data, faults = decode(tmp_path / "x", bytes(packed))
    assert TEXT.startswith(data)
    assert [(fault.offset, fault.reason) for fault in faults] == [(len(data), "corrupt zstd")]


def test_zstd_skippable_frames(tmp_path: Path) -> None:
    skippable = b"\x52\x2a\x4d\x18" + (3000).to_bytes(4, "little") + bytes(3000)
    packed = skippable + compress_zstd(TEXT) + skippable
    assert tell_compression(packed) == "zstd"
    assert decode(tmp_path / "x", packed) == (TEXT, [])


@pytest.mark.slow
@each
def test_a_bomb_is_read_as_far_as_asked(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(COMPRESS[codec](bytes(200 << 20)))
    with Stream(str(path), codec) as stream:
        assert len(stream.read(1000)) == 1000


@each
@settings(max_examples=50)
@given(position=st.integers(0, 10**9), change=st.integers(1, 255))
def test_any_changed_byte_is_survived(codec: str, tmp_path: Path, position: int, change: int) -> None:
    packed = bytearray(COMPRESS[codec](TEXT[:50_000]))
    packed[position % len(packed)] ^= change
    path = tmp_path / "x"
    path.write_bytes(packed)
    with Stream(str(path), codec) as stream:
        data = stream.read(1 << 20)
        assert data == TEXT[:50_000] or stream.fault or codec == "zstd"  # zstd carries no checksum by default


@pytest.mark.parametrize("head", [b"", b"\x1f", b"\x1f\x8b", b"text", b"PAR1", b"\x28\xb5\x2f"])
def test_plain_files_are_not_taken_for_compressed_ones(head: bytes) -> None:
    assert tell_compression(head) is None
