"""Workers that take tasks from a run folder: several at once, lost ones, and what they say."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from quilting import ASKED, local, measure, read_files, run_quilts

import unquilt
from unquilt.engines.objects import plan, posting, taking
from unquilt.engines.objects.engine import Objects
from unquilt.engines.objects.making import Made, Means
from unquilt.engines.objects.posting import Posting, read_answer, say_failure
from unquilt.engines.objects.processes import Processes
from unquilt.engines.objects.taking import Seat
from unquilt.engines.progress import Silent
from unquilt.errors import EngineError, StorageError
from unquilt.flow.verbs import Verbs
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.settings import LEAST_MEMORY, Settings

pytestmark = pytest.mark.slow


class Heard(Silent):
    """Hears what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture(autouse=True)
def _small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also small stages are many tasks, so that workers have something to share."""
    monkeypatch.setattr(plan, "LEAST", 1 << 10)
    for module in (posting, taking):
        monkeypatch.setattr(module, "LONG", 0.05)


@pytest.fixture(scope="module")
def wanted(few_corpus: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the local engine makes of it."""
    return read_files(run_quilts(few_corpus, tmp_path_factory.mktemp("local") / "run", local(few_corpus), **ASKED))


def posted(corpus: Run, heard: Heard | None = None) -> Callable[[Run], Verbs]:
    def engine(run: Run) -> Verbs:
        here = Posting(run, Processes(1, LEAST_MEMORY, run.spill), heard or Heard())
        return Objects(run, measure(corpus), here, partitions=4)

    return engine


@contextmanager
def seated(run: Path, lease: float = 60) -> Iterator[Seat]:
    """A worker in a thread of this process."""
    seat = Seat(str(run), Means(LEAST_MEMORY), lease, 60)
    thread = threading.Thread(target=seat.work)
    thread.start()
    try:
        yield seat
    finally:
        seat.wait = 0
        thread.join()


def start_worker(run: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "unquilt", "work", str(run), "--threads", "1", "--memory", "64MiB", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_workers_share_a_run(few_corpus: Run, wanted: dict[str, bytes], tmp_path: Path) -> None:
    """docs/faults.md 60. They are started before the run is there, and end with it."""
    workers = [start_worker(tmp_path / "run") for _ in range(2)]
    try:
        assert read_files(run_quilts(few_corpus, tmp_path / "run", posted(few_corpus), **ASKED)) == wanted
        done = [int(worker.communicate(timeout=60)[0].split()[0]) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    assert sum(done) > 20
    assert not list(tmp_path.rglob("*.taken"))


def test_a_killed_worker_is_replaced(
    few_corpus: Run, wanted: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/faults.md 60. One is killed as soon as it has taken a task, and another one is started then."""
    taken = threading.Event()
    gathering = Posting._gather

    def gather(self: Posting, folder: Path, tasks: int) -> Iterator[Made]:
        if not taken.is_set():
            while not list(folder.glob("*.taken")):
                time.sleep(0.01)
            workers[0].kill()
            taken.set()
            workers.append(start_worker(tmp_path / "run", "--lease", "1"))
        return gathering(self, folder, tasks)

    monkeypatch.setattr(Posting, "_gather", gather)
    workers = [start_worker(tmp_path / "run")]
    try:
        assert read_files(run_quilts(few_corpus, tmp_path / "run", posted(few_corpus), **ASKED)) == wanted
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()


def lose_leases(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Of each stage, somebody has taken the first task so many times, and is gone."""
    making = posting.make_folder

    def make_and_take(folder: Path) -> None:
        making(folder)
        for attempt in range(number):
            (folder / f"00000-{attempt}.taken").touch()

    monkeypatch.setattr(posting, "make_folder", make_and_take)


def test_tasks_of_lost_workers_are_taken_over(
    few_corpus: Run, wanted: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/faults.md 60."""
    lose_leases(monkeypatch, 1)
    with seated(tmp_path / "run", lease=0.05) as seat:
        assert read_files(run_quilts(few_corpus, tmp_path / "run", posted(few_corpus), **ASKED)) == wanted
    assert seat.done > 20


def test_a_task_that_is_lost_again_and_again_is_given_up(
    few_corpus: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_leases(monkeypatch, 3)
    with seated(tmp_path / "run", lease=0.05), pytest.raises(EngineError, match="at work on it was lost 3 times"):
        run_quilts(few_corpus, tmp_path / "run", posted(few_corpus), **ASKED)


def test_waiting_for_workers_is_said(
    few_corpus: Run, wanted: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "PATIENCE", 0.0)
    heard = Heard()
    lose_leases(monkeypatch, 0)
    late = threading.Timer(0.5, lambda: Seat(str(tmp_path / "run"), Means(LEAST_MEMORY), 60, 60).work())
    late.start()
    assert read_files(run_quilts(few_corpus, tmp_path / "run", posted(few_corpus, heard), **ASKED)) == wanted
    late.join()
    assert heard.said == [f"no worker has taken a task yet; start some: unquilt work {tmp_path / 'run'}"]


def test_errors_reach_the_driver_as_they_are() -> None:
    with pytest.raises(StorageError, match="no space left"):
        read_answer(say_failure(StorageError("no space left: /shared")))
    with pytest.raises(EngineError, match="a task failed: ZeroDivisionError: division by zero"):
        read_answer(say_failure(ZeroDivisionError("division by zero")))
    with pytest.raises(EngineError, match="strange"):
        read_answer({"error": "MENDING", "message": "strange"})


def test_a_worker_without_a_run_ends(tmp_path: Path) -> None:
    assert Seat(str(tmp_path / "none"), Means(LEAST_MEMORY), 60, 0.05).work() == 0


def test_the_engine_of_the_option(tmp_path: Path) -> None:
    """From files to tables; small stages need no worker."""
    pages = [{"id": str(number), "text": f"a b c d e f g h {number}"} for number in range(9)]
    options = JobOptions(settings=Settings(engine="workers", threads=1, memory=LEAST_MEMORY))
    with seated(tmp_path / "there"):
        there = unquilt.neardups(pages, tmp_path / "there", options=options)
    assert read_files(there) == read_files(unquilt.neardups(pages, tmp_path / "here"))
