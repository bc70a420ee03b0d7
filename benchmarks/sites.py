"""What `unquilt sites` takes beside the runs that it reads, in processor time, and its memory, on demo webs of several
sizes and on Debian's manuals."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.debian import debian
from benchmarks.record import WORK, Record, cost
from unquilt.demo import write_jsonl

PAGES = (3_000, 12_000, 48_000, 192_000)
RUNS = {"quilts": (), "neardups": ("--threshold", "0.6"), "phrases": ()}
TIMES = 3
SMALLEST = "80MB"
"""A budget near the least that is allowed."""


def measure(record: Record, pages: tuple[int, ...] = PAGES) -> None:
    for number in pages:
        web = WORK / f"web-{number}.jsonl"
        web.parent.mkdir(exist_ok=True)
        if not web.exists():
            write_jsonl(web, number, seed=1, start=0, stop=number)
        _measure(record, f"{number:,} pages of the demo", web)
    _measure(record, "small Debian", debian("small"))


def _measure(record: Record, name: str, pages: Path) -> None:
    folder = WORK / "sites" / pages.name.partition(".")[0]
    corpus = folder / "corpus"
    cost("ingest", str(pages), "-o", str(corpus), "--overwrite", "--quiet")
    runs = [str(folder / run) for run in RUNS]
    spent = [
        cost(run, str(corpus), "-o", path, *options, "--overwrite", "--quiet").processor
        for (run, options), path in zip(RUNS.items(), runs, strict=True)
    ]
    record.add(f"{name}: runs of {', '.join(RUNS)}", sum(spent), "s", note="processor time")
    found = [_judge(runs, folder / "sites", "1GB") for _ in range(TIMES)]
    taken, memory = min(each[0] for each in found), max(each[1] for each in found)
    sites = pq.read_metadata(folder / "sites" / "sites.parquet").num_rows
    share = f"{taken / sum(spent):.0%} of the runs; {sites:,} sites"
    record.add(f"{name}: sites over them", taken, "s", note=f"processor time, the least of {TIMES}; {share}")
    again = min(cost("sites", *runs, "-o", str(folder / "sites"), "--quiet").processor for _ in range(TIMES))
    record.add(f"{name}: the same command again, which has nothing to do", again, "s")
    record.add(f"{name}: peak memory", memory / 1e6, "MB", note="--memory 1GB")
    record.add(f"{name}: peak memory", _judge(runs, folder / "small", SMALLEST)[1] / 1e6, "MB", note=SMALLEST)


def _judge(runs: list[str], output: Path, memory: str) -> tuple[float, int]:
    spent = cost("sites", *runs, "-o", str(output), "--memory", memory, "--overwrite", "--quiet")
    return spent.processor, spent.memory
