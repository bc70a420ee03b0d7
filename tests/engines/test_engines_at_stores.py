"""Runs of which every stage is at a store: any engine of tasks, any machine that goes on with one, several workers."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import pytest
from object_store import CREDENTIALS, ObjectStore, failing_now_and_then

import unquilt
from unquilt.engines import engine as engine_base
from unquilt.engines.objects import engine as engines
from unquilt.engines.objects import plan, posting, taking
from unquilt.engines.objects.making import Means
from unquilt.engines.objects.posting import TASKS
from unquilt.engines.objects.stages import Marker
from unquilt.engines.objects.taking import Seat
from unquilt.errors import EngineError, PlaceError, RunError, RunLockedError
from unquilt.jobs.options import JobOptions
from unquilt.remote.folders import put, remove
from unquilt.remote.paths import StorePath
from unquilt.runs import Run, store_lock
from unquilt.runs.store_lock import StoreLock
from unquilt.settings import LEAST_MEMORY, Settings

pytestmark = pytest.mark.slow

ASKED: dict[str, Any] = {"method": "imatch", "min_df": 2}
"""Near-duplicates with a lexicon, which is a side, and with folds."""


@pytest.fixture(scope="module")
def pages() -> list[dict[str, str]]:
    """Pages of which every third one is nearly the one before."""
    found = []
    for number in range(60):
        drawn = [(number // 3 * 7919 + place * place * 31) % 397 for place in range(40)]
        words = [chr(97 + each % 26) * 4 + chr(97 + each // 26) for each in drawn]
        found.append({"id": f"d{number}", "text": " ".join([*words, f"last{number}"])})
    return found


@pytest.fixture(scope="module", autouse=True)
def _small() -> Iterator[None]:
    """Stages have two tasks each, and tables several row groups, packed by tasks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "LEAST", 1 << 10)
        patch.setattr(plan, "TASKS_PER_SLOT", 1)
        patch.setattr(plan, "WRITTEN_HERE", 0)
        patch.setattr(engine_base, "ROWS_PER_GROUP", 50)
        patch.setattr("unquilt.engines.objects.engine.count_partitions", lambda _: 2)
        patch.setattr(posting.Posting, "slots", 2)
        for module in (posting, taking):
            patch.setattr(module, "LONG", 0.05)
        yield


@pytest.fixture(scope="module")
def here(pages: list[dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Corpora, a run of near-duplicates and one of quilts on this machine."""
    folder = tmp_path_factory.mktemp("here")
    unquilt.ingest(pages, folder / "corpus")
    unquilt.neardups(folder / "corpus", folder / "near", **ASKED)
    sources = [[f"s{number}w{word}" for word in range(80)] for number in range(12)]
    stitched = [[word for part in range(6) for word in sources[(3 * number + part) % 12][20:50]] for number in range(4)]
    texts = [" ".join(words) for words in (*sources, *stitched)]
    web = [{"url": f"http://h{number}.example/", "text": text} for number, text in enumerate(texts)]
    unquilt.ingest(web, folder / "web")
    assert unquilt.quilts(folder / "web", folder / "quilts").quilts.num_rows == 4
    return folder


def asking(settings: Settings | str, **more: Any) -> JobOptions:
    settings = Settings(engine=settings, threads=2, memory=1 << 28) if isinstance(settings, str) else settings  # type: ignore[arg-type]
    return JobOptions(settings=settings, **more)


def compare(store: ObjectStore, run: Run, there: Path) -> None:
    """Tables at the store are those here, byte for byte, and nothing else is left there."""
    key = str(run.path).removeprefix(f"{store.url}/")
    assert run.complete
    assert run.tables == Run.read(there).tables
    for name in run.tables:
        assert store.get(f"{key}/{name}.parquet") == (there / f"{name}.parquet").read_bytes(), name
    left = {name.removeprefix(f"{key}/") for name in store.names(f"{key}/") if not name.endswith("/")}
    others = {f"documents/{path.name}" for path in (there / "documents").glob("*")}
    assert left == {"manifest.json", *(f"{name}.parquet" for name in run.tables)} | others


@contextmanager
def working(run: str, lease: float = 60, count: int = 2) -> Iterator[list[Seat]]:
    """Workers in threads of this process."""
    seats = [Seat(run, Means(LEAST_MEMORY), lease, 60) for _ in range(count)]
    threads = [threading.Thread(target=seat.work) for seat in seats]
    for thread in threads:
        thread.start()
    try:
        yield seats
    finally:
        for seat, thread in zip(seats, threads, strict=True):
            seat.wait = 0
            thread.join()


@pytest.mark.parametrize("engine", ["processes", "workers", "spark"])
def test_all_of_a_run_is_at_the_store(
    engine: str, store: ObjectStore, pages: list[dict[str, str]], here: Path, request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """docs/faults.md 61: reading, near-duplicates, and a store that answers 503 and cuts bodies now and then."""
    settings: Settings | str = engine
    if engine == "spark":
        settings = request.getfixturevalue("spark_settings")
        from pyspark import SparkContext

        assert SparkContext._active_spark_context is not None
        for name, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": store.endpoint}.items():  # of those that run executors
            monkeypatch.setitem(SparkContext._active_spark_context.environment, name, value)
    corpus, near = f"{store.url}/{engine}/corpus", f"{store.url}/{engine}/near"
    monkeypatch.setattr(engines, "JoinedTable", None)  # tables are put together by tasks
    store.reset(failing_now_and_then())
    compare(store, unquilt.ingest(pages, corpus, options=asking(settings)), here / "corpus")
    with working(near) if engine == "workers" else nullcontext():
        run = unquilt.neardups(corpus, near, options=asking(settings), **ASKED)
    store.reset()
    compare(store, run, here / "near")
    again = unquilt.neardups(corpus, near, options=asking(settings), **ASKED)
    assert again.complete
    assert {method for method, _ in store.requests} <= {"GET", "HEAD"}


class Stopped(Exception):  # noqa: N818 - what happened
    """The driver was killed."""


@pytest.mark.parametrize("analysis", ["neardups", "quilts"])
def test_another_machine_goes_on_after_each_stage(
    analysis: str, store: ObjectStore, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/faults.md 61: no stage that was done runs again. What machines have in common is the store alone."""
    of, name, asked = {"neardups": ("corpus", "near", ASKED), "quilts": ("web", "quilts", {})}[analysis]
    corpus, made = store.upload(here / of, f"stages/{of}"), f"{store.url}/stages/{name}"
    begun: Counter[str] = Counter()
    begin, end = engines.begin_stage, engines.end_stage

    def begin_noted(folder: Path, does: Any) -> None:
        begun[folder.name] += 1
        begin(folder, does)

    def end_and_stop(folder: Path, marker: Marker) -> None:
        end(folder, marker)
        if begun.total() % 4 == 0:
            raise Stopped

    monkeypatch.setattr(engines, "begin_stage", begin_noted)
    monkeypatch.setattr(engines, "end_stage", end_and_stop)
    for machine in range(50):
        (tmp_path / str(machine)).mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / str(machine)))
        try:
            run = getattr(unquilt, analysis)(corpus, made, options=asking("processes"), **asked)
        except Stopped:
            continue
        break
    compare(store, run, here / name)
    assert machine > 4
    assert set(begun.values()) == {1}


def test_reading_goes_on_at_another_machine(
    store: ObjectStore, pages: list[dict[str, str]], here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = f"{store.url}/reading/corpus"
    url = store.put("reading/pages.jsonl", b"".join(orjson.dumps(page) + b"\n" for page in pages))
    store.reset(lambda method, path: 403 if method in ("PUT", "POST") and "/documents/" in path else None)
    with pytest.raises(PlaceError, match="access is denied"):
        unquilt.ingest(url, corpus, options=asking("processes"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store.reset()
    said = unquilt.ingest(url, corpus, options=asking("processes"))
    assert said.complete
    expected = Run.read(here / "corpus")
    assert said.manifest["summary"]["words"] == expected.manifest["summary"]["words"]
    assert store.sent.get("/web/reading/pages.jsonl", 0) <= 1 << 16  # its kind is looked at; pieces are not read again


def lose_leases(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Of the first three stages, somebody has taken the first task so many times, and is gone."""
    stages = count()

    def make_and_take(folder: Path) -> None:
        for attempt in range(number if next(stages) < 3 else 0):
            (folder / f"00000-{attempt}-somebody.taken").touch()

    monkeypatch.setattr(posting, "make_folder", make_and_take)


def test_tasks_of_lost_workers_are_taken_over(store: ObjectStore, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, near = store.upload(here / "corpus", "lost/corpus"), f"{store.url}/lost/near"
    lose_leases(monkeypatch, 1)
    with working(near, lease=0.2) as seats:
        compare(store, unquilt.neardups(corpus, near, options=asking("workers"), **ASKED), here / "near")
    assert sum(seat.done for seat in seats) > 10


def test_a_lease_at_a_store_has_one_holder(store: ObjectStore) -> None:
    """Of workers that ask at the same time, some may see each other too late; those that ask later never get it."""
    folder = StorePath(f"{store.url}/leases")
    put(b"[]", str(folder / TASKS))
    made: list[Path | None] = []
    threads = [threading.Thread(target=lambda: made.append(taking._create(folder, "00007-0"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = [path for path in made if path is not None]
    assert held
    seat = Seat(str(folder), Means(LEAST_MEMORY), 60, 60)
    there = {path.name for path in folder.iterdir()}
    assert seat._find_attempt(folder, 7, there) is None
    assert seat._find_attempt(folder, 8, there) == 0
    with taking._touching(held[0], 0.01):
        while held[0].stat().st_size < 2:
            pass
    remove(str(folder / TASKS))
    assert taking._create(folder, "00008-0") is None  # the stage is over
    assert {path.name for path in folder.iterdir()} == {path.name for path in held}


def test_a_task_that_is_lost_again_and_again_is_given_up(
    store: ObjectStore, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, near = store.upload(here / "corpus", "given-up/corpus"), f"{store.url}/given-up/near"
    lose_leases(monkeypatch, 3)
    with working(near, lease=0.1), pytest.raises(EngineError, match="at work on it was lost 3 times"):
        unquilt.neardups(corpus, near, options=asking("workers"), **ASKED)


def test_a_run_at_a_store_is_made_once_at_a_time(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/faults.md 61. One that was killed is noticed: at once on this machine, else by what it no longer does."""
    monkeypatch.setattr(store_lock, "AGAIN", 0.05)
    monkeypatch.setattr(store_lock, "PATIENCE", 3.0)
    folder = StorePath(f"{store.url}/locked")
    monkeypatch.setattr(socket, "gethostname", lambda: "first")
    with StoreLock(folder):
        monkeypatch.setattr(socket, "gethostname", lambda: "second")
        with pytest.raises(RunLockedError, match=r"s3://web/locked is in use by process \d+ on first"):
            StoreLock(folder).__enter__()
    monkeypatch.setattr(store_lock, "PATIENCE", 0.1)
    put(b'{"process": 1, "host": "third"}', f"{folder}/.locks/left")
    with StoreLock(folder):
        assert not [name for name in store.names("locked/") if name.endswith("left")]
    put(b'{"process": 999999999, "host": "second"}', f"{folder}/.locks/left")
    monkeypatch.setattr(store_lock, "PATIENCE", 1e9)
    with StoreLock(folder):
        pass
    assert not [name for name in store.names("locked/") if not name.endswith("/")]


def test_another_run_is_replaced_if_asked_for(store: ObjectStore, here: Path) -> None:
    corpus, place = store.upload(here / "corpus", "swapped/corpus"), store.upload(here / "quilts", "swapped/near")
    with pytest.raises(RunError, match="holds another run"):
        unquilt.neardups(corpus, place, options=asking("processes"), **ASKED)
    run = unquilt.neardups(corpus, place, options=asking("processes", overwrite=True), **ASKED)
    compare(store, run, here / "near")
