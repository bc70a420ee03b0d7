"""The experiment with passages: what is planted stands where the labels say, and is scored as runs of their own are."""

from __future__ import annotations

from pathlib import Path

import pytest
from faulty import invoke

import unquilt
from unquilt.analyses.passages_experiment import PassagesExperimentParameters
from unquilt.demo import write_jsonl
from unquilt.experiments.passages import find_known, list_cases
from unquilt.experiments.tables import Runs
from unquilt.jobs.options import JobOptions
from unquilt.results.folders import RunFolder
from unquilt.results.scoring import score_run
from unquilt.settings import Settings

SMALL = {
    "tau": (0.7, 1.0),
    "n": (3,),
    "least_nidf": (0.1,),
    "antecedents": (1000,),
    "gamma": (1, 3),
    "shares": (0.5, 1.0),
}


def test_planted_passages_stand_where_the_labels_say(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl.gz", 60, words=300)
    corpus = unquilt.ingest(tmp_path / "pages.jsonl.gz", tmp_path / "corpus")
    for edited in (0.0, 1.0):
        given = PassagesExperimentParameters(pairs=12, edited=edited)
        planted, labels = find_known(corpus, given, Runs(corpus, tmp_path, str(edited), 0, JobOptions()))
        texts = {row["id"]: row["text"] for row in unquilt.Run.read(planted.path).documents.to_pylist()}
        assert len(labels) == 12
        for label in labels:
            spans = label.passage
            assert spans is not None
            one, other = texts[label.a][spans.a_begin : spans.a_end], texts[label.b][spans.b_begin : spans.b_end]
            assert (one == other) == (edited == 0)
            assert len(set(one.split()) & set(other.split())) > len(set(one.split())) / 2


@pytest.mark.slow
def test_qualities_are_those_of_runs(settings: Settings, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl.gz", 60, words=300)
    corpus = unquilt.ingest(tmp_path / "pages.jsonl.gz", tmp_path / "corpus")
    options = JobOptions(settings=settings)
    run = unquilt.experiment.passages(corpus.path, tmp_path / "run", options=options, pairs=10, **SMALL)
    given = PassagesExperimentParameters.from_dict(SMALL | {"pairs": 10})
    planted, labels = find_known(corpus, given, Runs(corpus, tmp_path, "again", 0, JobOptions()))
    rows = {(row["varied"], row["signature"], row["value"]): row for row in run.qualities.to_pylist()}
    cases = list(list_cases(given))
    assert list(rows) == [case[:3] for case in cases]
    for varied, signature, value, parameters in cases:
        each = unquilt.passages(planted.path, **parameters)
        *_, found = score_run(RunFolder(each), labels).sentences.values()
        row = rows[varied, signature, value]
        assert (row["precision"], row["recall"], row["f1"]) == (found.precision, found.recall, found.f1)
        summary = each.manifest["summary"]
        per_sentence = summary["signatures"] / summary["sentences"] if "sentences" in summary else None
        assert row["signatures"] == per_sentence
        assert varied != "nidf" or 0.5 < row["signatures"] <= 1
    assert rows["gamma", "imatch", 3.0]["precision"] > 0.8
    near = unquilt.neardups(corpus.path, method="spotsigs", threshold=0.44)
    (*_, whole) = run.beyond.to_pylist()
    assert whole["documents"] == 60
    assert whole["near"] == len(set(near.clusters["doc"].to_pylist()))
    assert whole["shingled"] == unquilt.neardups(corpus.path).clusters.num_rows


@pytest.mark.slow
def test_the_command_measures_passages(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl.gz", 60, words=300)
    place = tmp_path / "run"
    asked = ["--pairs", "8", "--tau", "0.9", "--n", "4", "--least-nidf", "0.1", "--antecedents", "100,1000"]
    ended = invoke("experiment", "passages", tmp_path / "pages.jsonl.gz", "-o", place, *asked, "--gamma", "3")
    assert ended.code == 0, ended.err
    assert "on 16 documents" in ended.out
    names = {file.stem for file in (place / "figures").iterdir()}
    assert names == {"shingles", "imatch", "antecedents", "spotsigs", "beyond", "times"}
    assert invoke("report", place, "-o", tmp_path / "report.html").code == 0
    assert (tmp_path / "report.html").read_text().count("<svg") >= 6
    both = ["--pan", tmp_path, "--labels", tmp_path / "labels.jsonl"]
    assert invoke("experiment", "passages", place, "-o", tmp_path / "x", *both).code == 2


def test_a_corpus_that_is_too_small(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"text": "one page of some words alone here"}\n')
    ended = invoke("experiment", "passages", tmp_path / "one.jsonl", "-o", tmp_path / "run")
    assert ended.code == 1
    assert ended.err.count("\n") == 1
