"""The other side of `posting`: a worker that takes tasks from a run folder until the run is finished.

A task is taken by creating its lease, which only one worker can. While it works, it touches the lease now and then. A
lease that was not touched for a while, as the others see it by their own clocks, is lost, and the next lease of this
task can be created. So two workers may do one task, if one of them only seemed to be lost: both objects have the same
blocks, and the first answer counts.

At a store nothing can be created only if it is not there, with the libraries that we have. There a lease has a name of
its own (`00012-0-a1b2….taken`); whoever has put one looks which others there are, and gives way to the first by name.
Two workers may do one task then, too, if one looked before the other had put its lease. A lease that is touched grows
by a byte, as the times of stores are those of whole seconds.
"""

from __future__ import annotations

import json
import os
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from unquilt.engines.objects.making import Means, Task
from unquilt.engines.objects.posting import (
    LONG,
    POSTED,
    SHORT,
    TAKEN,
    TASKS,
    find_task,
    is_answer,
    read_task,
    say_failure,
    wait_for,
)
from unquilt.engines.objects.tasks import perform
from unquilt.engines.tasks import forget_sides
from unquilt.errors import EngineError, PlaceError, RunError, StorageError
from unquilt.remote.folders import put
from unquilt.remote.names import is_url
from unquilt.remote.paths import place
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
    _signs: dict[Path, tuple[object, float]] = field(default_factory=dict)

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
                time.sleep(wait_for(place(self.run), pause))
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
            if attempt is not None and (lease := _create(posting, f"{said['number']:05}-{attempt}")):
                self._do(read_task(posting.parent, said), lease, attempt)
                return True
        return False if left else None

    def _find_attempt(self, posting: Path, number: int, there: set[str]) -> int | None:
        """The lease of a task that may be created now; None if somebody works on it."""
        leases = [name for name in there if name.endswith(TAKEN) and find_task(name) == number]
        last = max(map(_find_attempt, leases), default=-1)
        if not all(self._is_lost(posting / name) for name in leases if _find_attempt(name) == last):
            return None
        return last + 1

    def _is_lost(self, lease: Path) -> bool:
        with suppress(OSError):
            there, now = lease.stat(), time.monotonic()
            sign = (there.st_mtime_ns, there.st_size)
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


def _find_attempt(lease: str) -> int:
    """The number of an attempt: 1 of 00012-1.taken and of 00012-1-a1b2.taken."""
    return int(lease.removesuffix(TAKEN).split("-")[1])


def _create(posting: Path, name: str) -> Path | None:
    """The lease of this name, if it is ours now."""
    if is_url(posting):
        return _create_stored(posting, name)
    path = posting / f"{name}{TAKEN}"
    try:
        path.touch(exist_ok=False)
    except OSError:  # another one was quicker, or the stage is over
        return None
    return path


def _create_stored(posting: Path, name: str) -> Path | None:
    path = posting / f"{name}-{uuid.uuid4().hex}{TAKEN}"
    path.touch()
    rivals = [other.name for other in posting.iterdir() if other.name.startswith(f"{name}-")]
    if min(rivals, default=path.name) == path.name and (posting / TASKS).exists():
        return path
    path.unlink()
    return None


@contextmanager
def _touching(lease: Path, every: float) -> Iterator[None]:
    """Touches a lease now and then, as a sign of life."""
    over = threading.Event()

    def touch() -> None:
        signs = b""
        while not over.wait(every):
            signs += b"."
            with suppress(OSError, PlaceError):
                if is_url(lease):
                    put(signs, str(lease))
                else:
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
    path = place(run) if is_url(run) else Path(os.path.realpath(run))
    for folder in (path, *_find_new(path)):
        with suppress(OSError, ValueError, RunError):
            stage, name = json.loads(read_own(folder / PIECES / POSTED))
            return folder / PIECES / Path(stage).name / Path(name).name
    return None


def _is_finished(run: str) -> bool:
    """Whether there is nothing left to do. A run that is not there yet is waited for."""
    path = place(run)
    if not (path / "manifest.json").exists() or _find_new(path):
        return False
    try:
        return "finished" in Run.read(path).manifest
    except RunError:
        if is_url(path):  # it was written between two requests
            return False
        raise


def _find_new(path: Path) -> list[Path]:
    """The runs that are to replace this one. At a store, there are none."""
    return [] if is_url(path) else sorted(path.parent.glob(f".{path.name}.new-*"))
