"""Rows of Python as inputs: dicts, batches, and data sets that yield them; and the rows that a run keeps of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unquilt as uq
from unquilt.errors import NoDocumentsError, ParameterError, RunError

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


class Lazy:
    """What a lazy table of Polars has, and unquilt uses."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def collect_batches(self) -> Iterator[pa.Table]:
        for row in self._rows:
            yield pa.Table.from_pylist([row], schema=pa.schema([("text", pa.string()), ("n", pa.int8())]))


@pytest.mark.parametrize(
    "inputs",
    [
        ROWS,
        iter(ROWS),
        (row for row in ROWS),
        Streamed(ROWS),
        Lazy(ROWS),
        [pa.Table.from_pylist(ROWS)],
        pa.Table.from_pylist(ROWS).to_batches(),
    ],
    ids=["list", "iterator", "generator", "dataset", "lazy", "tables", "batches"],
)
def test_rows_are_read(inputs: Any, tmp_path: Path) -> None:
    run = uq.neardups(inputs, tmp_path / "run", threshold=0.8)
    run.export(tmp_path / "kept.parquet", kept=True)
    assert pq.read_table(tmp_path / "kept.parquet").to_pylist() == [ROWS[0], ROWS[2]]


def test_rows_that_are_kept(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([{"text": None, "n": 0}, *ROWS])
    assert uq.neardups(table, threshold=0.8).kept_rows() == [1, 3]
    assert uq.neardups(Streamed(ROWS), threshold=0.8).kept_rows() == [0, 2]
    assert uq.neardups([{"text": 5}, *ROWS], threshold=0.8).kept_rows() == [1, 3]
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n')
    run = uq.neardups(tmp_path / "a.jsonl")
    with pytest.raises(RunError, match="its input was not one table"):
        run.kept_rows()


@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        ([{"text": "a", "x": object()}], "row 0 of the inputs cannot be read: of type object; make it a text"),
        (iter([]), "the inputs have no row"),
        (
            {"train": Streamed(ROWS), "test": Streamed(ROWS)},
            r"2 data sets \(train, test\); give one: inputs\['train'\]",
        ),
        (iter([{"text": "a"}, 5]), "inputs must yield dicts or Arrow tables, not 5"),
        (5, "inputs must be paths"),
        ({"text": "a"}, "inputs are one dict; give a list of them"),
    ],
)
def test_what_is_no_row_is_refused(inputs: Any, why: str) -> None:
    with pytest.raises((ParameterError, NoDocumentsError), match=why):
        uq.ingest(inputs)


def test_decimals_and_dates_of_dicts_are_texts(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "b", "price": Decimal("1.10"), "day": date(2024, 2, 29)}]
    uq.ingest(rows, tmp_path / "corpus").export(tmp_path / "same.jsonl", "documents")
    assert (tmp_path / "same.jsonl").read_text() == '{"id":"a","text":"b","price":"1.10","day":"2024-02-29"}\n'


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


def test_shares_of_words_that_stand_elsewhere_are_annotated(tmp_path: Path) -> None:
    copied, own = " ".join(f"w{number}" for number in range(60)), " ".join(f"x{number}" for number in range(20))
    rows = [{"id": "a", "text": copied}, {"id": "b", "text": f"{own} {copied}"}, {"id": "c", "text": own + " end"}]
    run = uq.repeats(rows, tmp_path / "run", n=30)
    run.export(tmp_path / "all.parquet", annotate=True)
    removed = run.table("removed").to_pylist()
    words = {0: 60, 1: 80, 2: 21}
    wanted = [sum(row["words"] for row in removed if row["doc"] == doc) / words[doc] for doc in words]
    assert pq.read_table(tmp_path / "all.parquet").column("reused_share").to_pylist() == wanted
    assert wanted == [0, 0.75, 0]


def test_shares_of_labelled_chunks_are_annotated(tmp_path: Path) -> None:
    ours = uq.label([{"text": "a paragraph of our own that is long enough to be known again"}], tmp_path / "labels")
    texts = ["a paragraph of our own that is long enough to be known again\n\nsomething else that nobody labelled ever"]
    run = uq.detect([{"text": text} for text in [*texts, "other words"]], tmp_path / "run", labels=str(ours.path))
    run.export(tmp_path / "all.parquet", annotate=True)
    shares = pq.read_table(tmp_path / "all.parquet").column("reused_share").to_pylist()
    contents = {
        row["doc"]: row["matched"] / row["chunks"] for row in run.table("contents").to_pylist() if row["chunks"]
    }
    assert [share and round(share, 6) for share in shares] == [contents.get(doc) for doc in range(2)]
    assert shares[0] == 0.5


def test_kept_documents_are_a_stream_and_a_data_set(tmp_path: Path) -> None:
    run = uq.neardups(ROWS, tmp_path / "run", threshold=0.8)
    kept = run.kept_documents(accept=True).read_all()
    run.export(tmp_path / "kept.parquet", kept=True, accept=True)
    assert kept.to_pylist() == pq.read_table(tmp_path / "kept.parquet").to_pylist()
    datasets = pytest.importorskip("datasets", reason="the library datasets is not installed")
    made = run.to_dataset(accept=True)
    assert isinstance(made, datasets.Dataset)
    assert list(made) == kept.to_pylist()


def test_data_sets_of_hugging_face_are_read_and_made(tmp_path: Path) -> None:
    """With their features; in the order that they have, shuffled or streamed."""
    datasets = pytest.importorskip("datasets", reason="the library datasets is not installed")
    features = {
        "text": datasets.Value("string"),
        "label": datasets.ClassLabel(names=["bad", "good"]),
        "tags": datasets.Sequence(datasets.Value("string")),
        "meta": {"score": datasets.Value("float32")},
    }
    rows = [
        {"text": f"page {number // 2} of words", "label": number % 2, "tags": [str(number)], "meta": {"score": 0.5}}
        for number in range(8)
    ]
    made = datasets.Dataset.from_list(rows, features=datasets.Features(features))
    shuffled = made.shuffle(seed=1)
    for number, data in enumerate((made, shuffled, made.filter(lambda row: row["label"] == 1))):
        run = uq.neardups(data, tmp_path / f"run-{number}", threshold=0.8)
        kept = data.select(run.kept_rows())
        assert len({row["text"] for row in data}) == len(kept) == 4
        assert list(run.to_dataset()) == list(kept)
        assert run.to_dataset().features == made.features
    streamed = uq.neardups(made.to_iterable_dataset(), tmp_path / "streamed", threshold=0.8)
    assert streamed.kept_rows() == uq.read(tmp_path / "run-0").kept_rows()
    renamed = uq.neardups(
        made.rename_column("text", "body"), tmp_path / "renamed", fields={"text": "body"}, threshold=0.8
    )
    assert renamed.kept_rows() == streamed.kept_rows()
    assert renamed.to_dataset().column_names == ["body", "label", "tags", "meta"]


def test_the_example_of_the_docs_runs() -> None:
    """It is fenced as text, since examples run without the library."""
    pytest.importorskip("datasets", reason="the library datasets is not installed")
    page = (Path(__file__).parents[2] / "docs" / "howto" / "from-python.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```text\n(from datasets .*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    assert (
        list(names["kept"])
        == list(names["same"])
        == [{"text": "one two three", "stars": 5}, {"text": "four", "stars": 3}]
    )


def test_kept_documents_are_not_given_over_an_alarm(tmp_path: Path) -> None:
    rows = [{"text": f"some words {max(number, 25)}", "source": "s"} for number in range(40)]
    run = uq.neardups(rows, tmp_path / "run", threshold=0.8)
    for give in (run.kept_documents, run.to_dataset, run.kept_rows):
        with pytest.raises(RunError, match=r"because of \d+ alarm|pip install"):
            give()
    assert run.kept_rows(accept=True) == [0, *range(26, 40)]
    assert run.kept_documents(accept=True).read_all().num_rows == 15


def test_without_the_library_a_data_set_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(RunError, match="pip install datasets"):
        uq.neardups(ROWS, tmp_path / "run").to_dataset()
