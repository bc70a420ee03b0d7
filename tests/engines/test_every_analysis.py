"""Every analysis gives the same files in threads as in tasks that leave objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from house.test_catalogue import RUNS
from quilting import read_files

import unquilt
from unquilt.demo import write_jsonl
from unquilt.engines import engine as engine_base
from unquilt.engines.objects import plan
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.settings import Settings

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    write_jsonl(folder / "web.jsonl", 300, words=120)
    return unquilt.ingest(folder / "web.jsonl", folder / "corpus").path


@pytest.fixture(scope="module")
def labels(web: Path) -> Path:
    return unquilt.label(web, web.parent / "labels").path


@pytest.mark.parametrize("name", RUNS)
def test_tables_are_the_same(
    name: str, web: Path, labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With stages of several tasks each, also where they are small, and tables of many row groups, packed by tasks."""
    monkeypatch.setattr(plan, "LEAST", 1 << 14)
    monkeypatch.setattr(plan, "WRITTEN_HERE", 0)
    monkeypatch.setattr(engine_base, "ROWS_PER_GROUP", 50)
    monkeypatch.setattr(engine_base, "LONG_ROWS_PER_GROUP", 20)
    monkeypatch.setattr("unquilt.engines.objects.engine.count_partitions", lambda _: 3)
    more: dict[str, Any] = {"labels": str(labels)} if name == "detect" else {}

    def run(engine: str, number: int, given: dict[str, Any]) -> Run:
        options = JobOptions(settings=Settings(engine=engine, threads=2, memory=1 << 28))
        folder = tmp_path / f"{engine}-{number}"
        made: Run = getattr(unquilt, name)(web, folder, options=options, **given, **more)
        return made

    for number, given in enumerate(RUNS[name]):
        local, tasks = (read_files(run(engine, number, given)) for engine in ("local", "processes"))
        assert local == tasks
        assert local
