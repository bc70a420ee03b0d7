"""What to read: files, folders, globs and standard input become a list of sources, in a fixed order.

Everything is checked here, before any record is read: an input that is missing or cannot be opened ends the run at
once. Cost: one `open` and up to 64 KiB for each file; more only for a file that begins with zeros, or is called .gz,
.zst or .warc and does not begin like one. This process only lists folders; files are looked into by others (see
`find`).
"""

from __future__ import annotations

import glob
import hashlib
import io
import json
import os
import shutil
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from unquilt.corpus.find import addresses, kinds, wacz
from unquilt.corpus.find.addresses import begin_paths
from unquilt.corpus.options import NO_URLS, Limits, Reading
from unquilt.corpus.readers import compression
from unquilt.corpus.records import Reject
from unquilt.corpus.sources import Glimpse, Seen, Slice, Source, spell_path, state
from unquilt.errors import InputError, StorageError
from unquilt.guard import Blame, Bounds, Each, each_guarded, here
from unquilt.remote.files import RemoteFile, measure, open_raw
from unquilt.remote.folders import FILE, StoredFile, list_files, match_files, read_whole, refuse_missing_bucket, tell
from unquilt.remote.names import is_url, last_name, parent, split
from unquilt.runs.digests import tell_time
from unquilt.runs.storage import created

__all__ = ["STDIN", "Source", "find", "named", "spool"]


STDIN = "-"
MANIFEST = "manifest.json"
HEAD = 1 << 16
TAIL = 8
BLOCK = bytes(1 << 20)
LOOKS = 64
"""How many files a process looks at before it answers."""


Watch = Callable[[str, int, str], AbstractContextManager[Callable[[int], object]]]
"""Begins a stage of so many units (0: nobody knows how many) of a sort ("B" for bytes), and gives a function to call
with the units done."""


@contextmanager
def nobody(name: str, total: int, unit: str) -> Iterator[Callable[[int], object]]:  # noqa: ARG001
    """Watches nothing."""
    yield lambda units: None  # noqa: ARG005


class Candidate(NamedTuple):
    """A file to look at: where it is, what it is called in tables if not by its path, whether the user named it; the
    folder that the user named, if it was found in one."""

    path: str
    alias: str = ""
    named: bool = False
    root: str = ""

    def __str__(self) -> str:
        return self.alias or spell_path(self.path)


Known = tuple[Candidate, tuple[int, int] | str]
"""A file to look at, and what is equal for two names of one file, which may be links of either kind."""


def find(
    inputs: Sequence[str | Path] | str | Path,
    stdin: Path | None = None,
    each: Each = here,
    notes: Path | None = None,
    bounds: Bounds | None = None,
    base_url: str = NO_URLS,
    watch: Watch = nobody,
    wants: Callable[[str], bool] = lambda _: True,
    textless: bool = False,
) -> list[Source]:
    """The files that the inputs mean, in the order given; folders and globs sorted by name, component by component.

    Folders are read with all their subfolders, except hidden files and folders (`.name`), symbolic links to folders,
    what is no regular file, and run and corpus folders of unquilt (so that results may lie beside what they are about).
    A glob (`*`, `?`, `[…]`, `**`) skips hidden names unless it has a dot there itself; a path that exists is never
    taken for a glob. `-` is standard input, `spool`ed to `stdin` before. A file reached twice, be it by
    links of either kind, is read once, under the name that came first.

    To tell the kind of a file one has to look into it, which is done in processes that may be lost (see `guard`):
    `each` calls a function in them, `bounds` is what one file may cost, and `notes` is a folder for their notes.

    `base_url` says how files that are one page each get a URL (see `addresses`). `watch` is told how far this is.
    `wants` says of the path of a file within a folder that the user named whether it is read, `textless` whether files
    without text are.

    Raises `InputError` naming the path: nothing there, not readable, no match, a folder without files; and for a file
    that the user named and that is empty, of no known kind, or an archive, compressed or Parquet by its name only. In
    folders, such files become rejects.
    """
    given = [inputs] if isinstance(inputs, str | Path) else list(inputs)
    if not given:
        raise InputError("no input: name files, folders, globs, or - for standard input")
    found: dict[tuple[int, int] | str, Candidate] = {}
    with watch("find", 0, "") as step:
        for item in given:
            for candidate, identity in _expand(str(item), stdin, step):
                if not candidate.root or wants(os.path.relpath(candidate.path, candidate.root)):
                    found.setdefault(identity, candidate)
    if not found:
        raise InputError("no file is left to read: change what is included or excluded")
    candidates, sources = list[Candidate](), list[Source]()
    with watch("look", len(found), "") as step:
        bounds = bounds or Limits().bounds
        looks = each_guarded(each, look, list(found.values()), bounds, notes, LOOKS)
        for candidate, seen in zip(found.values(), looks, strict=True):
            for one, known in _open_wacz(candidate, seen, each, notes, bounds):
                candidates.append(one)
                sources.append(_judged(one, known, textless=textless))
            step(1)
    places = [addresses.Whereabouts(each.root or addresses.find_parent(each.path), each.path) for each in candidates]
    root = addresses.find_root([str(item) for item in given if str(item) != STDIN])
    pages = (*addresses.PAGES, *kinds.TEXTLESS) if textless else addresses.PAGES
    return addresses.give_urls(sources, places, root, base_url, pages)


def named(inputs: Sequence[str | Path] | str | Path) -> Iterator[str]:
    """The files and folders that the inputs name, as far as they are there; globs expanded, standard input left out."""
    for item in [inputs] if isinstance(inputs, str | Path) else inputs:
        if str(item) != STDIN and (is_url(item) or _exists(str(item))):
            yield str(item)
        elif glob.has_magic(str(item)):
            yield from map(str, _matches(str(item)))


def _identity(path: str, there: os.stat_result) -> tuple[int, int] | str:
    return (there.st_dev, there.st_ino) if there.st_ino else str(Path(path).absolute())


def _expand(item: str, stdin: Path | None, step: Callable[[int], object]) -> Iterator[Known]:
    if item == STDIN:
        if stdin is None:
            raise InputError("-: standard input must be spooled to a file first")
        yield _named(str(stdin), alias=STDIN)
    elif is_url(item):
        yield from _expand_url(item, step)
    elif _exists(item):
        yield from _folder(item, step) if Path(item).is_dir() else [_named(item)]
    elif glob.has_magic(item):
        matches = _matches(item)
        if not matches:
            raise InputError(f"{spell_path(item)}: no file matches")
        for match in matches:
            yield from _folder(str(match), step) if match.is_dir() else [_named(str(match))]
    else:
        raise InputError(f"{spell_path(item)}: no such file or folder")


def _expand_url(item: str, step: Callable[[int], object]) -> Iterator[Known]:
    """The files that a URL means: one, those in a folder, or those that match a glob."""
    if glob.has_magic(split(item).key):
        matches = match_files(item)
        if not matches:
            refuse_missing_bucket(item)
            raise InputError(f"{item}: no file matches")
        yield from ((Candidate(entry.url, named=True), entry.url) for entry in _leave_ours(matches))
        return
    kind = tell(item)
    if kind == FILE:
        yield Candidate(item, named=True), item
        return
    if kind is None:
        raise InputError(f"{item}: no such file or folder")
    entries = list_files(item)
    if f"{item.rstrip('/')}/{MANIFEST}" in {entry.url for entry in entries} and _is_ours_at(item):
        raise InputError(f"{item}: a folder that unquilt made; a corpus is given to an analysis alone")
    step(len(entries))
    empty, begin = True, len(item.rstrip("/")) + 1
    for entry in _leave_ours(entries):
        if not any(name.startswith(".") for name in entry.url[begin:].split("/")):
            empty = False
            yield Candidate(entry.url, root=item.rstrip("/")), entry.url
    if empty:
        raise InputError(f"{item}: no files in this folder")


def _leave_ours(entries: Sequence[StoredFile]) -> Iterator[StoredFile]:
    """The files that are in no folder of unquilt's."""
    manifests = [parent(entry.url) for entry in entries if last_name(entry.url) == MANIFEST]
    ours = tuple(f"{folder}/" for folder in manifests if _is_ours_at(folder))
    return (entry for entry in entries if not entry.url.startswith(ours)) if ours else iter(entries)


def _is_ours_at(folder: str) -> bool:
    try:
        return _is_manifest(read_whole(f"{folder.rstrip('/')}/{MANIFEST}"))
    except FileNotFoundError:
        return False


def _exists(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the path
        return False
    except OSError as error:
        fail(error, path)
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


def _folder(folder: str, step: Callable[[int], object]) -> Iterator[Known]:
    if _is_ours(Path(folder)):
        raise InputError(f"{spell_path(folder)}: a folder that unquilt made; a corpus is given to an analysis alone")
    paths: list[str] = []  # as pathlib spells them, which takes too long for each of many files
    left_out = Counter[str]()
    for where, folders, names in os.walk(folder, onerror=fail):
        if _is_ours(Path(where)):
            left_out["folder of unquilt's"] += 1
            folders.clear()
            continue
        left_out["hidden name"] += sum(name.startswith(".") for name in (*folders, *names))
        folders[:] = [name for name in folders if not name.startswith(".")]
        begin = begin_paths(where)
        paths += [f"{begin}{name}" for name in names if not name.startswith(".")]
        step(len(names))
        left_out["link to a folder"] += sum(Path(where, name).is_symlink() for name in folders)
    empty = True
    for path in sorted(paths, key=lambda path: path.split("/")):
        if stat.S_ISREG((known := _stat(path)).st_mode):
            empty = False
            yield Candidate(path, root=folder), _identity(path, known)
    if empty:
        left_out["special file"] += len(paths)
        there = ", ".join(f"{number} × {what}" for what, number in left_out.items() if number)
        raise InputError(f"{spell_path(folder)}: no files in this folder{f' (left out: {there})' if there else ''}")


def _is_ours(folder: Path) -> bool:
    """Whether unquilt wrote this folder: it has a manifest that says so."""
    try:
        return _is_manifest((folder / MANIFEST).read_bytes())
    except OSError:
        return False


def _is_manifest(content: bytes) -> bool:
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and {"unquilt", "fingerprint"} <= manifest.keys()


def _named(path: str, alias: str = "") -> Known:
    """A file that the user named; raises if it is no regular file."""
    there = _stat(path)
    if not stat.S_ISREG(there.st_mode):
        raise InputError(f"{spell_path(path)}: not a regular file; pipe it in and give - as input")
    return Candidate(path, alias, named=True), _identity(path, there)


class Look(NamedTuple):
    """What a file is: its bytes on disk, its kind, its compression; `hollow` if it is an archive by its name only; what
    it was when it was read, if all of it was."""

    size: int
    kind: str
    compression: str | None
    hollow: bool
    seen: Seen | None = None


def look(candidate: Candidate) -> Look:
    """Look at a file: at 64 KiB of it, or at more if it begins with zeros, or is an archive by its name only."""
    path = candidate.path
    try:
        glimpse, seen = _glimpse(path)
        size = glimpse.size
        if _is_all_zeros(path, glimpse):
            return Look(size, "unknown", None, hollow=False, seen=seen)
        packed, promised = compression.tell_compression(glimpse.head), compression.promised(path)
        if packed is None and promised and glimpse.head and not kinds.is_evident(glimpse):
            packed = promised
        if packed is not None:
            glimpse = _unpacked(path, packed, glimpse)
        kind = f"{packed} by name" if packed and not glimpse.compression else kinds.tell_kind(glimpse)
        source = Source(path, size, kind, packed)
        return Look(size, kind, packed, candidate.named and _is_archive_by_name_only(source), seen)
    except OSError as error:
        fail(error, path)


def _open_wacz(
    candidate: Candidate, seen: Look | Blame, each: Each, notes: Path | None, bounds: Bounds
) -> Iterator[tuple[Candidate, Look | Blame]]:
    """A file and what it is; of a WACZ, the archives in it, which are copied out of it."""
    if isinstance(seen, Blame) or seen.kind != "wacz":
        yield candidate, seen
        return
    if notes is None:
        raise InputError(f"{candidate}: a WACZ must be unpacked to a folder first")
    inside = []
    try:
        for name, path in wacz.unpack(candidate.path, notes):
            inside.append(Candidate(str(path), f"{candidate}/{spell_path(name)}", candidate.named))
    except wacz.BrokenWaczError as error:
        if candidate.named:
            raise InputError(f"{candidate}: not a complete WACZ: {error}") from error
        yield candidate, seen
        return
    except OSError as error:
        fail(error, candidate.path)
    yield from zip(inside, each_guarded(each, look, inside, bounds, notes, LOOKS), strict=True)


def _judged(candidate: Candidate, seen: Look | Blame, *, textless: bool) -> Source:
    """The file as a source. Of no use, it is an `InputError` if the user named it, and a reject later if not."""
    if isinstance(seen, Blame):
        if candidate.named:
            raise InputError(f"{candidate}: {seen.reason}: {seen.detail}")
        return Source(candidate.path, measure_input(candidate.path), seen.reason, None, candidate.alias)
    if candidate.named and not (textless and seen.kind in kinds.TEXTLESS):
        if seen.kind == "empty":
            raise InputError("-: standard input is empty" if candidate.alias else f"{candidate}: empty file")
        if seen.kind == "unknown":
            known = ", ".join(kinds.READERS)
            raise InputError(f"{candidate}: binary, and not a known kind of file (known: {known})")
        if seen.kind in kinds.REJECTED:
            raise InputError(f"{candidate}: {kinds.REJECTED[seen.kind].detail}")
        if seen.hollow:
            raise InputError(f"{candidate}: its name is that of an archive, but it has no {seen.kind.upper()} record")
    return Source(candidate.path, seen.size, seen.kind, seen.compression, candidate.alias, seen=seen.seen)


def _is_all_zeros(path: str, glimpse: Glimpse) -> bool:
    """Whether a file is nothing but zeros, as a failing disk or a download without room leaves it, whatever its
    name."""
    if not glimpse.head or any(glimpse.head):
        return False
    with open_raw(path) as file:
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


def _glimpse(path: str) -> tuple[Glimpse, Seen]:
    """A file as it is stored, and what it was then: of one that is small, so that this is all of it, its digest."""
    name = path.rpartition("/")[2].lower().removesuffix(".gz").removesuffix(".zst")
    if is_url(path):
        return _glimpse_at_store(path, name)
    with io.FileIO(path) as file:
        there = os.fstat(file.fileno())
        head, size = file.read(HEAD), there.st_size
        if len(head) == size < HEAD:
            seen = Seen(hashlib.sha256(head).hexdigest(), state(there))
            return Glimpse(name, head, complete=True, size=size, tail=head[-TAIL:]), seen
        file.seek(max(0, size - TAIL))
        seen = Seen("", state(there), tell_time(there.st_mtime_ns))
        return Glimpse(name, head, complete=len(head) < HEAD, size=size, tail=file.read(TAIL)), seen


def _glimpse_at_store(url: str, name: str) -> tuple[Glimpse, Seen]:
    """The same of a file at a store; its version there stands for a digest of its bytes, which are not all read."""
    with RemoteFile(url) as file:
        head, size = file.read_at(0, HEAD), file.size
        tail = head[-TAIL:] if len(head) == size else file.read_at(size - TAIL, TAIL)
        return Glimpse(name, head, complete=len(head) == size, size=size, tail=tail), Seen("", (), file.version)


def _unpacked(path: str, packed: str, stored: Glimpse) -> Glimpse:
    """The same file decompressed; as it is stored, if nothing in it can be decompressed and its first bytes are none of
    a compressed file."""
    with compression.Stream(path, packed) as stream:
        head = stream.read(HEAD)
        if not head and compression.tell_compression(stored.head) is None:
            return stored
        # A stream that is broken from its first byte is not an empty file: its reader will report the fault.
        return Glimpse(stored.name, head, complete=len(head) < HEAD and not stream.faults, compression=packed)


def measure_input(path: str) -> int:
    try:
        return measure(path)
    except OSError as error:
        fail(error, path)


def _stat(path: str) -> os.stat_result:
    try:
        return os.stat(path)  # noqa: PTH116 (quicker, and asked of every file)
    except OSError as error:
        fail(error, path)


def fail(error: OSError, path: str = "") -> NoReturn:
    name = spell_path(path or os.fspath(error.filename or ""))
    raise InputError(f"{name}: {(error.strerror or str(error)).lower()}") from error


def spool(stdin: BinaryIO, directory: Path) -> Path:
    """Copy standard input to the file `stdin` in a directory, where it can be cut, checked and read again.

    The file appears when it is complete. Raises `StorageError` naming it if there is no room.
    """
    target = directory / "stdin"
    try:
        with created(target, durable=False) as file:
            shutil.copyfileobj(stdin, file, 1 << 20)
    except StorageError as error:
        raise StorageError(f"standard input could not be kept: {error}") from error
    return target
