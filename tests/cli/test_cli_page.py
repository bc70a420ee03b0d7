"""`unquilt serve` and `unquilt judge` at the terminal: messages, endings, results and exports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import unquilt as uq
from unquilt.cli import cli
from unquilt.judgements.labels import FILE, LabelFile
from unquilt.judgements.preparation import prepare, want_sample
from unquilt.results.folders import RunFolder

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus and a run over it."""
    folder = tmp_path_factory.mktemp("place")
    texts = ["one two three four five six seven"] * 6 + ["eight nine ten eleven twelve"]
    (folder / "pages.jsonl").write_text(
        "".join(json.dumps({"id": f"d{number}", "text": text}) + "\n" for number, text in enumerate(texts))
    )
    uq.ingest(folder / "pages.jsonl", folder / "corpus")
    uq.neardups(folder / "corpus", folder / "near")
    return folder


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("serve {place}/nothing", 1, "no such folder"),
        ("serve {place}/pages.jsonl", 1, "is not a run folder"),
        ("serve {place}/near --port 99999 --no-browser", 2, "port must be between 1 and 65535"),
        ("judge {place}/near", 2, "name the TABLE"),
        ("judge {place}/near {place}/nothing --results", 1, "no such folder"),
        ("judge {place}/near kept more", 2, "only --results takes several runs"),
        ("judge {place}/near none", 2, "has no table 'none'"),
        ("judge {place}/near kept --categories a", 2, "2 to 9 different words"),
        ("judge {place}/near kept --where nothing=1", 2, "not a condition on the columns of kept"),
        ("judge {place}/near kept --judge a/b", 2, "a judge needs a name"),
        ("judge {place}/near --export labels.txt", 2, ".csv or .jsonl"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(place: Path, tmp_path: Path, command: str, code: int, message: str) -> None:
    arguments = command.format(place=place).split()
    labels = ["--labels", str(tmp_path / "labels.sqlite")] if arguments[0] == "judge" else []
    result = invoke(*arguments, *labels)
    assert result.exit_code == code, result.output
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_without_the_extra_the_command_that_installs_it_is_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("unquilt.page")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for command in (("serve", place / "near"), ("judge", place / "near", "kept")):
        result = invoke(*command)
        assert result.exit_code == 1
        assert 'pip install "unquilt[page]"' in result.stderr


def test_a_folder_of_runs_is_served_until_ctrl_c(place: Path) -> None:
    command = [sys.executable, "-m", "unquilt", "serve", str(place), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        line = child.stdout.readline()
        assert "The page is at http://127.0.0.1:" in line
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        address = line.split()[4]
        with browser.open(address) as answer:
            assert "Open the page of unquilt" in answer.read().decode()
        with browser.open(address.partition("?")[0]) as answer:
            page = answer.read().decode()
        assert "/runs/near" in page
        assert "/runs/corpus" not in page
        os.kill(child.pid, signal.SIGINT)
        _, complaints = child.communicate(timeout=30)
        assert (child.returncode, complaints) == (0, "")


def test_results_and_exports(place: Path, tmp_path: Path) -> None:
    file, folder = LabelFile(place / FILE), RunFolder.open(place / "near")
    assert "No sample of this run" in invoke("judge", place / "near", "--results").output
    asked = {"sample": "4", "categories": "yes,no"}
    sample = prepare(file, folder, want_sample("near", folder, "kept", asked))
    for position in range(1, 5):
        file.label(sample, position, "ada", "yes" if position < 4 else "no")
        file.label(sample, position, "bob", "yes")
    several = invoke("judge", place / "near", place / "near", "--results", "--json").output.splitlines()
    alone = [json.loads(line) for line in invoke("judge", place / "near", "--results", "--json").output.splitlines()]
    assert [{**json.loads(line), "run": ""} for line in several] == [
        {name: value for name, value in (row | {"run": ""}).items() if name != "sample"} for row in alone
    ] * 2
    shown = invoke("judge", place / "near", place / "near", "--results").output
    assert shown.count("ada") == 4
    assert "low" in shown
    shown = invoke("judge", place / "near", "--results").output
    assert "near-kept: 4 items of 7 rows of kept" in shown
    assert "ada and bob: the same for 3 of 4 items, Cohen's kappa 0.00" in shown
    rows = [json.loads(line) for line in invoke("judge", place / "near", "--results", "--json").output.splitlines()]
    assert [(row["judge"], row["category"], row["share"]) for row in rows][:2] == [
        ("ada", "yes", 0.75),
        ("ada", "no", 0.25),
    ]
    assert "8 labels in" in invoke("judge", place / "near", "--export", tmp_path / "all.csv").output
    assert "1 label in" in invoke("judge", place / "near", "--export", tmp_path / "no.jsonl", "--only", "no").output
    row = json.loads((tmp_path / "no.jsonl").read_text())
    assert (row["judge"], row["label"], row["id"]) == ("ada", "no", f"d{row['doc']}")
