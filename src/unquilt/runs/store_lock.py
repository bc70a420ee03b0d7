"""One process for each run that is made at a store, where nothing can be locked, nor created only if it is not there.

Whoever works in a run puts an object of its own beside it, and writes that again now and then, each time a byte longer.
It leaves again at once if it finds another object that is written again, too, or was there just now by the clock of the
store. An object that stays as it is was left by a process that was killed. Two that begin at the same moment both
leave; that both stay is impossible, as each looks after it has put its own.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
import uuid
from contextlib import suppress
from typing import Self

from unquilt.errors import PlaceError, RunLockedError
from unquilt.remote.folders import list_files, put, read_whole, remove
from unquilt.remote.paths import StorePath

AGAIN = 10.0
"""Seconds between two signs of life."""
PATIENCE = 3 * AGAIN
"""Seconds without one after which a process counts as lost."""
LOCKS = ".locks"


class StoreLock:
    """Holds a run at a store from `with` to its end; RunLockedError if another process has it."""

    def __init__(self, folder: StorePath) -> None:
        self.folder = folder
        self._own = f"{folder}/{LOCKS}/{uuid.uuid4().hex}"
        self._said = json.dumps({"process": os.getpid(), "host": socket.gethostname()}).encode()
        self._over = threading.Event()

    def __enter__(self) -> Self:
        put(self._said, self._own)
        try:
            for other in self._others():
                self._wait_for(other)
        except BaseException:
            remove(self._own)
            raise
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        with suppress(PlaceError):  # else it is taken for lost, after a while
            remove(self._own)

    def _live(self) -> None:
        while not self._over.wait(AGAIN):
            self._said += b" "
            with suppress(PlaceError):
                put(self._said, self._own)

    def _others(self) -> list[StorePath]:
        return [StorePath(each.url) for each in list_files(f"{self.folder}/{LOCKS}") if each.url != self._own]

    def _wait_for(self, other: StorePath) -> None:
        """Returns when another process is known to be lost."""
        try:
            host, process = _read(other)
            sign = _look(other)
            left = PATIENCE - (StorePath(self._own).stat().st_mtime - sign[0])
            if host == socket.gethostname() and not _is_alive(process):
                left = 0
            until = time.monotonic() + left
            while time.monotonic() < until:
                time.sleep(min(1.0, max(0.0, until - time.monotonic())))
                if _look(other) != sign:
                    raise RunLockedError(f"{self.folder} is in use by process {process} on {host}")
            remove(str(other))
        except FileNotFoundError:  # it has left
            return


def _look(path: StorePath) -> tuple[float, int]:
    said = path.stat()
    return said.st_mtime, said.st_size


def _read(path: StorePath) -> tuple[str, int]:
    with suppress(ValueError, KeyError, TypeError):
        said = json.loads(read_whole(str(path)))
        return str(said["host"]), int(said["process"])
    return "another machine", 0


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return process != os.getpid()
