"""Inputs without a document: one line that says what there was, and no folder is left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from faulty import write

import unquilt
from unquilt.cli import cli
from unquilt.cli.terminal.endings import explain
from unquilt.errors import InputError, NoDocumentsError
from unquilt.settings import Settings


def refuse(inputs: Any, options: unquilt.JobOptions | None = None) -> tuple[str, str]:
    """What is said to a program, and at a terminal."""
    with pytest.raises(InputError) as caught:
        unquilt.ingest(inputs, options=options)
    return str(caught.value), explain(caught.value, [])[0]


def lines(*records: object) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def test_fields_of_another_name_are_told(tmp_path: Path, settings: Settings) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines({"title": "t", "body": "a longer text"}, {"title": "t", "body": "x", "my tags": ["y"]}))
    python, terminal = refuse(path, unquilt.JobOptions(settings))
    said = (
        "no document: 2 records have no field 'text' or 'html' with a text; they have the fields title, body, my tags"
    )
    assert python == f"{said}; pass fields={{'text': 'body'}}"
    assert terminal == f"{said}; say --field text=body"
    found = unquilt.ingest(path, options=unquilt.JobOptions(settings), fields={"text": "body"})
    assert found.manifest["summary"]["documents"] == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lines({"id": 1}), "no document: 1 record has no field 'text' or 'html' with a text; it has the fields id"),
        (lines({}), "no document in 1 file: 1 reject (1 × no text); the first: "),
        (lines({"link": "http://www.example.org/long", "say": "a text"}), "fields link, say; say --field text=say"),
        (lines({"a b": "x y z"}), "it has the fields a b; say --field 'text=a b'"),
        (b"\n\n", "no document in 1 file: no record was found; is the input complete?"),
        (b"{\n[]\n", "no document in 1 file: 2 rejects (1 × bad json, 1 × not an object); the first: "),
    ],
)
def test_what_was_there(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    assert said in refuse(path)[1]


def test_a_folder_without_documents_says_what_was_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    for name in ("a.png", "b.png"):
        write(folder / name, bytes(range(256)) * 9)
    write(folder / "c.html", b"")
    said = "no document in 3 files: 3 rejects (2 × unknown kind, 1 × empty file); the first: "
    assert refuse(folder)[0] == f"{said}{folder}/a.png: binary, and not a known kind"
    write(tmp_path / "hidden" / ".a.html", b"<p>x")
    (tmp_path / "hidden" / "link").symlink_to(folder)
    said = f"{tmp_path}/hidden: no files in this folder (left out: 1 × hidden name, 1 × link to a folder)"
    assert refuse(tmp_path / "hidden")[0] == said


def test_a_table_without_documents_says_which_columns_it_has() -> None:
    assert refuse(pa.table({"text": pa.array([], pa.string())}))[0].startswith("no document in 1 file: no record")
    python, terminal = refuse(pa.table({"body": ["x"], "n": [1]}))
    assert python == "table: no column 'text' or 'html'; it has body, n; " + ("pass fields={'text': 'body'}")
    assert terminal.endswith("it has body, n; say --field text=body")
    assert refuse(pa.table({"a": ["x"], "b": ["y"]}))[1].endswith("it has a, b; say --field text=COLUMN")


@pytest.mark.parametrize("command", ["ingest", "quilts"])
def test_the_name_of_the_output_is_free_afterwards(tmp_path: Path, command: str) -> None:
    path, output = tmp_path / "a.jsonl", tmp_path / "out"
    path.write_bytes(lines({"body": "some words"}))
    for there in ([], [output]):
        result = CliRunner().invoke(cli, [command, str(path), "-o", str(output)], prog_name="unquilt")
        assert result.exit_code == 1
        assert result.stderr.endswith("it has the fields body; say --field text=body\n")
        assert list(tmp_path.glob("out*")) == there
        output.mkdir(exist_ok=True)
        assert list(output.iterdir()) == []


def test_an_older_corpus_stays(tmp_path: Path) -> None:
    good, bad, output = tmp_path / "good.jsonl", tmp_path / "bad.jsonl", tmp_path / "out"
    good.write_bytes(lines({"text": "some words"}))
    bad.write_bytes(lines({"body": "some words"}))
    unquilt.ingest(good, output)
    with pytest.raises(NoDocumentsError):
        unquilt.ingest(bad, output, options=unquilt.JobOptions(overwrite=True))
    assert unquilt.read(output).manifest["summary"]["documents"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "good.jsonl", "out"]


def test_fields_are_looked_at_before_the_long_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    page = "<!doctype html><p>" + "words " * 2000
    path.write_bytes(lines(*({"title": "t", "page": page} for _ in range(90))))
    monkeypatch.setattr("unquilt.jobs.inputs.know", lambda *_: pytest.fail("the inputs were fingerprinted"))
    had = "no field 'text' or 'html' with a text; they have the fields"
    said = f"no document: 135 records looked at before reading have {had}"
    assert refuse(path) == (
        f"{said} title, page; pass fields={{'html': 'page'}}",
        f"{said} title, page; say --field html=page",
    )


def test_fields_of_a_long_input_that_has_a_page_are_not_refused(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", lines(*({"body": "words " * 2000} for _ in range(120))))
    write(tmp_path / "in" / "b.html", b"<p>some words")
    summary = unquilt.ingest(tmp_path / "in").manifest["summary"]
    assert (summary["documents"], summary["rejects"]) == (1, 120)


def test_a_field_that_begins_in_the_second_half_is_found(tmp_path: Path) -> None:
    names = ["body"] * 1100 + ["text"] * 1300
    path = write(tmp_path / "a.jsonl", lines(*({name: "words " * 200} for name in names)))
    summary = unquilt.ingest(path).manifest["summary"]
    assert (summary["documents"], summary["rejects"]) == (1300, 1100)
