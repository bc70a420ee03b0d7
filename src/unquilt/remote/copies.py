"""Parts of a file at a store as a file of this machine, for libraries that read a little here and a little there.

The copy has the size of the file, and holes where nothing was fetched. It is in the folder for temporary files
(TMPDIR), and goes when it is closed.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from unquilt.errors import StorageError
from unquilt.remote.files import RemoteFile

_ONCE = 8 << 20
"""Bytes of a request."""


class PartialCopy:
    """What was fetched of a file, at `path`, in a `with` block."""

    def __init__(self, url: str) -> None:
        self._remote = RemoteFile(url)
        self.size = self._remote.size

    def __enter__(self) -> Self:
        try:
            self._file = tempfile.NamedTemporaryFile(prefix="unquilt-", buffering=0)
            self._file.truncate(self.size)
        except OSError as error:
            raise _no_room(error) from error
        self.path = Path(self._file.name)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()
        self._remote.close()

    def fetch(self, begin: int, end: int) -> None:
        """Make bytes begin..end-1 those of the file, as far as it has them."""
        at, end = max(0, begin), min(end, self.size)
        while at < end:
            data = self._remote.read_at(at, min(_ONCE, end - at))
            try:
                os.pwrite(self._file.fileno(), data, at)
            except OSError as error:
                raise _no_room(error) from error
            at += len(data)


def _no_room(error: OSError) -> StorageError:
    where = f"{tempfile.gettempdir()}, for parts of files at a store"
    return StorageError(f"{error.strerror or error}: {where}; make room, or set TMPDIR to another folder")
