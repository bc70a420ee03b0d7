"""The scheduler for corpora that outgrow one machine: Apache Spark has executors carry out tasks, and moves no data.

A task is an element of an RDD, and its answer the few kilobytes that the engine wants to know of it. All else goes
through the run folder. So any Spark that can call a function serves: there are no data frames, no shuffle, and nothing
for the JVM to compute. A task that is lost is tried again by Spark. Where a machine lacks room or memory, another one
is tried; what nobody can mend by trying again ends the run at once.

The run folder and the corpus must be seen by all executors, and unquilt installed there, in this version. Each worker
looks at that before its first task, also one that comes later.
"""

from __future__ import annotations

import gc
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, Self
from uuid import uuid4

from unquilt.engines.objects.making import Made, Means, Task
from unquilt.engines.objects.tasks import perform
from unquilt.engines.progress import Progress, Step
from unquilt.engines.spark_session import (
    Sight,
    check_workers,
    count_memory,
    count_slots,
    count_tries,
    find_reason,
    open_context,
    show_folder,
)
from unquilt.engines.workers import Workers, keeping
from unquilt.errors import EngineError, StorageError, UnquiltError
from unquilt.guard import Item, Result
from unquilt.remote.names import is_url
from unquilt.runs import Run
from unquilt.settings import Settings, cores, memory_limit

TASKS_A_JOB = 1024
"""Answers of a job wait in the JVM until the last one is there, so large stages are several jobs."""
JOBS_AT_ONCE = 2
"""While the last tasks of one job are under way, those of the next fill the other slots."""
POOL = "spark.scheduler.pool"
"""Where the user has jobs of this thread scheduled."""
LOOK = 0.5
"""Seconds between two looks at how far a job is."""
PATIENCE = 30.0
"""Seconds that a job which was cancelled may take to end."""


class SparkTasks:
    """Tasks on the executors of Spark: in the session that is active, or in one of its own."""

    slots = 1

    def __init__(self, run: Run, settings: Settings, progress: Progress) -> None:
        self._run, self._settings, self._progress = run, settings, progress

    def __enter__(self) -> Self:
        self._context = open_context(self._settings, self._progress)
        self._sight = show_folder(self._run.pieces if is_url(self._run.path) else self._run.spill)
        check_workers(self._context, self._probe, self._progress)
        self.slots = count_slots(self._context)
        self._tries = count_tries(self._context)
        self._here = Means(self._settings.memory // self._settings.threads, str(self._run.spill))
        self._pool = ThreadPoolExecutor(JOBS_AT_ONCE, thread_name_prefix="unquilt")
        return self

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "_pool"):
            self._pool.shutdown()

    def run(self, tasks: Sequence[Task], name: str, step: Step) -> Iterator[Made]:
        """A single task is done here, unless it is large: to ask for it takes longer than most of them do."""
        if len(tasks) > 1 or any(task.away for task in tasks):
            memory = count_memory(self._context, self._settings)
            yield from self._ask(_Attempt(_Perform(memory), self._sight, self._tries), tasks, name, step)
            return
        for task in tasks:
            yield perform(task, self._here)
            step(1)

    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        guarded: _Guarded[Item, Result] = _Guarded(function, str(Path.cwd()))
        return self._ask(_Attempt(guarded, self._sight, self._tries), items, "read")

    def _probe(self, tasks: int) -> None:
        """Has workers look at what they need."""
        for answer in self._collect(_Attempt(_do_nothing, self._sight, 1), range(tasks), "look"):
            answer.result()

    def _ask(
        self, function: _Attempt[Item, Result], items: Sequence[Item], name: str, step: Step | None = None
    ) -> Iterator[Result]:
        """The answers in order, from jobs that are cancelled if nobody waits for the rest of them."""
        size = max(TASKS_A_JOB, 2 * self.slots)
        group, seen = f"unquilt-{uuid4().hex}", 0
        pool = self._context.getLocalProperty(POOL)
        parts = [items[at : at + size] for at in range(0, len(items), size)]
        waiting: deque[Future[list[_Answer[Result]]]] = deque(
            self._pool.submit(self._collect, function, part, name, group, pool) for part in parts
        )
        try:
            while waiting:
                if wait([waiting[0]], LOOK).done:
                    for answer in _get(waiting.popleft(), name):
                        yield answer.result()
                elif step is not None:
                    done = self._count_done(group)
                    step(done - seen)
                    seen = done
            if step is not None:
                step(len(items) - seen)
        finally:
            self._cancel(group, waiting)

    def _cancel(self, group: str, jobs: Collection[Future[Any]]) -> None:
        for job in jobs:
            job.cancel()
        until = time.monotonic() + PATIENCE
        while jobs and time.monotonic() < until:
            with suppress(Exception):  # the session may be gone
                self._context.cancelJobGroup(group)
            if not wait(jobs, LOOK).not_done:  # else one may have begun just now
                return

    def _collect(
        self,
        function: Callable[[Item], _Answer[Result]],
        items: Sequence[Item],
        name: str,
        group: str = "",
        pool: str | None = None,
    ) -> list[_Answer[Result]]:
        if group:  # in a thread of ours: nothing of this is set for jobs of others
            self._context.setJobGroup(group, f"unquilt: {name}", interruptOnCancel=True)
            self._context.setLocalProperty(POOL, pool)  # type: ignore[arg-type] # None: the default pool
        answers: list[_Answer[Result]] = self._context.parallelize(items, len(items)).map(function).collect()
        return answers

    def _count_done(self, group: str) -> int:
        """How many tasks of a group of jobs are done, as far as Spark knows."""
        tracker = self._context.statusTracker()
        jobs = [tracker.getJobInfo(number) for number in tracker.getJobIdsForGroup(group)]
        stages = [tracker.getStageInfo(number) for job in jobs if job for number in job.stageIds]
        return sum(stage.numCompletedTasks for stage in stages if stage)


def _get(job: Future[Result], name: str) -> Result:
    try:
        return job.result()
    except Exception as error:
        raise EngineError(f"Spark failed in {name}: {find_reason(str(error))}") from error


@dataclass(frozen=True)
class _Answer(Generic[Result]):
    """What a function gave or raised."""

    value: Result | None
    raised: UnquiltError | None = None

    def result(self) -> Result:
        if self.raised is not None:
            raise self.raised
        return self.value  # type: ignore[return-value]


@dataclass(frozen=True)
class _Attempt(Generic[Item, Result]):
    """A function as Spark calls it, on an executor. Errors that are meant for the user come back as they are."""

    function: Callable[[Item], Result]
    sight: Sight
    tries: int

    def __call__(self, item: Item) -> _Answer[Result]:
        try:
            _settle(self.sight)
            return _Answer(self.function(item))
        except Exception as error:
            if _may_do_elsewhere(error):
                if _count_attempts() < self.tries:
                    raise
                return _Answer(None, _explain(error))
            if isinstance(error, UnquiltError):
                return _Answer(None, error)
            raise


def _may_do_elsewhere(error: BaseException | None) -> bool:
    """Whether the cause may be this machine: no room, no memory, a file that cannot be read now."""
    return isinstance(error, StorageError | MemoryError | OSError) or isinstance(
        getattr(error, "__cause__", None), MemoryError | OSError
    )


def _explain(error: Exception) -> UnquiltError:
    host = socket.gethostname()
    if isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):
        return EngineError(
            f"a task ran out of memory on {host}; leave more to Python (spark.executor.memoryOverhead), or have fewer "
            "tasks at once (spark.executor.cores), and run again: what is done is kept"
        )
    return error if isinstance(error, UnquiltError) else EngineError(f"a task failed on {host}: {error}")


def _count_attempts() -> int:
    """Which attempt at its task this is, from 1 on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 1 + (context.attemptNumber() if context else 0)


def _do_nothing(_: int) -> None:
    pass


@cache
def _settle(sight: Sight) -> None:
    """Makes a worker ready, once. What it has loaded stays: Spark has it look for garbage after each task, which would
    take longer than a small task does."""
    sight.check()
    gc.freeze()


@dataclass(frozen=True)
class _Perform:
    """Does a task within the memory that the driver's settings leave it, or this machine if that is less."""

    memory: int

    def __call__(self, task: Task) -> Made:
        return perform(task, Means(min(self.memory, _count_room()), _find_scratch()))


def _count_room() -> int:
    """The memory that a task may take here: half of what there is, shared by all cores."""
    given = os.environ.get("PYSPARK_EXECUTOR_MEMORY_MB", "")  # what Spark limits this process to
    room = memory_limit() // cores()
    return (min(room, int(given) << 20) if given.isdecimal() else room) // 2


def _find_scratch() -> str | None:
    """The folder in which Spark has temporary files on this machine; None if it has none that we could use."""
    for name in ("SPARK_LOCAL_DIRS", "LOCAL_DIRS"):
        for folder in filter(None, os.environ.get(name, "").split(",")):
            if Path(folder).is_dir() and os.access(folder, os.W_OK):
                return folder
    return None


@dataclass(frozen=True)
class _Guarded(Generic[Item, Result]):
    """A function of something that may end its process, such as a file to read: it is called in a process of its own,
    in the driver's folder, for relative paths. An item with a method `retry` says how to go on without what ended its
    process."""

    function: Callable[[Item], Result]
    folder: str

    def __call__(self, item: Item) -> Result:
        _keep_workers()
        with Workers(1) as workers:
            (value,) = workers.map(_InFolder(self.function, self.folder), [item])
        return value


@dataclass(frozen=True)
class _InFolder(Generic[Item, Result]):
    function: Callable[[Item], Result]
    folder: str

    def __call__(self, item: Item) -> Result:
        with suppress(OSError):  # then relative paths are reported as missing
            os.chdir(self.folder)
        return self.function(item)


@cache
def _keep_workers() -> AbstractContextManager[None]:
    """Keeps the processes that work on items for as long as this one lives, which Spark uses for many tasks, too."""
    kept = keeping()
    kept.__enter__()
    return kept
