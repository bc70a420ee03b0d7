"""Phrases of the medium Debian corpus: covering sets of all documents, beside quilts of the same corpus in one run."""

from __future__ import annotations

import unquilt as uq
from benchmarks.medium import THREADS, corpus_of, fresh
from benchmarks.record import Record, rounds
from unquilt.runs import Run


def measure(record: Record, tier: str = "medium") -> None:
    corpus = corpus_of(record, tier)
    options = uq.JobOptions(settings=uq.Settings(threads=THREADS))

    def phrases(**asked: object) -> Run:
        return uq.phrases(corpus.path, fresh("phrases"), options=options, **asked)

    tasks = {
        "quilts + sources": lambda: uq.quilts(corpus.path, fresh("quilts"), options=options, patches=False),
        "phrases": phrases,
        "phrases --exact": lambda: phrases(exact=True),
        "phrases --sample counts": lambda: phrases(sample="counts"),
    }
    taken = rounds(tasks)
    for name in tasks:
        record.add(name, taken[name], "s")
        if name != "quilts + sources":
            floor = "at most 2" if name == "phrases" else ""
            record.add(f"… {name} in quilts", taken[name] / taken["quilts + sources"], "×", floor=floor)
    summary = phrases().manifest["summary"]
    for name in ("documents", "copies", "popular_shingles", "common_shingles", "popular", "covers", "cover_sources"):
        record.add(name, summary[name])
