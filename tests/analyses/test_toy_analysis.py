"""DESIGN.md, "How to add an analysis": a line in the catalogue, and the command, the call, show and the docs follow."""

from __future__ import annotations

import doctest
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import toy_vocabulary
from click.testing import CliRunner
from serving import serving
from unsaid import list_unsaid

import unquilt
from tools.reference import reference
from tools.table_reference import describe_tables
from unquilt.analyses import catalogue
from unquilt.cli import cli

ENTRY = catalogue.Entry(
    "vocabulary",
    "Count the documents that each word is in.",
    "toy_vocabulary",
    "toy_command:vocabulary",
    "VocabularyParameters",
)
"""The one line. All else is in the three files of the toy."""


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


def test_an_analysis_that_is_registered_has_a_command(pages: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert "vocabulary Count the documents that each word is in." in " ".join(succeed("--help").split())
    out = succeed("vocabulary", pages, "-o", run, "--edition", 2)
    assert "4 words, 3 pages\nThis is edition 2\n" in out
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
    tables = next(line for line in summary if line[:1] == ["tables"])
    assert tables[tables.index("vocabulary") + 1] == "4"
    assert next(line for line in summary if line[:1] == ["parameters"])[:3] == ["parameters", "edition", "1,"]


def test_an_analysis_that_is_registered_can_be_called(pages: Path) -> None:
    run = unquilt.vocabulary(pages, edition=3)
    assert dict(zip(*(run.vocabulary.column(name).to_pylist() for name in ("word", "df")), strict=True))["good"] == 3
    assert unquilt.VocabularyParameters is toy_vocabulary.VocabularyParameters
    assert "edition: number of the edition" in unquilt.vocabulary.__doc__
    assert {"vocabulary", "VocabularyParameters"} <= set(dir(unquilt))
    test = doctest.DocTestParser().get_doctest(
        unquilt.vocabulary.__doc__, {"vocabulary": unquilt.vocabulary}, "vocabulary", None, 0
    )
    assert doctest.DocTestRunner().run(test) == (0, 3)


def test_an_analysis_that_is_registered_is_in_the_reference() -> None:
    assert "## `unquilt vocabulary`" in reference()
    lines = list(describe_tables())
    assert "### vocabulary" in lines
    assert "| df | int64 | how many documents have it |" in lines


def test_stages_of_an_analysis_have_labels() -> None:
    assert catalogue.find_label("document words") == "counting words"
    assert catalogue.find_label("vocabulary") == "writing vocabulary"


def test_the_evidence_in_the_terminal_and_in_an_export(pages: Path, tmp_path: Path) -> None:
    succeed("vocabulary", pages, "-o", tmp_path / "run", "-q")
    out = succeed("show", tmp_path / "run", "lengths", "--doc", "c")
    assert "It opens like the page before it\n\nSources: a share\n  1   50.0%  document 1\n" in out
    assert "[1: GOOD :1] night, good night" in out
    rows = succeed("export", tmp_path / "run", "lengths", "--evidence", "-o", "-")
    assert [json.loads(line)["id"] for line in rows.splitlines()] == ["c", "a", "b"]


def test_the_report_has_the_section_of_the_analysis(pages: Path, tmp_path: Path) -> None:
    succeed("vocabulary", pages, "-o", tmp_path / "run", "-q")
    succeed("report", tmp_path / "run", "-o", tmp_path / "report.html", "-q")
    assert "The vocabulary has 4 words." in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_page_in_the_browser(pages: Path, tmp_path: Path) -> None:
    succeed("vocabulary", pages, "-o", tmp_path / "run", "-q")
    with serving([tmp_path / "run"], tmp_path / "labels.sqlite") as served:
        listed = served.get("/runs/run/tables/lengths").text
        assert '<a href="/runs/run/tables/vocabulary">Words</a>' in listed
        assert 'name="words.min"' in listed
        assert '<a class="cut" href="/runs/run/lengths/2"' in listed
        assert "It opens like the page before it." in served.get("/runs/run/lengths/2").text
        assert 'class="patch s1' in served.get("/runs/run/lengths/2").text
        assert "how long pages are" in served.get("/runs/run/documents/1").text.lower()


def test_whatever_it_does_not_say_is_named() -> None:
    job = toy_vocabulary.DECLARATION
    assert list(list_unsaid(job)) == []
    assert list(list_unsaid(replace(job, summary=None, report=None))) == [
        "vocabulary does not say its summary: name it, or say '' for a plain one",
        "vocabulary does not say its report: name it, or say '' for a plain one",
    ]
    (unsaid,) = list_unsaid(replace(job, results=(replace(toy_vocabulary.LENGTHS, page=None),)))
    assert unsaid == "table lengths does not say how the page shows it: page=OnPage(…), or NOT_LISTED"
    (wrong,) = list_unsaid(replace(job, report="toy_views:show_nothing"))
    assert wrong.startswith("vocabulary names toy_views:show_nothing, which is not there")


def test_no_name_twice() -> None:
    with pytest.raises(ValueError, match="there is a job vocabulary already"):
        catalogue.register(ENTRY)
