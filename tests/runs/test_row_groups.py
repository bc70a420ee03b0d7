"""Tables of which many write the row groups: the same bytes as those that one writer makes."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unquilt.errors import RunError, StorageError
from unquilt.runs.row_groups import JoinedTable, pack_group, paste
from unquilt.runs.storage import partial_name
from unquilt.runs.tables import TableWriter
from unquilt.runs.thrift import (
    BINARY,
    BYTE,
    DOUBLE,
    FALSE,
    LIST,
    LONG,
    SHORT,
    STRUCT,
    TRUE,
    Elements,
    Struct,
    read_struct,
    write_struct,
)

SCHEMA = pa.schema(
    [
        pa.field("doc", pa.uint32(), nullable=False),
        ("text", pa.string()),
        ("share", pa.float64()),
        ("places", pa.list_(pa.uint64())),
        ("digest", pa.binary(16)),
        ("packed", pa.large_binary()),
        ("named", pa.bool_()),
    ],
    {"unquilt": "1"},
)


def make_rows(count: int) -> pa.Table:
    random = Random(count)
    columns: dict[str, Any] = {
        "doc": range(count),
        "text": [random.choice(["x", "yy", None, "z" * random.randrange(900)]) for _ in range(count)],
        "share": [random.random() for _ in range(count)],
        "places": [[1] * random.randrange(4) for _ in range(count)],
        "digest": [random.randbytes(16) for _ in range(count)],
        "packed": [random.randbytes(random.randrange(9)) for _ in range(count)],
        "named": [random.random() < 0.5 for _ in range(count)],
    }
    return pa.table({name: pa.array(column, SCHEMA.field(name).type) for name, column in columns.items()}, SCHEMA)


def write_at_once(folder: Path, rows: pa.Table, size: int, *, on_the_way: bool) -> bytes:
    with TableWriter(folder, "once", SCHEMA, size, on_the_way=on_the_way) as writer:
        writer.write(rows)
    return writer.path.read_bytes()


def write_by_many(folder: Path, rows: pa.Table, size: int, *, on_the_way: bool) -> bytes:
    packed = [
        pack_group(rows.slice(begin, size).combine_chunks(), on_the_way=on_the_way)
        for begin in range(0, rows.num_rows, size)
    ]
    with JoinedTable(folder, "joined", SCHEMA, on_the_way=on_the_way) as joined:
        places = [(joined.add_all([(said, len(body))]), body) for body, said in packed]
        for begin, body in reversed([*places, *places[:2]]):  # in any order, and some twice
            paste(folder, "joined", begin, iter([body]))
    assert joined.rows == rows.num_rows
    return joined.path.read_bytes()


@pytest.mark.parametrize("on_the_way", [False, True])
@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 1234, 5000])
def test_bytes_are_those_of_one_writer(tmp_path: Path, count: int, on_the_way: bool) -> None:
    rows = make_rows(count)
    assert write_by_many(tmp_path, rows, 100, on_the_way=on_the_way) == write_at_once(
        tmp_path, rows, 100, on_the_way=on_the_way
    )


def test_a_file_is_there_in_full_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), JoinedTable(tmp_path, "joined", SCHEMA, on_the_way=False):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_a_row_group_that_comes_too_late_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such file"):
        paste(tmp_path, "joined", 4, iter([b"late"]))
    assert not list(tmp_path.iterdir())


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"untouched")
    partial_name(tmp_path / "joined.parquet").symlink_to(tmp_path / "other")
    with pytest.raises(StorageError):
        paste(tmp_path, "joined", 0, iter([b"changed"]))
    with (
        pytest.raises(RunError, match="already being written"),
        JoinedTable(tmp_path, "joined", SCHEMA, on_the_way=False),
    ):
        pass
    assert (tmp_path / "other").read_bytes() == b"untouched"


def values() -> st.SearchStrategy[tuple[int, Any]]:
    plain = st.one_of(
        st.tuples(st.sampled_from([TRUE, FALSE]), st.none()),
        st.tuples(st.just(BYTE), st.integers(0, 255)),
        st.tuples(st.just(SHORT), st.integers(-(1 << 15), (1 << 15) - 1)),
        st.tuples(st.just(LONG), st.integers(-(1 << 63), (1 << 63) - 1)),
        st.tuples(st.just(BINARY), st.binary(max_size=200)),
        st.tuples(st.just(DOUBLE), st.binary(min_size=8, max_size=8)),
    )
    return st.recursive(plain, lambda inner: st.one_of(structs(inner), lists()), max_leaves=20)


def structs(inner: st.SearchStrategy[tuple[int, Any]]) -> st.SearchStrategy[tuple[int, Any]]:
    fields = st.dictionaries(st.integers(1, 40), inner, max_size=6)
    return fields.map(lambda found: (STRUCT, dict(sorted(found.items()))))


def lists() -> st.SearchStrategy[tuple[int, Any]]:
    return st.one_of(
        st.lists(st.integers(0, 1 << 40), max_size=40).map(lambda found: (LIST, Elements(LONG, found))),
        st.lists(st.binary(max_size=3), max_size=20).map(lambda found: (LIST, Elements(BINARY, found))),
        st.lists(st.sampled_from([1, 2]), max_size=20).map(lambda found: (LIST, Elements(TRUE, found))),
    )


@given(st.dictionaries(st.integers(1, 40), values(), max_size=6))
def test_what_is_written_is_read_again(fields: Struct) -> None:
    struct = dict(sorted(fields.items()))
    assert read_struct(write_struct(struct)) == struct
