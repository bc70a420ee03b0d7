"""docs/faults.md 48: outputs that would mix up with inputs, and impossible names, refused before anything is read."""

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner

import unquilt
from unquilt.cli import cli
from unquilt.errors import ParameterError

JOBS = {
    "ingest": "ingest {input} -o {output}",
    "quilts": "quilts {input} -o {output}",
    "sweep": "sweep {input} -o {output} -k 3 -m 5 -c 1 --sigma 0.5",
    "neardups": "neardups {input} -o {output}",
    "lexicon": "lexicon build {input} -o {output} --nidf 0:1",
    "set": "filter --build {input} -o {output}",
}
OVERLAPS = {
    "the file": ("crawl/a.jsonl", "crawl/a.jsonl", "is an input"),
    "the folder": ("crawl", "crawl", "is an input"),
    "the folder, otherwise spelled": ("./crawl/", "link", "is an input"),
    "in the folder": ("crawl", "crawl/out", "lies in the input crawl; put it elsewhere, such as "),
    "deep in the folder": ("crawl", "crawl/x/y/out", "lies in the input crawl"),
    "in the folder by a link": ("link", "crawl/out", "lies in the input link"),
    "around the file": ("crawl/a.jsonl", "crawl", "contains the input crawl/a.jsonl; choose another place"),
    "around the folder": ("crawl/inner", "crawl", "contains the input crawl/inner"),
    "here": ("crawl", ".", "contains the input crawl"),
    "a glob's folder": ("cra*", "crawl/out", "lies in the input crawl"),
    "a glob's file": ("crawl/*.jsonl", "crawl/a.jsonl", "is an input"),
    "a file of the folder": ("crawl", "crawl/a.jsonl", "lies in the input crawl"),
    "the second input": ("b.jsonl crawl", "crawl/out", "lies in the input crawl"),
    "where a link in the folder leads": ("linking", "target", "contains the input linking/a.jsonl"),
}
CORPORA = {
    "the corpus": ("corpus", "corpus", "is an input"),
    "in the corpus": ("corpus", "corpus/out", "lies in the input corpus"),
    "the run of the corpus": ("run/corpus", "run", "contains the input run/corpus"),
    "in another run": ("b.jsonl", "run/out", "a run or corpus, and would be deleted with it; put it beside"),
    "the corpus of another run": ("b.jsonl", "run/corpus", "a run or corpus, and would be deleted with it"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("outputs")
    with chdir(folder):
        for name in ("crawl/inner", "linking", "target"):
            Path(name).mkdir(parents=True)
        for name in ("crawl/a.jsonl", "crawl/inner/c.jsonl", "b.jsonl", "target/t.jsonl"):
            Path(name).write_text(json.dumps({"id": "x", "text": f"one two three four {name}"}) + "\n")
        Path("link").symlink_to("crawl")
        Path("linking/a.jsonl").symlink_to("../target/t.jsonl")
        unquilt.ingest("b.jsonl", "corpus")
        unquilt.quilts("b.jsonl", "run")
    return folder


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def refuse(made: Path, command: str) -> str:
    before = snapshot(made)
    with chdir(made):
        result = CliRunner().invoke(cli, command.split(" "), prog_name="unquilt")
    assert result.exit_code in (1, 2), result.output
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)
    assert "internal error" not in result.stderr
    assert snapshot(made) == before
    return result.stderr


@pytest.mark.parametrize("overwrite", ["", " --overwrite"])
@pytest.mark.parametrize("case", OVERLAPS | CORPORA)
def test_an_output_that_is_contains_or_lies_in_an_input(made, case, overwrite):
    inputs, output, message = (OVERLAPS | CORPORA)[case]
    assert message in refuse(made, JOBS["quilts"].format(input=inputs, output=output) + overwrite)


@pytest.mark.parametrize("job", JOBS)
def test_every_job_looks(made, job):
    """One place judges outputs for all jobs."""
    for case in ("the file", "in the folder by a link", "around the folder", "in another run"):
        inputs, output, message = (OVERLAPS | CORPORA)[case]
        assert message in refuse(made, JOBS[job].format(input=inputs, output=output) + " --overwrite")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("neardups b.jsonl -o corpus --method imatch --lexicon corpus/lexicon", "contains the input corpus/lexicon"),
        ("filter --build b.jsonl -o lexicon --method imatch --lexicon lexicon --overwrite", "is an input"),
    ],
)
def test_files_given_beside_are_inputs_too(made, command, message):
    unquilt.build_lexicon([made / "b.jsonl", made / "crawl" / "a.jsonl"], made / "lexicon", nidf=(0, 1))
    shutil.copy(made / "lexicon", made / "corpus" / "lexicon")
    try:
        assert message in refuse(made, command)
    finally:
        (made / "corpus" / "lexicon").unlink()
        (made / "lexicon").unlink()


def test_a_set_may_be_added_to_and_results_may_lie_beside(made, tmp_path):
    shutil.copytree(made / "crawl", tmp_path / "crawl")
    unquilt.build_filter(tmp_path / "crawl", tmp_path / "set")
    assert unquilt.build_filter(made / "b.jsonl", tmp_path / "set", base=tmp_path / "set").prototypes == 3
    assert unquilt.ingest(tmp_path / "crawl" / "a.jsonl", tmp_path / "crawl" / "corpus").complete
    assert unquilt.quilts(tmp_path / "crawl", tmp_path / "run").manifest["summary"]["documents"] == 2


@pytest.mark.parametrize("job", JOBS)
def test_an_output_without_a_name(made, job):
    said = refuse(made, JOBS[job].format(input="b.jsonl", output=""))
    assert "output must be the name of a file or folder, not ''" in said


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_an_output_that_cannot_be(made, name):
    with pytest.raises(ParameterError, match="output must be the name of a file or folder"):
        unquilt.ingest(made / "b.jsonl", name)


@pytest.mark.slow
def test_folders_deep_and_names_long(made, tmp_path):
    deep = "d/" * (1500 - len(str(tmp_path)) // 2)
    with chdir(tmp_path):
        assert unquilt.ingest(made / "b.jsonl", f"{deep}corpus").complete
        subprocess.run(["rm", "-r", "d"], check=True)  # shutil calls itself once for each folder
    for name in ("e/" * 2100, f"{'n' * 300}", f"x/{'n' * 300}/y"):
        assert "file name too long: " in refuse(made, f"ingest b.jsonl -o {name}out")
