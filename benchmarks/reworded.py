"""Reworded passages of the Debian corpus with itself, near-duplicates collapsed: in scans, and by the number of pages.

And pairs of PAN 2013."""

from __future__ import annotations

import statistics
import sys
import tarfile
import time
from pathlib import Path

import unquilt as uq
from benchmarks.debian import SHARED
from benchmarks.medium import THREADS, corpus_of, fresh, scan_all
from benchmarks.passages import measure_growth
from benchmarks.record import Record, rounds
from unquilt.jobs.corpora import documents

PAIRS = 1000


def measure(record: Record, tier: str = "medium") -> None:
    record.add("corpus", f"Debian's documentation, {tier}")
    corpus = corpus_of(record, tier)
    options = uq.JobOptions(settings=uq.Settings(threads=THREADS))
    table = documents(corpus)
    runs = []

    def passages() -> None:
        runs.append(uq.reworded(corpus.path, fresh("reworded"), options=options, collapse="near"))

    taken = rounds({"scan": lambda: scan_all(table), "passages": passages})
    record.add("reworded --collapse near", taken["passages"], "s")
    record.add("… in scans", taken["passages"] / taken["scan"], "×", floor="at most 20")
    summary = runs[-1].manifest["summary"]
    for name in ("documents", "copies", "candidates", "candidates_left_out", "bounded_pairs", "passages"):
        record.add(name, summary[name])
    measure_growth(record, corpus, "reworded", "reworded", "--collapse", "near")
    if (SHARED / "pan13-train.tar.xz").exists():
        measure_pairs(record)


def measure_pairs(record: Record) -> None:
    """What two texts at hand take, on one thread."""
    texts: dict[str, str] = {}
    pairs: list[tuple[str, str]] = []
    with tarfile.open(SHARED / "pan13-train.tar.xz") as tar:
        for member in tar:
            file, name = tar.extractfile(member), Path(member.name)
            if file is not None and name.suffix == ".txt":
                texts[name.name] = file.read().decode()
            elif name.suffix == ".xml":
                a, _, b = name.stem.partition("-source")
                pairs.append((f"{a}.txt", f"source{b}.txt"))
    rates = uq.StemRates.count(texts.values())
    chosen = sorted(pairs)[:: max(1, len(pairs) // PAIRS)]
    times = []
    for a, b in chosen:
        begin = time.thread_time()
        uq.align(texts[a], texts[b], rates=rates)
        times.append(1000 * (time.thread_time() - begin))
    record.add("uq.align, median pair of PAN 2013", statistics.median(times), "ms", floor="at most 0.5")
    record.add("… mean", statistics.mean(times), "ms")


if __name__ == "__main__":
    found = Record()
    measure(found, *sys.argv[1:])
    found.write("reworded")
