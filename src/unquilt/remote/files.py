"""A file that is read by ranges, and one function for files wherever they are.

Whoever reads on gets windows of growing size, 64 KiB at first: so a look at the beginning of a file costs little, and
so does what is fetched in vain where a slice of a file ends. Each window is one request.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from unquilt.remote.failures import CutOffError, patiently
from unquilt.remote.names import is_url
from unquilt.remote.systems import connect

FIRST, LARGEST = 1 << 16, 1 << 19
"""Bytes of the first and of the largest window."""


_heads: dict[tuple[str, str, int, int], bytes] = {}
"""The first windows of the files that were opened last, the last one behind the others."""
_HEAD, _REMEMBERED = 3 * FIRST, 32
"""How far these reach, and how many there are. Whoever looks at a packed file asks for more than one."""


class RemoteFile(io.RawIOBase):
    """A file at a store, open for reading. Raises FileNotFoundError if there is none, else PlaceError.

    `size` and `version` are what the store says of it: the version is its ETag, or else its size and time. A file whose
    version has changed has other bytes.
    """

    def __init__(self, url: str) -> None:
        system, path = connect(url)
        self.name = url
        self._file: Any = patiently(url, lambda: system.open_input_file(path))
        self.size: int = patiently(url, self._file.size)
        self.version = patiently(url, lambda: _tell_version(system, path, self._file))
        self._at = 0
        self._window, self._begin, self._span = memoryview(b""), 0, FIRST

    def read_at(self, offset: int, size: int) -> bytes:
        """Some bytes from anywhere, fewer only where the file ends: one request, or none for the first ones, which are
        remembered: whoever looks at a file begins there."""
        size = max(0, min(size, self.size - offset))
        if offset + size <= FIRST:
            return self._recall(0, min(FIRST, self.size))[offset : offset + size]
        if offset + size <= _HEAD:
            return self._recall(offset, size)
        return self._request(offset, size)

    def _recall(self, offset: int, size: int) -> bytes:
        """A window near the beginning, from memory if it was asked for before."""
        asked = (self.name, self.version, offset, size)
        window = _heads.pop(asked, None)
        if window is None:
            window = self._request(offset, size)
        _heads[asked] = window
        while len(_heads) > _REMEMBERED:
            _heads.pop(next(iter(_heads)), None)
        return window

    def _request(self, offset: int, size: int) -> bytes:
        def request() -> bytes:
            read: bytes = self._file.read_at(size, offset)
            if len(read) != size:
                raise CutOffError
            return read

        return patiently(self.name, request) if size else b""

    def readinto(self, buffer: Any) -> int:
        at = self._at - self._begin
        if not 0 <= at < len(self._window):
            if self._at >= self.size:
                return 0
            goes_on = at == len(self._window) and at > 0
            self._span = min(2 * self._span, LARGEST) if goes_on else FIRST
            self._window, self._begin, at = memoryview(self.read_at(self._at, self._span)), self._at, 0
        with memoryview(buffer).cast("B") as room:
            size = min(len(room), len(self._window) - at)
            room[:size] = self._window[at : at + size]
        self._at += size
        return size

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        self._at = max(0, begin + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self._window = memoryview(b"")
        super().close()


class RangedFile(RemoteFile):
    """The same for whoever knows how much it wants: what is read is fetched at once, and nothing else."""

    def read(self, size: int = -1) -> bytes:
        wanted = self.size - self._at if size < 0 else size
        data = self.read_at(self._at, wanted)
        self._at += len(data)
        return data


def _tell_version(system: Any, path: str, file: Any) -> str:
    try:
        said = file.metadata()
    except (NotImplementedError, OSError, AttributeError):
        said = None
    tag = {key.lower(): value for key, value in (said or {}).items()}.get("etag", b"")
    tag = tag.decode("utf-8", "backslashreplace") if isinstance(tag, bytes) else str(tag)
    if tag.strip('"'):
        return f"etag {tag.strip(chr(34))}"
    info = system.get_file_info(path)
    return f"size {info.size}, time {info.mtime_ns}"


def open_raw(path: str) -> io.FileIO | RemoteFile:
    """A file to be read without a buffer, wherever it is."""
    return RemoteFile(path) if is_url(path) else io.FileIO(path)


def open_bytes(path: str | Path) -> Any:
    """What the core and Arrow open: a path of this machine as it is, a file at a store as an object to read from."""
    return RemoteFile(str(path)) if is_url(path) else path


def measure(path: str) -> int:
    """How many bytes a file has."""
    return RemoteFile(path).size if is_url(path) else Path(path).stat().st_size
