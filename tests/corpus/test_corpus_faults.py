"""Broken gzip files, read whole or in parts: each record and each fault comes once, whoever reads it."""

from __future__ import annotations

import gzip
import json
import pickle
import random
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unquilt.corpus.find.pieces import Piece, pieces
from unquilt.corpus.read import PieceReader
from unquilt.corpus.readers.compression import Stream, index
from unquilt.corpus.sources import Source

FLUSHES = (zlib.Z_BLOCK, zlib.Z_PARTIAL_FLUSH, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH)  # the first two end inside a byte
# A seed is drawn, not each number: Hypothesis refuses tests that draw as much as these files have bytes.
RANDOMS = st.randoms(use_true_random=True)


def rows(made: list[Piece]) -> tuple[list[Any], list[Any]]:
    batches = [batch for piece in made for batch in PieceReader(piece).batches()]
    documents = [row for batch in batches for row in batch.documents.to_pylist()]
    return documents, [row for batch in batches for row in batch.rejects.to_pylist()]


def source(path: Path) -> Source:
    return Source(str(path), path.stat().st_size, "jsonl", "gzip")


def line(rng: random.Random) -> bytes:
    text = " ".join(str(rng.randrange(1000)) for _ in range(rng.choice((1, 10, 300, 2000))))
    return rng.choice((json.dumps({"text": text}).encode(),) * 4 + (b"", b"{broken", b"\xff", text.encode()))


def pack(rng: random.Random, data: bytes) -> bytes:
    """A member of many blocks."""
    packer = zlib.compressobj(rng.choice((0, 1, 6)), zlib.DEFLATED, 31, 9, rng.choice((0, 0, zlib.Z_FIXED)))
    packed = b""
    while data:
        size = rng.randint(1, 4000)
        packed += packer.compress(data[:size]) + packer.flush(rng.choice(FLUSHES))
        data = data[size:]
    return packed + packer.flush()


def damage(rng: random.Random, packed: bytes) -> bytes:
    begin = rng.randrange(len(packed) + 1)
    end = min(len(packed), begin + rng.choice((0, 1, 1, 1, 1, 300)))
    put = [b"", rng.randbytes(end - begin), bytes(rng.randrange(50)), rng.randbytes(rng.randrange(50))]
    return packed[:begin] if rng.random() < 0.1 else packed[:begin] + rng.choice(put) + packed[end:]


def corpus(rng: random.Random) -> bytes:
    """A gzip file of lines: in one member or many, that end with a line or anywhere, intact or broken."""
    lines = [line(rng) + b"\n" for _ in range(rng.randrange(20))]
    data = b"".join(lines).removesuffix(b"\n" * rng.randrange(2))
    members = []
    while data:
        size = rng.choice((len(data), rng.randrange(len(data)), data.find(b"\n") + 1))
        members.append(pack(rng, data[:size]))
        data = data[size:]
    packed = b"".join(members) + pack(rng, b"")
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        packed = damage(rng, packed)
    return packed


@pytest.mark.slow
@settings(max_examples=40)
@given(RANDOMS, st.integers(1, 20_000))
def test_a_stream_can_be_entered_at_any_point_of_its_index(tmp_path: Path, rng: random.Random, span: int) -> None:
    path = tmp_path / "x"
    path.write_bytes(corpus(rng))
    with Stream(str(path), "gzip") as stream:
        whole, faults = stream.read(), list(stream.faults)
    points = index(str(path), span)
    assert points[0] == (0, b"")
    assert points[-1] == (len(whole), b"")
    for offset, checkpoint in rng.sample(points[:-1], min(len(points) - 1, 20)):
        with Stream(str(path), "gzip", offset, checkpoint) as stream:
            assert stream.read() == whole[offset:]
            later = list(stream.faults)
        assert later == faults[len(faults) - len(later) :]
        assert all(fault.offset <= offset for fault in faults[: len(faults) - len(later)])


@pytest.mark.slow
@given(RANDOMS, st.integers(1, 20_000), st.integers(1, 20_000), st.integers(1, 100_000))
def test_any_cut_gives_the_same_records_and_rejects(
    tmp_path: Path, rng: random.Random, span: int, cut: int, many: int
) -> None:
    path = tmp_path / "x"
    path.write_bytes(corpus(rng))
    whole = source(path)
    indexed = replace(whole, index=index(str(path), span))
    made = pieces([indexed], cut=cut, pack=many)
    assert rows(made) == rows(pieces([whole]))
    assert all(not part.source.index for piece in made for part in piece.slices)
    assert pickle.loads(pickle.dumps(made)) == made


def test_slices_follow_the_index(tmp_path: Path) -> None:
    path = tmp_path / "x"
    rng = random.Random(1)
    path.write_bytes(pack(rng, b"".join(line(rng) + b"\n" for _ in range(200))))
    points = index(str(path), 5000)
    parts = [piece.slices for piece in pieces([replace(source(path), index=points)], cut=20_000, pack=1)]
    assert all(len(slices) == 1 for slices in parts)
    slices = [slices[0] for slices in parts]
    assert len(slices) > 5
    assert (slices[0].begin, slices[-1].end) == (0, None)
    assert [part.end for part in slices[:-1]] == [part.begin for part in slices[1:]]
    assert all((part.begin - 1, part.checkpoint) in points for part in slices[1:])
    assert all(20_000 <= part.weight <= 40_000 for part in slices[:-1])
    assert sum(part.weight for part in slices) == points[-1][0]


def test_one_broken_member_costs_one_record(tmp_path: Path) -> None:
    path = tmp_path / "x"
    lines = [json.dumps({"id": i, "text": f"text {i}"}).encode() + b"\n" for i in range(100)]
    members = [bytearray(gzip.compress(each)) for each in lines]
    members[17][10] |= 6  # a block of no known type
    members[60][-6] ^= 1
    members[80][0] ^= 1
    del members[99][-20:]
    path.write_bytes(b"".join(members))
    documents, rejects = rows(pieces([source(path)]))
    lost = set(range(100)) - {int(row["id"]) for row in documents}
    assert lost == {17, 80, 99}  # what the wrong checksum belongs to was read before it was known
    assert [row["reason"] for row in rejects] == ["corrupt gzip", "corrupt gzip", "garbage", "truncated gzip"]
