"""Every analysis gives the same files in threads as in tasks that leave objects, whoever schedules these."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from house.test_catalogue import RUNS
from quilting import read_files

import unquilt
from unquilt.demo import write_jsonl
from unquilt.engines import engine as engine_base
from unquilt.engines.objects import plan, posting
from unquilt.engines.objects.making import Means
from unquilt.engines.objects.taking import Seat
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.settings import LEAST_MEMORY, Settings

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    write_jsonl(folder / "web.jsonl", 300, words=120)
    return unquilt.ingest(folder / "web.jsonl", folder / "corpus").path


@pytest.fixture(scope="module")
def labels(web: Path) -> Path:
    return unquilt.label(web, web.parent / "labels").path


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stages have several tasks each, also where they are small, and tables many row groups, packed by tasks."""
    monkeypatch.setattr(plan, "LEAST", 1 << 14)
    monkeypatch.setattr(plan, "WRITTEN_HERE", 0)
    monkeypatch.setattr(engine_base, "ROWS_PER_GROUP", 50)
    monkeypatch.setattr(engine_base, "LONG_ROWS_PER_GROUP", 20)
    monkeypatch.setattr("unquilt.engines.objects.engine.count_partitions", lambda _: 3)
    monkeypatch.setattr(posting.Posting, "slots", 2)


@contextmanager
def working(run: Path) -> Iterator[None]:
    """A worker in a thread of this process."""
    seat = Seat(str(run), Means(LEAST_MEMORY), lease=60, wait=60)
    thread = threading.Thread(target=seat.work)
    thread.start()
    try:
        yield
    finally:
        seat.wait = 0
        thread.join()


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("name", RUNS)
def test_tables_are_the_same(name: str, web: Path, labels: Path, tmp_path: Path, spark_settings: Settings) -> None:
    """The first way to run it on every scheduler; further ones in processes, as the tasks are the same."""
    more: dict[str, Any] = {"labels": str(labels)} if name == "detect" else {}
    two = {"threads": 2, "memory": 1 << 28}
    schedulers = {where: Settings(engine=where, **two) for where in ("local", "processes", "workers")}  # type: ignore[arg-type]
    schedulers["spark"] = spark_settings

    def run(where: str, number: int, given: dict[str, Any]) -> dict[str, bytes]:
        folder = tmp_path / f"{where}-{number}"
        with working(folder) if where == "workers" else nullcontext():
            made: Run = getattr(unquilt, name)(
                web, folder, options=JobOptions(settings=schedulers[where]), **given, **more
            )
        return read_files(made)

    for number, given in enumerate(RUNS[name]):
        local = run("local", number, given)
        assert local
        for where in ("processes", "workers", "spark") if number == 0 else ("processes",):
            assert run(where, number, given) == local, where
