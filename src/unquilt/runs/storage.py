"""Files that are there in full or not at all, and a clear word when they cannot be written.

A file is written as `.NAME.partial`, synced, renamed, and its folder is synced, in this order: after a power cut the
name refers to the old content or to the new one, never to a part of it. Cost: two fsyncs per file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from unquilt.errors import RunError, StorageError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_NO_FOLDER_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def check_name(name: str) -> str:
    """Return `name` if it can name a table or a stage: file names come from these names and from nothing else."""
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
    if error.errno in _FULL:
        return StorageError(f"{message} ({_free_space(path)} free); make room and run again: what is done is kept")
    return StorageError(message)


def _free_space(path: Path) -> str:
    existing = next((folder for folder in [path, *path.parents] if folder.exists()), Path())
    with contextlib.suppress(OSError):
        return f"{shutil.disk_usage(existing).free / 1e6:,.1f} MB"
    return "an unknown amount"


def partial_name(path: Path) -> Path:
    """The name under which `path` is written before it is complete."""
    return path.with_name(f".{path.name}.partial")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a small file: afterwards, and after a crash at any time, it has its old content or this."""
    partial = partial_name(path)
    with storing(path):
        try:
            partial.unlink(missing_ok=True)
            with partial.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        except BaseException:
            remove(partial)
            raise
        sync_folder(path.parent)


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
    """Create `folder` and its parents unless they are there, durably."""
    with storing(folder):
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            sync_folder(folder.parent)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with all it holds, as far as possible: leftovers never stop a run."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
