"""Files that are there in full or not at all, and a clear message when they cannot be written.

There is one way to write a file (`NewFile`, mostly as `created`): under another name; then it is synced, renamed, and
its folder is synced, in this order. So after a power cut the name refers to the old content or to the new one, never to
a part of it. Cost: two fsyncs per file. At a store, a file is made in the system's folder for temporary files, and put
there whole.

Folders of results are shared, and what lies in them may have been put there by others. So no link below a folder of
ours is followed, neither to write nor to remove nor to read: names in it go through `inside`, folders are made by
`make_folder`, files by `created`, and small ones are read by `read_own`. A folder that the user names may be a link.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO, cast

from unquilt.errors import PlaceError, RunError, StorageError
from unquilt.remote.names import is_url

_FULL = (errno.ENOSPC, errno.EDQUOT)
_NO_FOLDER_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def check_name(name: str) -> str:
    """Return `name` if it can name a table or a stage. Only such names become names of files."""
    if not _NAME.fullmatch(name):
        raise RunError(f"{name!r} cannot name a table or stage: lower-case letters, digits and _, at most 64")
    return name


def shown(path: Path | str) -> str:
    """Show a path or a file name in a message: as it is, or escaped if it holds control characters."""
    text = str(path)
    return text if text.isprintable() else ascii(text)


@contextlib.contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn an OSError of the block into a StorageError that names `path`. For blocks that write, and only write."""
    try:
        yield
    except OSError as error:
        raise _storage_error(error, path) from error


def _storage_error(error: OSError, path: Path) -> StorageError:
    reason = os.strerror(error.errno) if error.errno else str(error)
    message = f"{reason[:1].lower()}{reason[1:]}: {shown(path)}"
    if error.errno in _FULL and is_url(path):
        where = f"{tempfile.gettempdir()} ({_free_space(path)} free), in which {shown(path)} is made"
        advice = "make room there, or set TMPDIR to another folder, and run again: what is done is kept"
        return StorageError(f"{reason[:1].lower()}{reason[1:]}: {where}; {advice}")
    if error.errno in _FULL:
        return StorageError(f"{message} ({_free_space(path)} free); make room and run again: what is done is kept")
    return StorageError(message)


def _free_space(path: Path) -> str:
    path = Path(tempfile.gettempdir()) if is_url(path) else path
    existing = next((folder for folder in [path, *path.parents] if folder.exists()), Path())
    with contextlib.suppress(OSError):
        return f"{shutil.disk_usage(existing).free / 1e6:,.1f} MB"
    return "an unknown amount"


def partial_name(path: Path) -> Path:
    """The name under which `path` is written before it is complete."""
    return path.with_name(f".{path.name}.partial")


def inside(folder: Path, name: str) -> Path:
    """The entry `name` (a, or a/b) of a folder of ours; RunError if it is a link, or lies behind one."""
    path = folder
    for part in name.split("/"):
        path = path / part
        if path.is_symlink():
            raise link_error(path)
    return path


def link_error(path: Path) -> RunError:
    """The complaint about a link where unquilt makes none."""
    return RunError(f"{shown(path)} is a link, which unquilt did not make and does not follow; remove it")


def listed(folder: Path, pattern: str) -> list[Path]:
    """The entries of a folder of ours that match a pattern, sorted; none if the folder is a link."""
    return [] if folder.is_symlink() else sorted(folder.glob(pattern))


def read_own(path: Path) -> bytes:
    """The content of a small file of ours. A link or a pipe in its place is not read, but a RunError."""
    if is_url(path):
        from unquilt.remote.folders import read_whole

        return read_whole(str(path))
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP and path.is_symlink():
            raise link_error(path) from error
        raise
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise RunError(f"{shown(path)} is not a regular file, and unquilt did not make it; remove it")
        return file.read()


class NewFile:
    """A file in the making: open to be written and read as `file`, and called otherwise until `complete`.

    It is written as `.NAME.partial`; what is left there of an earlier attempt makes way, and so does a link: neither is
    written to. With `alone`, one that is there is somebody else's at work, and a RunError; with `locked`, only if it is
    really being written, which a lock on it says. With a `spill` folder, on
    the same file system, it has a name of its own there: for tasks that may be tried again while an earlier try lives.
    What a killed one leaves goes with that folder.
    """

    def __init__(self, path: Path, *, alone: bool = False, locked: bool = False, spill: Path | None = None) -> None:
        self.path = path
        self._complete = False
        if is_url(path):
            self._partial = path
            self.file: BinaryIO = cast(BinaryIO, tempfile.NamedTemporaryFile(prefix="unquilt-"))  # noqa: SIM115
            return
        if spill is not None:
            descriptor, name = tempfile.mkstemp(prefix=f"{path.name}-", suffix=".partial", dir=spill)
            os.fchmod(descriptor, 0o644)
            self._partial = Path(name)
            self.file = os.fdopen(descriptor, "w+b")
            return
        self._partial = partial_name(path)
        if locked and _is_locked(self._partial):
            raise RunError(f"{shown(path)} is already being written")
        if not alone:
            self._partial.unlink(missing_ok=True)
        try:
            self.file = self._partial.open("x+b")
        except FileExistsError:
            raise RunError(f"{shown(path)} is already being written") from None
        if locked:
            fcntl.flock(self.file, fcntl.LOCK_EX)

    def complete(self, *, durable: bool = True) -> None:
        """Give the file its name: whole, and for good; one that need not survive a power cut, at once."""
        if is_url(self.path):
            self.file.flush()
            from unquilt.remote.folders import put_file

            put_file(Path(self.file.name), str(self.path))
            self.file.close()
        elif durable:
            self.file.close()
            publish(self._partial, self.path)
        else:
            self.file.close()
            self._partial.replace(self.path)
        self._complete = True

    def discard(self) -> None:
        """Leave nothing behind, unless the file is complete."""
        if not self._complete:
            with contextlib.suppress(OSError):
                self.file.close()
            if not is_url(self.path):
                remove(self._partial)


def _is_locked(path: Path) -> bool:
    """Whether somebody holds a lock on a file of ours; what is no regular file is nobody's."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@contextlib.contextmanager
def created(path: Path, *, locked: bool = False, spill: Path | None = None, durable: bool = True) -> Iterator[BinaryIO]:
    """A `NewFile` to write to, which becomes `path` at the end of the block; if that fails, `path` is as before."""
    with storing(path):
        new = NewFile(path, locked=locked, spill=spill)
        try:
            yield new.file
            new.complete(durable=durable)
        finally:
            new.discard()


def write_atomically(path: Path, content: bytes) -> None:
    """Write a small file: afterwards, and after a crash at any time, it has its old content or this."""
    with created(path) as file:
        file.write(content)


def publish(partial: Path, path: Path) -> None:
    """Give a file that is written and closed its name, for good: it survives a power cut whole or not at all."""
    with partial.open("rb") as file:
        os.fsync(file.fileno())
    partial.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable, where the file system knows how to."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise


def make_folder(folder: Path) -> None:
    """Create `folder` and its parents unless they are there, durably; RunError if a link or a file is in its place."""
    if is_url(folder):
        return  # there as soon as something is in it
    with storing(folder):
        if not _is_there(folder):
            _make_all(list(takewhile(lambda place: not os.path.lexists(place), [folder, *folder.parents])))
            sync_folder(folder.parent)
        there = os.lstat(folder)
    if stat.S_ISLNK(there.st_mode):
        raise link_error(folder)
    if not stat.S_ISDIR(there.st_mode):
        raise RunError(f"{shown(folder)} is in the way of a folder; remove it")


def _make_all(missing: list[Path]) -> None:
    """Make folders, the last one first; if one cannot be made, none is left. (pathlib's recursion has a limit.)"""
    made: list[Path] = []
    try:
        for place in reversed(missing):
            with contextlib.suppress(FileExistsError):  # another process was quicker
                os.mkdir(place)  # noqa: PTH102
                made.append(place)
    except OSError:
        for place in reversed(made):
            with contextlib.suppress(OSError):  # not if somebody uses it already
                place.rmdir()
        raise


def _is_there(path: Path) -> bool:
    """Whether there is anything of this name; OSError if there cannot be, as for one that is too long."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with all it holds, as far as possible: leftovers never stop a run."""
    with contextlib.suppress(OSError, PlaceError):
        if is_url(path):
            from unquilt.remote import folders

            if not folders.remove(str(path)):
                folders.remove_all(str(path))
            return
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
