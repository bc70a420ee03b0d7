"""Runs at a store that are made in a folder of this machine, and uploaded when they are finished.

    TMPDIR/unquilt-UID/run-DIGEST/ the run in the making, called by a digest of its URL; an interrupted one is resumed
    s3://bucket/run/.upload.json   which run is being uploaded; gone when it is there
    s3://bucket/run/…              its tables and files, then the manifest of its corpus, then its own

The manifest lists what counts, with sizes, and pages of tables have checksums. So a run that was not uploaded whole is
not there. What another run has left there under the same URL is replaced only if it is to be overwritten.

There is no lock at a store, since Arrow cannot create an object only if there is none. Two processes of one machine are
kept apart by the lock of the folder; of two machines that write different runs to one URL, the last one wins.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from unquilt.errors import RunError
from unquilt.remote.folders import list_files, put, put_file, remove
from unquilt.remote.paths import StorePath
from unquilt.runs.manifest import MANIFEST, read_manifest, refuse_other_run
from unquilt.runs.storage import storing
from unquilt.runs.store_lock import LOCKS

UPLOADING = ".upload.json"


def choose_scratch(url: str) -> Path:
    """The folder in which a run is made; the same one each time."""
    own = Path(tempfile.gettempdir()) / f"unquilt-{os.getuid()}"
    with storing(own), suppress(FileExistsError):
        own.mkdir(mode=0o700)
    there = own.lstat()
    if not stat.S_ISDIR(there.st_mode) or there.st_uid != os.getuid():
        raise RunError(f"{own} is somebody else's, and a run at {url} is made in it; set TMPDIR to another folder")
    return own / f"run-{hashlib.sha256(url.encode()).hexdigest()[:16]}"


def look_at(url: str, wanted: Mapping[str, Any], *, overwrite: bool) -> dict[str, Any] | None:
    """The manifest of the wanted run if it is there already. RunError if something else is there that is to stay."""
    older = read_manifest(StorePath(url))
    if older is None:
        _refuse_strangers(url)
        return None
    if older["fingerprint"] == wanted["fingerprint"]:
        return None if overwrite else older
    if not overwrite:
        refuse_other_run(StorePath(url), older, wanted)
        return older  # of the same inputs, whose times alone are others
    return None


def _refuse_strangers(url: str) -> None:
    entries = [entry for entry in list_files(url) if not entry.url.startswith(f"{url}/{LOCKS}/")]
    if entries and f"{url}/{UPLOADING}" not in {entry.url for entry in entries}:
        raise RunError(f"{url} holds something else (first entry: {entries[0].url}); choose another place")


def upload(folder: Path, url: str, fingerprint: str) -> None:
    """Puts a finished run in its place; what an older one had there goes first."""
    put(json.dumps({"fingerprint": fingerprint}).encode(), f"{url}/{UPLOADING}")
    older = None
    with suppress(RunError):  # a damaged one
        older = read_manifest(StorePath(url))
    remove(f"{url}/{MANIFEST}")
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not _is_hidden(path.relative_to(folder))]
    names = {str(path.relative_to(folder)) for path in files}
    for name in _list_contents(older) - names:
        remove(f"{url}/{name}")
    for path in sorted(files, key=_rank):
        put_file(path, f"{url}/{path.relative_to(folder)}")
    remove(f"{url}/{UPLOADING}")


def _rank(path: Path) -> tuple[bool, int]:
    """Manifests come last, and of these the one of the run itself."""
    return path.name == MANIFEST, -len(path.parts)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _list_contents(manifest: Mapping[str, Any] | None) -> set[str]:
    """The files that a manifest vouches for."""
    done = (manifest or {}).get("done", {}).values()
    return {f"{table}.parquet" for marker in done for table in marker["tables"]} | {
        name for marker in done for name in marker["files"]
    }


def drop(folder: Path) -> None:
    """Remove the folder of a run that is at its place."""
    shutil.rmtree(folder, ignore_errors=True)
