"""How long somebody waits for rows: whoever reads a table looks at the clock between batches, and stops in time.

The limit is of the context, so that readers need not hand it on: without one, as on the command line, there is none.

>>> with within(0.0):
...     check_time()
Traceback (most recent call last):
unquilt.errors.TimeLimitError: this takes longer than 0 s; ask for fewer rows, or use unquilt show or export
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TYPE_CHECKING

from unquilt.errors import TimeLimitError

if TYPE_CHECKING:
    import duckdb


class TimeLimit:
    """A moment at which work stops."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until: float | None = monotonic() + seconds

    def lift(self) -> None:
        """From now on there is no limit: the first rows are there, and whoever reads them sees that work goes on."""
        self._until = None

    @property
    def left(self) -> float | None:
        """Seconds until then; None without a limit."""
        return None if self._until is None else self._until - monotonic()

    def error(self) -> TimeLimitError:
        return TimeLimitError(
            f"this takes longer than {self._seconds:g} s; ask for fewer rows, or use unquilt show or export"
        )


_LIMIT: ContextVar[TimeLimit | None] = ContextVar("limit", default=None)


@contextmanager
def within(seconds: float) -> Iterator[TimeLimit]:
    """A limit for all that is read meanwhile."""
    limit = TimeLimit(seconds)
    token = _LIMIT.set(limit)
    try:
        yield limit
    finally:
        _LIMIT.reset(token)


def check_time() -> None:
    """Raise TimeLimitError if time is up."""
    limit = _LIMIT.get()
    if limit is not None and limit.left is not None and limit.left <= 0:
        raise limit.error()


def lift_limit() -> None:
    """Let the work of this context take as long as it takes."""
    limit = _LIMIT.get()
    if limit is not None:
        limit.lift()


@contextmanager
def taking_turns(lock: threading.Lock) -> Iterator[None]:
    """Hold a lock, for which nobody waits longer than the limit; without one, several may work at once."""
    limit = _LIMIT.get()
    if limit is None or limit.left is None:
        yield
        return
    if not lock.acquire(timeout=max(0.0, limit.left)):
        raise limit.error()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def interrupting(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Interrupt what DuckDB does when time is up."""
    limit = _LIMIT.get()
    if limit is None or limit.left is None:
        yield
        return
    import duckdb

    timer = threading.Timer(max(0.0, limit.left), connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except duckdb.InterruptException as error:
        raise limit.error() from error
    finally:
        timer.cancel()
