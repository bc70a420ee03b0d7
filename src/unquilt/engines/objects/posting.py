"""The scheduler for machines that share a folder: tasks are posted in the run folder, and `unquilt work` takes them.

    RUN/.pieces/posted.json       which posting is open
    RUN/.pieces/STAGE/POSTING/
      tasks.json                  the tasks of the stage
      00012-0.taken               the first lease of task 12; whoever creates it does the task (see `taking`)
      00012-0.json                what came of it

Each posting has a name of its own. So what a forgotten worker answers to an older one is not taken for an answer.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from unquilt import errors
from unquilt.engines.objects.making import Made, Task
from unquilt.engines.objects.plan import RowGroups
from unquilt.engines.objects.processes import Processes
from unquilt.engines.objects.tasks import perform
from unquilt.engines.progress import Progress, Step
from unquilt.errors import EngineError, UnquiltError
from unquilt.guard import Item, Result
from unquilt.remote.names import is_url
from unquilt.runs import Run
from unquilt.runs.manifest import PIECES
from unquilt.runs.storage import make_folder, read_own, remove, write_atomically

POSTED, TASKS, TAKEN = "posted.json", "tasks.json", ".taken"
SLOTS = 32
"""Nobody knows how many workers there will be: small stages are cut for about so many."""
PATIENCE = 15.0
"""Seconds without a worker before that is said."""
SHORT, LONG = 0.02, 0.5
"""Seconds between two looks, at first and after a while."""
DEARER = 4
"""At a store, where each look is a request, so many times as long."""


class Posting:
    """Posts tasks for workers elsewhere. What is a single task is done here, unless it is large, and so is reading."""

    slots = SLOTS

    def __init__(self, run: Run, here: Processes, progress: Progress) -> None:
        self._run, self._here, self._progress = run, here, progress
        self._seen = False

    def __enter__(self) -> Self:
        self._here.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        remove(self._run.path / PIECES / POSTED)
        self._here.__exit__(*error)

    def run(self, tasks: Sequence[Task], name: str, step: Step) -> Iterator[Made]:  # noqa: ARG002
        if len(tasks) <= 1 and not any(task.away for task in tasks):
            for task in tasks:
                yield perform(task, self._here.means)
                step(1)
            return
        posted = self._run.pieces / POSTED
        folder = tasks[0].folder / uuid.uuid4().hex
        make_folder(folder)
        write_atomically(folder / TASKS, json.dumps([say_task(task) for task in tasks]).encode())
        write_atomically(posted, json.dumps([folder.parent.name, folder.name]).encode())
        for made in self._gather(folder, len(tasks)):
            yield made
            step(1)
        remove(posted)
        remove(folder)

    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        return self._here.each(function, items)

    def _gather(self, folder: Path, tasks: int) -> Iterator[Made]:
        answered: set[int] = set()
        begin, pause = time.monotonic(), SHORT
        while len(answered) < tasks:
            there = [path.name for path in folder.iterdir()]
            new = {find_task(name): name for name in there if is_answer(name) and find_task(name) not in answered}
            for number, name in new.items():
                answered.add(number)
                yield read_answer(json.loads(read_own(folder / name)))
            self._seen = self._seen or any(name.endswith(TAKEN) for name in there)
            if not self._seen and time.monotonic() - begin > PATIENCE:
                self._progress.say(f"no worker has taken a task yet; start some: unquilt work {self._run.path}")
                self._seen = True
            pause = SHORT if new else min(LONG, 2 * pause)
            if len(answered) < tasks:
                time.sleep(wait_for(folder, pause))


def wait_for(folder: Path, pause: float) -> float:
    """Seconds between two looks at a folder."""
    return pause * DEARER if is_url(folder) else pause


def is_answer(name: str) -> bool:
    """Whether a file is an answer: 00012-0.json, and not one in the making."""
    return name.endswith(".json") and name.partition("-")[0].isdigit()


def find_task(name: str) -> int:
    """The number of the task that an answer is of."""
    return int(name.partition("-")[0])


def say_task(task: Task) -> dict[str, Any]:
    return {"number": task.number, "groups": [[*asdict(each).values()] for each in task.pieces], "of": task.partitions}


def read_task(folder: Path, said: Mapping[str, Any]) -> Task:
    groups = tuple(RowGroups(str(path), int(first), int(last)) for path, first, last in said["groups"])
    first, last = said["of"]
    return Task(folder, int(said["number"]), groups, (int(first), int(last)))


def say_failure(error: Exception) -> dict[str, Any]:
    """An error that is meant for the user goes to the driver as it is, another one with its kind."""
    if isinstance(error, UnquiltError):
        return {"error": type(error).__name__, "message": str(error)}
    return {"error": EngineError.__name__, "message": f"a task failed: {type(error).__name__}: {error}"}


def read_answer(said: Mapping[str, Any]) -> Made:
    if "error" in said:
        kind = getattr(errors, said["error"], EngineError)
        raise (kind if isinstance(kind, type) and issubclass(kind, UnquiltError) else EngineError)(said["message"])
    sizes = tuple(tuple(map(int, each)) for each in said["sizes"])
    counters = {name: (str(how), int(value)) for name, (how, value) in said["counters"].items()}
    return Made(
        int(said["number"]), str(said["name"]), int(said["size"]), int(said["partitions"]), sizes, counters,
        tuple(map(int, said["rows"])),
    )  # fmt: skip
