"""Work in a process that may be lost, and find out what is to blame when it is.

Parsers hang, run out of memory and crash, and no library promises otherwise; and the kernel kills processes when memory
is short. So input is touched only in processes that may end at any time. Before such a process works on something, it
notes where it is, in a file that is mapped into memory and outlives it; and a timer on processor time ends it if the
work takes too long. Whoever started the process then reads the note, and an `Inquest` says what to do:

    a process ended at a place             the place is suspected: a new process tries it alone, then reads all again
    it ended a process alone, twice        the place is blamed, and left out from then on; once is enough, if too slow
    processes ended for no known reason    after `MOST` of them the run fails; it can be resumed

So a process that was killed from outside costs time, and changes nothing. Reading is deterministic, so a place is known
by its number.
"""

from __future__ import annotations

import mmap
import os
import resource
import signal
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast

from unquilt.errors import EngineError

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST = 10
"""How many processes may be lost over one item, without anything to blame, before it is given up."""
OUT_OF_MEMORY = 86
"""The exit code of a process that ended itself because it was refused memory."""

TOO_SLOW, HUNGRY, CRASHED = REASONS = ("too slow", "out of memory", "crashed")

_NOTE = struct.Struct("<qqqqq")
_AT = 1


class Bounds(NamedTuple):
    """What one place may cost its process: seconds of processor time, bytes of memory."""

    deadline: float
    memory: int


class Place(NamedTuple):
    """Where a process is: at the record of this number in a part of its item, and looks for it (`finding`) or works on
    it."""

    part: int
    number: int
    finding: bool = False


class Blame(NamedTuple):
    """A place that ends its process, with the reason and the detail of a reject."""

    place: Place
    reason: str
    detail: str


def ending(code: int) -> str:
    """How a process ended, by its exit code.

    >>> ending(-9), ending(3)
    ('SIGKILL', 'exit code 3')
    """
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"exit code {code}"


@dataclass(frozen=True)
class Inquest:
    """What is known of the processes that were lost over one item."""

    blamed: tuple[Blame, ...] = ()
    suspect: Place | None = None
    strikes: int = 0
    """How often the suspect ended a process in which it was alone."""
    deaths: int = 0
    """How many processes were lost without anything to blame."""

    def after(self, note: Path | None, code: int, bounds: Bounds, name: str) -> Inquest:
        """What is known after one more process was lost. Raises `EngineError` after too many."""
        place, alone = _read(note)
        if alone and place is not None and place == self.suspect:
            if code != -signal.SIGPROF and self.strikes == 0:
                return replace(self, strikes=1)
            blame = Blame(place, *_verdict(code, bounds))
            return Inquest((*self.blamed, blame), deaths=max(0, self.deaths - 1))
        if self.deaths + 1 >= MOST:
            lost = f"{name}: the process at work on it was lost {MOST} times, the last time by {ending(code)}"
            raise EngineError(
                f"{lost}, and no document in it is the cause; is memory short? Run the command again to go on"
            )
        return replace(self, suspect=place, strikes=0, deaths=self.deaths + 1)

    def blames(self, place: Place) -> Blame | None:
        """Why a place must be left out, if it must."""
        if not self.blamed:  # nearly always, and asked for every record
            return None
        return next((blame for blame in self.blamed if blame.place == place), None)


def _verdict(code: int, bounds: Bounds) -> tuple[str, str]:
    """Reason (one of `REASONS`) and detail of a reject."""
    if code == -signal.SIGPROF:
        return TOO_SLOW, f"more than {bounds.deadline:g} s of processor time (deadline)"
    if code == OUT_OF_MEMORY:
        return HUNGRY, f"asked for more than the {bounds.memory >> 20} MiB that a process may have"
    return CRASHED, f"the process that read it ended by {ending(code)}, twice, though it read nothing else"


def _read(note: Path | None) -> tuple[Place | None, bool]:
    """The place in a note, if the process was at one; and whether that place was tried alone."""
    if note is None:
        return None, False
    try:
        what, part, number, finding, alone = _NOTE.unpack(note.read_bytes())
    except (OSError, struct.error):  # the process was lost before it wrote a note
        return None, False
    return (Place(part, number, bool(finding)), bool(alone)) if what == _AT else (None, False)


class Guard:
    """Guards one try at an item. Without a note nothing is guarded: for a process that must not be lost."""

    def __init__(self, note: Path | None, bounds: Bounds, inquest: Inquest | None = None) -> None:
        self.inquest = inquest or Inquest()
        self.alone = False
        """Whether the suspect is tried: nothing is done but it, and what leads to it."""
        self._bounds = bounds
        self._note: mmap.mmap | None = None
        if note is not None:
            note.parent.mkdir(parents=True, exist_ok=True)  # for a run at a store, another machine has made it
            note.write_bytes(bytes(_NOTE.size))
            with note.open("r+b") as file:
                self._note = mmap.mmap(file.fileno(), _NOTE.size)
            _limit_memory(bounds.memory)

    def run(self, place: Place, function: Callable[[], Result], more_time: float = 0.0) -> Result:
        """The result of a function that works at this place. A `MemoryError` ends the process, if that may be lost: who
        knows what else had no room."""
        if self._note is None:
            return function()
        _NOTE.pack_into(self._note, 0, _AT, *place, self.alone and place == self.inquest.suspect)
        signal.setitimer(signal.ITIMER_PROF, self._bounds.deadline + more_time)  # SIGPROF ends the process
        try:
            return function()
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            _NOTE.pack_into(self._note, 0, 0, 0, 0, 0, 0)

    @contextmanager
    def trial(self) -> Iterator[None]:
        """A block in which the suspect is tried alone."""
        self.alone = True
        yield
        self.alone = False


def _limit_memory(enough: int) -> None:
    """Bound the memory of this process, so that input that asks for too much ends this process and no other."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (enough if hard == resource.RLIM_INFINITY else min(enough, hard), hard))


class Each(Protocol):
    """Applies a function to items, here or in other processes; results come in the order of items."""

    def __call__(self, function: Callable[[Item], Result], items: Sequence[Item], /) -> Iterable[Result]: ...


def here(function: Callable[[Item], Result], items: Sequence[Item], /) -> Iterable[Result]:
    """An `Each` that works in this process."""
    return map(function, items)


@dataclass(frozen=True)
class Bundle(Generic[Item, Result]):
    """A task: call a function with each of some items, such as files, that have nothing to do with each other."""

    function: Callable[[Item], Result]
    items: tuple[Item, ...]
    bounds: Bounds
    note: Path | None = None
    inquest: Inquest = field(default_factory=Inquest)

    def retry(self, code: int) -> Bundle[Item, Result]:
        """What to do after a process was lost over this."""
        name = f"{str(self.items[0])[:200]}{f' and {len(self.items) - 1} more' if len(self.items) > 1 else ''}"
        return replace(self, inquest=self.inquest.after(self.note, code, self.bounds, name))


def carry_out(bundle: Bundle[Item, Result]) -> list[Result | Blame]:
    """The results for each item, or what it is blamed for."""
    results: list[Result | Blame] = []
    guard, suspect = Guard(bundle.note, bundle.bounds, bundle.inquest), bundle.inquest.suspect
    if suspect is not None:
        with guard.trial():
            guard.run(suspect, partial(bundle.function, bundle.items[suspect.number]))
    for number, item in enumerate(bundle.items):
        place = Place(0, number)
        results.append(bundle.inquest.blames(place) or guard.run(place, partial(bundle.function, item)))
    return results


def each_guarded(
    each: Each, function: Callable[[Item], Result], items: Sequence[Item], bounds: Bounds, notes: Path | None, size: int
) -> Iterator[Result | Blame]:
    """The results of `function` for each item, in order, made in processes that may be lost.

    Items are given to processes in bundles of `size`, whose notes lie in the folder `notes`. Without that folder
    nothing is guarded, as is right for `here`.
    """
    slices = [tuple(items[at : at + size]) for at in range(0, len(items), size)]
    bundles = [
        Bundle(function, some, bounds, notes and notes / f"bundle-{number}.note") for number, some in enumerate(slices)
    ]
    for results in each(cast("Any", carry_out), bundles):
        yield from results
