"""What the Python API takes as inputs: tables of any make, paths, and nothing else."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unquilt
from unquilt.errors import InputError, ParameterError
from unquilt.runs import Run

TEXTS = ["one two three", "four five six", None, "one two three"]
INDICES = pa.array([0, 1, None, 0])
WORDS = pa.array(["one two three", "four five six"])


def rows(run: Run) -> list[tuple[str, str | None, str]]:
    tables = run.path.glob("documents/*.parquet")
    columns = ["id", "url", "text"]
    return [tuple(row.values()) for path in tables for row in pq.read_table(path, columns=columns).to_pylist()]


@pytest.mark.parametrize(
    "texts",
    [
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS, pa.string_view()),
        pa.array(TEXTS, pa.string()).cast(pa.binary()),
        # As pandas makes categories, and polars its Categorical and its Enum.
        pa.DictionaryArray.from_arrays(INDICES.cast(pa.int8()), WORDS),
        pa.DictionaryArray.from_arrays(INDICES.cast(pa.uint32()), WORDS.cast(pa.string_view())),
        pa.DictionaryArray.from_arrays(INDICES.cast(pa.uint8()), WORDS.cast(pa.string_view()), ordered=True),
        pa.DictionaryArray.from_arrays(INDICES, WORDS.cast(pa.binary())),
    ],
    ids=lambda texts: str(texts.type),
)
def test_types_of_texts(texts: pa.Array) -> None:
    never = pa.nulls(4, pa.month_day_nano_interval())
    table = pa.table({"id": texts, "url": texts, "text": texts})
    with pytest.raises(InputError, match="column 'never written' is month_day_nano_interval, which cannot be kept"):
        unquilt.ingest(table.append_column("never written", never))
    several = pa.concat_tables([table, table.slice(0, 1)])
    expected = [(text, text, text) for text in TEXTS if text]
    assert rows(unquilt.ingest(table)) == expected
    assert rows(unquilt.ingest(several)) == [*expected, expected[0]]


def test_tables_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"id": pd.Categorical(list("abca")), "text": pd.Categorical(TEXTS)})
    assert [row[0] for row in rows(unquilt.ingest(table))] == ["a", "b", "a"]
    with pytest.raises(InputError, match=r"table: cannot be read: .*int.*column text"):
        unquilt.ingest(pd.DataFrame({"text": ["a", 5]}))


def test_tables_without_texts() -> None:
    with pytest.raises(InputError, match=r"table: no column 'text' or 'html'; it has id, body; pass fields="):
        unquilt.ingest(pa.table({"id": ["x"], "body": ["x"]}))
    with pytest.raises(InputError, match="table: column 'text' is int64, not a string"):
        unquilt.ingest(pa.table({"text": [1]}))
    with pytest.raises(InputError, match="table: 2 columns are called 'url'; rename all but one"):
        unquilt.ingest(pa.Table.from_arrays([pa.array(["x"])] * 3, ["text", "url", "url"]))


@pytest.mark.parametrize(
    "inputs",
    [None, 5, b"x", ["x", None], ["x", 5], [b"x"], {"text": "x"}, object()],
    ids=lambda inputs: type(inputs).__name__ if type(inputs) is object else str(inputs),
)
def test_what_is_no_input(inputs: Any) -> None:
    for job in (unquilt.ingest, unquilt.quilts, unquilt.build_lexicon):
        with pytest.raises(
            ParameterError,
            match=r"inputs (must be paths, globs or -, tables .*, not |are one dict; give a list of them)",
        ):
            job(inputs)
