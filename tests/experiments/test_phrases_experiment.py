"""The experiment with phrases: its tables are what runs of `phrases` say, for each corpus and for one site."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from faulty import invoke

import unquilt
from unquilt.demo import write_jsonl
from unquilt.jobs.options import JobOptions
from unquilt.settings import Settings


@pytest.mark.slow
def test_two_corpora_and_a_site(settings: Settings, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl.gz", 150, words=200)
    write_jsonl(tmp_path / "other.jsonl.gz", 100, seed=5, words=200)
    own = unquilt.ingest(tmp_path / "pages.jsonl.gz", tmp_path / "corpus")
    unquilt.ingest(tmp_path / "other.jsonl.gz", tmp_path / "other")
    hosts = [row["host"] for row in own.documents.select(["host"]).to_pylist()]
    (site, _), *_ = Counter(hosts).most_common(1)
    run = unquilt.experiment.phrases(
        own.path,
        tmp_path / "run",
        options=JobOptions(settings=settings),
        beside=(str(tmp_path / "other"),),
        sample_site=site,
        least=1,
        sample_size=4,
    )
    shares = run.popular_curves.to_pylist()
    for name, folder in (("own", "corpus"), ("other", "other")):
        each = unquilt.phrases(tmp_path / folder, sample="uniform", least=1, sample_size=4)
        docs = each.document_phrases.to_pylist()
        counted = Counter(int(row["of_84"]) for row in docs)
        for row in shares:
            if (row["corpus"], row["site"]) == (name, ""):
                assert row["share"] == counted[row["popular"]] / len(docs)
        (facts,) = [row for row in run.phrase_corpora.to_pylist() if row["corpus"] == name]
        assert facts["documents"] == len(docs)
        assert facts["mean"] == pytest.approx(sum(row["of_84"] for row in docs) / len(docs))
        assert facts["many"] == sum(row["of_84"] >= 1 for row in docs) / len(docs)
        covers = each.covers.to_pylist()
        assert facts["sources"] == pytest.approx(sum(row["sources"] for row in covers) / len(covers))
        sizes = [row for row in run.cover_sizes.to_pylist() if (row["corpus"], row["sample"]) == (name, "uniform")]
        assert sum(row["documents"] for row in sizes) == len(covers) == 4
        curve = [row["shingles"] for row in run.shingle_curves.to_pylist() if row["corpus"] == name]
        assert curve == each.histogram["shingles"].to_pylist()
    there = [row for row in shares if row["site"]]
    assert {row["site"] for row in there} == {site}
    assert sum(row["share"] for row in there) == pytest.approx(1)
    assert any(row["sample"] == "site" for row in run.cover_sizes.to_pylist())


@pytest.mark.slow
def test_the_command_compares_corpora(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl.gz", 120, words=200)
    write_jsonl(tmp_path / "other.jsonl.gz", 80, seed=5, words=200)
    place = tmp_path / "run"
    asked = ["--beside", tmp_path / "other.jsonl.gz", "--least", "1"]
    ended = invoke("experiment", "phrases", tmp_path / "pages.jsonl.gz", "-o", place, *asked)
    assert ended.code == 0, ended.err
    assert "as long as 4 runs of unquilt phrases" in ended.out
    drawn = {file.stem for file in (place / "figures").iterdir()}
    assert {"frequencies", "counts", "covers"} <= drawn
    assert "other.jsonl.gz" in (place / "figures" / "counts.svg").read_text()
    before = (tmp_path / "run-own-uniform" / "manifest.json").read_bytes()
    assert invoke("experiment", "phrases", tmp_path / "pages.jsonl.gz", "-o", place, *asked).code == 0  # as it was
    assert (tmp_path / "run-own-uniform" / "manifest.json").read_bytes() == before
    assert invoke("report", place, "-o", tmp_path / "report.html").code == 0
    assert (tmp_path / "report.html").read_text().count("<svg") >= 4


def test_what_cannot_be_drawn_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"text": "one page of some words alone here"}\n')
    unquilt.ingest(tmp_path / "one.jsonl", tmp_path / "own")
    for asked in (["--sample-site", "nowhere.example"], ["--beside", tmp_path / "own"]):
        ended = invoke("experiment", "phrases", tmp_path / "own", "-o", tmp_path / "run", *asked)
        assert ended.code == 1
        assert ended.err.count("\n") == 1
