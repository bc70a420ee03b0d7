"""Reading the Debian corpora from HTML: `unquilt ingest`, beside the extractor that its text is compared with, alone.

The extractor (resiliparse) has its pages in memory before the clock runs, and keeps nothing; ingest begins at the
compressed file and ends with a corpus on disk.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import shutil
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import unquilt as uq
from benchmarks.debian import as_warc, debian
from benchmarks.record import WORK, Record, command, rounds
from unquilt import _native

THREADS = 2
SAMPLE = 500


def measure(record: Record, tier: str = "medium") -> None:
    WORK.mkdir(exist_ok=True)
    jsonl = debian(tier)
    warc = as_warc(jsonl)
    extracting: list[float] = []

    def ingest(source: Path, name: str) -> None:
        command("ingest", str(source), "-o", str(_fresh(name)), "--threads", str(THREADS), "--quiet")

    taken = rounds(
        {
            "jsonl": lambda: ingest(jsonl, "ingested-jsonl"),
            "extractor": lambda: extracting.append(_extractor_alone(jsonl)),
            "warc": lambda: ingest(warc, "ingested-warc"),
        }
    )
    alone = sorted(extracting)[len(extracting) // 2]
    summary = uq.read(WORK / "ingested-jsonl").manifest["summary"]
    record.add("pages", summary["documents"], note=f"{summary['words']:,} words, {summary['rejects']} rejects")
    record.add("the extractor alone, pages in memory, two processes", alone, "s")
    record.add("ingest of .jsonl.gz, two threads", taken["jsonl"], "s")
    record.add("… in extractors", taken["jsonl"] / alone, "×", floor="at most 1.15")
    record.add("ingest of .warc.gz, two threads", taken["warc"], "s")
    record.add("… in ingests of .jsonl.gz", taken["warc"] / taken["jsonl"], "×", floor="at most 1")
    jsonl_texts, warc_texts = (
        pq.read_table(WORK / name / "documents", columns=["text"]) for name in ("ingested-jsonl", "ingested-warc")
    )
    record.add("both give the same texts", "yes" if jsonl_texts.equals(warc_texts) else "NO")
    record.add("4-grams of the extractor's text that are in ours", _recall(jsonl), note=f"first {SAMPLE} pages")


def measure_large(record: Record) -> None:
    """The large corpus: memory must not grow with it."""
    taken, peak = command("ingest", str(debian("large")), "-o", str(_fresh("ingested-large")), "--threads", "2", "-q")
    summary = uq.read(WORK / "ingested-large").manifest["summary"]
    record.add("pages", summary["documents"], note=f"{summary['words']:,} words")
    record.add("ingest of the large corpus", taken, "s")
    record.add("peak memory of its largest process", peak / 1e6, "MB", floor="below 1000")


def _extractor_alone(pages: Path) -> float:
    """Seconds that two processes take to extract all pages; the slower one counts."""
    context = multiprocessing.get_context("spawn")
    barrier, times = context.Barrier(THREADS), context.Queue()
    workers = [
        context.Process(target=_extract, args=(pages, number, barrier, times), daemon=True) for number in range(THREADS)
    ]
    for worker in workers:
        worker.start()
    taken = max(times.get(timeout=600) for _ in workers)
    for worker in workers:
        worker.join()
    return taken


def _extract(path: Path, number: int, barrier: Any, times: Any) -> None:
    from resiliparse.extract.html2text import extract_plain_text

    with gzip.open(path, "rb") as lines:
        pages = [json.loads(line)["html"] for line in islice(lines, number, None, THREADS)]
    barrier.wait()
    begin = time.perf_counter()
    size = sum(len(extract_plain_text(page)) for page in pages)
    times.put(time.perf_counter() - begin)
    if not size:
        raise SystemExit("the extractor found no text")


def _recall(path: Path) -> float:
    from resiliparse.extract.html2text import extract_plain_text

    found = total = 0
    with gzip.open(path, "rb") as lines:
        for line in islice(lines, SAMPLE):
            html = json.loads(line)["html"]
            ours = set(_native.grams(_native.extract(html.encode(), None)[0].decode(), 4))
            theirs = set(_native.grams(extract_plain_text(html, alt_texts=False, list_bullets=False), 4))
            found, total = found + len(ours & theirs), total + len(theirs)
    return found / total


def _fresh(name: str) -> Path:
    shutil.rmtree(WORK / name, ignore_errors=True)
    return WORK / name
