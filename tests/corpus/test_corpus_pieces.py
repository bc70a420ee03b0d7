"""Pieces: however a corpus is cut and packed, the same records come out in the same order."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unquilt.corpus.find.inputs import find
from unquilt.corpus.find.pieces import Piece, pieces
from unquilt.corpus.options import Fields, Limits, Reading
from unquilt.corpus.read import PieceReader
from unquilt.corpus.sources import Slice, Source
from unquilt.errors import InputError

MIB = 1 << 20


def rows(made: list[Piece]) -> tuple[list[Any], list[Any]]:
    batches = [batch for piece in made for batch in PieceReader(piece).batches()]
    documents = [row for batch in batches for row in batch.documents.to_pylist()]
    return documents, [row for batch in batches for row in batch.rejects.to_pylist()]


def spans(made: list[Piece]) -> list[list[tuple[str, int, int | None]]]:
    return [[(part.source.path, part.begin, part.end) for part in piece.slices] for piece in made]


def test_jsonl_is_cut_by_bytes_and_compressed_files_are_not() -> None:
    sources = [
        Source("big.jsonl", 200 * MIB, "jsonl"),
        Source("big.jsonl.gz", 200 * MIB, "jsonl", "gzip"),
        Source("big.txt", 200 * MIB, "text"),
        Source("just.jsonl", 64 * MIB, "jsonl"),
    ]
    edges = [0, 200 * MIB // 3, 400 * MIB // 3, 200 * MIB]
    assert spans(pieces(sources)) == [
        [("big.jsonl", edges[0], edges[1])],
        [("big.jsonl", edges[1], edges[2])],
        [("big.jsonl", edges[2], edges[3])],
        [("big.jsonl.gz", 0, None)],
        [("big.txt", 0, None)],
        [("just.jsonl", 0, None)],
    ]


def test_small_files_are_packed_in_order() -> None:
    sources = [Source(f"{i}.txt", size * MIB, "text") for i, size in enumerate([10, 20, 3, 40, 1, 1])]
    assert [[part.source.path[0] for part in piece.slices] for piece in pieces(sources)] == [
        ["0", "1"],
        ["2"],
        ["3"],
        ["4", "5"],
    ]


def test_tiny_files_do_not_make_an_endless_piece() -> None:
    sources = [Source(f"{i}.txt", 1, "text") for i in range(20_000)]
    assert [len(piece.slices) for piece in pieces(sources)] == [8192, 8192, 3616]


def test_pieces_are_numbered_equal_and_can_be_pickled() -> None:
    sources = [Source("a.jsonl", 1000 * MIB, "jsonl"), Source("b.bin", 5, "unknown")]
    made = pieces(sources, Reading(Fields(text="content")))
    assert [piece.number for piece in made] == list(range(len(made)))
    assert pickle.loads(pickle.dumps(made)) == made == pieces(sources, Reading(Fields(text="content")))
    assert made[-1].slices == (Slice(sources[1]),)


def test_parquet_is_cut_by_row_groups(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": [f"text {i} " * 50 for i in range(100)]}), file, row_group_size=7)
    sources = find([file])
    whole, cut = pieces(sources), pieces(sources, cut=10_000, pack=1)
    assert len(whole) == 1
    assert len(cut) > 5
    assert rows(cut) == rows(whole)
    assert [row["offset"] for row in rows(cut)[0]] == list(range(100))
    finest = pieces(sources, cut=1, pack=1)
    assert [(piece.slices[0].begin, piece.slices[0].end) for piece in finest] == [(i, i + 1) for i in range(15)]


def test_parquet_is_checked_before_anything_is_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"content": ["x"]}), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet: no column 'text' or 'html'; it has content"):
        pieces(find([tmp_path]))


def test_parquet_without_rows(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert rows(pieces(find([tmp_path]))) == ([], [])


lines = st.lists(
    st.sampled_from(
        [
            b'{"id": 1, "text": "one"}',
            '{"id": "é", "text": "zwölf\\n\\nBoxkämpfer"}'.encode(),
            b'{"text": "a longer text, so that it is over the limit of this test"}',
            b"",
            b" \r",
            b"{broken",
            b"\xff\xfe",
            b"[]",
            b'{"text": "\\ud800"}',
            b"x" * 200,
        ]
    )
)


@given(lines, st.booleans(), st.integers(1, 100), st.integers(1, 200))
def test_any_cut_gives_the_same_records(
    tmp_path: Path, content: list[bytes], newline: bool, cut: int, pack: int
) -> None:
    data = b"\n".join(content) + b"\n" * newline
    file = tmp_path / "a.jsonl"
    file.write_bytes(data)
    source = Source(str(file), len(data), "jsonl")
    reading = Reading(limits=Limits(max_bytes=60))
    expected = rows(pieces([source], reading))
    assert rows(pieces([source], reading, cut=cut, pack=pack)) == expected

    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(data))
    compressed = Source(str(packed), packed.stat().st_size, "jsonl", "gzip", alias=str(file))
    assert rows(pieces([compressed], reading)) == expected

    documents, rejects = expected
    offsets = {row["offset"] for row in documents} | {row["offset"] for row in rejects}
    starts = [0, *(i + 1 for i, byte in enumerate(data) if byte == 10)]
    assert offsets == {i for i in starts if data[i:].partition(b"\n")[0].strip()}


def test_order_over_several_files(tmp_path: Path) -> None:
    for name in "bca":
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps({"text": f"{name}{i}"}) + "\n" for i in range(9)))
    (tmp_path / "d.txt").write_text("d0")
    sources = find([tmp_path / "c.jsonl", tmp_path])
    expected = [f"{name}{i}" for name in "cab" for i in range(9)] + ["d0"]
    for cut, pack in [(1, 1), (20, 5000), (50, 100_000), (MIB, MIB)]:
        assert [row["text"] for row in rows(pieces(sources, cut=cut, pack=pack))[0]] == expected
