"""The runs that a page shows, by name.

A run may be unfinished, may go away, and may be replaced by another while the page is open. So it is opened again
whenever its manifest has changed, and on every request as long as it is not complete; what is wrong with it is told to
whoever asks for it, and does not concern the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from unquilt.errors import RunError, UnquiltError
from unquilt.remote.paths import place as as_place
from unquilt.results.folders import RunFolder
from unquilt.runs.manifest import MANIFEST

_UNUSUAL = re.compile(r"[^a-z0-9_.-]+")


@dataclass(frozen=True)
class ListedRun:
    """A run of the list: its name in addresses, its folder, and what is wrong with it, if anything is."""

    name: str
    path: Path
    folder: RunFolder | None
    fault: str = ""

    @property
    def analysis(self) -> str:
        """What made it; empty if that cannot be read."""
        return str(self.folder.run.manifest["analysis"]) if self.folder else ""


class RunList:
    """The runs, in the order in which they were given."""

    def __init__(self, paths: Sequence[str | Path]) -> None:
        self._places: dict[str, Path] = {}
        self._opened: dict[str, tuple[object, RunFolder]] = {}
        for given in dict.fromkeys(as_place(path).absolute() for path in paths):
            self._places[_name(given, self._places)] = given

    @property
    def first(self) -> Path:
        """The folder of the first of them."""
        return next(iter(self._places.values()))

    @property
    def names(self) -> list[str]:
        return list(self._places)

    def __iter__(self) -> Iterator[ListedRun]:
        """All runs, those that cannot be read with what is wrong."""
        for name, place in self._places.items():
            try:
                yield ListedRun(name, place, self.open(name))
            except UnquiltError as error:
                yield ListedRun(name, place, None, str(error))

    def open(self, name: str) -> RunFolder:
        """A run by name, as it is now. Raises RunError if there is none, or none that can be read."""
        if name not in self._places:
            raise RunError(f"there is no run {name!r} here; there are: {', '.join(self._places)}")
        place = self._places[name]
        state = _state(place / MANIFEST)
        known = self._opened.get(name)
        if known is not None and state is not None and known[0] == state:
            return known[1]
        self._opened.pop(name, None)
        if state is None:
            raise RunError(f"{place}: the run is no longer there, or its manifest cannot be read")
        folder = RunFolder.open(place)
        if folder.complete:
            self._opened[name] = state, folder
        return folder

    def name_of(self, path: Path) -> str | None:
        """The name of the run in a folder."""
        return next((name for name, place in self._places.items() if place == path.absolute()), None)

    def beside(self, folder: RunFolder) -> list[ListedRun]:
        """The runs over the same corpus, itself among them."""
        corpus = folder.corpus.path.resolve() if folder.corpus else None
        return [run for run in self if run.folder and (run.folder.run.path == folder.run.path or _on(run, corpus))]


def _on(run: ListedRun, corpus: Path | None) -> bool:
    there = run.folder.corpus if run.folder else None
    return corpus is not None and there is not None and there.path.resolve() == corpus


def _name(path: Path, taken: dict[str, Path]) -> str:
    """The name of a folder as it can stand in an address, with a number if others have the same."""
    stem = _UNUSUAL.sub("-", path.name.lower()).strip("-.") or "run"
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _state(path: Path) -> object:
    """What changes when a file does; None if it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
