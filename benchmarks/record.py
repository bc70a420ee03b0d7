"""Dated records of measurements, and the few ways in which we measure."""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
WORK = HERE / "work"


@dataclass
class Record:
    """What was measured, in order; printed as it comes and written at the end."""

    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, what: str, value: float | str, unit: str = "", *, floor: str = "", note: str = "") -> None:
        shown = value if isinstance(value, str) else f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
        row = {"what": what, "value": value, "shown": shown, "unit": unit, "floor": floor, "note": note}
        self.rows.append(row)
        remarks = [f"floor: {floor}" if floor else "", note]
        print(f"{what}: {shown} {unit}   {'; '.join(filter(None, remarks))}", flush=True)

    def write(self, name: str) -> Path:
        """Writes `records/DATE-NAME.json` and a table of the same for people."""
        folder = HERE / "records"
        folder.mkdir(exist_ok=True)
        path = folder / f"{datetime.now(UTC):%Y-%m-%d}-{name}.json"
        content = {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "machine": machine(),
            "versions": versions(),
            "rows": self.rows,
        }
        path.write_text(json.dumps(content, indent=1) + "\n")
        lines = [f"# {name}, {content['date']}", "", f"{content['machine']}; {content['versions']}", ""]
        lines += ["| what | value | unit | floor | note |", "| --- | ---: | --- | --- | --- |"]
        lines += [f"| {r['what']} | {r['shown']} | {r['unit']} | {r['floor']} | {r['note']} |" for r in self.rows]
        path.with_suffix(".md").write_text("\n".join(lines) + "\n")
        return path


def machine() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.split(":")[1].strip() for line in lines if "model name" in line), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{len(os.sched_getaffinity(0))} cores of {cpu}, {memory:.0f} GiB"


def versions() -> str:
    names = ("unquilt", "pyarrow", "duckdb", "pyspark")
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in names)])


def seconds(task: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    task()
    return time.perf_counter() - begin


def processor_seconds(task: Callable[[], Any]) -> float:
    """Processor time, of the system as well, of all threads of this process and of those that it ran: what a busy
    machine changes least."""
    begin = _processor_time()
    task()
    return _processor_time() - begin


def _processor_time() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def rounds(
    tasks: dict[str, Callable[[], Any]], times: int = 3, measure: Callable[[Callable[[], Any]], float] = seconds
) -> dict[str, float]:
    """Each task's median time over some rounds; all tasks in each round, so that noise hits all alike."""
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(times):
        for name, task in tasks.items():
            taken[name].append(measure(task))
    return {name: statistics.median(found) for name, found in taken.items()}


@dataclass(frozen=True)
class Cost:
    """What a command took: seconds by the clock and of all processors, and peak memory in bytes."""

    seconds: float
    processor: float
    memory: int


def cost(*arguments: str, by: Path | None = None) -> Cost:
    """What `unquilt ARGUMENTS` takes, run in a process of its own; `by` is another one than the one installed here."""
    code = (
        "import resource, subprocess, sys\n"
        "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)\n"
        "sys.exit(code)"
    )
    unquilt = str(by or Path(sys.executable).with_name("unquilt"))
    # As in an installation, whose modules are compiled once: else each start would compile all of them.
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(WORK / "bytecode")}
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, unquilt, *arguments],
        stdout=subprocess.PIPE,
        env=os.environ | compiled,
        check=True,
    )
    processor, memory = done.stdout.split()
    return Cost(time.perf_counter() - begin, float(processor), int(memory))


def command(*arguments: str) -> tuple[float, int]:
    """Wall-clock seconds and peak memory in bytes of `unquilt ARGUMENTS`."""
    spent = cost(*arguments)
    return spent.seconds, spent.memory


def peak() -> int:
    """Peak memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
