"""How an engine tells how far it is; the command line shows it, the library is silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Step = Callable[[int], None]


class Progress(Protocol):
    def stage(self, name: str, total: int, unit: str = "") -> AbstractContextManager[Step]:
        """A stage of `total` units begins; call what comes back with the units done, from the same thread."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def stage(self, name: str, total: int, unit: str = "") -> Iterator[Step]:  # noqa: ARG002
        yield lambda done: None  # noqa: ARG005
