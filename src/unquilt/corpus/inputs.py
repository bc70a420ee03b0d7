"""What to read: files, folders, globs and standard input become a list of sources, in a fixed order.

Everything is checked here, before any record is read: an input that is missing or cannot be opened ends the run at
once. Cost: one `open` and up to 64 KiB for each file; more only for one that begins with zeros, or is called .gz, .zst
or .warc and does not begin like one.
"""

from __future__ import annotations

import glob
import hashlib
import io
import json
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NoReturn

from unquilt.corpus import compression, kinds
from unquilt.corpus.options import Reading
from unquilt.corpus.records import Reject
from unquilt.corpus.sources import Glimpse, Slice, Source, spell
from unquilt.errors import InputError, StorageError

__all__ = ["STDIN", "Source", "find", "fingerprint", "spool"]

STDIN = "-"
HEAD = 1 << 16
TAIL = 8
BLOCK = bytes(1 << 20)


def find(inputs: Sequence[str | Path] | str | Path, stdin: Path | None = None) -> list[Source]:
    """The files that the inputs mean, in the order given; folders and globs sorted by name, component by component.

    Folders are read with all their subfolders, except hidden files and folders (`.name`), symbolic links to folders,
    what is no regular file, and run and corpus folders of unquilt (so that results may lie beside what they are about).
    A glob (`*`, `?`, `[…]`, `**`) skips hidden names unless it has a dot there itself; a path that exists is never
    taken for a glob. `-` is standard input, `spool`ed to `stdin` before. A file reached twice is read once, where it
    came first.

    Raises `InputError` naming the path: nothing there, not readable, no match, a folder without files; and for a file
    that was named, one that is empty, of no known kind, or an archive, compressed or Parquet by name only. Such files
    in folders become rejects.
    """
    given = [inputs] if isinstance(inputs, str | Path) else list(inputs)
    if not given:
        raise InputError("no input: name files, folders, globs, or - for standard input")
    found: dict[str, Source] = {}
    for item in given:
        for source in _expand(str(item), stdin):
            found.setdefault(str(Path(source.path).absolute()), source)
    return list(found.values())


def _expand(item: str, stdin: Path | None) -> Iterator[Source]:
    if item == STDIN:
        if stdin is None:
            raise InputError("-: standard input must be spooled to a file first")
        yield _named(str(stdin), alias=STDIN)
    elif _exists(item):
        yield from _folder(item) if Path(item).is_dir() else [_named(item)]
    elif glob.has_magic(item):
        matches = _matches(item)
        if not matches:
            raise InputError(f"{spell(item)}: no file matches")
        for match in matches:
            yield from _folder(str(match)) if match.is_dir() else [_named(str(match))]
    else:
        raise InputError(f"{spell(item)}: no such file or folder")


def _exists(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the path
        return False
    except OSError as error:
        _fail(error, path)
    return True


def _matches(pattern: str) -> list[Path]:
    """What a glob matches. By pathlib, whose `**` does not follow links to folders: glob's would run in circles."""
    parts = Path(pattern).parts
    fixed = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    anchor, rest = Path(*parts[:fixed]), parts[fixed:]
    shown = any(part.startswith(".") for part in rest)
    found = anchor.glob(str(Path(*rest)))
    return sorted(
        (path for path in found if shown or not any(part.startswith(".") for part in path.parts[fixed:])),
        key=lambda path: path.parts,
    )


def _folder(folder: str) -> Iterator[Source]:
    if _is_ours(Path(folder)):
        raise InputError(f"{spell(folder)}: a folder that unquilt made; a corpus is given to an analysis alone")
    paths: list[Path] = []
    for where, folders, names in os.walk(folder, onerror=_fail):
        if _is_ours(Path(where)):
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [Path(where, name) for name in names if not name.startswith(".")]
    empty = True
    for path in sorted(paths, key=lambda path: path.parts):
        if stat.S_ISREG(_stat(str(path)).st_mode):
            empty = False
            yield _source(str(path))
    if empty:
        raise InputError(f"{spell(folder)}: no files in this folder")


def _is_ours(folder: Path) -> bool:
    """Whether unquilt wrote this folder: it has a manifest that says so."""
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and {"unquilt", "fingerprint"} <= manifest.keys()


def _named(path: str, alias: str = "") -> Source:
    """A file that the user named: it must be of use."""
    if not stat.S_ISREG(_stat(path).st_mode):
        raise InputError(f"{spell(path)}: not a regular file; pipe it in and give - as input")
    source = _source(path, alias)
    if source.kind == "empty":
        raise InputError("-: nothing came from standard input" if alias else f"{source.name}: empty file")
    if source.kind == "unknown":
        known = ", ".join(kinds.READERS)
        raise InputError(f"{source.name}: binary, and not a known kind of file (known: {known})")
    if source.kind in kinds.REJECTED:
        raise InputError(f"{source.name}: {kinds.REJECTED[source.kind].detail}")
    if _is_archive_by_name_only(source):
        raise InputError(f"{source.name}: called an archive, but there is no {source.kind.upper()} record in it")
    return source


def _source(path: str, alias: str = "") -> Source:
    try:
        size = _stat(path).st_size
        glimpse = _glimpse(path, size)
        if _is_all_zeros(path, glimpse):
            return Source(path, size, "unknown", None, alias)
        packed = compression.tell(glimpse.head)
        if packed is None and glimpse.head and not kinds.is_evident(glimpse):
            packed = compression.promised(path)
        if packed is not None:
            glimpse = _unpacked(path, packed, glimpse)
        kind = f"{packed} by name" if packed and not glimpse.compression else kinds.tell(glimpse)
    except OSError as error:
        _fail(error, path)
    return Source(path, size, kind, packed, alias)


def _is_all_zeros(path: str, glimpse: Glimpse) -> bool:
    """What a disk, or a download that ran out of room, makes of a file, whatever it is called; 2 GB/s."""
    if not glimpse.head or any(glimpse.head):
        return False
    with Path(path).open("rb", 0) as file:
        return all(block == BLOCK[: len(block)] for block in iter(lambda: file.read(len(BLOCK)), b""))


def _is_archive_by_name_only(source: Source) -> bool:
    """Whether no record is found in a file with the name of an archive. One that begins like an archive is believed."""
    if source.kind not in ("warc", "arc"):
        return False
    with compression.Stream(source.path, source.compression) as stream:
        if stream.read(9).startswith((b"WARC/", b"filedesc:")):
            return False
    first = next(kinds.reader(source.kind).read(Slice(source), Reading()), None)
    return isinstance(first, Reject) and first.reason in ("not a warc", "not an arc")


def _glimpse(path: str, size: int) -> Glimpse:
    """A file as it is stored."""
    name = Path(path).name.lower().removesuffix(".gz").removesuffix(".zst")
    with io.FileIO(path) as file:
        head = file.read(HEAD)
        file.seek(max(0, size - TAIL))
        return Glimpse(name, head, complete=len(head) < HEAD, size=size, tail=file.read(TAIL))


def _unpacked(path: str, packed: str, stored: Glimpse) -> Glimpse:
    """The same file decompressed; as it is, if nothing in it can be, and it does not even begin as if."""
    with compression.Stream(path, packed) as stream:
        head = stream.read(HEAD)
        if not head and compression.tell(stored.head) is None:
            return stored
        # A stream that is broken from its first byte is not an empty file: its reader will report the fault.
        return Glimpse(stored.name, head, complete=len(head) < HEAD and not stream.faults, compression=packed)


def _stat(path: str) -> os.stat_result:
    try:
        return Path(path).stat()
    except OSError as error:
        _fail(error, path)


def _fail(error: OSError, path: str = "") -> NoReturn:
    name = spell(path or os.fspath(error.filename or ""))
    raise InputError(f"{name}: {(error.strerror or str(error)).lower()}") from error


def fingerprint(source: Source) -> str:
    """SHA-256 of the file's bytes as they are on disk, in hexadecimal; at most 1.5 GB/s.

    Raises `InputChangedError` if the file no longer has `source.size` bytes: the two belong together in the manifest.
    """
    try:
        with Path(source.path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            source.check_size(file.tell())
            return digest
    except OSError as error:
        _fail(error, source.path)


def spool(stdin: BinaryIO, directory: Path) -> Path:
    """Copy standard input to the file `stdin` in a directory, where it can be cut, checked and read again.

    The file appears when it is complete. Raises `StorageError` naming it if there is no room.
    """
    target, partial = directory / "stdin", directory / "stdin.partial"
    try:
        with partial.open("wb") as file:
            shutil.copyfileobj(stdin, file, 1 << 20)
        return partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise StorageError(f"{target}: standard input could not be kept: {error.strerror or error}") from error
