"""`unquilt reuse answer`: the same as detection says, document by document, as they come."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from faulty import invoke

import unquilt

OURS = "A paragraph of ours, of some length.\n\nAnother paragraph of ours.\n\nHome"
PAGES = {
    "copy": OURS,
    "half": "A paragraph of ours, of some length.\n\nOne of their own.\n\nНоme",  # the last one with Cyrillic letters
    "none": "Nothing of ours.",
    "page": "<p>Another <b>paragraph</b> of ours.<p>And more.",
}
UNQUILT = [sys.executable, "-m", "unquilt.cli"]


def line(name: str, text: str) -> str:
    return json.dumps({"id": name, "url": f"http://{name}.example/", "text": text}) + "\n"


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return unquilt.label(pa.table({"id": ["ours"], "text": [OURS]}), tmp_path / "ours.labels", page_threshold=0.4).path


def read(text: str) -> list[dict[str, Any]]:
    return [json.loads(each) for each in text.splitlines()]


@pytest.mark.parametrize("words", ["restored", "plain"])
def test_answers_are_those_of_detection(words: str, tmp_path: Path) -> None:
    pages = tmp_path / "pages.jsonl"
    pages.write_text("".join(line(name, text) for name, text in PAGES.items()))
    (tmp_path / "ours.jsonl").write_text(line("ours", OURS))
    labels, corpus = tmp_path / "ours.labels", tmp_path / "corpus"
    assert invoke("ingest", tmp_path / "ours.jsonl", "-o", tmp_path / "ours", "--words", words).code == 0
    assert invoke("ingest", pages, "-o", corpus, "--words", words).code == 0
    assert invoke("reuse", "label", tmp_path / "ours", "-o", labels, "--page-threshold", "0.4").code == 0
    run = unquilt.detect(corpus, tmp_path / "run", labels=str(labels), occurrences=True)
    expected = {row["id"]: row for row in run.contents.to_pylist()}
    targets = {row["id"] for row in run.targets.to_pylist()}
    places = [(row["doc"], row["begin"], row["end"], row["sha1"].hex()) for row in run.occurrences.to_pylist()]
    found = read(invoke("reuse", "answer", pages, "--labels", labels, "--places").out)
    assert [row["id"] for row in found] == list(PAGES)
    for row in found:
        there = expected[row["id"]]
        assert (row["chunks"], row["labelled"], row["file"]) == (there["chunks"], there["matched"], there["file"])
        assert row["url"] == f"http://{row['id']}.example/"
        assert row["target"] == (row["id"] in targets)
        assert (row["ours"], row["ours_labelled"]) == (there["ours"], there["ours_matched"])
        assert row["contains"] == row["labelled"] / row["chunks"]
    marked = [(doc, *each.values()) for doc, row in enumerate(found) for each in row["places"]]
    assert sorted(marked) == sorted(places)
    assert found[1]["labelled"] == (2 if words == "restored" else 1)


def test_lines_are_answered_as_they_come(labels: Path) -> None:
    """The next line is sent only when the last one was answered."""
    with subprocess.Popen(
        [*UNQUILT, "reuse", "answer", "--labels", str(labels)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for name, text in [*PAGES.items(), ("broken", "")]:
            process.stdin.write(line(name, text) if text else "{broken\n")
            process.stdin.flush()
            found = json.loads(process.stdout.readline())
            assert found.get("id") == name if text else found["reject"]
            assert "places" not in found
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait() == 0


def test_what_does_not_fit(labels: Path, tmp_path: Path) -> None:
    pages = tmp_path / "pages.jsonl"
    pages.write_text(line("copy", OURS) + "{broken\n")
    for asked, code, why in (
        (["--labels", tmp_path / "none"], 1, "no such file"),
        (["--labels", pages], 1, "cannot be read as a set of labels"),
        (["--labels", labels, "--words", "plain"], 2, "--words plain does not fit: chunks of"),
        (["--labels", labels, "--max-rejects", "0"], 3, "1 record was rejected"),
    ):
        ended = invoke("reuse", "answer", pages, *asked)
        assert (ended.code, why in ended.err) == (code, True), ended
    unquilt.ingest(pages, tmp_path / "corpus")
    assert (
        "is a corpus; unquilt reuse detect says"
        in invoke("reuse", "answer", tmp_path / "corpus", "--labels", labels).err
    )
