"""Which documents are preferred, by columns of the corpus: against the sequential rule in the same order."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from twin_neardups import keep

import unquilt as uq
from unquilt.cli import cli
from unquilt.errors import ParameterError


def make_pages(random: Random, documents: int = 120) -> pa.Table:
    """Pages of which most are versions of others, with columns of several types, nulls and NaN among them."""
    texts: list[str] = []
    for _ in range(documents):
        words = random.choice(texts).split() if texts and random.random() < 0.7 else random.choices("abcdefgh", k=40)
        words = [*words]
        words[random.randrange(len(words))] = f"w{random.randrange(5)}"
        texts.append(" ".join(words))
    columns: dict[str, Any] = {
        "text": texts,
        "source": [random.choice(["wiki", "books", "ü", "", None]) for _ in texts],
        "quality": [random.choice([0.5, -1.0, math.nan, None, 2.0]) for _ in texts],
        "day": pa.array([random.choice([None, 1, 2, 3]) for _ in texts], pa.date32()),
        "words": [random.randrange(9) for _ in texts],
        "tags": [[1]] * documents,
    }
    return pa.table(columns)


def rank(page: dict[str, Any], order: str) -> list[tuple[bool, Any]]:
    """A page's place by columns, the obvious way."""
    place: list[tuple[bool, Any]] = []
    for part in order.split(","):
        name = part.strip().removeprefix("-")
        value = page[name]
        missing = value is None or value != value
        value = value.encode() if isinstance(value, str) else value.toordinal() if name == "day" and value else value
        place.append((missing, 0 if missing else _Falling(value) if part.strip().startswith("-") else value))
    return place


class _Falling:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Falling) and self.value == other.value

    def __lt__(self, other: _Falling) -> bool:
        return bool(other.value < self.value)


@pytest.mark.parametrize("order", ["source", "source, -quality, day, -words_given", "-day,quality"])
def test_the_order_of_columns_decides_who_stays(order: str, tmp_path: Path) -> None:
    table = make_pages(Random(order))
    run = uq.neardups(table, tmp_path / "run", threshold=0.8, keep=order)
    pages = [page | {"words_given": page["words"]} for page in table.to_pylist()]
    expected = keep([page["text"] for page in pages], 0.8, 5, lambda doc: rank(pages[doc], order))
    found = {row["doc"]: (row["kept_instead"], row["similarity"]) for row in run.kept.to_pylist() if not row["keep"]}
    assert found == expected.instead
    missing = run.manifest["summary"]["keep_missing"]
    assert missing.get("source", 0) == (table["source"].null_count if "source" in order else 0)
    if "quality" in order:
        assert missing["quality"] == sum(rank(page, "quality")[0][0] for page in pages)


def test_repeats_know_it(tmp_path: Path) -> None:
    table = pa.table({"id": ["a", "b"], "text": ["one two three"] * 2, "quality": [1, 2]})
    (row,) = uq.repeats(table, tmp_path / "run", n=3, keep="-quality").removed.to_pylist()
    assert (row["doc"], row["copy"]) == (0, 1)


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("qualty", "keep: the corpus has no column 'qualty'; did you mean quality?"),
        ("longset", "keep: the corpus has no column 'longset'; did you mean longest?"),
        ("zzz", "keep: the corpus has no column 'zzz'; there are: source, quality, day, words_given, doc, id, "),
        ("tags", "keep: tags has no order, as its values have parts; choose another column"),
    ],
)
def test_orders_that_make_no_sense_are_refused(order: str, why: str, tmp_path: Path) -> None:
    corpus = uq.ingest(make_pages(Random(1), 5), tmp_path / "corpus")
    with pytest.raises(ParameterError) as refused:
        uq.neardups(corpus.path, tmp_path / "run", keep=order)
    assert str(refused.value).startswith(why)
    assert not (tmp_path / "run").exists()


def test_an_order_is_looked_at_before_tables_are_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a"], "text": ["b"], "words": [1], "when": [2]}), tmp_path / "a.parquet")
    for order, why in {"zzz": "there are: words_given, when, doc, id", "wen": "did you mean when"}.items():
        with pytest.raises(ParameterError, match=why):
            uq.neardups(tmp_path / "a.parquet", tmp_path / "run", keep=order)
        assert not (tmp_path / "run").exists()
    run = uq.neardups(tmp_path / "a.parquet", tmp_path / "run", keep="-words_given,when")
    assert run.kept.num_rows == 1


def test_an_order_without_a_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ParameterError, match=r"keep must be first, longest, shortest, shortest-url, or names of columns"
    ):
        uq.neardups(tmp_path, keep="source,,")
    (tmp_path / "a.jsonl").write_text('{"text": "a b", "x": 1}\n{"text": "a b", "x": "one"}\n')
    refused = CliRunner().invoke(cli, ["neardups", f"{tmp_path}/a.jsonl", "-o", f"{tmp_path}/run", "--keep", "x"])
    assert refused.exit_code != 0
    assert "x has no order, as its values are of several types" in refused.output
