"""Parquet: the types of columns, missing columns, broken files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unquilt.corpus.inputs import find
from unquilt.corpus.options import Fields, Limits, Reading
from unquilt.corpus.pieces import pieces
from unquilt.corpus.read import read
from unquilt.errors import InputError

TEXTS = ["Größe\n\nzählt", "", None, "a\0b"]


def rows(
    path: Path, limits: Limits | None = None, fields: Fields | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    reading = Reading(fields or Fields(), limits or Limits())
    batches = [batch for piece in pieces(find([path]), reading) for batch in read(piece)]
    for batch in batches:
        batch.documents.validate(full=True)
    documents = [row for batch in batches for row in batch.documents.to_pylist()]
    return documents, [row for batch in batches for row in batch.rejects.to_pylist()]


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.large_string()),
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
    ],
    ids=str,
)
def test_types_of_text(kind: pa.DataType, tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    plain = pa.array(TEXTS)
    if pa.types.is_dictionary(kind):
        texts = plain.dictionary_encode().cast(kind)
    else:
        texts = plain.cast(pa.binary()).cast(kind) if "binary" in str(kind) else plain.cast(kind)
    pq.write_table(pa.table({"text": texts, "id": texts, "url": texts}), file)
    documents, (reject,) = rows(file)
    assert [row["text"] for row in documents] == ["Größe\n\nzählt", "", "a\0b"]
    assert [row["id"] for row in documents] == ["Größe\n\nzählt", f"{file}#1", "a\0b"]
    assert [row["offset"] for row in documents] == [0, 1, 3]
    assert documents[0]["chunks"] == [{"begin": 0, "end": 5}, {"begin": 7, "end": 12}]
    assert documents[0]["raw_sha1"] == hashlib.sha1("Größe\n\nzählt".encode()).digest()
    assert (reject["offset"], reject["reason"], reject["detail"]) == (2, "no text", "column 'text' is null")


@pytest.mark.parametrize(
    ("values", "ids"),
    [
        (pa.array([17, None, -3], pa.int64()), ["17", "#1", "-3"]),
        (pa.array([255, 0, 1], pa.uint8()), ["255", "0", "1"]),
        (pa.array([1.5, None, float("nan")]), ["1.5", "#1", "#2"]),
        (pa.array([5, 5, None]).dictionary_encode(), ["5", "5", "#2"]),
        (pa.array([True, False, None]), ["#0", "#1", "#2"]),
        (pa.array([[1], [], None]), ["#0", "#1", "#2"]),
        (pa.array([0, 1, None], pa.timestamp("us", "Europe/Rome")), ["#0", "#1", "#2"]),
        (pa.nulls(3), ["#0", "#1", "#2"]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else None,
)
def test_types_of_ids(values: pa.Array, ids: list[str], tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": values, "url": values, "ip": values, "text": ["a", "b", "c"]}), file)
    documents, rejects = rows(file)
    assert not rejects
    assert [row["id"].removeprefix(str(file)) for row in documents] == ids
    assert [row["url"] for row in documents] == [None] * 3


def test_columns_may_be_missing_or_mapped(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"content": ["x"], "server": ["192.0.2.1"], "nested": [{"text": "no"}]}), file)
    (document,), _ = rows(file, fields=Fields(text="content", ip="server"))
    assert (document["id"], document["ip"], document["url"]) == (f"{file}#0", "192.0.2.1", None)
    (document,), _ = rows(file, fields=Fields(text="content", id="content"))
    assert document["id"] == "x"


def test_bad_rows(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    texts = pa.array([b"good", b"\xff", b"x" * 11, b"\xed\xa0\x80", b"good"], pa.binary()).view(pa.string())
    ids = pa.array([b"a", b"b", b"c", b"d", b"\xff"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"id": ids, "text": texts}), file)
    documents, rejects = rows(file, Limits(max_bytes=10))
    assert [row["id"] for row in documents] == ["a"]
    assert [(row["offset"], row["reason"]) for row in rejects] == [
        (1, "not utf-8"),
        (2, "too large"),
        (3, "not utf-8"),
        (4, "not utf-8"),
    ]


def test_without_footer(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["x" * 1000]}), file)
    for size in (4, 100, file.stat().st_size - 1):
        broken = tmp_path / "broken.parquet"
        broken.write_bytes(file.read_bytes()[:size])
        with pytest.raises(InputError, match=r"broken\.parquet: not a complete Parquet file"):
            pieces(find([broken]))


def test_without_the_column(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": ["x"], "body": ["x"], "n": [1]}), file)
    with pytest.raises(InputError, match=r"a\.parquet: no column 'text' or 'html' \(it has id, body, n\)"):
        pieces(find([file]))
    with pytest.raises(InputError, match=r"a\.parquet: column 'n' is int64, not a string"):
        pieces(find([file]), Reading(Fields(text="n")))


def test_a_corrupt_row_group_is_not_the_end(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    texts = [hashlib.sha256(str(i).encode()).hexdigest() for i in range(3000)]
    pq.write_table(pa.table({"text": texts}), file, row_group_size=1000, use_dictionary=False, compression="zstd")
    column = pq.ParquetFile(file).metadata.row_group(1).column(0)
    data = bytearray(file.read_bytes())
    middle = column.data_page_offset + column.total_compressed_size // 2
    data[middle : middle + 200] = bytes(200)
    file.write_bytes(data)
    documents, (reject,) = rows(file)
    assert [row["text"] for row in documents] == texts[:1000] + texts[2000:]
    assert (reject["offset"], reject["reason"]) == (1000, "corrupt parquet")
    assert "1000 rows lost in row group 1" in reject["detail"]


def test_large_rows_come_in_small_batches(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["x" * (3 << 20)] * 10}), file, compression="zstd")
    (piece,) = pieces(find([file]))
    assert [batch.documents.num_rows for batch in read(piece)] == [3, 3, 3, 1]
