"""Columns that inputs have beside texts: kept as they are, and written again as they were."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unquilt as uq
from unquilt.corpus.given import fit, guess, widen
from unquilt.errors import InputError, ParameterError

LISTS = pa.list_(pa.struct([("x", pa.int8())]))
FEATURES = {b"huggingface": b'{"info": {}}'}


def make_table() -> pa.Table:
    """A table with columns of many types, among them names that documents have themselves."""
    columns = {
        "quality": pa.array([0.5, None, 1.5], pa.float32()),
        "text": ["one two three", "four five six", "one two three"],
        "id": pa.array([7, 8, 9], pa.int64()),
        "words": [10, 20, None],
        "url": ["http://a.org/", "", None],
        "meta": [{"a": 1, "b": ["x", None]}, None, {"a": None, "b": []}],
        "pairs": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())),
        "spans": pa.array([[{"x": 1}], None, []], LISTS),
        "seen.at": pa.array([1, 2, None], pa.timestamp("ns", "UTC")),
        "day": pa.array([date(2020, 1, 1), None, date(1, 1, 1)]),
        "wait": pa.array([timedelta(seconds=1), None, None], pa.duration("ms")),
        "price": pa.array([Decimal("1.10"), None, Decimal("-3.33")], pa.decimal128(8, 2)),
        "source": pa.array(["x", "y", "x"]).dictionary_encode(),
        "raw": [b"\xff", b"", None],
        "nothing": pa.nulls(3),
        "": [1, 2, 3],
        "Words": ["A", "B", "C"],
        'a "quoted" name': [1, 2, 3],
    }
    return pa.table(columns).replace_schema_metadata(FEATURES)


@pytest.mark.parametrize("how", ["file", "table"])
def test_a_table_comes_back_as_it_was(how: str, tmp_path: Path) -> None:
    table = make_table()
    pq.write_table(table, tmp_path / "a.parquet")
    corpus = uq.ingest(table if how == "table" else tmp_path / "a.parquet", tmp_path / "corpus")
    corpus.export(tmp_path / "b.parquet", "documents")
    back = pq.read_table(tmp_path / "b.parquet")
    there = pq.read_table(tmp_path / "a.parquet")  # which calls the items of lists otherwise
    assert back.schema.equals(there.schema)
    assert back.schema.metadata == FEATURES
    assert back.equals(there)
    run = uq.neardups(corpus.path, tmp_path / "run", threshold=0.8)
    run.export(tmp_path / "kept.parquet", kept=True)
    assert pq.read_table(tmp_path / "kept.parquet").equals(there.slice(0, 2))


def test_a_table_that_is_cleaned_keeps_its_columns(tmp_path: Path) -> None:
    """Near-duplicates go, then repeated paragraphs; all that the table says of what stays is as it was."""
    table = make_table()
    repeated = " ".join(f"w{number}" for number in range(60))
    first, second = (" ".join(f"{letter}{number}" for number in range(40)) for letter in "ab")
    texts = [f"{first}\n\n{repeated}", f"{repeated}\n\n{second}", f"{first}\n\n{repeated}"]
    table = table.set_column(table.schema.get_field_index("text"), "text", [texts])
    near = uq.neardups(table, tmp_path / "near", threshold=0.8)
    tidy = uq.repeats(near, tmp_path / "tidy", options=uq.JobOptions(accept=True))
    tidy.export(tmp_path / "clean.parquet", without="repeats")
    clean = pq.read_table(tmp_path / "clean.parquet")
    pq.write_table(table, tmp_path / "before.parquet")
    before = pq.read_table(tmp_path / "before.parquet")
    assert clean.schema.equals(before.schema)
    assert [text.strip() for text in clean["text"].to_pylist()] == [texts[0], second]
    assert clean.drop_columns("text").equals(before.slice(0, 2).drop_columns("text"))


def test_names_that_clash_are_told_apart(tmp_path: Path) -> None:
    corpus = uq.ingest(make_table(), tmp_path / "corpus")
    chosen = ["id", "id_given", "words", "words_given", "Words_given_2", "seen_at"]
    assert corpus.table("documents", columns=chosen[:5], limit=1).to_pylist() == [
        {"id": "7", "id_given": 7, "words": 3, "words_given": 10, "Words_given_2": "A"}
    ]
    assert corpus.table("documents", columns=["id"], where="words_given = 20 and source = 'y'")["id"].to_pylist() == [
        "8"
    ]
    assert corpus.table("documents", columns=["id"], sort="-quality,id")["id"].to_pylist() == ["9", "7", "8"]
    corpus.export(tmp_path / "a.jsonl", "documents", columns=["words", "words_given", "seen_at"], limit=1)
    assert json.loads((tmp_path / "a.jsonl").read_text()) == {
        "words": 3,
        "words_given": 10,
        "seen.at": "1970-01-01 00:00:00.000000001Z",
    }
    with pytest.raises(ParameterError, match="meta cannot be sorted by"):
        corpus.table("documents", sort="meta")
    for called, column in {"Words": "Words_given_2", "seen.at": "seen_at"}.items():
        with pytest.raises(ParameterError, match=rf"documents has no column '{called}'; did you mean {column}\?"):
            corpus.table("documents", columns=["id", called])


def test_tables_about_documents_know_them(tmp_path: Path) -> None:
    run = uq.neardups(make_table(), tmp_path / "run", threshold=0.8)
    wanted = {"columns": ["id", "source", "kept_instead_quality"], "where": "words_given is null", "sort": "source"}
    assert run.table("kept", **wanted).to_pylist() == [{"id": "9", "source": "x", "kept_instead_quality": 0.5}]


RECORDS: list[dict[str, Any]] = [
    {
        "id": "a",
        "text": "one two",
        "n": 1,
        "mixed": 1,
        "o": {"k": 1},
        "l": [1, 2],
        "e": {},
        "big": 1 << 70,
        "when": "2020-01-01",
    },
    {"id": "b", "text": "three", "n": 2.5, "mixed": "two", "o": {"k": None}, "l": [], "e": {}, "big": 1, "when": None},
    {"id": "c", "text": "four", "n": None, "mixed": [3], "o": None, "l": None, "e": None, "big": None, "when": "no"},
]


def test_json_comes_back_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in RECORDS))
    corpus = uq.ingest(tmp_path / "a.jsonl", tmp_path / "corpus")
    corpus.export(tmp_path / "b.jsonl", "documents")
    assert list(map(json.loads, (tmp_path / "b.jsonl").read_text().splitlines())) == RECORDS
    kinds = {field.name: str(field.type) for field in corpus.documents.schema}
    assert (kinds["n"], kinds["mixed"], kinds["o"], kinds["when"]) == (
        "double",
        "large_string",
        "struct<k: int64>",
        "string",
    )


def test_columns_of_several_files_are_widened(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a b"], "n": pa.array([1], pa.int8()), "x": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"text": ["c d"], "n": pa.array([900], pa.int32()), "y": ["y"]}), tmp_path / "2.parquet")
    (tmp_path / "3.jsonl").write_text('{"text": "e f", "n": 2, "y": null}\n')
    (tmp_path / "4.txt").write_text("a text of its own")
    corpus = uq.ingest(sorted(tmp_path.iterdir()), tmp_path / "corpus")
    rows = corpus.table("documents", columns=["n", "x", "y"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [(1, 1, None), (900, None, "y"), (2, None, None), (None,) * 3]
    corpus.export(tmp_path / "out.parquet", "documents")
    assert pq.read_schema(tmp_path / "out.parquet").names == ["id", "url", "ip", "text", "n", "x", "y"]


def test_columns_that_change_type_are_refused_by_name(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a b"], "n": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"text": ["c d"], "n": ["one"]}), tmp_path / "2.parquet")
    with pytest.raises(InputError, match=r"2\.parquet: column 'n' is string, and in files before it int64") as refused:
        uq.ingest(tmp_path, tmp_path.with_name("corpus"))
    assert "--carry A,B" in refused.value.at_terminal
    for carry in ("none", "x"):
        options = uq.JobOptions(reading=uq.Reading(carry=carry))
        assert "n" not in uq.ingest(tmp_path, options=options).documents.column_names
    with pytest.raises(ParameterError, match="carry must be all, none, or names of columns"):
        uq.Reading(carry=" ,")


def test_the_text_of_html_takes_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"n": 1, "html": "<p>one", "id": "a"}\n')
    uq.ingest(tmp_path / "a.jsonl", tmp_path / "corpus").export(tmp_path / "b.jsonl", "documents")
    assert (tmp_path / "b.jsonl").read_text() == '{"n":1,"text":"one","id":"a"}\n'


def test_half_a_character_costs_the_record(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "x", "title": ["\\ud800"]}\n{"text": "y", "title": ["z"]}\n')
    corpus = uq.ingest(tmp_path / "a.jsonl", tmp_path / "corpus")
    assert corpus.rejects.select(["reason", "detail"]).to_pylist() == [
        {"reason": "lone surrogate", "detail": "field 'title'"}
    ]


@pytest.mark.parametrize(
    ("one", "other", "wide"),
    [
        (pa.int8(), pa.uint8(), pa.int16()),
        (pa.uint64(), pa.int8(), None),
        (pa.float32(), pa.int64(), pa.float64()),
        (pa.binary(), pa.large_binary(), pa.large_binary()),
        (pa.string(), pa.binary(), None),
        (pa.timestamp("s"), pa.timestamp("us"), pa.timestamp("us")),
        (pa.timestamp("s"), pa.timestamp("s", "UTC"), None),
        (pa.list_(pa.null()), pa.list_(pa.int8()), pa.list_(pa.int8())),
        (
            pa.struct([("a", pa.int8())]),
            pa.struct([("b", pa.string())]),
            pa.struct([("a", pa.int8()), ("b", pa.string())]),
        ),
        (pa.struct([("a", pa.int8())]), pa.struct([("a", pa.string())]), None),
        (pa.date32(), pa.string(), None),
        (pa.dictionary(pa.int8(), pa.string()), pa.string(), pa.string()),
        (pa.dictionary(pa.int8(), pa.int16()), pa.dictionary(pa.int32(), pa.int32()), pa.int32()),
        (pa.decimal128(10, 2), pa.decimal128(12, 6), pa.decimal128(14, 6)),
        (pa.decimal128(38, 0), pa.decimal128(38, 30), pa.decimal256(68, 30)),
        (pa.decimal256(76, 0), pa.decimal256(76, 30), None),
    ],
)
def test_types_are_widened(one: pa.DataType, other: pa.DataType, wide: pa.DataType | None) -> None:
    assert widen(one, other) == wide
    assert widen(other, one) in (wide, None) or wide is None or pa.types.is_struct(wide)


def test_types_that_change_between_files_are_widened(tmp_path: Path) -> None:
    first = {"source": pa.array(["x", None]).dictionary_encode(), "price": pa.array([Decimal("1.10")] * 2)}
    second = {"source": ["y", "x"], "price": pa.array([Decimal("22.3333"), None])}
    for number, columns in enumerate((first, second)):
        pq.write_table(pa.table({"text": ["one", "two"]} | columns), tmp_path / f"{number}.parquet")
    uq.ingest(sorted(tmp_path.iterdir()), tmp_path / "corpus").export(tmp_path / "all.parquet", "documents")
    back = pq.read_table(tmp_path / "all.parquet", columns=["source", "price"])
    assert back.schema.types == [pa.string(), pa.decimal128(6, 4)]
    assert back["source"].to_pylist() == ["x", None, "y", "x"]
    assert back["price"].to_pylist() == [Decimal("1.1000"), Decimal("1.1000"), Decimal("22.3333"), None]


def test_columns_fit_wider_types() -> None:
    narrow = pa.array([{"a": 1}, None, {"a": None}])
    wide = pa.struct([("b", pa.string()), ("a", pa.int64())])
    assert fit(narrow, wide).to_pylist() == [{"b": None, "a": 1}, None, {"b": None, "a": None}]
    assert fit(pa.array([[{"a": 1}], None]), pa.list_(wide)).to_pylist() == [[{"b": None, "a": 1}], None]
    with pytest.raises(pa.ArrowInvalid):
        fit(pa.array([(1 << 53) + 1]), pa.float64())


def test_json_of_too_many_names_or_too_deep_stays_text() -> None:
    many = [{f"name {number}": 1} for number in range(300)]
    deep: Any = 1
    for _ in range(30):
        deep = {"in": deep}
    for values in (many, [deep]):
        column, is_json = guess(values)
        assert is_json
        assert list(map(json.loads, column.to_pylist())) == values
