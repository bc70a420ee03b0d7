"""How to carry out a job."""

from __future__ import annotations

from dataclasses import dataclass, field

from unquilt.corpus.options import Reading
from unquilt.engines.progress import Progress, Silent
from unquilt.settings import Settings


@dataclass(frozen=True)
class JobOptions:
    """How to carry out a job: nothing but `reading`, which says how to read, changes the results."""

    settings: Settings = field(default_factory=Settings)
    reading: Reading = field(default_factory=Reading)
    overwrite: bool = False
    accept: bool = False
    """Whether what a run keeps is taken as input although its audit raises alarms."""
    progress: Progress = field(default_factory=Silent)
