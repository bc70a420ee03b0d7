"""The experiment with quilts: what runs by each definition find, side by side; and an interrupted one goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from faulty import invoke

import unquilt
from unquilt.analyses.quilts import PUBLISHED
from unquilt.demo import write_jsonl
from unquilt.experiments.quilts import DEFINITIONS

GRID = ["--k", "4,5", "--m", "50", "--c", "2,4", "--sigma", "0.5,0.75"]


@pytest.mark.slow
def test_a_command_on_the_demo_web(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl.gz", 300, words=300)
    corpus = unquilt.ingest(tmp_path / "pages.jsonl.gz", tmp_path / "corpus")
    place = tmp_path / "run"
    ended = invoke("experiment", "quilts", corpus.path, "-o", place, *GRID)
    assert ended.code == 0, ended.err
    assert "as long as 4 runs of unquilt quilts and one of unquilt sweep" in ended.out
    run = unquilt.Run.read(place)
    rows = {row["definition"]: row for row in run.variants.to_pylist()}
    assert list(rows) == list(DEFINITIONS)
    published: set[int] = set()
    for name, parameters in DEFINITIONS.items():
        found = unquilt.quilts(corpus.path, **parameters).quilts.to_pylist()
        quilts = [row for row in found if row["verdict"] == "quilt"]
        assert rows[name]["quilts"] == len(quilts)
        assert rows[name]["in_part"] == len(found) - len(quilts)
        docs = {row["doc"] for row in quilts}
        published = published or docs
        assert rows[name]["of_published"] == len(docs & published) / len(published)
    assert rows["published"]["of_published"] == 1
    pivot = [row for row in run.sweep.to_pylist() if (row["k"], row["m"], row["c"], row["sigma"]) == (5, 50, 4, 0.5)]
    assert pivot[0]["quilts"] == rows["published"]["quilts"]
    assert (place / "figures" / "sweep.svg").exists()
    assert invoke("report", place, "-o", tmp_path / "report.html").code == 0
    assert "<svg" in (tmp_path / "report.html").read_text()
    # An interrupted experiment goes on with the runs that are there.
    before = (tmp_path / "run-published" / "manifest.json").read_bytes()
    assert invoke("experiment", "quilts", corpus.path, "-o", tmp_path / "run2", *GRID, "-q").code == 0
    assert (tmp_path / "run-published" / "manifest.json").read_bytes() == before
    assert unquilt.Run.read(tmp_path / "run2").variants == run.variants
    assert DEFINITIONS["published"] == PUBLISHED
