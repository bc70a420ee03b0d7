"""How far a job is, on standard error: a bar on a terminal, elsewhere a plain line now and then.

A stage is shown when it has taken two seconds, on a terminal half a second. A thread of its own shows it, so that a
stage that reports nothing for a minute is seen too, and an interrupt of the main thread never leaves the terminal in
disorder.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from unquilt.analyses.catalogue import find_label
from unquilt.cli.terminal.output import count, duration, printable, size
from unquilt.engines.progress import Progress, Silent, Step

PATIENCE = 2.0
"""Seconds before a stage is shown."""
SOON = 0.5
"""The same on a terminal."""
EVERY = 5.0
"""Seconds between two plain lines."""
FRAME = 0.1
MAKING_A_CORPUS = {"index": 1.0, "read": 10.0, "write": 1.6}
"""The stages that make a corpus, in order, and what each costs beside the others: as measured on the small Debian
corpus as JSON lines, gzipped or not, where writing takes 14 to 18 % of the time of reading, and an index 6 %."""
MEANS_NOTHING_BEFORE = 3.0
"""Seconds before a time left is told: what begins, loads and warms up first."""
LEAST_DONE = 0.05
"""The share of a stage, or of all that is planned, that has to be done before a time left is told."""
MAKING = {"make": "making pages"}
"""The stage that only the demo has."""


def choose_progress(*, quiet: bool, costs: Iterable[tuple[str, float]] = ()) -> Progress:
    """What suits standard error and the user; `costs` are those of the stages of an analysis, see `Plan`."""
    if quiet or sys.stderr is None:
        return Silent()
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", "unknown")
    plan = Plan(costs)
    return Bars(plan) if sys.stderr.isatty() and not plain else Lines(plan)


class Plan:
    """The stages of a job in their order, and what each costs beside the others: so that the time left is that of the
    job. A name may come several times. Only what was done here tells how fast it is; what an earlier run had finished
    is not counted."""

    def __init__(self, costs: Iterable[tuple[str, float]] = ()) -> None:
        self._to_come = list(costs)
        self._names = {name for name, _ in self._to_come}
        self._all = sum(cost for _, cost in self._to_come)
        self._done = 0.0
        self._seconds = 0.0

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def _place(self, stage: Stage) -> int | None:
        """Which of the stages to come it is."""
        names = [name for name, _ in self._to_come]
        return names.index(stage.name) if stage.total and stage.name in names else None

    def left(self, stage: Stage, passed: float) -> float | None:
        """Seconds that are left until the end of the job; None as long as that would be a guess."""
        place = self._place(stage)
        if place is None:
            return None
        cost = self._to_come[place][1]
        done = self._done + cost * (stage.done - stage.before) / stage.total
        seconds = self._seconds + passed
        if seconds < MEANS_NOTHING_BEFORE or done < LEAST_DONE * self._all:
            return None
        later = sum(cost for _, cost in self._to_come[place + 1 :])
        return seconds / done * (cost * max(0, stage.total - stage.done) / stage.total + later)

    def finish(self, stage: Stage, passed: float) -> None:
        """Note that a stage is over, and how long it took; further ones of its name are none of the plan."""
        place = self._place(stage)
        if place is not None:
            self._done += self._to_come.pop(place)[1] * max(0, stage.total - stage.before) / stage.total
            self._seconds += passed


@dataclass
class Stage:
    """A stage under way."""

    name: str
    total: int
    unit: str
    done: int = 0
    before: int = 0
    documents: int = 0
    began: float = field(default_factory=time.monotonic)
    plan: Plan = field(default_factory=Plan)

    def step(self, units: int, documents: int = 0, *, before: bool = False) -> None:
        self.done += units
        self.before += units if before else 0
        self.documents += documents

    @property
    def label(self) -> str:
        """What the stage is called for people; one that nobody declared keeps its name."""
        return MAKING.get(self.name) or find_label(self.name) or self.name

    @property
    def percent(self) -> int:
        return min(100, 100 * self.done // self.total) if self.total else 0

    @property
    def pace(self) -> str:
        """Rate and time left; as long as nothing is done, the time it has taken."""
        passed = time.monotonic() - self.began
        if self.done <= self.before or passed <= 0:
            return f"{duration(passed)} so far"
        rate = (self.done - self.before) / passed
        if not self.total:
            return f"{count(self.done)} so far, {count(round(rate))}/s"
        speed = size(rate, self.unit) if self.unit else count(round(rate)) if rate >= 10 else f"{rate:.1f}"
        read = f"{count(self.documents, 'document')}, " if self.documents else ""
        return f"{read}{speed}/s{self._left(rate, passed)}"

    def _left(self, rate: float, passed: float) -> str:
        """The time left, if it can be told: of the job, of this stage, or until the corpus is there that is made."""
        if self.name in self.plan:
            left = self.plan.left(self, passed)
            return "" if left is None else f", about {_rounded(left)} left"
        if passed < MEANS_NOTHING_BEFORE or self.done - self.before < LEAST_DONE * (self.total - self.before):
            return ""
        left = max(0, self.total - self.done) / rate
        until = "left in this stage"
        if self.name in MAKING_A_CORPUS:
            names = list(MAKING_A_CORPUS)
            later = sum(MAKING_A_CORPUS[name] for name in names[names.index(self.name) + 1 :])
            left += later / MAKING_A_CORPUS[self.name] * self.total / rate
            until = "until the corpus is there"
        return f", about {_rounded(left)} {until}"


def _rounded(left: float) -> str:
    seconds = math.ceil(left)
    return duration(seconds) if seconds >= 10 else f"{seconds} s"


class Watched(ABC):
    """Shows stages that take longer than their `patience`."""

    def __init__(self, plan: Plan | None = None) -> None:
        self._plan = plan or Plan()

    @property
    def patience(self) -> float:
        return PATIENCE

    @contextmanager
    def stage(self, name: str, total: int, unit: str = "") -> Iterator[Step]:
        stage, over = Stage(name, total, unit, plan=self._plan), threading.Event()
        watcher = threading.Thread(target=self._watch, args=(stage, over), name="unquilt progress", daemon=True)
        watcher.start()
        try:
            yield stage.step
        finally:
            over.set()
            watcher.join()
            self._plan.finish(stage, time.monotonic() - stage.began)

    def say(self, text: str) -> None:
        """Show a line that stays."""
        with suppress(OSError, ValueError):
            sys.stderr.write(f"{printable(text)}\n")
            sys.stderr.flush()

    def _watch(self, stage: Stage, over: threading.Event) -> None:
        if not over.wait(self.patience):
            with suppress(OSError, ValueError):  # standard error was closed: no reason to stop the job
                self.show(stage, over)

    @abstractmethod
    def show(self, stage: Stage, over: threading.Event) -> None:
        """Show a stage until it is over."""


class Lines(Watched):
    """A line every few seconds."""

    def __init__(self, plan: Plan | None = None) -> None:
        super().__init__(plan)
        self._next = 0.0

    def show(self, stage: Stage, over: threading.Event) -> None:
        label = stage.label  # may have to load what says so, which takes a moment
        while not over.wait(max(0.0, self._next - time.monotonic())):
            self._next = time.monotonic() + EVERY
            share = f"{stage.percent} %, " if stage.total else ""
            sys.stderr.write(f"{label}: {share}{stage.pace}\n")
            sys.stderr.flush()


class Bars(Watched):
    """A bar that grows, and goes when its stage is over."""

    @property
    def patience(self) -> float:
        """Somebody is watching, and wants to see within a second that something happens."""
        return min(PATIENCE, SOON)

    def show(self, stage: Stage, over: threading.Event) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as Rich

        name, pace = TextColumn("{task.description}"), TextColumn("{task.fields[pace]}")
        columns = (name, BarColumn(), TaskProgressColumn(), pace)
        with Rich(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bars:
            task = bars.add_task(stage.label, total=stage.total or None, completed=stage.done, pace=stage.pace)
            while not over.wait(FRAME):
                bars.update(task, completed=stage.done, pace=stage.pace, refresh=True)
