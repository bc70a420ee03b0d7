"""The other side of `posting`: a worker that takes tasks from a run folder until the run is finished.

A task is taken by creating its lease, which only one worker can. While it works, it touches the lease now and then. A
lease that was not touched for a while, as the others see it by their own clocks, is lost, and the next lease of this
task can be created. So two workers may do one task, if one of them only seemed to be lost: both objects have the same
blocks, and the first answer counts.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from unquilt.engines.objects.making import Means, Task
from unquilt.engines.objects.posting import LONG, POSTED, SHORT, TASKS, find_task, is_answer, read_task, say_failure
from unquilt.engines.objects.tasks import perform
from unquilt.engines.tasks import forget_sides
from unquilt.errors import EngineError, RunError, StorageError
from unquilt.runs import Run
from unquilt.runs.manifest import PIECES
from unquilt.runs.storage import read_own, write_atomically

TRIES = 3
"""So many leases of a task may be lost before it is given up."""


@dataclass
class Seat:
    """One process of a worker: which run it works for, and its patience in seconds: with a lease that is not touched,
    and with a run that has nothing to do."""

    run: str
    means: Means
    lease: float
    wait: float
    done: int = 0
    _signs: dict[Path, tuple[int, float]] = field(default_factory=dict)

    def retry(self, code: int) -> Seat:  # noqa: ARG002 - its task is taken by another one, or by this one
        """A process that is lost is replaced."""
        return self

    def work(self) -> int:
        """Take tasks until the run is finished, or nobody posts any. Returns how many were done."""
        idle, pause, parent = time.monotonic(), SHORT, os.getppid()
        while os.getppid() == parent and not _is_finished(self.run):  # nobody is left behind by a killed command
            posting = _find_posting(self.run)
            busy = posting is not None and self._take_one(posting)
            if posting is not None and busy is not None:
                idle = time.monotonic()
            if time.monotonic() - idle > self.wait:
                break
            pause = SHORT if busy else min(LONG, 2 * pause)
            if not busy:
                time.sleep(pause)
        forget_sides()
        return self.done

    def _take_one(self, posting: Path) -> bool | None:
        """Do a task of a posting; False if all are taken, None if all are answered."""
        try:
            tasks = json.loads(read_own(posting / TASKS))
            there = {path.name for path in posting.iterdir()}
        except (OSError, ValueError):  # it is over
            return None
        answered = {find_task(name) for name in there if is_answer(name)}
        left = [said for said in tasks if said["number"] not in answered]
        Random(os.getpid()).shuffle(left)  # noqa: S311 - so that workers do not all ask for the same
        for said in left:
            attempt = self._find_attempt(posting, said["number"], there)
            if attempt is not None and _create(lease := posting / f"{said['number']:05}-{attempt}.taken"):
                self._do(read_task(posting.parent, said), lease, attempt)
                return True
        return False if left else None

    def _find_attempt(self, posting: Path, number: int, there: set[str]) -> int | None:
        """The lease of a task that may be created now; None if somebody works on it."""
        attempt = 0
        while f"{number:05}-{attempt}.taken" in there:
            attempt += 1
        if attempt and not self._is_lost(posting / f"{number:05}-{attempt - 1}.taken"):
            return None
        return attempt

    def _is_lost(self, lease: Path) -> bool:
        with suppress(OSError):
            sign, now = lease.stat().st_mtime_ns, time.monotonic()
            seen, since = self._signs.get(lease, (sign, now))
            if seen != sign:
                seen, since = sign, now
            self._signs[lease] = (seen, since)
            return now - since > self.lease
        return False

    def _do(self, task: Task, lease: Path, attempt: int) -> None:
        try:
            if attempt >= TRIES:
                raise EngineError(f"{task}: the process at work on it was lost {attempt} times")
            with _touching(lease, min(5.0, self.lease / 6)):
                answer: dict[str, Any] = asdict(perform(task, self.means))
            self.done += 1
        except Exception as error:  # noqa: BLE001 - goes to the driver, which raises it
            answer = say_failure(error)
        with suppress(StorageError, RunError):  # the driver has gone on without us
            write_atomically(lease.with_suffix(".json"), json.dumps(answer).encode())


def work_at(seat: Seat) -> int:
    return seat.work()


def _create(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except OSError:  # another one was quicker, or the stage is over
        return False
    return True


@contextmanager
def _touching(lease: Path, every: float) -> Iterator[None]:
    """Touches a lease now and then, as a sign of life."""
    over = threading.Event()

    def touch() -> None:
        while not over.wait(every):
            with suppress(OSError):
                os.utime(lease)

    thread = threading.Thread(target=touch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _find_posting(run: str) -> Path | None:
    """The posting that is open in a run, or in the one that is to replace it."""
    path = Path(os.path.realpath(run))
    for folder in (path, *sorted(path.parent.glob(f".{path.name}.new-*"))):
        with suppress(OSError, ValueError, RunError):
            stage, name = json.loads(read_own(folder / PIECES / POSTED))
            return folder / PIECES / Path(stage).name / Path(name).name
    return None


def _is_finished(run: str) -> bool:
    """Whether there is nothing left to do. A run that is not there yet is waited for."""
    path = Path(run)
    if not (path / "manifest.json").exists() or list(path.parent.glob(f".{path.name}.new-*")):
        return False
    return "finished" in Run.read(path).manifest
