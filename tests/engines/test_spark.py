"""Spark as a scheduler: what is lost, what is cancelled, what is said, and how little it is given."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from quilting import ASKED, local, measure, read_files, run_quilts, tasks_on_spark

from unquilt.engines import engine as engine_base
from unquilt.engines import spark
from unquilt.engines.objects import plan
from unquilt.engines.objects.making import Made, Task
from unquilt.engines.objects.stages import read_stage
from unquilt.engines.objects.tables import PACK, PASTE
from unquilt.engines.objects.tasks import GROUP, MAP
from unquilt.engines.progress import Silent
from unquilt.engines.spark import SparkTasks, _Attempt, _Perform
from unquilt.engines.spark_session import Sight, count_memory, count_tries, find_reason, show_folder
from unquilt.engines.tasks import STORE
from unquilt.errors import EngineError, RunError, StorageError
from unquilt.runs import Run
from unquilt.runs.manifest import unquilt_version
from unquilt.settings import LEAST_MEMORY, Settings

pytestmark = pytest.mark.slow


@pytest.fixture
def _by_value() -> Iterator[None]:
    """Workers are given functions of this file, which they cannot import."""
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.fixture
def tasks(spark_settings: Settings, run: Run, _by_value: None) -> Iterator[SparkTasks]:
    with SparkTasks(run, spark_settings, Silent()) as opened:
        yield opened


class Killed(_Perform):
    """What Spark does with each task. The first of each kind ends its process when it is done."""

    signs = ""

    def __call__(self, task: Task) -> Made:
        made = super().__call__(task)
        try:
            (Path(self.signs) / read_stage(task.folder)["does"]).touch(exist_ok=False)
        except FileExistsError:
            return made
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


@pytest.mark.usefixtures("_by_value")
def test_killed_processes_change_nothing(
    spark_settings: Settings, few_corpus: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/faults.md 36, 59: one for each kind of tasks, when its object is there already."""
    monkeypatch.setattr(Killed, "signs", str(tmp_path / "signs"))
    monkeypatch.setattr(spark, "_Perform", Killed)
    monkeypatch.setattr(plan, "LEAST", 1 << 12)
    monkeypatch.setattr(plan, "WRITTEN_HERE", 0)
    monkeypatch.setattr(engine_base, "ROWS_PER_GROUP", 50)
    (tmp_path / "signs").mkdir()
    asked = ASKED | {"foreign": "domain"}
    harmed = run_quilts(few_corpus, tmp_path / "run", tasks_on_spark(measure(few_corpus), spark_settings, 2), **asked)
    assert {path.name for path in (tmp_path / "signs").iterdir()} == {MAP, GROUP, STORE, PACK, PASTE}
    alone = run_quilts(few_corpus, tmp_path / "alone", local(few_corpus), **asked)
    assert read_files(harmed) == read_files(alone)


def test_what_spark_is_given_does_not_grow(tmp_path: Path) -> None:
    """The function is the same however many tasks there are, and a task is its own few numbers
    (`test_the_plan_of_a_web_crawl`)."""
    sight = Sight("/shared/run/.spill/seen-0123456789abcdef", "0123456789abcdef" * 2, unquilt_version())
    assert len(pickle.dumps(_Attempt(_Perform(1 << 30), sight, 4))) < 500
    assert len(pickle.dumps(Task(tmp_path, 7, partitions=(1, 2)))) < 500


def test_a_large_stage_is_several_jobs(tasks: SparkTasks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their answers are in order, and each task is counted once, as soon as it is done."""
    monkeypatch.setattr(spark, "TASKS_A_JOB", 4)
    monkeypatch.setattr(spark, "LOOK", 0.05)
    steps: list[int] = []
    sleepy = _Attempt(partial(wait_and_say, seconds=0.02), tasks._sight, 1)
    answers = list(tasks._ask(sleepy, range(11), "sleep", steps.append))  # type: ignore[arg-type]
    assert answers == list(range(11))
    assert sum(steps) == 11


def wait_and_say(item: int, seconds: float) -> int:
    time.sleep(seconds)
    return item


def test_what_nobody_waits_for_is_cancelled(tasks: SparkTasks) -> None:
    """Ctrl-C, or an error: also where a task is in the middle of something. What others set is left alone."""
    context = tasks._context
    context.setLocalProperty("spark.job.description", "theirs")
    endless = _Attempt(partial(wait_and_say, seconds=600), tasks._sight, 1)

    def interrupt() -> None:
        wait_for(context.statusTracker().getActiveJobsIds)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        list(tasks._ask(endless, range(8), "sleep"))
    assert not context.statusTracker().getActiveJobsIds()
    assert context.getLocalProperty("spark.job.description") == "theirs"
    context.setLocalProperty("spark.job.description", None)


def wait_for(what: Callable[[], Any]) -> None:
    until = time.monotonic() + 60
    while not what():
        assert time.monotonic() < until
        time.sleep(0.02)


def fail_once(item: int, sign: str, error: Exception) -> int:
    try:
        Path(sign).touch(exist_ok=False)
    except FileExistsError:
        return item
    raise error


def fail(_: int, error: Exception) -> int:
    raise error


class TestFailures:
    """What another machine may do better is tried again; all else ends the run at once, in one line."""

    @pytest.mark.parametrize("error", [StorageError("no space left: /tmp/x"), MemoryError(), OSError(5, "no")])
    def test_trouble_of_a_machine_is_tried_again(self, error: Exception, tasks: SparkTasks, tmp_path: Path) -> None:
        function = partial(fail_once, sign=str(tmp_path / "failed"), error=error)
        assert list(tasks._ask(_Attempt(function, tasks._sight, 4), [1, 2], "fail")) == [1, 2]

    def test_memory_is_short_everywhere(self, tasks: SparkTasks) -> None:
        with pytest.raises(EngineError, match=r"ran out of memory on \S+; leave more to Python \(spark\.executor\.mem"):
            list(tasks._ask(_Attempt(partial(fail, error=MemoryError()), tasks._sight, 2), [1], "fail"))

    def test_an_error_for_the_user_comes_as_it_is(self, tasks: SparkTasks, tmp_path: Path) -> None:
        sign = tmp_path / "failed"
        function = partial(fail_once, sign=str(sign), error=RunError("x is damaged"))
        with pytest.raises(RunError, match=r"^x is damaged$"):
            list(tasks._ask(_Attempt(function, tasks._sight, 4), [1], "fail"))

    def test_a_bug_is_one_line(self, tasks: SparkTasks) -> None:
        with pytest.raises(EngineError, match=r"^Spark failed in fail: ZeroDivisionError: by what$"):
            list(tasks._ask(_Attempt(partial(fail, error=ZeroDivisionError("by what")), tasks._sight, 4), [1], "fail"))


def test_a_worker_looks_before_its_first_task(tmp_path: Path) -> None:
    """Also one on a machine that comes later."""
    sight = show_folder(tmp_path)
    sight.check()
    with pytest.raises(EngineError, match=r"has unquilt .*, and this is 9\.9"):
        sight._replace(version="9.9").check()
    with pytest.raises(EngineError, match=f"does not see {tmp_path.parent}; corpus and run must"):
        sight._replace(content="other").check()


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (
            "Job aborted: ExecutorLostFailure (executor 3 exited) Reason: Container killed by YARN",
            "Container killed by",
        ),
        (
            "x\norg.apache.spark.SparkException: Python worker exited unexpectedly (crashed)\n\tat a.b",
            "is memory short",
        ),
        ("An error occurred.\n: org.apache.spark.SparkException: Job 3 was cancelled\n\tat a.b\n\t... 1 more", "Job 3"),
        ("ModuleNotFoundError: No module named 'unquilt'", "unquilt must be installed there"),
        ("", "no reason given"),
    ],
)
def test_the_reason_of_a_failure_is_found(message: str, reason: str) -> None:
    assert reason in find_reason(message)
    assert "\n" not in find_reason(message)


GIB = 1 << 30


@pytest.mark.parametrize(
    ("master", "asked", "memory"),
    [
        ("spark://head:7077", {}, 8 * GIB),
        ("yarn", {}, 192 << 20),
        ("yarn", {"spark.executor.memoryOverhead": "8g", "spark.executor.cores": "2"}, 2 * GIB),
        ("k8s://https://x", {"spark.executor.memory": "10g"}, 2 * GIB),
        (
            "yarn",
            {"spark.executor.pyspark.memory": "2048", "spark.executor.cores": "4", "spark.task.cpus": "2"},
            GIB / 2,
        ),
        ("yarn", {"spark.executor.cores": "16"}, LEAST_MEMORY),
    ],
)
def test_tasks_get_what_is_there_for_python(master: str, asked: dict[str, str], memory: int) -> None:
    """Of a container, half of what the JVM does not take, shared by the tasks of an executor."""
    context: Any = SimpleNamespace(master=master, getConf=lambda: asked)
    assert count_memory(context, Settings(threads=1, memory=8 * GIB)) == memory


@pytest.mark.parametrize(
    ("master", "tries"), [("local", 1), ("local[2]", 1), ("local[*, 3]", 3), ("yarn", 4), ("spark://a:1", 4)]
)
def test_spark_tries_tasks_so_often(master: str, tries: int) -> None:
    context: Any = SimpleNamespace(master=master, getConf=dict)
    assert count_tries(context) == tries
