"""Parquet files that unquilt writes and reads, so that damage is an error and never another row.

Each page has a checksum, which Parquet provides for (writers ask for `write_page_checksum`), and which is compared when
the page is read. For the footer, which says where pages and which keys are in them, it does not; so the checksum of the
footer stands before it, between data and footer, where no reader looks: they know places from the footer, and where
that is from the end of the file. A file without is read as it is.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from unquilt.errors import RunError

_MARK = b"uqFT"
_MAGIC = b"PAR1"
_SEAL = len(_MARK) + 4
_END = 4 + len(_MAGIC)
"""Behind the footer: its length, and what Parquet files end with."""


def seal_footer(file: BinaryIO) -> None:
    """Puts the checksum before the footer of a file that is complete, and open to be read and written."""
    footer = _read_end(file, 0)
    file.seek(-len(footer), os.SEEK_END)
    file.write(_seal(footer) + footer)


@contextmanager
def opened(path: Path | str, metadata: pq.FileMetaData | None = None) -> Iterator[pq.ParquetFile]:
    """A file to read from; what is wrong with it is a RunError. With the metadata that it had before, nothing is
    compared but pages.
    """
    try:
        if metadata is None:
            _check_footer(path)
        # Not `read_table`: that makes columns of folders called key=value.
        with pq.ParquetFile(path, metadata=metadata, page_checksum_verification=True) as file:
            yield file
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, OSError) and error.errno:
            raise RunError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from error
        raise RunError(f"{path} is damaged: {' '.join(str(error).split())}") from error


def read_schema(path: Path | str) -> pa.Schema:
    """Its columns."""
    with opened(path) as file:
        return file.schema_arrow


def read_footer(path: Path | str) -> pq.FileMetaData:
    """What a file says of itself."""
    with opened(path) as file:
        return file.metadata


def _check_footer(path: Path | str) -> None:
    with Path(path).open("rb") as file:
        end = _read_end(file, _SEAL)
    seal, footer = end[:_SEAL], end[_SEAL:]
    if seal.startswith(_MARK) and seal != _seal(footer):
        raise RunError(f"{path} is damaged: its footer does not match its checksum")


def _seal(footer: bytes) -> bytes:
    return _MARK + zlib.crc32(footer).to_bytes(4, "little")


def _read_end(file: BinaryIO, before: int) -> bytes:
    """The footer and all that is behind it, and so many bytes before it; nothing, if there is no footer."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END))
    end = file.read(_END)
    length = int.from_bytes(end[:4], "little") + _END + before
    if not end.endswith(_MAGIC) or length > size:
        return b""
    file.seek(size - length)
    return file.read(length)
