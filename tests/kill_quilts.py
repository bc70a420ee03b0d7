"""A program that kills runs of `quilts`: `python kill_quilts.py INPUT FOLDER KILLS`.

It forks runs over INPUT, kills them at random points, takes them up again and fails unless each ends with the tables
of a run that was left alone.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import socket
import sys
import time
import traceback
from functools import partial
from pathlib import Path
from random import Random

import pyarrow as pa

import unquilt
import unquilt.api
import unquilt.engines.local  # loaded here once, and not in each run
import unquilt.jobs.ingestion
from unquilt.corpus.extract.urls import locate_url
from unquilt.corpus.find.pieces import pieces
from unquilt.engines import forker
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.settings import Settings

LOOKS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.scandir", "os.listdir", "os.truncate"}
REACH = 400
"""A run looks at its folder some 300 times."""
PIECES = 6
"""As how many pieces the input is read, so that a run can be killed between them."""


class Crash:
    """Kills this process at its n-th look at the folder, without a word."""

    def __init__(self, folder: Path, after: int) -> None:
        self._folder, self._left = str(folder), after

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        if event in LOOKS and self._folder in str(given[0]):
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


class Adopted:
    """A forker that is there already: the process of a `Forker`, as far as that needs it."""

    def __init__(self, number: int) -> None:
        self._number = number

    def kill(self) -> None:
        os.kill(self._number, signal.SIGKILL)

    def wait(self) -> None:
        os.waitpid(self._number, 0)


def prepare_forker() -> None:
    """Forks the forker from this process, which has loaded all it needs: to start it as a program would take most of
    the time of a run. One that is lost is replaced as ever."""
    ours, its = socket.socketpair()
    number = os.fork()
    if number == 0:
        ours.close()
        os.setpgid(0, 0)
        os.dup2(2, 1)
        forker.answer_requests(its.detach(), "unquilt.engines.workers:serve")
        os._exit(0)
    its.close()
    start = forker.Forker._start

    def adopt(one: forker.Forker) -> None:
        one._process, one._socket = Adopted(number), ours  # type: ignore[assignment]
        forker.Forker._start = start  # type: ignore[method-assign]

    forker.Forker._start = adopt  # type: ignore[method-assign]


def work(source: str, folder: Path, *, after: int | None = None, seconds: float | None = None) -> int:
    """Forks a run, to be killed at its `after`-th look at its folder or by the clock; returns how it ended: 0, well."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            prepare_forker()
            if after is not None:
                sys.addaudithook(Crash(folder, after))
            options = JobOptions(settings=Settings(threads=2, memory=1 << 26))
            unquilt.quilts(source, folder, options=options, k=3, c=2, sigma=0.2, min_grams=1, foreign="ip")
            status = 0
        except Exception:  # noqa: BLE001
            traceback.print_exc()
        finally:
            os._exit(status)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def digests(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*.parquet")}


def main(source: str, folder: Path, kills: int) -> None:
    random = Random(5)
    os.fsync = lambda _: None  # type: ignore[assignment]
    small = max(1, Path(source).stat().st_size // PIECES)
    unquilt.jobs.ingestion.pieces = partial(pieces, cut=small, pack=small)  # type: ignore[attr-defined]
    folder.mkdir()
    pa.array([locate_url("http://www.example.com/").host])  # loads what every run needs, so that they need not
    begin = time.perf_counter()
    assert work(source, folder / "whole") == 0
    whole = time.perf_counter() - begin
    expected, summary = digests(folder / "whole"), Run.read(folder / "whole").manifest["summary"]
    assert {"quilts.parquet", "sources.parquet", "corpus/documents/part-00000.parquet"} <= expected.keys()
    killed = number = 0
    while killed < kills:
        number += 1
        path = folder / f"run-{number}"
        for attempt in range(10):
            clock = {"seconds": random.uniform(0, whole)} if number % 2 else {"after": random.randint(1, REACH)}
            status = work(source, path, **(clock if attempt < 9 else {}))
            assert status in (0, -signal.SIGKILL), path
            if status == 0:
                break
            killed += 1
            looks_complete = (path / "manifest.json").exists() and Run.read(path).complete
            # Tables that are no results go last of all, and if that is interrupted, when the run is opened again.
            assert not looks_complete or expected.items() <= digests(path).items(), path
        assert Run.read(path).complete
        assert Run.read(path).manifest["summary"] == summary, path
        assert digests(path) == expected, path
        assert not [left for left in path.rglob(".*") if left.name != ".done"], path
        shutil.rmtree(path)
    sys.stdout.write(f"killed {killed} times, in {number} runs\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
