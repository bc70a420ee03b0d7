"""Overwriting a run without losing it: the new one is made beside the older one and takes its place when finished.

    .NAME.new-FINGERPRINT    the new run in the making
    .NAME.old-FINGERPRINT    the older one on its way out, only where the system cannot exchange two names

The older run stays whole and readable until the new one is finished; then the two exchange places (one atomic rename on
Linux; elsewhere two, and if a kill falls between them the next open completes the exchange) and the older one is
removed. What others put into its folder, such as labels or a report, moves to the new one. An overwriting run that was
interrupted resumes in its `.new` folder when it is asked for again; any other open of the run removes that folder,
unless a process works in it. It is beside and not in the run's folder so that the exchange is one rename; so the folder
cannot be a mount point, and the one above must be writable.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from unquilt.errors import RunError, StorageError
from unquilt.runs.lock import FolderLock
from unquilt.runs.manifest import is_ours, read_manifest
from unquilt.runs.markers import marked_entries
from unquilt.runs.storage import remove, shown, storing, sync_folder

_OURS = re.compile(r"manifest\.json|\.lock|\.done|\.spill|\.pieces|\..+\.partial|[a-z][a-z0-9_]*\.parquet")
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_CANNOT_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def choose_sibling(path: Path, older: Mapping[str, Any], wanted: Mapping[str, Any]) -> Path:
    """Return the folder to make the new run in: one with an interrupted run to resume, or one yet to be created."""
    if path.parent == path or path.is_mount():
        raise RunError(f"{shown(path)} is a mount point and cannot be replaced; choose a folder in it")
    sibling = _sibling(path, "new", wanted["fingerprint"])
    there = _read_sibling(sibling)
    has_made_way = there is not None and "finished" in there and older["fingerprint"] == wanted["fingerprint"]
    if there is None or has_made_way or there["fingerprint"] != wanted["fingerprint"]:
        if not sibling.is_symlink():
            _discard(sibling, path)
        if os.path.lexists(sibling):
            raise RunError(f"{shown(sibling)} is in the way; look at what it holds and move it elsewhere")
    return sibling


def _read_sibling(folder: Path) -> dict[str, Any] | None:
    """The manifest of a folder beside a run; none of one that is damaged, or behind a link."""
    with suppress(RunError):
        return None if folder.is_symlink() else read_manifest(folder)
    return None


def _sibling(path: Path, kind: str, fingerprint: str) -> Path:
    return path.with_name(f".{path.name}.{kind}-{fingerprint[:16]}")


def _siblings(path: Path) -> list[tuple[str, str, Path]]:
    """Find the `.new` and `.old` folders of `path`: kind, beginning of the fingerprint, folder."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.(new|old)-([0-9a-f]{{16}})")
    with suppress(OSError):  # a parent that may not be listed, or is not there yet
        found = [(pattern.fullmatch(entry.name), entry) for entry in sorted(path.parent.iterdir())]
        return [(m[1], m[2], entry) for m, entry in found if m and entry.is_dir() and not entry.is_symlink()]
    return []


def swap(path: Path, new: Path) -> None:
    """Put the finished run `new` in the place of the older one at `path`, and remove that one."""
    try:
        with storing(path):
            retired = _exchange_or_rename(path, new)
    except StorageError as error:
        raise StorageError(f"{error}; the older run is untouched, the new one in {shown(new)}") from error
    with suppress(OSError):  # it is done, if not yet for sure: nothing to undo
        sync_folder(path.parent)
    _discard(retired, path)


def _exchange_or_rename(path: Path, new: Path) -> Path:
    """Swap two folders; return where the older one went."""
    try:
        exchange(path, new)
        return new
    except OSError as error:
        if error.errno not in _CANNOT_EXCHANGE:
            raise
    retired = path.with_name(f".{path.name}.old-{new.name[-16:]}")
    path.rename(retired)
    try:
        new.rename(path)
    except BaseException:
        retired.rename(path)
        raise
    return retired


def exchange(one: Path, other: Path) -> None:
    """Exchange two names in one atomic step; OSError with ENOSYS where the system has no such call."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def interrupted_swap(path: Path) -> Path | None:
    """Return the folder that belongs at `path` if a swap by two renames was killed between them, else None."""
    if os.path.lexists(path):
        return None
    for kind, fingerprint, older in _siblings(path):
        if kind == "old":
            new = _sibling(path, "new", fingerprint)
            return new if "finished" in (_read_sibling(new) or {}) else older
    return None


def complete_swap(path: Path) -> None:
    """Do the second rename of a swap that was killed after the first."""
    folder = interrupted_swap(path)
    if folder is not None:
        with FolderLock(folder) as lock, storing(path):
            folder.rename(path)
            lock.folder = path
            sync_folder(path.parent)


def clear_siblings(path: Path, *, keep: Path) -> None:
    """Remove what killed runs left beside `path`, whose lock we hold, unless a process works there.

    An `.old` folder goes only if the run at `path` is the finished one it made way for.
    """
    manifest = read_manifest(path) or {}
    siblings = _siblings(path)
    retired = {fingerprint for kind, fingerprint, _ in siblings if kind == "old"}
    for _, fingerprint, folder in siblings:
        replaced = "finished" in manifest and manifest["fingerprint"].startswith(fingerprint)
        if folder != keep and (replaced or fingerprint not in retired):
            with suppress(RunError, StorageError), FolderLock(folder):
                _discard(folder, path)


def _discard(folder: Path, heir: Path) -> None:
    """Remove a run; what others put into its folder moves to `heir`. If that cannot be, all of it stays."""
    with suppress(OSError):
        marked = marked_entries(folder) | marked_entries(heir)
        strangers = [entry for entry in sorted(folder.iterdir()) if not _is_ours(entry, marked)]
        if strangers and not is_ours(folder):
            return
        if any(os.path.lexists(heir / entry.name) for entry in strangers):
            return
        for entry in strangers:
            entry.rename(heir / entry.name)
        remove(folder)


def _is_ours(entry: Path, marked: set[str]) -> bool:
    """Tell whether a run made this entry of its folder: by its name, by its markers, or because it is itself a run."""
    return bool(_OURS.fullmatch(entry.name)) or entry.name in marked or is_ours(entry)
