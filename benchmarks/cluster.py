"""What tasks and objects cost: processor time beside the local engine, bytes that move, and the plan of a web crawl.

The estimates take what was measured on a small corpus of real pages, times the number of pages, and have the real
planner cut it into tasks. They assume that bytes and time grow with pages.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import unquilt as uq
from benchmarks.debian import debian
from benchmarks.record import Record, processor_seconds
from unquilt.demo import write_jsonl
from unquilt.engines.objects import engine, plan, posting
from unquilt.engines.tasks import Scale

MEMORY = 2 << 30
ANALYSES: dict[str, tuple[str, dict[str, Any]]] = {
    "quilts": ("quilts", {}),
    "sweep": ("sweep", {}),
    "neardups": ("neardups", {}),
    "neardups --threshold 0.8": ("neardups", {"threshold": 0.8}),
    "neardups --method imatch": ("neardups", {"method": "imatch"}),
    "discover": ("discover", {}),
    "passages": ("passages", {}),
    "reworded": ("reworded", {}),
    "repeats": ("repeats", {}),
    "phrases": ("phrases", {}),
}
CRAWLS = {"503.9 million pages (ClueWeb09, English)": 503_900_000, "3 billion pages": 3_000_000_000}
SLOTS = posting.SLOTS
DEMO = (10_000, 55_000)


class Watch:
    """The stages of a run: bytes that each task reads at most, bytes read, and bytes of the objects."""

    def __init__(self) -> None:
        self.read: list[tuple[int, int]] = []
        self.written = self.objects = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        counting, ending = plan.count_tasks, engine.end_stage

        def count(size: int, at_most: int, slots: int) -> int:
            self.read.append((size, at_most))
            return counting(size, at_most, slots)

        def end(folder: Path, marker: Any) -> None:
            self.written += marker.bytes
            self.objects += len(marker.objects)
            ending(folder, marker)

        plan.count_tasks, engine.end_stage = count, end
        try:
            yield
        finally:
            plan.count_tasks, engine.end_stage = counting, ending


def run(name: str, given: dict[str, Any], corpus: Path, output: Path, where: str) -> float:
    """Processor seconds of a run."""
    options = uq.JobOptions(settings=uq.Settings(engine=where, threads=2, memory=MEMORY))
    call = getattr(uq, name)
    return processor_seconds(lambda: call(corpus, output, options=options, **given))


def measure_all(record: Record, corpus: Path, pages: int, words: int, folder: Path) -> None:
    for title, (name, given) in ANALYSES.items():
        watch = Watch()
        local = run(name, given, corpus, folder / f"{title}-local", "local")
        with watch.watching():
            tasks = run(name, given, corpus, folder / f"{title}-tasks", "processes")
        same = all(
            (folder / f"{title}-tasks" / path.name).read_bytes() == path.read_bytes()
            for path in (folder / f"{title}-local").glob("*.parquet")
        )
        record.add(f"{title}: local", local, "s", note=f"{pages:,} pages, processor time")
        record.add(f"{title}: processes", tasks, "s", note=f"{tasks / local:.2f} times; same files: {same}")
        record.add(f"{title}: bytes of objects a page", watch.written / pages, "B", note=f"{watch.objects} objects")
        for crawl, many in CRAWLS.items():
            project(record, f"{title}, {crawl}", watch, tasks, many / pages, Scale(many, words * many // pages))


def project(record: Record, title: str, watch: Watch, tasks: float, times: float, scale: Scale) -> None:
    """What the planner makes of a corpus that is so many times as large."""
    partitions = plan.count_partitions(scale)
    counts = [plan.count_tasks(int(size * times), at_most, SLOTS) for size, at_most in watch.read]
    record.add(f"{title}: core-hours", tasks * times / 3600, "h")
    record.add(f"{title}: bytes of objects", watch.written * times / 1e12, "TB")
    record.add(
        f"{title}: tasks, and objects", sum(counts), note=f"{len(counts)} stages, the largest of {max(counts):,}"
    )
    record.add(f"{title}: partitions", partitions)


def measure(record: Record) -> None:
    """All of it; takes some minutes."""
    folder = Path(tempfile.mkdtemp(prefix="unquilt-cluster-"))
    try:
        corpus = uq.ingest(debian("small"), folder / "corpus")
        summary = corpus.manifest["summary"]
        measure_all(record, corpus.path, summary["documents"], summary["words"], folder)
        for pages in DEMO:
            write_jsonl(folder / "web.jsonl", pages, words=600)
            web = uq.ingest(folder / "web.jsonl", folder / f"web-{pages}").path
            watch = Watch()
            local = run("quilts", {}, web, folder / f"here-{pages}", "local")
            with watch.watching():
                tasks = run("quilts", {}, web, folder / f"there-{pages}", "processes")
            record.add(f"quilts of {pages:,} pages of the demo web: local", local, "s", note="processor time")
            record.add(
                f"quilts of {pages:,} pages of the demo web: processes", tasks, "s", note=f"{tasks / local:.2f} times"
            )
            record.add(
                f"quilts of {pages:,} pages of the demo web: bytes of objects a page", watch.written / pages, "B"
            )
    finally:
        shutil.rmtree(folder)
