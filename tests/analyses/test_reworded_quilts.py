"""Quilts of reworded passages: those of the twin, the same bytes however they are computed, patches with both sides."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import twin
from click.testing import CliRunner
from drawn import as_table
from quilting import PLAIN, fit, local, measure, read_files, read_found, run_quilts, tasks_on_spark
from twin import Document, Found

import unquilt
from unquilt.cli import cli
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.settings import LEAST_MEMORY, Settings

sys.path.append(str(Path(__file__).parents[1] / "text"))
from test_alignment import as_text, edit, make_words

REWORDED: dict[str, Any] = {"edits": "reworded"}
ASKED: list[dict[str, Any]] = [
    REWORDED,
    {**REWORDED, "k": 3, "c": 2, "sigma": 0.3, "collapse": "exact", "max_own": 0.3, "max_largest": 0.8},
    {**REWORDED, "k": 4, "c": 1, "m": 3, "foreign": "host", "homes": False, "min_share": 0.1, "max_own": 0.5},
    {**REWORDED, "c": 2, "sigma": 0.6, "foreign": "none", "max_sections": 0.4, "min_part": 30, "max_reads_on": -0.1},
    {**REWORDED, **PLAIN, "edits": "reworded", "k": 2, "c": 1, "sigma": 0.2, "foreign": "ip", "max_own": 0.0},
    {**REWORDED, **PLAIN, "edits": "reworded", "c": 1, "sigma_of": "spanned", "min_sewn": 0.1, "collapse": "none"},
    {**REWORDED, "c": 2, "sigma_of": "patchfrac", "max_own": 1.0, "max_in_order": 0.0, "min_grams": 60},
    {**REWORDED, "k": 300, "c": 1, "min_grams": 1},
]


def draw_pages(seed: int) -> list[Document]:
    """Sources, and pages that were put together from passages of these and of each other, changed a little or a lot."""
    random = Random(seed)
    sources = [make_words(random, random.randint(120, 260), 3000) for _ in range(7)]
    texts = list(sources)
    for _ in range(9):
        page: list[str] = []
        share = random.choice([0.0, 0.2, 0.35, 0.45])
        for taken in random.sample(texts, random.randint(1, 5)):
            begin = random.randrange(max(1, len(taken) - 90))
            page += edit(taken[begin : begin + random.randint(60, 110)], share, random)
            page += make_words(random, random.choice([0, 0, 4, 40]), 3000)
        texts.append(page)
    texts.append([word.upper() for word in texts[9]])
    documents = []
    for number, words in enumerate(texts):
        domain = f"d{random.randrange(9)}.com"
        host = random.choice(["", "a.", "b."]) + domain
        nowhere = random.random() < 0.1
        documents.append(
            Document(
                str(number),
                None if nowhere else f"http://{host}/{number}",
                None if nowhere else host,
                None if nowhere else domain,
                random.choice([None, f"10.0.0.{random.randrange(4)}"]),
                as_text(words, random),
            )
        )
    return documents


@cache
def drawn(seed: int) -> list[Document]:
    return draw_pages(seed)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Run]:
    """The corpus of a seed, of small row groups."""

    @cache
    def make(seed: int) -> Run:
        return unquilt.ingest(as_table(drawn(seed)), tmp_path_factory.mktemp("pages") / "corpus")

    return make


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("asked", ASKED, ids=range(len(ASKED)))
def test_reworded_quilts_are_those_of_the_twin(
    asked: dict[str, Any], seed: int, corpora: Callable[[int], Run], tmp_path: Path
) -> None:
    asked = fit(asked)
    run = run_quilts(corpora(seed), tmp_path / "run", local(corpora(seed), partitions=3), **asked)
    found, expected = read_found(run), twin.quilts(drawn(seed), **asked)
    for name in Found._fields:
        assert getattr(found, name) == getattr(expected, name), name


@pytest.mark.slow
def test_the_drawn_pages_have_what_they_are_for() -> None:
    seen: Counter[str] = Counter()
    for seed in (1, 2, 3):
        for asked in ASKED[1:6]:
            found = twin.quilts(drawn(seed), **fit(asked))
            of = dict(zip(("doc", *twin.NUMBERS), range(99), strict=False))
            for row in found.verdicts:
                reworded, quilt = row[of["reworded"]], row[-3]
                seen["by passages"] += reworded
                seen["by grams"] += not reworded
                seen["quilts by passages"] += reworded and quilt
                seen["quilts by grams"] += quilt and not reworded
                seen["originals by passages"] += reworded and row[-4] == "original"
                seen["the own site's"] += reworded and row[of["own"]] not in (None, 0)
                seen["not all sewn in"] += reworded and row[of["sewn"]] not in (None, 1)
            seen["patches of both kinds"] += len({row[-1] is None for row in found.patches}) == 2
    assert all(count > 1 for count in seen.values()), seen
    assert len(seen) == 8


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("memory", [LEAST_MEMORY, 1 << 30])
def test_threads_memory_and_partitions_change_nothing(
    threads: int, memory: int, corpora: Callable[[int], Run], tmp_path: Path
) -> None:
    asked = fit(ASKED[1])
    alone = run_quilts(corpora(1), tmp_path / "alone", local(corpora(1), threads=1, partitions=1), **asked)
    engine = local(corpora(1), threads=threads, memory=memory, partitions=7)
    assert read_files(run_quilts(corpora(1), tmp_path / "run", engine, **asked)) == read_files(alone)


def test_spark_gives_the_same_bytes(corpora: Callable[[int], Run], spark_settings: Settings, tmp_path: Path) -> None:
    asked = fit(ASKED[1])
    alone = run_quilts(corpora(1), tmp_path / "alone", local(corpora(1)), **asked)
    engine = tasks_on_spark(measure(corpora(1)), spark_settings, 2)
    assert read_files(run_quilts(corpora(1), tmp_path / "run", engine, **asked)) == read_files(alone)


def invoke(*arguments: object) -> str:
    result = CliRunner().invoke(cli, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.slow
def test_both_sides_of_what_was_reworded_are_shown(corpora: Callable[[int], Run], tmp_path: Path) -> None:
    options = JobOptions(settings=Settings(threads=1, memory=1 << 30))
    run = unquilt.quilts(corpora(1).path, tmp_path / "run", options=options, **fit(ASKED[5]))
    doc = next(row["doc"] for row in run.quilts.to_pylist() if row["reworded"])
    patches = [row for row in run.table("patches").to_pylist() if row["quilt"] == doc]
    assert all(0 < row["similarity"] <= 1 for row in patches)
    said = invoke("show", run.path, "quilts", "--doc", f"doc={doc}")
    assert "reworded passages count in place of grams (--edits reworded)" in said
    assert said.count("of the stems in common)") == len(patches)
    listed = invoke("show", run.path, "patches", "--doc", f"doc={doc}")
    texts = [document.text for document in drawn(1)]
    for row in patches:
        here, there = texts[row["quilt"]][row["begin"] :], texts[row["source"]][row["source_begin"] :]
        for output in (said, listed):
            assert f"  here   {' '.join(here.split())[:30]}" in output
            assert f"  there  {' '.join(there.split())[:30]}" in output
    invoke("report", run.path, "--examples", 20, "-o", tmp_path / "report.html")
    report = " ".join(re.sub("<[^>]*>", "", (tmp_path / "report.html").read_text(encoding="utf-8")).split())
    longest = max(patches, key=lambda row: row["end"] - row["begin"])
    for side, begin in (("quilt", "begin"), ("source", "source_begin")):
        assert " ".join(texts[longest[side]][longest[begin] :].split())[:30] in report
    invoke("export", run.path, "quilts", "--evidence", "-o", tmp_path / "quilts.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "quilts.jsonl").read_text(encoding="utf-8").splitlines()]
    (copied,) = [row["copied"] for row in rows if row["doc"] == doc]
    assert [each["similarity"] for each in copied] == [row["similarity"] for row in patches]
