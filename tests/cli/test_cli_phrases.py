"""`unquilt phrases`: what it says of sites, a page with its phrases marked, one site, and the figures of the paper."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

import unquilt
from unquilt.cli import cli
from unquilt.figures import phrases
from unquilt.runs import Run

ADDRESS = "192.0.2.7"
SENTENCES = [
    f"{subject} {verb} the {thing} of {place} today."
    for subject, verb, thing, place in zip(
        ("Anna", "Ben", "Carla", "Dirk", "Eva", "Franz", "Gina", "Hugo"),
        ("paints", "sells", "repairs", "hides", "finds", "weighs", "counts", "cleans"),
        ("boats", "bells", "gates", "lamps", "clocks", "coins", "stamps", "drums"),
        ("Rome", "Oslo", "Bern", "Riga", "Cork", "Nice", "Graz", "Lund"),
        strict=True,
    )
]


def draw_pages() -> pa.Table:
    """Eight pages that have a sentence each first, and forty, on many hosts at one address, stitched of these."""
    random = Random(3)
    pages = [
        {"id": f"own-{number}", "url": f"http://own{number}.example/", "text": f"{sentence} Nobody else says {number}."}
        for number, sentence in enumerate(SENTENCES)
    ]
    for number in range(40):
        text = " ".join(random.sample(SENTENCES, 5)) + f" page {number}"
        url = f"http://www.spam{number % 20}.example/{number}"
        pages.append({"id": f"spam-{number}", "url": url, "ip": ADDRESS, "text": text})
    return pa.Table.from_pylist(pages, pa.schema([(name, pa.string()) for name in ("id", "url", "ip", "text")]))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unquilt.ingest(draw_pages(), tmp_path_factory.mktemp("pages") / "corpus").path


@pytest.fixture(scope="module")
def run(corpus: Path) -> Path:
    asked = ("--group", "ip", "--collapse", "none", "--max-deviation", 20)
    result = invoke("phrases", corpus, "-o", corpus.parent / "run", *asked)
    assert result.exit_code == 0, result.output
    (corpus.parent / "said").write_text(result.stdout)
    return corpus.parent / "run"


def invoke(*arguments: object, **settings: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="unquilt", **settings)


def succeed(*arguments: object) -> str:
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_candidates_are_named_with_their_evidence(run: Path) -> None:
    said = (run.parent / "said").read_text()
    assert "1 candidate site (at least 10 pages, 30 popular shingles of 84 or more on average" in said
    site = next(line for line in said.splitlines() if line.startswith(f"  {ADDRESS}: 40 pages, mean "))
    assert "% of it also on other sites" in site
    assert f"unquilt show {run} hosts {ADDRESS}" in said


def test_a_run_without_candidates_says_so(corpus: Path, tmp_path: Path) -> None:
    said = succeed("phrases", corpus, "-o", tmp_path / "run", "--min-pages", 41, "--collapse", "none")
    assert "No domain is a candidate (at least 41 pages" in said


def test_a_site_is_shown_with_its_pages_and_phrases(run: Path) -> None:
    said = succeed("show", run, "hosts", ADDRESS)
    assert said.startswith(f"{ADDRESS}: 40 pages, mean ")
    assert "http://www.spam" in said
    assert "the boats of Rome today" in succeed("show", run, "hosts", ADDRESS, "--limit", 100)
    pages = [json.loads(line) for line in succeed("show", run, "hosts", ADDRESS, "--json").splitlines()]
    assert len(pages) == 40
    refused = invoke("show", run, "hosts", "nowhere.example")
    assert refused.exit_code == 2
    assert "hosts has no site 'nowhere.example'" in refused.stderr
    refused = invoke("show", run, "popular", "something")
    assert refused.exit_code == 2
    assert "the table popular has no NAME to look up" in refused.stderr


def test_a_page_with_its_phrases_marked(run: Path) -> None:
    said = succeed("show", run, "covers", "--doc", "spam-3")
    assert "http://www.spam3.example/3" in said
    assert "popular shingles; " in said
    assert "[1: " in said
    row = json.loads(succeed("show", run, "covers", "--doc", "spam-3", "--json"))
    assert row["doc"] == 11
    assert row["cover_sources"][0]["foreign"]


def test_pages_without_a_covering_set_say_why(corpus: Path, tmp_path: Path) -> None:
    pages = pa.table(
        {"id": ["a", "b", "c"], "text": ["quite alone with what it says here", "…", "alone, too: another story"]}
    )
    unquilt.phrases(pages, tmp_path / "few")
    for name, why in (("a", "none of the 84 shingles of document 0 is popular"), ("b", "document 1 has no words")):
        assert why in invoke("show", tmp_path / "few", "covers", "--doc", name).stderr
    unquilt.phrases(corpus, tmp_path / "one", sample="uniform", sample_size=1, least=1.0, collapse="none")
    (drawn,) = Run.read(tmp_path / "one").table("covers").to_pylist()
    other = next(number for number in range(8, 48) if number != drawn["doc"])
    assert "is not in the sample" in invoke("show", tmp_path / "one", "covers", "--doc", f"doc={other}").stderr
    unquilt.phrases(corpus, tmp_path / "keyed", key="0123456789abcdef0123456789abcdef", collapse="none")
    out = succeed("show", tmp_path / "keyed", "covers", "--doc", "spam-3")
    assert "Phrases are not marked: phrases cannot be found again" in out


def test_figures_are_drawn_from_the_tables(run: Path, corpus: Path) -> None:
    for name in ("frequencies", "counts", "covers", "hosts"):
        assert (run / "figures" / f"{name}.svg").read_text().startswith("<svg")
    opened = Run.read(run)
    both = phrases.counts(opened, ADDRESS, Run.read(corpus))
    assert len(both) == 85
    assert sum(row["share"] for row in both) == pytest.approx(1)
    assert sum(row["site_share"] for row in both) == pytest.approx(1)
    assert sum(row["documents"] for row in phrases.bubbles(opened)) == opened.covers.num_rows
    on_site = phrases.bubbles(opened, ADDRESS, Run.read(corpus))
    assert sum(row["documents"] for row in on_site) == 40
    assert [row["site"] for row in phrases.sites(opened)] == [ADDRESS]
    assert phrases.frequencies(opened) == opened.histogram.to_pylist()
