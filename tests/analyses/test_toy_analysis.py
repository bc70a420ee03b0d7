"""DESIGN.md, "How to add an analysis": a line in the catalogue, and the command, the call, show and the docs follow."""

from __future__ import annotations

import doctest
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import toy_vocabulary
from click.testing import CliRunner

import unquilt
from unquilt.analyses import catalogue
from unquilt.cli import cli
from unquilt.cli.reference import reference
from unquilt.cli.table_reference import describe_tables

ENTRY = catalogue.Entry(
    "vocabulary",
    "Count the documents that each word is in.",
    "toy_vocabulary",
    "toy_command:vocabulary",
    "VocabularyParameters",
)
"""The one line. All else is in the two files of the toy."""


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    catalogue.register(ENTRY)
    yield
    del catalogue.ENTRIES[ENTRY.name]


def succeed(*arguments: object) -> str:
    result = CliRunner().invoke(cli, list(map(str, arguments)), prog_name="unquilt")
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    texts = {"a": "Good morning", "b": "good evening", "c": "GOOD night, good night"}
    path.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items()))
    return path


def test_the_command(pages: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert "vocabulary Count the documents that each word is in." in " ".join(succeed("--help").split())
    out = succeed("vocabulary", pages, "-o", run, "--edition", 2)
    assert "4 words\n" in out
    assert f"unquilt show {run} vocabulary" in out
    assert "which words there are, the commonest first" in out
    assert unquilt.read(run).manifest["parameters"]["edition"] == 2
    refused = CliRunner().invoke(cli, ["vocabulary", str(pages), "-o", str(run), "--edition", "0"])
    assert "--edition must be a whole number of at least 1, not '0'" in refused.stderr


def test_what_is_shown(pages: Path, tmp_path: Path) -> None:
    succeed("vocabulary", pages, "-o", tmp_path / "run", "-q")
    assert [line.split() for line in succeed("show", tmp_path / "run", "vocabulary").splitlines()[:2]] == [
        ["word", "df"],
        ["good", "3"],
    ]
    summary = [line.split() for line in succeed("show", tmp_path / "run").splitlines()]
    assert ["vocabulary", "4"] in summary
    assert next(line for line in summary if line[:1] == ["parameters"])[:3] == ["parameters", "edition", "1,"]


def test_the_call(pages: Path) -> None:
    run = unquilt.vocabulary(pages, edition=3)
    assert dict(zip(*(run.vocabulary.column(name).to_pylist() for name in ("word", "df")), strict=True))["good"] == 3
    assert unquilt.VocabularyParameters is toy_vocabulary.VocabularyParameters
    assert "edition: number of the edition" in unquilt.vocabulary.__doc__
    assert {"vocabulary", "VocabularyParameters"} <= set(dir(unquilt))
    test = doctest.DocTestParser().get_doctest(
        unquilt.vocabulary.__doc__, {"vocabulary": unquilt.vocabulary}, "vocabulary", None, 0
    )
    assert doctest.DocTestRunner().run(test) == (0, 3)


def test_the_docs() -> None:
    assert "## `unquilt vocabulary`" in reference()
    lines = list(describe_tables())
    assert "### vocabulary" in lines
    assert "| df | int64 | how many documents have it |" in lines


def test_the_stages() -> None:
    assert catalogue.find_label("document words") == "counting words"
    assert catalogue.find_label("vocabulary") == "writing vocabulary"


def test_no_name_twice() -> None:
    with pytest.raises(ValueError, match="there is a job vocabulary already"):
        catalogue.register(ENTRY)
