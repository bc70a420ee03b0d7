"""The job of a worker: take tasks of somebody else's run."""

from __future__ import annotations

import tempfile
from pathlib import Path

from unquilt.engines.objects.making import Means
from unquilt.engines.objects.taking import Seat, work_at
from unquilt.engines.workers import Workers
from unquilt.remote.paths import place
from unquilt.settings import Settings


def work_for(run: str | Path, settings: Settings, *, lease: float, wait: float) -> int:
    """Works for a run until it is finished, or has had nothing to do for `wait` seconds. Returns how many tasks were
    done here. Temporary files go to the system's folder for these."""
    means = Means(settings.memory // settings.threads, tempfile.gettempdir())
    seat = Seat(str(place(run).absolute()), means, lease, wait)
    with Workers(settings.threads) as workers:
        return sum(workers.map(work_at, [seat] * settings.threads))
