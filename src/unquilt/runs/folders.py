"""Which folder a run works in: its own, or one beside it if it overwrites another run; never a folder of others."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unquilt.errors import RunError
from unquilt.remote.folders import list_files
from unquilt.remote.names import is_url
from unquilt.remote.paths import StorePath
from unquilt.runs.lock import LOCK, FolderLock
from unquilt.runs.manifest import MANIFEST, PIECES, SPILL, read_manifest, refuse_other_run
from unquilt.runs.markers import DONE
from unquilt.runs.replacement import choose_sibling, clear_siblings, complete_swap, swap
from unquilt.runs.storage import inside, listed, make_folder, partial_name, remove, shown
from unquilt.runs.store_lock import LOCKS, StoreLock
from unquilt.runs.stored import choose_scratch, look_at

_BEFORE_MANIFEST = {LOCK, partial_name(Path(MANIFEST)).name}


@dataclass
class Claim:
    """A folder that is locked for this run until `release`. `path` is where the run is to be, `folder` where it works:
    the same, unless it overwrites another run.

    `older` is the manifest that was found in `folder`: of this very run, interrupted or finished. None in a new folder.
    """

    path: Path
    folder: Path
    lock: FolderLock | StoreLock
    held: ExitStack
    older: dict[str, Any] | None
    made: bool = False
    """Whether the folder was made for this run."""

    @property
    def spill(self) -> Path:
        """The folder for temporary files, which is always one of this machine."""
        if is_url(self.folder):
            scratch = choose_scratch(str(self.folder))
            return scratch.with_name(f"{scratch.name}{SPILL}")
        return self.folder / SPILL

    def publish(self) -> None:
        """Put the finished run in its place."""
        if self.folder != self.path:
            swap(self.path, self.folder)
            self.folder = self.lock.folder = self.path

    def release(self, *, worthless: bool) -> None:
        """Unlock the folder. If it was to replace another one and is `worthless`, it is removed."""
        remove(self.spill)
        if worthless and self.folder != self.path:
            remove(self.folder)
        self.held.close()

    def abandon(self) -> None:
        """Leave the folder as if the run had never begun; the older run that it was to replace stays."""
        if self.folder == self.path:
            for path in (self.spill, *(self.folder / name for name in (PIECES, DONE, MANIFEST))):
                remove(path)
        self.release(worthless=True)
        if self.folder == self.path and self.made:
            with suppress(OSError):  # others have put something there meanwhile
                self.folder.rmdir()


def claim(path: Path, wanted: Mapping[str, Any], *, overwrite: bool) -> Claim:
    """Lock the folder for the run that `wanted` is the manifest of, and clear it of leftovers; or say why not."""
    path = Path(os.path.realpath(path))
    _refuse_strangers(path)
    complete_swap(path)
    with ExitStack() as held:
        made = not os.path.lexists(path)
        make_folder(path)
        lock = held.enter_context(FolderLock(path))
        _refuse_strangers(path)
        older, folder = read_manifest(path), path
        if overwrite and older is not None and not _is_interrupted(older, wanted):
            folder = choose_sibling(path, older, wanted)
            make_folder(folder)
            lock = held.enter_context(FolderLock(folder))
            older = read_manifest(folder)
        if older is not None:
            refuse_other_run(folder, older, wanted)
        clear_siblings(path, keep=folder)
        _clear_leftovers(folder)
        return Claim(path, folder, lock, held.pop_all(), older, made)


def claim_at_store(url: str, wanted: Mapping[str, Any], *, overwrite: bool) -> Claim:
    """The same for a run that is made at a store. What it overwrites goes at once: nothing can be renamed there."""
    path = StorePath(url)
    look_at(url, wanted, overwrite=overwrite)
    with ExitStack() as held:
        lock = held.enter_context(StoreLock(path))
        older = read_manifest(path)
        if overwrite and older is not None and not _is_interrupted(older, wanted):
            for entry in list_files(url):
                if not entry.url.startswith(f"{url}/{LOCKS}/"):
                    StorePath(entry.url).unlink()
            older = None
        claimed = Claim(path, path, lock, held.pop_all(), older)
        remove(claimed.spill)
        return claimed


def _is_interrupted(older: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Tell whether `older` is the wanted run, interrupted: then there is nothing to overwrite, only to resume."""
    return bool(older["fingerprint"] == wanted["fingerprint"]) and "finished" not in older


def _refuse_strangers(folder: Path) -> None:
    """Raise a RunError if `folder` is a file, or holds anything but a run or the beginning of one."""
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise RunError(f"{shown(folder)} is a file; choose another folder")
    if read_manifest(folder) is not None:
        return
    try:
        strangers = sorted({entry.name for entry in folder.iterdir()} - _BEFORE_MANIFEST)
    except OSError as error:
        raise RunError(f"{shown(folder)} cannot be read: {error.strerror}") from error
    if strangers:
        first = shown(strangers[0])
        raise RunError(f"{shown(folder)} holds something else (first entry: {first}); choose another folder")


def _clear_leftovers(folder: Path) -> None:
    remove(folder / SPILL)
    remove(partial_name(folder / MANIFEST))
    for leftover in [*listed(folder, ".*.parquet.partial"), *listed(inside(folder, DONE), ".*.json.partial")]:
        remove(leftover)
