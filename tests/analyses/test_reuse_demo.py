"""Reuse on the demo web: its farms are the worst neighbourhood, and mirrors of reference content are found."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import unquilt
from unquilt.demo import pages, planted
from unquilt.runs import Run

PAGES = 1500


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Run:
    made = list(pages(PAGES))
    table = pa.table({name: [getattr(page, name) for page in made] for name in ("id", "url", "ip", "text")})
    return unquilt.ingest(table, tmp_path_factory.mktemp("demo") / "corpus")


@pytest.mark.slow
def test_farms_are_the_worst_neighbourhood(corpus: Run, tmp_path: Path) -> None:
    """Blindly, with all defaults."""
    found = unquilt.discover(corpus.path, tmp_path / "found")
    labels = unquilt.label(found.path, tmp_path / "blind.labels")
    run = unquilt.detect(corpus.path, tmp_path / "run", labels=str(labels.path))
    rows = sorted(run.neighbourhoods.to_pylist(), key=lambda row: -row["excess"])
    sites = [row["prefix"] for row in rows if row["level"] == 1]
    assert all(site.startswith("best-") or "-offers-" in site or "-daily-" in site for site in sites[:5]), sites[:5]
    assert rows[0]["bad"]
    assert rows[0]["badness"] > 0.9


@pytest.mark.slow
def test_mirrors_of_reference_content_are_found(corpus: Run, tmp_path: Path) -> None:
    """Whoever has the originals finds every copy, and nothing else as a whole file."""
    mirrors = [page for page in planted(PAGES) if page.kind == "mirror"]
    originals = {name for page in mirrors for name in page.made_of}
    assert len(mirrors) > 10
    texts = [page.text for page in pages(PAGES) if page.id in originals]
    labels = unquilt.label(pa.table({"text": texts}), tmp_path / "ours.labels", min_length=100)
    run = unquilt.detect(corpus.path, tmp_path / "run", labels=str(labels.path))
    copies = {row["id"] for row in run.targets.to_pylist() if row["file"]}
    assert copies == {page.id for page in mirrors} | originals
