"""Files at a store that must be files of this machine, such as those that are mapped into memory: fetched once.

The copy is in the folder for temporary files (TMPDIR), and goes when the process ends.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from unquilt.errors import StorageError
from unquilt.remote.names import is_url, last_name, localise

if TYPE_CHECKING:
    from unquilt.remote.files import RemoteFile

_ONCE = 8 << 20
"""Bytes of a request."""
_copies: dict[tuple[int, str, str], Path] = {}
"""What was fetched by this process, by URL and version."""


def fetch(name: str | Path) -> Path:
    """The file of this machine that has the content of a file; one at a store is fetched, once for each of its
    versions. FileNotFoundError if there is none there, else PlaceError."""
    name = localise(name)
    if not is_url(name):
        return Path(name)
    from unquilt.remote.files import RemoteFile

    url = str(name)
    with RemoteFile(url) as file:
        known = (os.getpid(), url, file.version)
        if known not in _copies:
            folder = Path(tempfile.mkdtemp(prefix="unquilt-"))
            atexit.register(_remove, folder, os.getpid())
            _copies[known] = _copy(file, folder / last_name(url))
        return _copies[known]


def _copy(file: RemoteFile, target: Path) -> Path:
    try:
        with target.open("wb") as copy:
            for begin in range(0, file.size, _ONCE):
                copy.write(file.read_at(begin, _ONCE))
    except OSError as error:
        where = f"{target.parent.parent}, for a copy of {file.name}"
        raise StorageError(f"{error.strerror or error}: {where}; make room, or set TMPDIR to another folder") from error
    return target


def _remove(folder: Path, process: int) -> None:
    """Not in a process that was forked from this one."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
