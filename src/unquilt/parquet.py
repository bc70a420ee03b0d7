"""Parquet files that unquilt writes and reads, so that damage is an error and never another row.

Each page has a checksum, as Parquet provides for (writers ask for `write_page_checksum`), and it is compared when the
page is read. For the footer, which says where pages are and which keys they have, Parquet has no checksum. So we put
one between data and footer, where other readers do not look: they find the footer from the end of the file, and
everything else from the footer. In a file without this checksum, the footer is taken as it is.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from unquilt.errors import RunError, damaged, tells_shortage
from unquilt.remote.names import is_url

if TYPE_CHECKING:
    from unquilt.remote.files import RangedFile

_MARK = b"uqFT"
MAGIC = b"PAR1"
_SEAL = len(_MARK) + 4
_END = 4 + len(MAGIC)
"""Behind the footer: its length, and what Parquet files end with."""


def seal_footer(file: BinaryIO) -> None:
    """Puts the checksum before the footer of a file that is complete, and open to be read and written."""
    footer = _read_end(file, 0)
    file.seek(-len(footer), os.SEEK_END)
    file.write(_seal(footer) + footer)


def end_file(footer: bytes) -> bytes:
    """What comes behind the row groups of a file: the checksum of the footer, the footer, and what such files end
    with."""
    end = footer + len(footer).to_bytes(4, "little") + MAGIC
    return _seal(end) + end


def cut_footer(file: BinaryIO) -> bytes:
    """Takes the footer away from the end of a file that is not sealed, and is open to be written and read."""
    footer = _read_end(file, 0)
    file.seek(-len(footer), os.SEEK_END)
    file.truncate()
    return footer[:-_END]


def split_file(content: memoryview) -> tuple[bytes, bytes]:
    """The row groups and the footer of a file that is not sealed."""
    length = int.from_bytes(content[-_END:-4], "little")
    return bytes(content[len(MAGIC) : -_END - length]), bytes(content[-_END - length : -_END])


@contextmanager
def opened(path: Path | str, metadata: pq.FileMetaData | None = None) -> Iterator[pq.ParquetFile]:
    """A file to read from; what is wrong with it is a RunError. If its metadata is given, as it was read before, the
    footer is not checked again.
    """
    with reading(path):
        if metadata is None:
            _check_footer(path)
        source = pa.PythonFile(_open(path), mode="r") if is_url(path) else path
        # Not `read_table`: that makes columns of folders called key=value.
        with pq.ParquetFile(source, metadata=metadata, page_checksum_verification=True) as file:
            yield file


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Errors of Arrow in the block become a RunError that says that the file is damaged, or cannot be read."""
    try:
        yield
    except FileNotFoundError as error:
        raise damaged(path, "it is missing") from error
    except MemoryError as error:  # Arrow's is one of its exceptions, too, and no damage
        raise RunError(f"{path} cannot be read: there is not enough memory for a part of it") from error
    except (OSError, pa.ArrowException) as error:
        if tells_shortage(error):
            said = "this machine has not enough memory, or no process left for another thread"
            raise RunError(f"{path} cannot be read: {said} (ulimit -a)") from error
        if isinstance(error, OSError) and error.errno:  # Arrow's own have none
            raise RunError(f"{path} cannot be read: {error.strerror}") from error
        raise damaged(path, str(error)) from error


def _open(path: Path | str) -> BinaryIO | RangedFile:
    if not is_url(path):
        return Path(path).open("rb")
    from unquilt.remote.files import RangedFile

    return RangedFile(str(path))


def _check_footer(path: Path | str) -> None:
    with _open(path) as file:
        end = _read_end(file, _SEAL)
    seal, footer = end[:_SEAL], end[_SEAL:]
    if seal.startswith(_MARK) and seal != _seal(footer):
        raise damaged(path, "its footer does not match its checksum")


def _seal(footer: bytes) -> bytes:
    return _MARK + zlib.crc32(footer).to_bytes(4, "little")


def _read_end(file: BinaryIO | RangedFile, before: int) -> bytes:
    """The footer and all that is behind it, and so many bytes before it; nothing, if there is no footer."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END))
    end = file.read(_END)
    length = int.from_bytes(end[:4], "little") + _END + before
    if not end.endswith(MAGIC) or length > size:
        return b""
    file.seek(size - length)
    return file.read(length)
