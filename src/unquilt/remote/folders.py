"""What there is at a store, and whole objects: written, read and removed at once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path
from typing import NamedTuple

from unquilt.errors import ParameterError
from unquilt.remote.failures import CutOffError, patiently
from unquilt.remote.names import split
from unquilt.remote.systems import connect

FILE, FOLDER = "file", "folder"
READ_ONLY = ("hf",)
_CHUNK = 8 << 20
_SMALL = 4 << 20
_NOWHERE = ".unquilt-asks-whether-this-bucket-is-there"


class StoredFile(NamedTuple):
    """A file: its URL, its bytes."""

    url: str
    size: int


def tell(url: str) -> str | None:
    """Whether a URL is a file or a folder; None if there is neither. A bucket that is not there is an error."""
    system, path = connect(url)
    kind = patiently(url, lambda: system.get_file_info(path)).type.name
    if kind == "NotFound":
        refuse_missing_bucket(url)
    return {"File": FILE, "Directory": FOLDER}.get(kind)


def refuse_missing_bucket(url: str) -> None:
    """Raise PlaceError if there is no such bucket: else nobody says so of a file that is not there."""
    scheme, authority, _ = split(url)
    if scheme in ("s3", "gs"):
        from pyarrow.fs import FileSelector

        system, _ = connect(url)
        bucket = f"{scheme}://{authority}"
        with suppress(FileNotFoundError):
            patiently(bucket, lambda: system.get_file_info(FileSelector(f"{authority}/{_NOWHERE}", recursive=True)))


def list_files(url: str) -> list[StoredFile]:
    """All files in a folder and in the folders in it, in the order of their names, component by component."""
    from pyarrow.fs import FileSelector

    system, path = connect(url)
    base = url.rstrip("/")
    try:
        found = patiently(url, lambda: system.get_file_info(FileSelector(path, recursive=True)))
    except FileNotFoundError:
        return []
    entries = [
        StoredFile(f"{base}/{each.path[len(path) :].lstrip('/')}", each.size)
        for each in found
        if each.type.name == "File"
    ]
    return sorted(entries, key=lambda entry: entry.url.split("/"))


def match_files(pattern: str) -> list[StoredFile]:
    """The files that a glob means: `*`, `?` and `[…]` within a component, `**` for any folders; of a folder that
    matches, all files in it. Hidden names are meant only if the glob has a dot there itself."""
    scheme, authority, key = split(pattern)
    parts = key.split("/")
    fixed = next(number for number, part in enumerate(parts) if has_magic(part))
    base, wanted = "/".join([f"{scheme}://{authority}", *parts[:fixed]]), parts[fixed:]
    hidden = any(part.startswith(".") for part in wanted)
    found = []
    for entry in list_files(base):
        names = entry.url[len(base) + 1 :].split("/")
        if (hidden or not any(name.startswith(".") for name in names)) and _matches(wanted, names):
            found.append(entry)
    return found


def _matches(parts: Sequence[str], names: Sequence[str]) -> bool:
    if not parts:
        return True
    if parts[0] == "**":
        return any(_matches(parts[1:], names[begin:]) for begin in range(len(names)))
    return bool(names) and fnmatchcase(names[0], parts[0]) and _matches(parts[1:], names[1:])


def read_whole(url: str) -> bytes:
    """The content of a small file. FileNotFoundError if there is none."""
    system, path = connect(url)

    def read() -> bytes:
        file = system.open_input_file(path)  # anew each time: it may have been written again, and shorter
        content: bytes = file.readall()
        if len(content) != file.size():
            raise CutOffError
        return content

    return patiently(url, read)


def refuse_read_only(url: str) -> None:
    """Raise ParameterError if nothing can be written there."""
    if split(url).scheme in READ_ONLY:
        raise ParameterError(f"{url}: {split(url).scheme}:// is only read; write to s3://, gs://, hdfs:// or a folder")


def put_file(path: Path, url: str) -> None:
    """Write an object that has the content of a file. It is there when all of it is, or what was there before stays.

    Arrow's own copying, as one call: a stream that is closed by an exception in Python would leave its beginning.
    """
    from pyarrow.fs import LocalFileSystem, copy_files

    size = path.stat().st_size
    refuse_read_only(url)
    if size <= _SMALL:
        put(path.read_bytes(), url)
        return
    system, place = connect(url)

    def write() -> None:
        if split(url).scheme == "hdfs":
            system.create_dir(place.rpartition("/")[0], recursive=True)
        copy_files(str(path.absolute()), place, LocalFileSystem(), system, chunk_size=_CHUNK, use_threads=False)
        if system.get_file_info(place).size != size:
            raise CutOffError

    patiently(url, write)


def put(content: bytes, url: str) -> None:
    """Write a small object."""
    system, place = connect(url, small=True)

    def write() -> None:
        if split(url).scheme == "hdfs":
            system.create_dir(place.rpartition("/")[0], recursive=True)
        # Not in a `with` block: what is left there is written all the same. Not compressed for names like a.gz.
        file = system.open_output_stream(place, compression=None)
        file.write(content)
        file.close()

    refuse_read_only(url)
    patiently(url, write)


def remove(url: str) -> bool:
    """Remove an object; whether it was there."""
    system, path = connect(url)
    try:
        patiently(url, lambda: system.delete_file(path))
    except FileNotFoundError:
        return False
    return True


def remove_all(url: str) -> None:
    """Remove all objects in a folder: a request for each thousand."""
    system, path = connect(url)
    with suppress(FileNotFoundError):
        patiently(url, lambda: system.delete_dir(path))
