"""The experiment with quilts: what runs by each definition find, side by side; and an interrupted one goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from faulty import invoke

import unquilt
from unquilt import _native
from unquilt.analyses.quilt_parameters import PUBLISHED
from unquilt.analyses.quilts_experiment import QuiltsExperimentParameters
from unquilt.demo import write_jsonl
from unquilt.experiments.planted_quilts import StockText, find_case, list_cases, stitch_pages
from unquilt.experiments.quilts import DEFINITIONS
from unquilt.figures.quilts_experiment import NAMES
from unquilt.jobs.options import JobOptions
from unquilt.settings import Settings

GRID = ["--k", "4,5", "--m", "50", "--c", "2,4", "--sigma", "0.5,0.75"]
PLANTED = ["--planted", "4", "--sources", "2,6", "--shares", "0.3,0.9", "--edits", "0.3", "--among", "250"]


def test_planted_pages_are_made_as_stated() -> None:
    """Each source has 40 words in a row there, or what edits leave of them; and the copied share is the wanted one."""
    texts = [" ".join(f"{chr(97 + n)}{place}" for place in range(200)) for n in range(12)]
    stock = [StockText(text, _native.words(text), f"h{n % 3}.example") for n, text in enumerate(texts)]
    given = QuiltsExperimentParameters(planted=5, sources=(2, 12), shares=(0.4, 1.0), edits=(0.5,))
    pages = list(stitch_pages(stock, given))
    cases = list_cases(given)
    assert len({page["url"] for page in pages}) == len(pages) == 5 * len(cases)
    assert pages == list(stitch_pages(stock, given))
    for page in pages:
        number = find_case(page["id"])
        assert number is not None
        case = cases[number]
        parts = page["text"].split("\n\n")
        copied = parts if case.share == 1 else parts[::2]
        assert len(copied) == case.sources
        assert all(len(part.split()) == 40 for part in copied)
        if case.edits == 0:
            sources = [next(n for n, text in enumerate(texts) if f" {part} " in f" {text} ") for part in copied]
            assert len(set(sources)) == case.sources
            if case.sources <= 3:
                assert len({source % 3 for source in sources}) == case.sources
        else:
            mine = [max(sum(word in text.split() for word in part.split()) for text in texts) for part in copied]
            assert 15 < sum(mine) / len(mine) < 30
        share = 40 * case.sources / len(page["text"].split())
        assert share == pytest.approx(case.share, abs=0.01)
    assert find_case("planted-quilt-x") is None
    assert find_case("3-1") is None


@pytest.mark.slow
def test_a_command_on_the_demo_web(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl.gz", 300, words=300)
    corpus = unquilt.ingest(tmp_path / "pages.jsonl.gz", tmp_path / "corpus")
    place = tmp_path / "run"
    ended = invoke("experiment", "quilts", corpus.path, "-o", place, *GRID, *PLANTED)
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
    assert "and 2 runs on 20 planted pages among up to 250 documents" in ended.out
    recalls = {
        (row["definition"], row["varied"], row["sources"], row["share"]): row for row in run.planted_quilts.to_pylist()
    }
    assert len(recalls) == 10
    for definition in ("published", "default"):
        assert recalls[definition, "sources", 2, 0.75]["recall"] <= 0.25
        assert recalls[definition, "sources", 6, 0.75]["recall"] == 1
        assert recalls[definition, "share", 8, 0.3]["recall"] == 0
        assert recalls[definition, "share", 8, 0.9]["recall"] == 1
        assert recalls[definition, "edits", 8, 0.75]["recall"] == 0
        assert recalls[definition, "share", 8, 0.9]["mean_sources"] >= 8
    assert {file.stem for file in (place / "figures").iterdir()} == set(NAMES)
    assert invoke("report", place, "-o", tmp_path / "report.html").code == 0
    assert "<svg" in (tmp_path / "report.html").read_text()
    # An interrupted experiment goes on with the runs that are there.
    before = (tmp_path / "run-published" / "manifest.json").read_bytes()
    assert invoke("experiment", "quilts", corpus.path, "-o", tmp_path / "run2", *GRID, *PLANTED, "-q").code == 0
    assert (tmp_path / "run-published" / "manifest.json").read_bytes() == before
    assert unquilt.Run.read(tmp_path / "run2").variants == run.variants
    assert DEFINITIONS["published"] == PUBLISHED


def test_a_corpus_that_is_too_small(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl", 10, words=200)
    ended = invoke("experiment", "quilts", tmp_path / "pages.jsonl", "-o", tmp_path / "run")
    assert ended.code == 1
    assert ended.err.endswith(
        "too few for pages of 32 sources: ask for fewer with sources, or for none with planted 0\n"
    )
    assert ended.err.count("\n") == 1
    again = ("experiment", "quilts", tmp_path / "pages.jsonl", "-o", tmp_path / "run", "--planted", "0", *GRID, "-q")
    assert invoke(*again).code == 0
    assert unquilt.Run.read(tmp_path / "run").planted_quilts.num_rows == 0


@pytest.mark.slow
@pytest.mark.spark_once
def test_all_engines_agree(settings: Settings, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pages.jsonl.gz", 80, words=250)
    corpus = unquilt.ingest(tmp_path / "pages.jsonl.gz", tmp_path / "corpus")
    few = {
        "k": (5,),
        "m": (50,),
        "c": (4,),
        "sigma": (0.5,),
        "planted": 2,
        "sources": (4,),
        "shares": (0.9,),
        "edits": (),
    }
    usual = unquilt.experiment.quilts(corpus.path, **few)
    run = unquilt.experiment.quilts(corpus.path, options=JobOptions(settings=settings), **few)
    for table in ("variants", "sweep", "planted_quilts"):
        assert run.table(table) == usual.table(table)
