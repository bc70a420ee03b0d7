"""Everything unquilt raises on purpose.

    UnquiltError                  one clear line; exit code 1
    ├── ParameterError            a parameter out of range; exit code 2
    ├── InputError                an input that is missing, unreadable or of no known kind
    │   ├── InputChangedError     an input that is not what the run began with
    │   └── NoDocumentsError      inputs in which there is not a single document
    ├── RunError                  a run folder that holds something else, or another run
    │   ├── MisfitError           a table with other columns than this unquilt gives it
    │   └── RunLockedError        another process works in it
    ├── StorageError              no room or no right to write: names the path
    ├── PlaceError                a store (s3://…) that refuses, or does not answer
    ├── TimeLimitError            a query takes longer than whoever asked may wait
    ├── EngineError               the engine failed: a worker died, a kernel reported a fault
    ├── PlanError                 an analysis asked for kernels, columns or tables that do not fit together
    ├── MissingDependencyError    an optional part is not installed: names the command that installs it
    └── UnsupportedSystemError    this is not Linux or macOS

A message says what failed, where (file, record, offset) and what to do. What to do may be said in two ways, to a
program in Python and to somebody at a terminal (`Advice`). Anything else that escapes is a bug.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MENDING = "restore it from a copy, or remove the folder and run again"


class Advice(NamedTuple):
    """What to do about an error: what to write in Python, and on the command line."""

    python: str
    command: str


class UnquiltError(Exception):
    """Base of all errors that unquilt raises on purpose. Its text gives the advice for Python."""

    exit_code = 1

    def __init__(self, message: str = "", *, advice: Advice | None = None) -> None:
        super().__init__(message)
        self.advice = advice

    def __str__(self) -> str:
        return f"{super().__str__()}; {self.advice.python}" if self.advice else super().__str__()

    @property
    def at_terminal(self) -> str:
        """The text with the advice for the command line."""
        return f"{super().__str__()}; {self.advice.command}" if self.advice else super().__str__()


class ParameterError(UnquiltError, ValueError):
    """A parameter has a value outside its range."""

    exit_code = 2


class InputError(UnquiltError):
    """An input is missing, unreadable, or of no kind that unquilt knows."""


class InputChangedError(InputError):
    """An input differs from what the run began with."""


class NoDocumentsError(InputError):
    """Nothing in the inputs became a document."""


class RunError(UnquiltError):
    """A run folder cannot be used for this run."""


_SHORTAGES = re.compile(
    "start new thread|launch worker thread|resource temporarily unavailable|cannot allocate memory", re.IGNORECASE
)


def tells_shortage(error: BaseException) -> bool:
    """Whether a library says, in words alone, that the machine has no memory, or no process, left."""
    return _SHORTAGES.search(str(error)) is not None


def damaged(path: object, what: str, kind: type[RunError] = RunError) -> RunError:
    """The complaint about a file of a run that is not as unquilt wrote it."""
    return kind(f"{path} is damaged: {' '.join(what.split())[:200].rstrip('.')}; {MENDING}")


class MisfitError(RunError):
    """A table of a run has other columns than this unquilt gives it."""


class RunLockedError(RunError):
    """Another process is working in the run folder."""


class StorageError(UnquiltError):
    """A file could not be written: disk full, no permission."""


class PlaceError(UnquiltError):
    """A place that is named by URL cannot be used: no answer, no right, no such bucket."""


class TimeLimitError(UnquiltError):
    """A query takes longer than whoever asked may wait."""


class EngineError(UnquiltError):
    """The engine could not carry out a stage."""


class PlanError(UnquiltError):
    """An analysis put kernels, columns or tables together that do not fit: said before anything runs."""


class MissingDependencyError(UnquiltError):
    """An optional dependency is not installed."""


class UnsupportedSystemError(UnquiltError):
    """unquilt cannot run here: it needs Linux or macOS."""
