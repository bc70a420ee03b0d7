"""The zstd reader of the core: all kinds of frames and blocks, and where a frame ends although it is broken."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from packed import COMPRESSED, HEADER, NOISE, RAW, RUN, TEXT, ZSTD, block, frame, read, skippable, stored_frame, words

from unquilt._native import Unzstd


def streamed(data: bytes) -> bytes:
    """A frame whose writer flushed often, and so has many small blocks."""
    packer = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    pieces = [data[i : i + 1000] for i in range(0, len(data), 1000)]
    flushed = (packer.compress(piece) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK) for piece in pieces)
    return b"".join(flushed) + packer.flush()


FRAMES = {
    "raw": stored_frame(NOISE * 3),
    "runs": HEADER + block(RUN, 100_000, b"a") + block(RUN, 1, b"b") + block(RUN, 0, b"c", last=True),
    "compressed": frame(TEXT * 10),
    "hard": frame(TEXT, 19),
    "fast": frame(TEXT, -5),
    "without checksum": frame(TEXT, checksum=False),
    "without size": frame(TEXT, size=False),
    "many blocks": streamed(TEXT),
    "empty blocks": HEADER + block(RAW, 0, b"") * 1000 + block(RAW, 1, b"x", last=True),
    "empty": frame(b""),
    "one byte": frame(b"x"),
    "256 bytes": frame(NOISE[:256]),
    "70,000 bytes": frame(NOISE[:70_000]),
}


@pytest.mark.parametrize("size", [1, 7, 1 << 16, 1 << 17, 1 << 30])
@pytest.mark.parametrize("kind", FRAMES)
def test_all_kinds_of_frames(tmp_path: Path, kind: str, size: int) -> None:
    packed = FRAMES[kind]
    if size == 1:
        packed = packed if len(packed) < 200_000 else FRAMES["one byte"]
    data = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    assert read(Unzstd, tmp_path / "x", packed * 2, size) == [(data, None)] * 2


def test_frames_that_are_none(tmp_path: Path) -> None:
    bad = {
        "no zstd header": b"\x28\xb5\x2f\xfc" + bytes(20),
        "unknown flags in a zstd header": ZSTD + b"\x08" + bytes(20),
        "a zstd block of no known type": HEADER + block(3, 5, bytes(20)),
        "a zstd block that is too large": HEADER + block(RAW, (1 << 17) + 1, bytes(20)),
        "asks for a window of 2147483648 bytes, more than 134217728": ZSTD + b"\0\xa8" + block(RAW, 9, bytes(20)),
        "dictionary mismatch": ZSTD + b"\x01\x58\x07" + block(RAW, 9, bytes(20)),
        "broken zstd data": HEADER + block(COMPRESSED, 9, bytes(20)),
    }
    for why, content in bad.items():
        (tmp_path / "x").write_bytes(content)
        with Unzstd(str(tmp_path / "x")) as file:
            assert file.read(10) == b""
            assert file.fault == ("corrupt zstd", why)
            assert not file.next_member()


def test_what_is_before_a_bad_block_comes_out(tmp_path: Path) -> None:
    """And the frame behind is found at once, though it begins with no record; what is stored inside is no frame."""
    inner = frame(b"WARC/1.0 inner")
    good = block(RAW, 5, b"good ") + block(RUN, 3, b"!")
    bad = block(COMPRESSED, 20, b"\xff" * 20) + block(RAW, len(inner), inner) + block(RAW, 0, b"", last=True)
    path = tmp_path / "x"
    path.write_bytes(HEADER + good + bad + frame(b"after"))
    with Unzstd(str(path)) as file:
        assert file.read(99) == b"good !!!"
        assert file.fault is not None
        assert file.consumed == len(HEADER + good + bad)
        assert file.next_member(b"WARC/")
        assert (file.skipped, file.read(99)) == (None, b"after")


def test_broken_frames_one_after_the_other(tmp_path: Path) -> None:
    """Each has its own fault."""
    parts = [frame(words(50, seed)) for seed in range(9)]
    broken = [part[:-1] + bytes([part[-1] ^ 1]) for part in parts]
    found = read(Unzstd, tmp_path / "x", b"".join([parts[0], *broken[1:8], parts[8]]))
    assert [fault for _, fault in found] == [None, *["corrupt zstd"] * 7, None]
    assert [data for data, _ in found] == [words(50, seed) for seed in range(9)]


def test_skippable_frames_are_passed_over(tmp_path: Path) -> None:
    extra = skippable(NOISE[:3000]) + skippable(b"", 15)
    path = tmp_path / "x"
    path.write_bytes(extra + frame(b"one") + extra + frame(b"two") + extra)
    with Unzstd(str(path)) as file:
        assert (file.member, file.read(9)) == (len(extra), b"one")
        assert file.next_member()
        assert (file.member, file.skipped, file.read(9)) == (2 * len(extra) + len(frame(b"one")), None, b"two")
        assert not file.next_member()
        assert file.skipped is None
    assert read(Unzstd, path, extra) == [(b"", None)]


@pytest.mark.parametrize("length", [0, 1, 50, 1 << 31])
def test_a_skippable_frame_that_lies_swallows_nothing(tmp_path: Path, length: int) -> None:
    lie = skippable(bytes(10))[:4] + length.to_bytes(4, "little") + bytes(10)
    found = read(Unzstd, tmp_path / "x", frame(b"one") + lie + frame(b"two") + lie)
    assert found == [(b"one", None), (b"two", None)]


@pytest.mark.parametrize("packed", [False, True])
def test_frames_with_a_dictionary_in_the_file_are_read(tmp_path: Path, packed: bool) -> None:
    dictionary = zstandard.train_dictionary(3000, [words(20, seed) for seed in range(2000)])
    packer = zstandard.ZstdCompressor(dict_data=dictionary, write_checksum=True)
    data = frame(dictionary.as_bytes()) if packed else dictionary.as_bytes()
    texts = [words(30, seed) for seed in range(20)]
    content = skippable(data, 13) + b"".join(map(packer.compress, texts))
    assert read(Unzstd, tmp_path / "x", content) == [(text, None) for text in texts]
    with Unzstd(str(tmp_path / "x")) as file:
        assert file.find_member(len(content) // 2, b"1")  # a trial needs it too
    for damage in (skippable(data[:99], 13), skippable(data, 12), skippable(NOISE[:3000], 13)):
        found = read(Unzstd, tmp_path / "x", damage + b"".join(map(packer.compress, texts)))
        assert {fault for _, fault in found} == {"corrupt zstd"}


@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(range(3)), st.integers(0, 300), st.booleans()), max_size=20), st.data())
def test_frames_of_any_blocks(tmp_path: Path, blocks: list[tuple[int, int, bool]], data: st.DataObject) -> None:
    """We and libzstd agree on what is in a frame, and whether it is one."""
    content = HEADER
    for kind, size, last in blocks:
        content += block(kind, size, random.Random(size).randbytes(1 if kind == RUN else size), last)
    content = content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content
    theirs = zstandard.ZstdDecompressor().decompressobj()
    try:
        expected, sound = theirs.decompress(content), theirs.eof
    except zstandard.ZstdError:
        expected, sound = None, False
    (tmp_path / "x").write_bytes(content + frame(b"after"))
    with Unzstd(str(tmp_path / "x")) as file:
        found = file.read(1 << 20)
        assert (file.fault is None) == sound or not theirs.eof
        if sound:
            assert found == expected
            assert file.consumed == len(content) - len(theirs.unused_data)
