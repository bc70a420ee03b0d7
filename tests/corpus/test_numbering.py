"""Texts are written once: their numbers, and columns whose types were not known, are put beside them later."""

from __future__ import annotations

import json
import random
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from unnumbered import read_texts

import unquilt
from unquilt.corpus.find.inputs import find
from unquilt.corpus.find.pieces import pieces
from unquilt.corpus.given import make_plan
from unquilt.corpus.options import Reading
from unquilt.corpus.write import batches, parts
from unquilt.corpus.write.numbering import _measure_room, _pack_numbers
from unquilt.corpus.write.parts import ReadPiece, WritePart, read_piece, write_part
from unquilt.corpus.write.results import given_path, said_path
from unquilt.errors import RunError
from unquilt.flow.kept import Kept
from unquilt.tables.corpus import DOCUMENTS


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WritePart:
    """Fifty documents in row groups of seven, with a column beside them, that wait for their numbers."""
    monkeypatch.setattr(batches, "BATCH_ROWS", 7)
    rows = [{"id": f"d{i}", "text": f"text {i} " * (i % 5), "n": i / 2} for i in range(50)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (piece,) = pieces(find([tmp_path / "a.jsonl"]))
    read = read_piece(ReadPiece(piece, tmp_path / "piece-0.texts"))
    plan = make_plan([("a.jsonl", read.given)], Reading())
    return WritePart(read.path, tmp_path / "part.parquet", 4_000_000_000, tmp_path, plan)


def test_a_part_is_what_was_read_with_numbers(waiting: WritePart) -> None:
    texts = read_texts(waiting.source)
    written = waiting.source.stat().st_size
    assert write_part(waiting) == waiting.target.stat().st_size
    assert waiting.target.stat().st_size - written < 8 * 3_000  # what a footer says of eight row groups
    assert not any(path.exists() for path in (waiting.source, said_path(waiting.source), given_path(waiting.source)))
    table = pq.ParquetFile(waiting.target, page_checksum_verification=True).read()
    assert table["doc"].to_pylist() == list(range(waiting.first, waiting.first + 50))
    assert table.select(texts.schema.names).equals(texts)
    assert table["n"].to_pylist() == [i / 2 for i in range(50)]
    kept = Kept.of(DOCUMENTS.name, waiting.target).checked(DOCUMENTS)
    assert [split.keys for split in kept.splits()][:2] == [
        (4_000_000_000, 4_000_000_006),
        (4_000_000_007, 4_000_000_013),
    ]
    assert kept.between(4_000_000_006, 4_000_000_008, ["doc", "id"])["id"].to_pylist() == ["d6", "d7", "d8"]


def test_other_readers_of_parquet_see_the_same(waiting: WritePart) -> None:
    write_part(waiting)
    expected = pq.read_table(waiting.target, columns=["doc", "id", "text", "n"]).to_pylist()
    asked = f"SELECT doc, id, text, n FROM '{waiting.target}' ORDER BY doc"
    assert duckdb.sql(asked).to_arrow_table().to_pylist() == expected
    assert duckdb.sql(f"SELECT id FROM '{waiting.target}' WHERE doc = 4000000033").fetchall() == [("d33",)]


def test_each_row_group_is_in_the_middle_of_one_range_of_bytes(waiting: WritePart) -> None:
    """Spark's own reader gives a row group to whoever has its middle, and takes the first column for its beginning."""
    write_part(waiting)
    metadata, size = pq.read_metadata(waiting.target), waiting.target.stat().st_size
    begins, middles = [], []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        first = group.column(0)
        assert first.path_in_schema == "doc"
        packed = sum(group.column(at).total_compressed_size for at in range(group.num_columns))
        begins.append(first.data_page_offset)
        middles.append(begins[-1] + packed // 2)
    assert begins == sorted(begins)
    assert all(4 <= middle < size for middle in middles)


@pytest.mark.parametrize("left", ["numbers", "half of a footer", "all but the name"])
def test_an_attempt_that_was_cut_off_leaves_no_trace(waiting: WritePart, tmp_path: Path, left: str) -> None:
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write_part(waiting)
    whole = waiting.target.read_bytes()
    waiting.target.unlink()
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    read = len(before[waiting.source.name])
    cut = {"numbers": read, "half of a footer": (read + len(whole)) // 2, "all but the name": len(whole)}[left]
    waiting.source.write_bytes(whole[:cut])
    write_part(waiting)
    assert waiting.target.read_bytes() == whole


def test_a_second_attempt_that_comes_late_changes_nothing(waiting: WritePart) -> None:
    """It has opened the file, and finds what was beside it gone: columns would be lost without notice."""
    with waiting.source.open("r+b") as file:
        write_part(waiting)
        whole = waiting.target.read_bytes()
        with pytest.raises(FileNotFoundError):
            parts._number(waiting, file)
    assert write_part(waiting) == len(whole)
    assert waiting.target.read_bytes() == whole


def test_a_note_that_is_damaged_is_not_believed(waiting: WritePart) -> None:
    said = bytearray(said_path(waiting.source).read_bytes())
    said[len(said) // 2] ^= 1
    said_path(waiting.source).write_bytes(said)
    with pytest.raises(RunError, match="does not match its checksum"):
        write_part(waiting)


def test_there_is_room_for_all_numbers() -> None:
    draw = random.Random(5)
    for rows in (1, 2, 31, 32, 33, 128, 129, 1000, 8192, 30_000):
        room = _measure_room(rows)
        assert room < 100 + rows / 20 + 80
        for first in (0, 1, 63, 64, (1 << 32) - rows, *(draw.randrange(1 << 32) for _ in range(20))):
            assert len(_pack_numbers(first, rows)[0]) <= room


def test_a_column_whose_type_becomes_wider_leaves_the_texts_alone(tmp_path: Path) -> None:
    """Ids are numbers in one file and texts in another; the texts of both are written once."""
    pq.write_table(pa.table({"id": pa.array([1, 2]), "text": ["one", "two"]}), tmp_path / "a.parquet")
    (tmp_path / "b.jsonl").write_text('{"id": "x", "text": "three", "more": [1, 2]}\n')
    corpus = unquilt.ingest([tmp_path / "b.jsonl", tmp_path / "a.parquet"], tmp_path / "corpus")
    rows = [row for path in sorted((corpus.path / "documents").iterdir()) for row in pq.read_table(path).to_pylist()]
    assert [(row["doc"], row["id"], row["text"], row["more"]) for row in rows] == [
        (0, "x", "three", [1, 2]),
        (1, "1", "one", None),
        (2, "2", "two", None),
    ]
