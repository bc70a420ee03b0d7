"""Rows of Python as inputs: dicts, batches, and data sets that yield them; and the rows that a run keeps of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unquilt as uq
from unquilt.errors import ParameterError, RunError

ROWS = [{"text": "one two three", "n": 1}, {"text": "one two three", "n": 2}, {"text": "four", "n": None}]


class Streamed:
    """What a data set of Hugging Face has, and unquilt uses: batches of Arrow, one after the other."""

    def __init__(self, rows: list[dict[str, Any]], kind: str = "") -> None:
        self._rows, self._kind = rows, kind

    def with_format(self, type: str) -> Streamed:  # noqa: A002
        return Streamed(self._rows, type)

    def iter(self, batch_size: int) -> Iterator[pa.Table]:
        assert (self._kind, batch_size) == ("arrow", 1000)
        for row in self._rows:
            yield pa.Table.from_pylist([row], schema=pa.schema([("text", pa.string()), ("n", pa.int8())]))


@pytest.mark.parametrize(
    "inputs",
    [
        ROWS,
        iter(ROWS),
        (row for row in ROWS),
        Streamed(ROWS),
        [pa.Table.from_pylist(ROWS)],
        pa.Table.from_pylist(ROWS).to_batches(),
    ],
    ids=["list", "iterator", "generator", "dataset", "tables", "batches"],
)
def test_rows_are_read(inputs: Any, tmp_path: Path) -> None:
    run = uq.neardups(inputs, tmp_path / "run", threshold=0.8)
    run.export(tmp_path / "kept.parquet", kept=True)
    assert pq.read_table(tmp_path / "kept.parquet").to_pylist() == [ROWS[0], ROWS[2]]


def test_rows_that_are_kept(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([{"text": None, "n": 0}, *ROWS])
    assert uq.neardups(table, threshold=0.8).kept_rows() == [1, 3]
    assert uq.neardups(Streamed(ROWS), threshold=0.8).kept_rows() == [0, 2]
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n')
    run = uq.neardups(tmp_path / "a.jsonl")
    with pytest.raises(RunError, match="its input was not one table"):
        run.kept_rows()


@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        ([{"text": "a", "x": object()}], "row 0 of the inputs cannot be read"),
        (iter([{"text": "a"}, 5]), "inputs must yield dicts or Arrow tables, not 5"),
        (5, "inputs must be paths"),
        ({"text": "a"}, "inputs must be paths"),
    ],
)
def test_what_is_no_row_is_refused(inputs: Any, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        uq.ingest(inputs)


def test_documents_are_annotated(tmp_path: Path) -> None:
    rows = [row | {"id": f"p{number}", "similarity": "own"} for number, row in enumerate(ROWS)]
    run = uq.neardups(rows, tmp_path / "run", threshold=0.8)
    assert run.export(tmp_path / "all.parquet", annotate=True).rows == 3
    made = pq.read_table(tmp_path / "all.parquet").to_pylist()
    assert made == [
        rows[0] | {"keep": True, "duplicate_of": None, "unquilt_similarity": None},
        rows[1] | {"keep": False, "duplicate_of": "p0", "unquilt_similarity": 1.0},
        rows[2] | {"keep": True, "duplicate_of": None, "unquilt_similarity": None},
    ]
    run.export(tmp_path / "some.jsonl", annotate=True, columns=["id"], where="not keep", sort="-duplicate_of")
    assert (tmp_path / "some.jsonl").read_text() == '{"id":"p1"}\n'
    with pytest.raises(ParameterError, match="leave out table, kept, dropped and without"):
        run.export(tmp_path / "x.jsonl", annotate=True, kept=True)
    with pytest.raises(ParameterError, match="has nothing to annotate documents with"):
        run.corpus.export(tmp_path / "x.jsonl", annotate=True)
    quilts = uq.quilts(rows, tmp_path / "quilts")
    quilts.export(tmp_path / "quilts.parquet", annotate=True)
    assert "quilt" in pq.read_schema(tmp_path / "quilts.parquet").names
