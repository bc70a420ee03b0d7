"""What Spark costs as a scheduler of tasks: processor time of quilts beside the local engine and the pool of processes,
and of counts beside the same in Spark SQL; and what driver and workers hold in memory as a corpus grows."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import unquilt as uq
from benchmarks import scale
from benchmarks.record import WORK, Record
from unquilt.demo import write_jsonl

THREADS, MEMORY = 2, 2 << 30
SCHEDULERS = ("local", "processes", "spark")
FLOORS = {"processes": "at most 1.3 times local", "spark": "at most 2.2 times local"}
ROUNDS = 3
PAGES = (10_000, 55_000)
TICK = os.sysconf("SC_CLK_TCK")
EVERY = 0.1


def find_family(root: int) -> Iterator[tuple[int, list[str], list[str]]]:
    """Number, command and statistics of a process and of all that descend from it."""
    found: dict[int, list[tuple[int, list[str], list[str]]]] = {}
    own: tuple[int, list[str], list[str]] | None = None
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with suppress(OSError):
                said = (path / "stat").read_text().rpartition(")")[2].split()
                each = (int(path.name), (path / "cmdline").read_text().split("\0"), said)
                found.setdefault(int(said[1]), []).append(each)
                own = each if each[0] == root else own
    left = [own] if own else []
    while left:
        each = left.pop()
        yield each
        left += found.get(each[0], [])


class Watch:
    """The processor time of this process and of all that descend from it, and the greatest memory of the JVM, of
    workers of Python and of this process, looked at now and then.

    Each process is counted by itself, as long as it lives: Spark's workers end when they were idle for a minute, and
    nobody inherits their time.
    """

    def __init__(self) -> None:
        self.most = {"driver": 0, "JVM": 0, "a worker": 0}
        self._ticks: dict[int, int] = {}
        self._over = Event()

    def __enter__(self) -> Watch:
        self._look()
        self._before = self._ticks.copy()
        self._thread = Thread(target=self._look_again)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._look()

    @property
    def seconds(self) -> float:
        return sum(ticks - self._before.get(number, 0) for number, ticks in self._ticks.items()) / TICK

    def _look_again(self) -> None:
        while not self._over.wait(EVERY):
            self._look()

    def _look(self) -> None:
        for number, command, said in find_family(os.getpid()):
            java = command[0].endswith("java")
            what = "driver" if number == os.getpid() else "JVM" if java else "a worker"
            self.most[what] = max(self.most[what], int(said[21]) * os.sysconf("SC_PAGE_SIZE"))
            self._ticks[number] = int(said[11]) + int(said[12])


def run(web: Path, output: Path, where: str) -> None:
    master = "local[2,4]" if where == "spark" else None
    settings = uq.Settings(engine=where, threads=THREADS, memory=MEMORY, master=master)
    uq.quilts(web, output, options=uq.JobOptions(settings=settings))


def measure(record: Record, sizes: tuple[int, ...] = PAGES) -> None:
    """The smallest corpus first: it also warms up Spark. The largest in several rounds, all schedulers in each."""
    folder = Path(tempfile.mkdtemp(prefix="unquilt-spark-"))
    try:
        corpora = {}
        for pages in sizes:
            write_jsonl(folder / "web.jsonl", pages, words=600)
            corpora[pages] = uq.ingest(folder / "web.jsonl", folder / f"web-{pages}").path
        for title in (f"cold, {sizes[0]:,}", *(f"{pages:,}" for pages in sizes)):
            pages = int(title.rpartition(" ")[2].replace(",", ""))
            _measure_one(record, title, corpora[pages], folder, ROUNDS if pages == sizes[-1] else 1)
    finally:
        shutil.rmtree(folder)


WATCH_ONE = "import sys; from benchmarks.spark import watch_one; watch_one(*sys.argv[1:])"


def watch_one(web: str, output: str, where: str) -> None:
    """Run and watch in a process of its own, so that the driver holds what this run needs, and no more."""
    with Watch() as watch:
        run(Path(web), Path(output), where)
    print(json.dumps({"seconds": watch.seconds, "memory": watch.most}))


def measure_growth(record: Record, sizes: tuple[int, ...] = scale.SIZES) -> None:
    """What the driver and a worker hold as a corpus grows, with schedulers of tasks."""
    for pages in sizes:
        web = scale.generated(pages)
        for where in ("processes", "spark"):
            output = WORK / f"growth-{where}"
            shutil.rmtree(output, ignore_errors=True)
            command = [sys.executable, "-c", WATCH_ONE, str(web), str(output), where]
            said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            found = json.loads(said.splitlines()[-1])
            memory = ", ".join(f"{what} {size >> 20} MiB" for what, size in found["memory"].items() if size)
            quilts = uq.read(output).manifest["summary"]["quilts"]
            note = f"processor time; {quilts:,} quilts; memory: {memory}"
            record.add(f"quilts of {pages:,} generated pages: {where}", found["seconds"], "s", note=note)


def _measure_one(record: Record, title: str, web: Path, folder: Path, rounds: int) -> None:
    watches: dict[str, list[Watch]] = {where: [] for where in SCHEDULERS}
    for number in range(rounds):
        for where in SCHEDULERS:
            with Watch() as watch:
                run(web, folder / f"{where}-{title}-{number}", where)
            watches[where].append(watch)
    for where, found in watches.items():
        times = statistics.median(a.seconds / b.seconds for a, b in zip(found, watches["local"], strict=True))
        most = {what: max(each.most[what] for each in found) for what in found[0].most}
        memory = ", ".join(f"{what} {size >> 20} MiB" for what, size in most.items() if size)
        record.add(
            f"quilts of {title} pages of the demo web: {where}",
            statistics.median(each.seconds for each in found),
            "s",
            floor=FLOORS.get(where, "") if rounds > 1 else "",
            note=f"processor time, median of rounds: {rounds}; {times:.2f} times local; memory: {memory}",
        )
    same = all(
        (folder / f"{where}-{title}-0" / path.name).read_bytes() == path.read_bytes()
        for where in SCHEDULERS
        for path in (folder / f"local-{title}-0").glob("*.parquet")
    )
    record.add(f"quilts of {title} pages of the demo web: same files", "yes" if same else "NO")
