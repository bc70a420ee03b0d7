"""Tables of a run: the writer gives the same bytes for the same rows, or leaves what was there."""

from __future__ import annotations

import errno
import tempfile
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_run import SCHEMA, compute, digests, names, open_run, rows

from unquilt.errors import RunError, StorageError
from unquilt.runs import TableWriter

VALUES = st.tuples(
    st.none() | st.integers(0, 5),
    st.none() | st.text(max_size=3),
    st.booleans(),
    st.none() | st.lists(st.integers(0, 3), max_size=3),
)
WIDE = pa.schema([("n", pa.int64()), ("s", pa.string()), ("b", pa.bool_()), ("l", pa.list_(pa.int32()))])


def table_bytes(folder, table, cuts):
    with TableWriter(folder, "t", table.schema, rows_per_group=7) as out:
        for begin, end in zip([0, *cuts], [*cuts, table.num_rows], strict=True):
            out.write(table.slice(begin, end - begin))
    return (folder / "t.parquet").read_bytes()


@settings(max_examples=60)
@given(st.lists(VALUES, max_size=40), st.data())
def test_bytes_depend_on_the_rows_alone(values, data):
    columns = list(zip(*values, strict=True)) or [()] * 4
    table = pa.table([pa.array(column, field.type) for column, field in zip(columns, WIDE, strict=True)], schema=WIDE)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=8)))
    with tempfile.TemporaryDirectory() as folder:
        assert table_bytes(Path(folder), table, cuts) == table_bytes(Path(folder), table, [])
        assert pq.ParquetFile(Path(folder) / "t.parquet").read().equals(table)


def test_row_groups_are_full_whatever_the_batches(tmp_path):
    table = rows("grams", 5, 140_000)
    with open_run(tmp_path / "out") as run:
        for name, size in (("small", 999), ("large", 140_000)):
            with run.writer(name, SCHEMA) as out:
                for batch in table.to_batches(max_chunksize=size):
                    out.write(batch)
            assert out.rows == 140_000
            assert out.bytes == (run.path / f"{name}.parquet").stat().st_size
        file = pq.ParquetFile(run.path / "small.parquet")
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        assert [group.num_rows for group in groups] == [65_536, 65_536, 8_928]
        assert groups[0].column(0).compression == "ZSTD"
        assert len(set(digests(run.path).values())) == 1


def test_table_without_rows_has_its_schema(tmp_path):
    with open_run(tmp_path / "out") as run:
        with run.writer("quilts", SCHEMA):
            pass
        run.mark("quilts", tables=["quilts"])
        assert run.quilts.equals(SCHEMA.empty_table())


def test_writer_that_fails_leaves_the_older_table(tmp_path):
    compute(tmp_path / "out", until="documents")
    before = digests(tmp_path / "out")
    with open_run(tmp_path / "out") as run:
        with suppress(KeyError), run.writer("documents", SCHEMA) as out:
            out.write(rows("other", 1, 70_000))
            assert ".documents.parquet.partial" in names(run.path)
            raise KeyError
        with pytest.raises(ValueError, match="field names"), run.writer("documents", SCHEMA) as out:
            out.write(pa.table({"x": [1]}))
        assert not list(run.path.glob(".*.partial"))
        assert digests(run.path) == before


def test_writer_casts_to_the_schema_and_refuses_what_would_vary(tmp_path, snapshots):
    with open_run(tmp_path / "out") as run:
        with run.writer("grams", SCHEMA) as out:
            out.write({"doc": [1, 2], "text": pa.array(["a", "b"]).dictionary_encode()})
        assert pq.read_schema(run.path / "grams.parquet") == SCHEMA
        with pytest.raises(TypeError, match="dictionary column"):
            run.writer("grams", pa.schema([("x", pa.dictionary(pa.int32(), pa.string()))]))
        with run.writer("grams", SCHEMA), snapshots.error(RunError):
            run.writer("grams", SCHEMA).__enter__()


def test_error_swallowed_by_the_caller_does_not_make_a_short_table(tmp_path, monkeypatch, snapshots):
    def fail(*_, **__):
        raise OSError(errno.EIO, "I/O error")

    with open_run(tmp_path / "out") as run:
        out = run.writer("grams", SCHEMA).__enter__()
        with monkeypatch.context() as patch, suppress(StorageError):
            patch.setattr(out._parquet, "write_table", fail)
            out.write(rows("grams", 5, 70_000))
        with snapshots.error(RunError):
            out.__exit__(None, None, None)
        assert names(run.path) == [".lock", "manifest.json"]
