"""Runs of a small web, and a server that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import Served, serving

import unquilt as uq
from unquilt.demo import write_jsonl

PAGES = 600
RUNS = ("quilts", "near", "phrases", "objects", "targets")


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the corpus of a small web, and a run of each analysis over it."""
    folder = tmp_path_factory.mktemp("web")
    write_jsonl(folder / "pages.jsonl", PAGES, seed=1, start=0, stop=PAGES)
    corpus = folder / "corpus"
    uq.ingest(folder / "pages.jsonl", corpus)
    uq.quilts(corpus, folder / "quilts")
    uq.neardups(corpus, folder / "near")
    uq.phrases(corpus, folder / "phrases", group="ip")
    uq.discover(corpus, folder / "objects")
    uq.label(folder / "objects", output=folder / "known.labels")
    uq.detect(corpus, folder / "targets", labels=str(folder / "known.labels"), page_threshold=0.1)
    return folder


@pytest.fixture(scope="session")
def served(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over all of these runs."""
    with serving([web / name for name in RUNS], tmp_path_factory.mktemp("labels") / "labels.sqlite") as server:
        yield server
