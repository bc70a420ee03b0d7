"""WACZ: WARC files in a zip file, with indices beside them that are not needed here.

The WARC files, which are all that is in the folder `archive`, are copied out of it before they are looked at: readers
enter files anywhere, and what is packed twice cannot be entered. Files that the zip file only stores, as it should, are
copied as they are, so broken bytes in them cost the records that they are in, and nothing else.
"""

from __future__ import annotations

import io
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from unquilt.corpus.sources import Glimpse
from unquilt.errors import StorageError
from unquilt.remote.files import measure, open_raw
from unquilt.runs.storage import created

SUFFIX, FOLDER = ".wacz", "archive/"
MAGIC = b"PK\x03\x04"
_HEADER = struct.Struct("<4s22xHH")
"""The header of a file in a zip file: how it begins, and the lengths of its name and of further fields behind it."""
_STRIDE = 1 << 20
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, struct.error, NotImplementedError, RuntimeError)


class BrokenWaczError(Exception):
    """Why nothing can be read from a file."""


def recognise(glimpse: Glimpse) -> bool:
    """A zip file by its first bytes, that is called so or begins with a file of an archive."""
    begins = glimpse.head.startswith(MAGIC) and glimpse.compression is None
    return begins and (glimpse.name.endswith(SUFFIX) or glimpse.head.startswith(FOLDER.encode(), _HEADER.size))


def unpack(path: str, room: Path) -> Iterator[tuple[str, Path]]:
    """The archives in a file: their names there, and where they are now, in a new folder in `room`.

    Raises `BrokenWaczError` if the list of files, or a file that is compressed a second time, cannot be read, and
    `StorageError` if there is no room.
    """
    folder = Path(tempfile.mkdtemp(prefix="wacz-", dir=room))
    try:
        with io.BufferedReader(open_raw(path)) as disk, zipfile.ZipFile(disk) as file:
            wanted = [each for each in file.infolist() if each.filename.startswith(FOLDER) and not each.is_dir()]
            if sum(each.compress_size for each in wanted) > measure(path):
                raise BrokenWaczError("the files in it overlap")
            for number, each in enumerate(wanted):
                target = folder / f"{number}.warc{'.gz' * each.filename.lower().endswith('.gz')}"
                with created(target, durable=False) as out:
                    _copy(file, each, out)
                yield each.filename, target
    except StorageError as error:
        raise StorageError(f"{path}: its archives could not be copied out of it: {error}") from error
    except _BROKEN as error:
        raise BrokenWaczError(" ".join(str(error).split())[:200]) from error
    if not wanted:
        raise BrokenWaczError("there is no folder archive in it")


def _copy(file: zipfile.ZipFile, entry: zipfile.ZipInfo, out: IO[bytes]) -> None:
    if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
        with file.open(entry) as packed:
            shutil.copyfileobj(packed, out, _STRIDE)
        return
    stored = file.fp
    if stored is None:
        raise BrokenWaczError("it is closed")
    stored.seek(entry.header_offset)
    begins, name, further = _HEADER.unpack(stored.read(_HEADER.size))
    if begins != MAGIC:
        raise BrokenWaczError(f"there is no file where {entry.filename[:80]!a} should be")
    stored.seek(name + further, 1)
    left = entry.compress_size
    while left:
        block = stored.read(min(left, _STRIDE))
        if not block:
            raise BrokenWaczError(f"{entry.filename[:80]!a} is cut short")
        left -= len(block)
        out.write(block)
