"""Runs of a small web, and a server that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from looking import RUNS, make_web
from serving import Served, serving

PAGES = 600


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the corpus of a small web, and a run of each analysis over it."""
    return make_web(tmp_path_factory.mktemp("web"), PAGES)


@pytest.fixture(scope="session")
def served(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over all of these runs."""
    with serving([web / name for name in RUNS], tmp_path_factory.mktemp("labels") / "labels.sqlite") as server:
        yield server
