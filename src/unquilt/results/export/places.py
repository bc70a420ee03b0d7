"""Where an export goes: one file, a folder of parts, or standard output; whole or not at all.

A file is written as `.NAME.partial` beside its place, and renamed when it is complete. A folder is made beside its
place, as `.NAME.making`: each part is a file of its own, written in the same way; `.export.json` comes last, and then
the folder gets its name. An export that was interrupted goes on behind the parts that are there, if it is the same
export (of the same run, table, columns, conditions and format), else it begins anew. What is overwritten stays until
then.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from unquilt.errors import Advice, RunError
from unquilt.remote.folders import put, put_file, refuse_missing_bucket, remove_all
from unquilt.remote.folders import remove as remove_object
from unquilt.remote.names import is_url
from unquilt.runs.lock import LOCK, FolderLock
from unquilt.runs.replacement import exchange
from unquilt.runs.storage import (
    created,
    make_folder,
    read_own,
    remove,
    shown,
    storing,
    sync_folder,
    write_atomically,
)

MANIFEST = ".export.json"
BEGUN = ".begun.json"
_OVERWRITE = Advice("choose another name, or overwrite=True", "choose another name, or --overwrite")


def refuse_existing(place: Path, *, overwrite: bool, folder: bool) -> None:
    """Raise RunError if something is in the place that is not to be overwritten, or was not made by an export."""
    try:
        there = place.stat()
    except FileNotFoundError:
        if is_url(place):
            refuse_missing_bucket(str(place))
        return
    except OSError as error:
        raise RunError(f"{shown(place)} cannot be written: {error.strerror}") from error
    if stat.S_ISDIR(there.st_mode) and not folder:
        raise RunError(f"{shown(place)} is a folder; for one file, choose a name in it")
    if folder and not stat.S_ISDIR(there.st_mode):
        raise RunError(f"{shown(place)} is a file; a folder cannot have its name")
    if folder and not any(place.iterdir()):
        return
    if folder and is_url(place) and _read(place / BEGUN) is not None:
        return  # an export that was interrupted
    if not overwrite:
        raise RunError(f"{shown(place)} exists", advice=_OVERWRITE)
    if not folder and not stat.S_ISREG(there.st_mode):
        raise RunError(f"{shown(place)} is not a regular file and is not overwritten; use - for standard output")
    if folder and _read(place / MANIFEST) is None:
        raise RunError(
            f"{shown(place)} holds something else than an export, and is not overwritten; choose another name"
        )


@contextmanager
def one_file(place: Path) -> Iterator[BinaryIO]:
    """A file to write to, which is there at the end of the block; another export to it is refused meanwhile."""
    with created(place, locked=True) as file:
        yield file


class PartFolder:
    """A folder of parts in the making, in a `with` block; `complete` gives it its name."""

    def __init__(self, place: Path, identity: Mapping[str, Any]) -> None:
        self.place = place
        self._identity = dict(identity)
        self.making = place.with_name(f".{place.name}.making")
        self._lock = FolderLock(self.making)

    def __enter__(self) -> PartFolder:
        with storing(self.place):
            self.place.parent.stat()  # parents are not made
        make_folder(self.making)
        self._lock.__enter__()
        if _read(self.making / BEGUN) != self._identity:
            self._clear()
            write_atomically(self.making / BEGUN, _write(self._identity))
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self._lock.__exit__(kind, error, traceback)

    def _clear(self) -> None:
        for entry in self.making.iterdir():
            if entry.name != LOCK:
                remove(entry)

    def find(self, name: str) -> Mapping[str, Any] | None:
        """What is known of a part that an earlier attempt has finished."""
        noted = _read(self.making / f".{name}.json")
        with suppress(OSError):
            if noted is not None and (not noted["rows"] or (self.making / name).stat().st_size == noted["bytes"]):
                return noted
        return None

    def note(self, name: str, rows: int) -> Mapping[str, Any]:
        """Note that a part is finished; one without rows has no file."""
        size = (self.making / name).stat().st_size if rows else 0
        known = {"file": name, "rows": rows, "bytes": size}
        write_atomically(self.making / f".{name}.json", _write(known))
        return known

    def complete(self, parts: Sequence[Mapping[str, Any]]) -> None:
        """Say what is in the folder, and give it its name; what had the name before goes."""
        files = [part for part in parts if part["rows"]]
        write_atomically(self.making / MANIFEST, _write({**self._identity, "parts": files}))
        for entry in [BEGUN, *(f".{part['file']}.json" for part in parts)]:
            remove(self.making / entry)
        with storing(self.place):
            if self.place.is_dir() and any(self.place.iterdir()):
                exchange(self.place, self.making)
                self._lock.folder = self.place
                remove(self.making)
            else:
                self.making.rename(self.place)
                self._lock.folder = self.place
            sync_folder(self.place.parent)


class StoredParts:
    """The same at a store: parts are made in the folder for temporary files and uploaded one by one, each with a note;
    what says that all are there comes last. A store cannot rename, so what is overwritten goes at the beginning."""

    def __init__(self, place: Path, identity: Mapping[str, Any]) -> None:
        self.place = place
        self._identity = dict(identity)

    def __enter__(self) -> StoredParts:
        self.making = Path(tempfile.mkdtemp(prefix="unquilt-"))
        try:
            self._begin()
        except BaseException:
            remove(self.making)
            raise
        return self

    def _begin(self) -> None:
        if _read(self.place / BEGUN) != self._identity:
            remove_all(str(self.place))
            put(_write(self._identity), str(self.place / BEGUN))

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        remove(self.making)

    def find(self, name: str) -> Mapping[str, Any] | None:
        """What is known of a part that an earlier attempt has uploaded."""
        noted = _read(self.place / f".{name}.json")
        with suppress(OSError):
            if noted is not None and (not noted["rows"] or (self.place / name).stat().st_size == noted["bytes"]):
                return noted
        return None

    def note(self, name: str, rows: int) -> Mapping[str, Any]:
        """Upload a part that is finished, and note it."""
        known = {"file": name, "rows": rows, "bytes": (self.making / name).stat().st_size if rows else 0}
        self._upload(name)
        put(_write(known), str(self.place / f".{name}.json"))
        return known

    def _upload(self, name: str) -> None:
        made = self.making / name
        if made.exists():
            put_file(made, str(self.place / name))
            made.unlink()

    def complete(self, parts: Sequence[Mapping[str, Any]]) -> None:
        """Say what is in the folder."""
        for part in parts:
            self._upload(part["file"])
        files = [part for part in parts if part["rows"]]
        put(_write({**self._identity, "parts": files}), str(self.place / MANIFEST))
        for entry in [BEGUN, *(f".{part['file']}.json" for part in parts)]:
            remove_object(str(self.place / entry))


def open_parts(place: Path, identity: Mapping[str, Any]) -> PartFolder | StoredParts:
    """A folder of parts in the making, wherever it is."""
    return StoredParts(place, identity) if is_url(place) else PartFolder(place, identity)


def _write(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, indent=2).encode() + b"\n"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(read_own(path))
    except (OSError, ValueError, RunError):
        return None
    return found if isinstance(found, dict) else None


def list_inputs(manifest: Mapping[str, Any]) -> list[str | Path]:
    """The inputs that a run or corpus was made from, as far as they are still there."""
    records = manifest["inputs"]
    return [record["path"] for record in records if is_url(record["path"]) or os.path.lexists(record["path"])]
