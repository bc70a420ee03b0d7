"""Paths of files and folders at a store, for those who read runs: they ask for entries, sizes and bytes of a `Path`.

Files are made by `runs.storage`, whole. What is not here, such as renaming, does not work at a store. Light, since
every path of a run is made here: what asks a store is imported when it is asked.
"""

from __future__ import annotations

import io
import os
import stat as modes
from collections.abc import Iterator
from pathlib import Path, PosixPath
from typing import Any, Self

from unquilt.remote.names import is_url, localise, split


class StorePath(PosixPath):
    """A `Path` whose text is a URL.

    >>> path = StorePath("s3://bucket/run") / "quilts.parquet"
    >>> str(path), path.name, str(path.parent)
    ('s3://bucket/run/quilts.parquet', 'quilts.parquet', 's3://bucket/run')
    """

    def __str__(self) -> str:
        scheme, _, rest = super().__str__().partition(":/")
        return f"{scheme}://{rest}"

    def __fspath__(self) -> str:
        return str(self)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:  # noqa: ARG002
        """Size and time; 0 stands for everything else."""
        from unquilt.remote.failures import patiently
        from unquilt.remote.systems import connect

        system, path = connect(str(self))
        info = patiently(str(self), lambda: system.get_file_info(path))
        if info.type.name == "NotFound":
            raise FileNotFoundError(2, "No such file or directory", str(self))
        mode = modes.S_IFREG if info.type.name == "File" else modes.S_IFDIR
        time = (info.mtime_ns or 0) / 1e9
        return os.stat_result((mode, 0, 0, 1, 0, 0, info.size or 0, time, time, time))

    def lstat(self) -> os.stat_result:
        return self.stat()

    @property
    def _kind(self) -> str | None:
        from unquilt.remote.folders import tell

        return tell(str(self))

    def exists(self, **_: Any) -> bool:
        return self._kind is not None

    def is_file(self, **_: Any) -> bool:
        return self._kind == "file"

    def is_dir(self, **_: Any) -> bool:
        return self._kind == "folder"

    def is_symlink(self) -> bool:
        return False

    def absolute(self) -> Self:
        return self

    def resolve(self, strict: bool = False) -> Self:  # noqa: ARG002
        return self

    def glob(self, pattern: str, **_: Any) -> Iterator[Self]:  # type: ignore[override]
        from unquilt.remote.folders import match_files

        return (type(self)(entry.url) for entry in match_files(f"{self}/{pattern}"))

    def iterdir(self) -> Iterator[Self]:  # type: ignore[override]
        from unquilt.remote.folders import list_files

        begin = len(str(self)) + 1
        names = {entry.url[begin:].partition("/")[0] for entry in list_files(str(self))}
        return (self / name for name in sorted(names))

    def open(self, *_: Any, **__: Any) -> Any:
        """The file, to be read as bytes."""
        from unquilt.remote.files import RemoteFile

        return io.BufferedReader(RemoteFile(str(self)))

    def touch(self, *_: Any, **__: Any) -> None:
        from unquilt.remote.folders import put

        put(b"", str(self))

    def unlink(self, missing_ok: bool = False) -> None:  # noqa: ARG002 - a store does not say whether there was one
        from unquilt.remote.folders import remove

        remove(str(self))

    def rmdir(self) -> None:
        """Nothing: a folder is there as long as something is in it."""

    def read_bytes(self) -> bytes:
        with self.open() as file:
            content: bytes = file.read()
            return content


def place(name: str | Path) -> Path:
    """The path of a name, which may be a URL; ParameterError if its scheme is not one that can be read."""
    if isinstance(name, StorePath):
        return name
    name = localise(name)
    if not is_url(name):
        return Path(name)
    split(str(name))
    return StorePath(name)
