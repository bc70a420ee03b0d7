"""The experiment with I-Match: near-duplicates by exact cosine, as all pairs say; recall as the twin counts it; the
model beside what is measured."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from statistics import fmean

import pyarrow as pa
import pytest
import twin_imatch
from faulty import invoke

import unquilt
from unquilt.analyses.imatch_experiment import ImatchExperimentParameters
from unquilt.demo import write_jsonl
from unquilt.experiments.near import find_near
from unquilt.jobs.options import JobOptions
from unquilt.settings import Settings


def draw_texts(number: int) -> list[str]:
    """Pages of some dozens of words, and copies of these with some words changed."""
    random = Random(3)
    stock = [f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300)]
    texts: list[list[str]] = []
    while len(texts) < number:
        if texts and random.random() < 0.6:
            copy = list(random.choice(texts))
            for _ in range(random.randint(0, 4)):
                copy[random.randrange(len(copy))] = random.choice(stock)
            texts.append(copy)
        else:
            texts.append(random.sample(stock, random.randint(3, 40)))
    return [" ".join(words) for words in texts]


def cosine(one: set[str], other: set[str]) -> float:
    return len(one & other) / math.sqrt(len(one) * len(other))


def test_near_duplicates_are_those_of_all_pairs(settings: Settings, tmp_path: Path) -> None:
    texts = draw_texts(150)
    corpus = unquilt.ingest(pa.table({"text": texts}), tmp_path / "corpus")
    options = JobOptions(settings=settings)
    found = find_near(corpus, ImatchExperimentParameters(queries=10_000), options.progress)
    queries = found.queries
    near = {doc: list(found.found.get(doc, ())) for doc in queries}
    sets = [twin_imatch.terms(text) for text in texts]
    expected = {
        doc: [other for other, two in enumerate(sets) if other != doc and len(two) >= 5 and cosine(one, two) >= 0.9]
        for doc, one in enumerate(sets)
        if len(one) >= 5
    }
    assert near == expected
    assert queries == sorted(queries)
    assert sum(map(len, near.values())) > 20
    run = unquilt.experiment.imatch(corpus.path, tmp_path / "run", options=options, queries=10_000)
    df = twin_imatch.count(texts)
    lexicon = twin_imatch.lexicon(df, len(texts), 0.2, 0.8, 1)
    signed = [twin_imatch.signatures(text, lexicon, twin_imatch.Shape()) for text in texts]

    def agree(one: int, other: int, lexicons: int) -> bool:
        pairs = list(zip(signed[one], signed[other], strict=True))[: lexicons + 1]
        return any(a is not None and a == b for a, b in pairs)

    for row in run.recalls.to_pylist():
        found = {doc: others for doc, others in near.items() if others}
        agreeing = {doc: [agree(doc, other, row["lexicons"]) for other in others] for doc, others in found.items()}
        assert row["found"] == sum(map(sum, agreeing.values()))
        assert row["recall"] == pytest.approx(fmean(fmean(each) for each in agreeing.values()))
        assert row["queries"] == sum(map(bool, near.values()))


def test_documents_with_the_same_words_can_be_left_out(tmp_path: Path) -> None:
    texts = draw_texts(80)
    corpus = unquilt.ingest(pa.table({"text": texts + texts}), tmp_path / "corpus")
    found = find_near(corpus, ImatchExperimentParameters(distinct=True), JobOptions().progress)
    assert max(found.documents) < 80
    assert max(found.queries) < 80


@pytest.mark.slow
def test_a_command_on_the_demo_web(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl.gz", 400, seed=2, words=200)
    other = tmp_path / "other.jsonl.gz"
    write_jsonl(other, 300, seed=9, words=200)
    assert invoke("lexicon", "build", other, "-o", tmp_path / "other.lexicon", "-q").code == 0
    place = tmp_path / "run"
    asked = ["--lexicon", tmp_path / "other.lexicon", "--legitimate", other]
    ended = invoke("experiment", "imatch", tmp_path / "pages.jsonl.gz", "-o", place, *asked)
    assert ended.code == 0, ended.err
    assert "all texts are read four times" in ended.out
    assert sorted(file.name for file in (place / "figures").iterdir()) == ["recalls.svg", "stability.svg"]
    rows = unquilt.Run.read(place).recalls.to_pylist()
    assert [(row["lexicon"], row["lexicons"]) for row in rows] == [
        (name, k) for name in ("own", "other.lexicon") for k in range(11)
    ]
    for name in ("own", "other.lexicon"):
        recalls = [row["recall"] for row in rows if row["lexicon"] == name]
        alarms = [row["false_alarms"] for row in rows if row["lexicon"] == name]
        assert recalls == sorted(recalls)
        assert alarms == sorted(alarms)
    for row in unquilt.Run.read(place).stability.to_pylist():
        assert row["model"] == pytest.approx(1 - (1 - 0.33 ** row["changes"]) ** row["lexicons"])
        assert row["measured"] == pytest.approx(row["model"], abs=0.2)
    assert invoke("experiment", "imatch", tmp_path / "pages.jsonl.gz", "-o", place, *asked).code == 0  # as it was
    assert invoke("report", place, "-o", tmp_path / "report.html").code == 0
    assert (tmp_path / "report.html").read_text().count("<svg") >= 2


def test_a_corpus_that_is_too_small(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"text": "one page of some words alone here"}\n')
    ended = invoke("experiment", "imatch", tmp_path / "one.jsonl", "-o", tmp_path / "run")
    assert ended.code == 1
    assert ended.err.count("\n") == 1
