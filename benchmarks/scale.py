"""Growth and memory on generated pages: 10 thousand to 1 million, and the last with little memory."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from pathlib import Path

import unquilt as uq
from benchmarks.record import WORK, Record, command

SIZES = (10_000, 100_000, 1_000_000)
MAKE = """
import sys
from unquilt.demo import write_jsonl
path, begin, end, count = sys.argv[1:]
write_jsonl(path, int(count), start=int(begin), stop=int(end))
"""


def generated(count: int) -> Path:
    """A corpus folder of that many generated pages, made once."""
    corpus = WORK / f"generated-{count}"
    if not corpus.exists():
        pages = WORK / f"pages-{count}"
        pages.mkdir(parents=True, exist_ok=True)
        halves = [(0, count // 2), (count // 2, count)]
        makers = [
            subprocess.Popen(
                [sys.executable, "-c", MAKE, str(pages / f"{begin:09}.jsonl"), str(begin), str(end), str(count)]
            )
            for begin, end in halves
        ]
        if any(maker.wait() for maker in makers):
            raise SystemExit("the generator failed")
        command("ingest", str(pages), "-o", str(corpus), "--quiet")
        shutil.rmtree(pages)
    return corpus


def measure(record: Record, sizes: tuple[int, ...] = SIZES) -> None:
    WORK.mkdir(exist_ok=True)
    taken = {}
    for count in sizes:
        corpus = generated(count)
        taken[count], memory = command(
            "quilts", str(corpus), "-o", str(_fresh("scale")), "--memory", "6GB", "--threads", "2", "--quiet"
        )
        summary = uq.read(WORK / "scale").manifest["summary"]
        floor = "8 GB" if count == sizes[-1] else ""
        record.add(
            f"{count:,} pages: quilts",
            taken[count],
            "s",
            note=f"{summary['words']:,} words, {summary['quilts']:,} quilts",
        )
        record.add(f"{count:,} pages: peak memory with --memory 6GB", memory / 1e9, "GB", floor=floor)
    exponent = math.log(taken[sizes[-1]] / taken[sizes[0]]) / math.log(sizes[-1] / sizes[0])
    record.add(f"growth from {sizes[0]:,} to {sizes[-1]:,} pages, exponent", exponent, floor="below 1.1")
    files = {name: (WORK / "scale" / f"{name}.parquet").read_bytes() for name in ("quilts", "sources")}
    seconds, memory = command(
        "quilts", str(generated(sizes[-1])), "-o", str(_fresh("scale")), "--memory", "1GB", "--threads", "2", "--quiet"
    )
    record.add(f"{sizes[-1]:,} pages with --memory 1GB: quilts", seconds, "s")
    record.add(f"{sizes[-1]:,} pages with --memory 1GB: peak memory", memory / 1e9, "GB", floor="below 1.5")
    same = all((WORK / "scale" / f"{name}.parquet").read_bytes() == content for name, content in files.items())
    record.add("the same files with either", "yes" if same else "NO")


def measure_neardups(record: Record, count: int = SIZES[-1]) -> None:
    """Near-duplicates of so many generated pages."""
    _memory(record, "neardups", count, "near_duplicates")


def measure_phrases(record: Record, count: int = SIZES[-1]) -> None:
    """Popular phrases and covering sets of so many generated pages."""
    _memory(record, "phrases", count, "popular")


def _memory(record: Record, analysis: str, count: int, found: str) -> None:
    taken, memory = command(
        analysis, str(generated(count)), "-o", str(_fresh(analysis)), "--memory", "4GB", "--threads", "2", "--quiet"
    )
    rows = uq.read(WORK / analysis).manifest["summary"][found]
    record.add(f"{count:,} pages: {analysis}", taken, "s", note=f"{rows:,} {found.replace('_', ' ')}")
    record.add(f"{count:,} pages: peak memory of {analysis} with --memory 4GB", memory / 1e9, "GB", floor="6")
    record.add("… for each page", memory / count, "B")


def _fresh(name: str) -> Path:
    shutil.rmtree(WORK / name, ignore_errors=True)
    return WORK / name
