"""Where results go: folders that do not overlap with inputs, and a temporary folder beside a file to be made."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from unquilt.errors import InputError, ParameterError, RunError
from unquilt.jobs.corpora import CORPUS
from unquilt.remote.folders import refuse_read_only
from unquilt.remote.names import is_url, localise, refuse_url
from unquilt.remote.paths import StorePath
from unquilt.runs import shapes, storing
from unquilt.runs.lock import LOCK, FolderLock
from unquilt.runs.manifest import is_ours
from unquilt.runs.storage import make_folder, remove, shown

TABLE = "table"
"""What an Arrow table is called in tables and manifests."""
RUN, LEXICON = "run", "lexicon"
SORTED = "sorted"
STOP_FILES = "stop_files"
_MADE = (RUN, LEXICON, CORPUS, SORTED, STOP_FILES, f".{LEXICON}.partial", f".{LEXICON}.making")
"""What there can be in the folder in which a lexicon or a set of prototypes or of labels is made."""


def choose_place(output: str | Path | None, given: Sequence[str | Path]) -> Path:
    """Where results go: `output`, or a temporary folder without one.

    Refused is a place that is, contains or lies in one of the inputs (the paths `given`), or that lies in another run.
    """
    if output is None:
        return temporary_folder()
    try:
        shapes.a_path(str(output), "output")
    except shapes.Misfit as misfit:
        raise ParameterError(f"output must be the name of a file or folder, not {str(output)[:40]!a}") from misfit
    if is_url(output := localise(output)):
        return _choose_url(str(output), given)
    place = Path(os.path.realpath(output))
    refuse_overlap(output, place, given if os.access(place, os.F_OK) else filter(os.path.isdir, given))
    for folder in place.parents:
        if is_ours(folder):
            among = f"{shown(output)} lies in {shown(folder)}, a run or corpus, and would be deleted with it"
            raise RunError(f"{among}; put it beside, such as {shown(folder.with_name(place.name))}")
    return Path(output)


def _choose_url(output: str, given: Sequence[str | Path]) -> Path:
    """The same at a store, where nothing is a link."""
    refuse_read_only(output)
    place = output.rstrip("/")
    for name in map(str, given):
        there = name.rstrip("/")
        if is_url(there) and f"{place}/".startswith(f"{there}/"):
            what = "is" if place == there else "lies in"
            raise RunError(f"{output} {what} the input {name}; choose another place for the output")
        if is_url(there) and f"{there}/".startswith(f"{place}/"):
            raise RunError(f"{output} contains the input {name}; choose another place for the output")
    return StorePath(place)


def refuse_overlap(output: str | Path, place: Path, inputs: Iterable[str | Path]) -> None:
    """Raise a RunError if the output is one of the inputs, or either lies in the other; links are followed."""
    for name in inputs:
        if is_url(localise(name)):
            continue
        there = Path(os.path.realpath(name))
        if there == place:
            raise RunError(f"{shown(output)} is an input; choose another name for the output")
        if there in place.parents:
            beside = shown(there.with_name(place.name))
            raise RunError(f"{shown(output)} lies in the input {shown(name)}; put it elsewhere, such as {beside}")
        if place in there.parents:
            raise RunError(f"{shown(output)} contains the input {shown(name)}; choose another place for the output")


def temporary_folder() -> Path:
    """A folder for the results of a caller who named none; deleted when the interpreter exits."""
    folder = tempfile.mkdtemp(prefix="unquilt-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder) / "run"


@contextmanager
def workshop(output: str | Path | None, what: str, *, overwrite: bool) -> Iterator[Path]:
    """A temporary folder in which `output`, a file, is made; it is removed afterwards.

    It stands beside the file, since it may become large. Its name is made from the file's, so that a folder that a
    killed process left is found, and removed, when the same file is made again.
    """
    if output is not None:
        refuse_url(output, f"{what} is written to")
    if output is None:
        with tempfile.TemporaryDirectory(prefix="unquilt-") as name:
            yield Path(name)
        return
    place = Path(output).absolute()
    if place.is_dir():
        raise InputError(f"{output} is a folder; {what} is a file")
    if os.path.lexists(place) and not overwrite:
        raise InputError(f"{output} exists; choose another name, or overwrite it")
    folder = place.with_name(f".{place.name}.making")
    with storing(place):
        place.parent.stat()  # an error if there is no such folder: parents are not made
    make_folder(folder)
    with FolderLock(folder):
        strangers = sorted({entry.name for entry in folder.iterdir()} - {LOCK, *_MADE})
        if strangers:
            raise RunError(f"{shown(folder)} holds something else (first entry: {shown(strangers[0])}); remove it")
        for name in _MADE:
            remove(folder / name)
        try:
            yield folder
        finally:
            remove(folder)
