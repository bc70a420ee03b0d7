"""How an engine reports how far it is. The command line shows it; used as a library, nothing is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Step(Protocol):
    def __call__(self, units: int, documents: int = 0, *, before: bool = False) -> None:
        """Report that so many more units are done; while reading, also how many documents were in them. `before` says
        that this was done by an earlier, interrupted run, and tells nothing about how fast this one is."""


class Progress(Protocol):
    def stage(self, name: str, total: int, unit: str = "") -> AbstractContextManager[Step]:
        """Begins a stage of `total` units. Yields a function to call with the units done, from the same thread."""

    def say(self, text: str) -> None:
        """Tells something worth a line, such as that a run is resumed."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def stage(self, name: str, total: int, unit: str = "") -> Iterator[Step]:  # noqa: ARG002
        yield lambda units, documents=0, *, before=False: None  # noqa: ARG005

    def say(self, text: str) -> None:
        pass
