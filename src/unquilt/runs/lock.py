"""One process per run folder.

The lock is an flock on `.lock`: the kernel releases it when the process dies, however it dies, so there are no stale
locks to break. (Forked processes share it, and as long as one of them lives it may write: so the lock holds till then.)
The file says which process holds the lock, and since when; that is only for the message that a second process gets.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from unquilt.errors import RunError, RunLockedError
from unquilt.runs.storage import link_error, shown, storing

LOCK = ".lock"


class FolderLock:
    """Hold the lock of `folder` from `with` to its end; raise RunLockedError at once if another process has it.

    When the folder is renamed meanwhile, the lock moves with it; set `folder` to the new place.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._descriptor = -1

    def __enter__(self) -> Self:
        with storing(self.folder):
            while self._descriptor < 0:
                self._try_once()
        with suppress(OSError):  # a full disk: the lock holds all the same
            holder = {"process": os.getpid(), "since": datetime.now(UTC).isoformat(" ", "seconds")}
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, json.dumps(holder).encode(), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Remove the file, unless the folder was replaced and the name now belongs to another lock; let go."""
        if self._is_current(self._descriptor):
            with suppress(OSError):
                (self.folder / LOCK).unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = -1

    def _try_once(self) -> None:
        descriptor = _open(self.folder / LOCK)
        try:
            _refuse_foreign(self.folder / LOCK, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = _describe_holder(self.folder, os.pread(descriptor, 1000, 0))
            os.close(descriptor)
            raise RunLockedError(message) from None
        except BaseException:
            os.close(descriptor)
            raise
        # The holder may have removed the file between our open and our flock: then we locked a file without a name.
        if self._is_current(descriptor):
            self._descriptor = descriptor
        else:
            os.close(descriptor)

    def _is_current(self, descriptor: int) -> bool:
        try:
            there = (self.folder / LOCK).stat(follow_symlinks=False)
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(descriptor))


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP and path.is_symlink():
            raise link_error(path) from error
        raise


def _refuse_foreign(path: Path, descriptor: int) -> None:
    """Raise a RunError if what was opened cannot be a lock of ours: its content would be overwritten, also under its
    other names."""
    there = os.fstat(descriptor)
    if not stat.S_ISREG(there.st_mode) or there.st_nlink > 1:
        raise RunError(f"{shown(path)} is not a file that unquilt made; remove it")


def _describe_holder(folder: Path, content: bytes) -> str:
    try:
        holder = json.loads(content)
        return f"{shown(folder)} is in use by process {int(holder['process'])} since {shown(holder['since'])}"
    except (ValueError, KeyError, TypeError):  # it holds the lock, but did not yet say who it is
        return f"{shown(folder)} is in use by another process"
