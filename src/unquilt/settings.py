"""How to run, as opposed to what to compute: results never depend on any of this."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from unquilt.errors import ParameterError
from unquilt.parameters import Parameters, parameter

ENGINES = ("local", "processes", "workers", "spark")
UNITS = {"B": 1} | {f"{prefix}B": 1000**power for power, prefix in enumerate("KMGT", 1)}
UNITS |= {f"{prefix}IB": 1024**power for power, prefix in enumerate("KMGT", 1)}
LEAST_MEMORY, MOST_MEMORY = 64 << 20, 128 << 40
"""What the smallest run needs, and what a process can address."""
MOST_THREADS = 1 << 16


@dataclass(frozen=True)
class Settings(Parameters):
    """Engine, threads and memory of a run: 0 threads are one for each core, 0 memory is half of the machine's.

    `master` is the URL of Spark's master; without it, Spark's own configuration says which.
    """

    engine: str = parameter(
        "local",
        "where to compute: in threads or processes on this machine, in workers that were started elsewhere "
        "(`unquilt work`), or on Apache Spark; results are the same",
        one_of=ENGINES,
    )
    threads: int = parameter(0, "threads to use", at_least=0, at_most=MOST_THREADS, usual="one for each core")
    memory: int = parameter(0, "memory to use, such as 8GB", at_least=0, unit="bytes", usual="half of the machine's")
    master: str | None = parameter(None, "master of the Spark cluster, as a URL", usual="as Spark is configured")

    def check(self) -> None:
        """Check the memory; replace what was left open (0) by what this machine has."""
        if self.memory and not LEAST_MEMORY <= self.memory <= MOST_MEMORY:
            limits = f"at least {LEAST_MEMORY >> 20} MiB and at most {MOST_MEMORY >> 40} TiB"
            raise ParameterError(f"memory must be {limits}, not {self.memory} bytes")
        object.__setattr__(self, "threads", self.threads or cores())
        object.__setattr__(self, "memory", self.memory or memory_limit() // 2)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_limit() -> int:
    """The machine's memory in bytes, or what a control group leaves of it."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            return min(physical, int(Path(path).read_text()))
        except (OSError, ValueError):
            continue
    return physical


def parse_size(text: str) -> int:
    """Bytes of `512MB`, `1GiB`, `2g`, `1000000`.

    >>> parse_size("1.5GB")
    1500000000
    """
    parts = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,15})?)\s*([a-z]*)\s*", text, re.ASCII | re.IGNORECASE)
    unit = parts[2].upper() if parts else ""
    scale = UNITS.get(unit) or UNITS.get(f"{unit}B")
    if parts is None or scale is None:
        raise ParameterError(f"memory must be a size such as 512MB or 2GiB, not {text[:40]!r}")
    return int(float(parts[1]) * scale)
