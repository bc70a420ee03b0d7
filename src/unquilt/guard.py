"""Work in a process that may be lost, and find out who is to blame when it is.

Parsers hang, run out of memory and crash, and no one else's library promises otherwise; the kernel kills what it likes
when memory is short. So whatever touches input does so in a process of its own, under a note, in a file mapped into
memory that outlives the process, and under a timer of processor time that ends it. Whoever started the process reads
the note and asks an `Inquest` what to do next:

    a process died at a place       the place is suspected; a new process tries it alone, then everything again
    the suspect dies alone, twice   it is blamed, and left out from then on (once, if it was too slow: that is measured)
    deaths that nothing explains    after `MOST` of them the run fails; it can be resumed

So a process that something else killed costs time and changes nothing. A place is known by its number, as reading is
deterministic.
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
"""Deaths over one item that nothing explains, after which one more try is not worth it."""
OUT_OF_MEMORY = 86
"""The exit code of a process that was refused memory."""

TOO_SLOW, HUNGRY, CRASHED = REASONS = ("too slow", "out of memory", "crashed")

_NOTE = struct.Struct("<qqqqq")
_AT = 1


class Bounds(NamedTuple):
    """What one place may cost its process: seconds of processor time, bytes of memory."""

    deadline: float
    memory: int


class Place(NamedTuple):
    """Where a process is: at a number in a part of its item, looking for what is there (`finding`) or at work on it."""

    part: int
    number: int
    finding: bool = False


class Blame(NamedTuple):
    """A place that ends its process, and why in the words of a reject."""

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
    """How many nothing is blamed for."""

    def after(self, note: Path | None, code: int, bounds: Bounds, name: str) -> Inquest:
        """What is known after one more process was lost. Raises `EngineError` if nothing helps."""
        place, alone = _read(note)
        if alone and place is not None and place == self.suspect:
            if code != -signal.SIGPROF and self.strikes == 0:
                return replace(self, strikes=1)
            blame = Blame(place, *_verdict(code, bounds))
            return Inquest((*self.blamed, blame), deaths=max(0, self.deaths - 1))
        if self.deaths + 1 >= MOST:
            lost = f"{name}: the process at work on it was lost {MOST} times, the last time by {ending(code)}"
            raise EngineError(f"{lost}, and nothing in it is the cause; is memory short? Run again to go on")
        return replace(self, suspect=place, strikes=0, deaths=self.deaths + 1)

    def blames(self, place: Place) -> Blame | None:
        """Why to keep away from a place."""
        if not self.blamed:  # nearly always, and asked for every record
            return None
        return next((blame for blame in self.blamed if blame.place == place), None)


def _verdict(code: int, bounds: Bounds) -> tuple[str, str]:
    """One of the `REASONS`, and the particulars."""
    if code == -signal.SIGPROF:
        return TOO_SLOW, f"more than {bounds.deadline:g} s of processor time (deadline)"
    if code == OUT_OF_MEMORY:
        return HUNGRY, f"asked for more than the {bounds.memory >> 20} MiB that a process may have"
    return CRASHED, f"the process that read it ended by {ending(code)}, twice, though it read nothing else"


def _read(note: Path | None) -> tuple[Place | None, bool]:
    """Where the writer of a note is or was, and whether it was there alone."""
    if note is None:
        return None, False
    try:
        what, part, number, finding, alone = _NOTE.unpack(note.read_bytes())
    except (OSError, struct.error):  # lost before it had written any
        return None, False
    return (Place(part, number, bool(finding)), bool(alone)) if what == _AT else (None, False)


class Guard:
    """Over one try at an item. Without a note nothing is guarded: for a process that is not there to be lost."""

    def __init__(self, note: Path | None, bounds: Bounds, inquest: Inquest | None = None) -> None:
        self.inquest = inquest or Inquest()
        self.alone = False
        """Whether the suspect is on trial: nothing is done but what leads to it."""
        self._bounds = bounds
        self._note: mmap.mmap | None = None
        if note is not None:
            note.write_bytes(bytes(_NOTE.size))
            with note.open("r+b") as file:
                self._note = mmap.mmap(file.fileno(), _NOTE.size)
            _limit_memory(bounds.memory)

    def run(self, place: Place, function: Callable[[], Result], more_time: float = 0.0) -> Result:
        """What a function gives, at a place. Its `MemoryError` ends a process that may be lost: nobody knows what else
        there is no room for."""
        if self._note is None:
            return function()
        _NOTE.pack_into(self._note, 0, _AT, *place, self.alone and place == self.inquest.suspect)
        signal.setitimer(signal.ITIMER_PROF, self._bounds.deadline + more_time)  # nobody handles SIGPROF: it ends us
        try:
            return function()
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            _NOTE.pack_into(self._note, 0, 0, 0, 0, 0, 0)

    @contextmanager
    def trial(self) -> Iterator[None]:
        """In the block, the suspect is on trial."""
        self.alone = True
        yield
        self.alone = False


def _limit_memory(enough: int) -> None:
    """What wants more memory than anything honest ends its own process, not the machine's other ones."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (enough if hard == resource.RLIM_INFINITY else min(enough, hard), hard))


class Each(Protocol):
    """Applies a function to items, here or in other processes; results come in the order of items."""

    def __call__(self, function: Callable[[Item], Result], items: Sequence[Item], /) -> Iterable[Result]: ...


def here(function: Callable[[Item], Result], items: Sequence[Item], /) -> Iterable[Result]:
    """`Each` in this process."""
    return map(function, items)


@dataclass(frozen=True)
class Bundle(Generic[Item, Result]):
    """To do: a function of each of some items, such as files, that have nothing to do with each other."""

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
    """What the function gives for each item, or why it gives nothing."""
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
    """`function` of each item, in processes that may be lost: in batches of `size`, whose notes lie in a folder.

    Without a folder for notes nothing is guarded: for `here`.
    """
    slices = [tuple(items[at : at + size]) for at in range(0, len(items), size)]
    batches = [
        Bundle(function, some, bounds, notes and notes / f"batch-{number}.note") for number, some in enumerate(slices)
    ]
    for results in each(cast("Any", carry_out), batches):
        yield from results
