"""The members of an archive: what decodes on its own. Each gzip member or zstd frame is one, and so is a plain file.

A member is read by offset, through a window that moves forward. Going back costs nothing in a plain file. In a
compressed one the member is decoded anew, from its beginning; that is needed when the length of a record was wrong, and
is done at most `PATIENCE` times a file.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from unquilt._native import Members
from unquilt.corpus.readers.compression import Fault, Stream, members
from unquilt.remote.files import RemoteFile, open_raw

STRIDE = 1 << 20
PATIENCE = 100


class Decoded(Protocol):
    """What a member is read from."""

    @property
    def exhausted(self) -> bool:
        """Whether the file ends with the member. Known once the member has ended."""

    @property
    def patient(self) -> bool:
        """Whether one may go back once more."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, fewer than `size` only at the end of the member."""

    def go(self, here: int, there: int) -> int:
        """Go from one offset in the member to another. Returns where one got to: less far only if the member ends."""

    def glance(self, offset: int, size: int) -> bytes | None:
        """Up to `size` bytes of the member from anywhere; None if other bytes would have to be decoded first."""

    def faults(self, here: int) -> Iterable[Fault]:
        """What is wrong up to `here`, or a bit further. Offsets are behind the first byte that may be wrong."""

    def doubt(self, fault: Fault) -> int:
        """Where the unit of compression begins that ends with this fault: all bytes before it are right."""


class Member:
    """A member that begins at `begin` of the file as stored. Its decoded `size` is known once its end was seen."""

    __slots__ = ("_begin", "_data", "_faults", "_last_fault", "begin", "size", "stream")

    def __init__(self, stream: Decoded, begin: int = 0, size: int | None = None) -> None:
        self.begin = begin
        self.size = size
        self.stream = stream
        self._data = b""
        self._begin = 0
        self._faults: list[Fault] = []
        self._last_fault = -1

    @property
    def broken(self) -> bool:
        """Whether there was any fault so far."""
        return self._last_fault >= 0

    @property
    def doubt(self) -> int | None:
        """From where on bytes may be wrong, if a fault is known that `fault` has not returned yet."""
        corrupt = bool(self._faults) and self._faults[0].reason.startswith("corrupt")
        return self.stream.doubt(self._faults[0]) if corrupt else None

    @property
    def hole(self) -> int | None:
        """Where the next fault is that is known, and that `fault` has not returned yet."""
        return self._faults[0].offset if self._faults else None

    def fault(self, end: int) -> tuple[str, str] | None:
        """Why bytes before `end` may be wrong or missing: reason and detail. Each fault is returned once."""
        first: tuple[str, str] | None = None
        while self._faults and self._faults[0].offset <= end:
            _, reason, detail = self._faults.pop(0)
            first = first or (reason, detail)
        return first

    def view(self, offset: int, size: int) -> tuple[bytes, int]:
        """Bytes of the member, and where in them `offset` is; at least `size` follow, if there are as many."""
        at = offset - self._begin
        if not 0 <= at <= len(self._data):
            self._begin = self.stream.go(self._begin + len(self._data), offset)
            self._data, at = b"", 0
            self._note(self._begin, ended=self._begin < offset)
        have = len(self._data) - at
        if have < size and self._begin + len(self._data) != self.size:
            # At least as much as is held: lengths that lie, one after the other, must not copy the window each time.
            wanted = max(size - have, have, STRIDE)
            block = self.stream.read(wanted)
            self._data, self._begin, at = self._data[at:] + block if have else block, self._begin + at, 0
            self._note(self._begin + len(self._data), ended=len(block) < wanted)
        return self._data, at

    def glance(self, offset: int, size: int) -> tuple[bytes, int]:
        """The same for bytes far ahead, after which reading goes on here: the window stays, if the file allows it."""
        seen = self.stream.glance(offset, size)
        return self.view(offset, size) if seen is None else (seen, 0)

    def holds(self, offset: int) -> bool:
        """Whether the member is that long, as far as is known."""
        return self.size is None or offset <= self.size

    def _note(self, here: int, *, ended: bool) -> None:
        """Note the size, and faults that are new: a member that is decoded anew has the same ones again."""
        if ended and self.size is None:
            self.size = here
        for fault in self.stream.faults(here):
            if fault.offset > self._last_fault:
                self._last_fault = fault.offset
                self._faults.append(fault)


class PlainFile:
    """A file that is not compressed."""

    exhausted = True
    patient = True

    def __init__(self, path: str, size: int) -> None:
        self._raw = open_raw(path)
        self._file = io.BufferedReader(self._raw)
        self._size = size
        self.read = self._file.read

    def go(self, here: int, there: int) -> int:  # noqa: ARG002
        """Costs nothing."""
        return self._file.seek(min(there, self._size))

    def glance(self, offset: int, size: int) -> bytes:
        """Where reading goes on does not change."""
        if isinstance(self._raw, RemoteFile):
            return self._raw.read_at(offset, size)
        return os.pread(self._file.fileno(), size, offset)

    def faults(self, here: int) -> Iterable[Fault]:  # noqa: ARG002
        """None: without checksums, no byte is known to be wrong."""
        return ()

    def doubt(self, fault: Fault) -> int:  # noqa: ARG002
        """See `faults`."""
        return 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


Decoder = TypeVar("Decoder", Members, Stream)


class _CompressedFile(Generic[Decoder]):
    """What has to be decoded from the beginning of a member."""

    exhausted = True

    def __init__(self, path: str, decoder: Decoder) -> None:
        self._path = path
        self.decoder: Decoder = decoder
        self._patience = PATIENCE

    @property
    def patient(self) -> bool:
        return self._patience > 0

    def read(self, size: int, /) -> bytes:
        return self.decoder.read(size)

    def go(self, here: int, there: int) -> int:
        if there < here:
            with self.decoder:
                self.decoder = self._again()
            self._patience -= 1
            here = 0
        while here < there and (block := self.decoder.read(min(there - here, STRIDE))):
            here += len(block)
        return here

    def glance(self, offset: int, size: int) -> None:
        """Never: all bytes before have to be decoded first."""

    def _again(self) -> Decoder:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.decoder.__exit__(kind, error, trace)


class PackedFile(_CompressedFile[Members]):
    """The members of a compressed file, one by one. To go to the next one is up to `decoder`."""

    def __init__(self, path: str, compression: str, size: int, begin: int) -> None:
        super().__init__(path, members(path, compression, begin))
        self._compression = compression
        self._size = size

    @property
    def exhausted(self) -> bool:  # type: ignore[override]  # of a file that is one member, True is enough
        return self.decoder.consumed >= self._size

    def faults(self, here: int) -> Iterable[Fault]:
        """A member ends with its fault."""
        flaw = self.decoder.fault
        return (Fault(here, *flaw),) if flaw else ()

    def doubt(self, fault: Fault) -> int:  # noqa: ARG002
        """The whole member: it decodes on its own."""
        return 0

    def _again(self) -> Members:
        return members(self._path, self._compression, self.decoder.member)


def _is_behind(fault: Fault) -> bool:
    """Whether the wrong bytes, or what is missing, are behind the place of the fault, not before it."""
    return "checksum" not in fault.detail


class StreamFile(_CompressedFile[Stream]):
    """A compressed file as one member, however many it has: for files in which records cross the ends of members."""

    def __init__(self, path: str, compression: str) -> None:
        super().__init__(path, Stream(path, compression))
        self._compression = compression

    def faults(self, here: int) -> Iterable[Fault]:  # noqa: ARG002
        """The stream goes on after a fault. If a checksum does not match, bytes before the fault are wrong; of all
        other faults, bytes behind it are missing.
        """
        return (fault._replace(offset=fault.offset + _is_behind(fault)) for fault in self.decoder.faults)

    def doubt(self, fault: Fault) -> int:
        """The member of the file that has the fault. If it is not known (yet, after a new beginning), all is in
        doubt."""
        return self.decoder.torn.get(fault.offset - _is_behind(fault), 0)

    def _again(self) -> Stream:
        return Stream(self._path, self._compression)
