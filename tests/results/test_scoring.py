"""Scores of runs by labels: PAN folders, files of one's own, and all that can be wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from snapshots import Snapshots

import unquilt
from unquilt.cli import cli
from unquilt.errors import InputError, ParameterError, UnquiltError

SHARED = "The old mill stood by the river. Its wheel had not turned for years. Nobody knew who owned it."
TEXTS = {
    "susp/suspicious-document1.txt": f"We went out early. {SHARED} Then it rained.",
    "src/source-document1.txt": f"Listen now: {SHARED} It was sold last year.",
    "src/source-document2.txt": "Here is something else altogether. Nothing of it was ever copied by anyone.",
    "susp/suspicious-document2.txt": f"Others say it, too. {SHARED} Who knows?",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scored") / "run"
    table = pa.table({"id": list(TEXTS), "text": list(TEXTS.values())})
    unquilt.passages(table, folder, signature="imatch")
    return folder


def places(name: str) -> tuple[int, int]:
    begin = TEXTS[name].index(SHARED)
    return begin, begin + len(SHARED)


def label(a: str, b: str, **more: Any) -> dict[str, Any]:
    (a_begin, a_end), (b_begin, b_end) = places(a), places(b)
    return {"a": a, "b": b, "a_begin": a_begin, "a_end": a_end, "b_begin": b_begin, "b_end": b_end} | more


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    file = tmp_path / "known.jsonl"
    rows = [
        label("src/source-document1.txt", "susp/suspicious-document1.txt", category="copied"),
        {"a": "source-document2.txt", "b": "suspicious-document1.txt", "category": "clean"},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def write_pan(folder: Path) -> Path:
    begin, end = places("susp/suspicious-document1.txt")
    source, source_end = places("src/source-document1.txt")
    feature = (
        f'<feature name="plagiarism" this_offset="{begin}" this_length="{end - begin}" '
        f'source_reference="source-document1.txt" source_offset="{source}" source_length="{source_end - source}"/>'
    )
    for category, name, content in (
        ("01-none", "suspicious-document1-source-document2.xml", ""),
        ("02-copied", "suspicious-document1-source-document1.xml", feature),
    ):
        (folder / category).mkdir(parents=True)
        document = f'<document reference="suspicious-document1.txt">{content}</document>'
        (folder / category / name).write_text(document)
    return folder


def test_labels_of_ones_own(run: Path, labels: Path) -> None:
    found = unquilt.score(run, labels=labels)
    assert list(found.characters) == ["clean", "copied", "all"]
    assert found.characters["copied"].plagdet > 0.99
    assert found.sentences["copied"].plagdet == 1
    assert (found.characters["clean"].clean, found.characters["clean"].flagged) == (1, 0)
    assert (found.elsewhere, found.unknown) == (2, ())
    strict = unquilt.score(run, labels=labels, all_pairs=True)
    assert strict.characters["other pairs"].found == 2
    assert strict.characters["all"].precision == pytest.approx(found.characters["copied"].precision / 3)


def test_folders_of_pan_are_scored_one_by_one_and_together(run: Path, tmp_path: Path) -> None:
    found = unquilt.score(run, pan=write_pan(tmp_path / "pan"))
    assert list(found.characters) == ["01-none", "02-copied", "all"]
    assert found.characters["02-copied"].recall == 1
    together = tmp_path / "pan" / "all"
    together.mkdir()
    for file in sorted((tmp_path / "pan").glob("0*/*")):
        (together / file.name).write_bytes(file.read_bytes())
    assert unquilt.score(run, pan=tmp_path / "pan") == found  # what stands in `all` again counts once
    only = unquilt.score(run, pan=tmp_path / "pan" / "02-copied")
    assert list(only.characters.values()) == [found.characters["02-copied"]]


def test_csv_numbers_and_unknown_documents(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.csv"
    row = label("susp/suspicious-document1.txt", "src/source-document1.txt") | {"a": 0, "b": 1}
    rows = [",".join(row), ",".join(map(str, row.values())), "0,elsewhere.txt,1,2,3,4"]
    file.write_text("\n".join(rows))
    found = unquilt.score(run, labels=file)
    assert found.characters["labels"].recall == 1
    assert found.unknown == ("elsewhere.txt",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": "x"}', "label 1: it must name two documents"),
        ("[1]", "line 1: this is not a JSON object"),
        ("{", "line 1: this is not JSON"),
        ('{"a": 0, "b": 1, "a_begin": -1, "a_end": 5, "b_begin": 0, "b_end": 5}', "a_begin must be a whole number"),
        ('{"a": 0, "b": 1, "a_begin": 5, "a_end": 5, "b_begin": 0, "b_end": 5}', "ends where it begins"),
        ('{"a": 0, "b": 1, "a_begin": 5}', "a_end must be a whole number"),
        ("\udcff", "not a file of labels"),
    ],
)
def test_labels_that_are_wrong(run: Path, tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "known.jsonl"
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=message) as raised:
        unquilt.score(run, labels=file)
    assert "\n" not in str(raised.value)


def test_folders_and_runs_that_are_wrong(run: Path, labels: Path, tmp_path: Path, snapshots: Snapshots) -> None:
    for folder, message in ((tmp_path / "none", "not a folder of PAN labels"), (tmp_path, "has no labels")):
        with pytest.raises(InputError, match=message):
            unquilt.score(run, pan=folder)
    with snapshots.error(InputError):
        unquilt.score(run, labels=tmp_path / "none")
    with snapshots.error(ParameterError):
        unquilt.score(run)
    (tmp_path / "bad.xml").write_text("<document")
    with pytest.raises(InputError, match="is not XML"):
        unquilt.score(run, pan=tmp_path)
    (tmp_path / "bad.xml").write_text('<document reference="x.txt"/>')
    with snapshots.error(InputError):
        unquilt.score(run, pan=tmp_path)
    (tmp_path / "other.jsonl").write_text('{"a": "nobody", "b": "nothing"}')
    with snapshots.error(ParameterError):
        unquilt.score(run, labels=tmp_path / "other.jsonl")
    corpus = unquilt.ingest(pa.table({"id": ["x"], "text": ["y"]}))
    with pytest.raises(UnquiltError, match="no passages"):
        unquilt.score(corpus, labels=labels)


def test_the_command_prints_a_table_or_lines_of_json(run: Path, labels: Path) -> None:
    shown = CliRunner().invoke(cli, ["score", str(run), "--labels", str(labels)], standalone_mode=False)
    assert "by characters" in shown.output
    assert "by sentences" in shown.output
    assert "0 of 1" in shown.output
    assert "2 passages in pairs without labels are left out" in shown.output
    lines = CliRunner().invoke(cli, ["score", str(run), "--labels", str(labels), "--json"]).output.splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["unit"] for row in rows] == ["characters"] * 3 + ["sentences"] * 3
    assert rows[1]["recall"] == 1
