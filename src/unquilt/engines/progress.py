"""How an engine tells how far it is; the command line shows it, the library is silent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Step(Protocol):
    def __call__(self, units: int, documents: int = 0) -> None:
        """So many units more are done; while reading, so many documents were in them."""


class Progress(Protocol):
    def stage(self, name: str, total: int, unit: str = "") -> AbstractContextManager[Step]:
        """A stage of `total` units begins; call what comes back with the units done, from the same thread."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def stage(self, name: str, total: int, unit: str = "") -> Iterator[Step]:  # noqa: ARG002
        yield lambda units, documents=0: None  # noqa: ARG005
