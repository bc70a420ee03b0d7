"""Reuse: discovery and detection beside the SHA-1 of every chunk alone, and a detector beside parsing.

The yardstick reads texts and chunks of the ingested medium Debian corpus, cuts each text and makes the SHA-1 of the
words of each chunk, in the core, with as many threads as the analyses have: no Python object for any chunk. The same
with `hashlib` stands beside it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import unquilt as uq
from benchmarks.record import WORK, Record, rounds, seconds
from unquilt import _native
from unquilt.columns import buffers
from unquilt.flow.kept import Kept, Split
from unquilt.jobs import documents
from unquilt.runs import Run
from unquilt.stores.labels import About

MEDIUM = Path.home() / ".cache" / "unquilt-bench" / "debian-medium.jsonl.gz"
THREADS = 2
LABELS = 10_000_000
PAGES = 1000


def hash_with_hashlib(split: Split) -> int:
    """Makes the SHA-1 of every chunk of a row group; returns how many there are."""
    table = split.read(("text", "chunks"))
    number = 0
    for text, spans in zip(table["text"].to_pylist(), table["chunks"].to_pylist(), strict=True):
        for span in spans or ():
            hashlib.sha1(text[span["begin"] : span["end"]].encode(), usedforsecurity=False).digest()
            number += 1
    return number


def hash_in_core(split: Split) -> int:
    """The same for the words of each chunk, without Python."""
    table = split.read(("text", "chunks", "chunk_sha1"))
    text, chunks, sha1 = (buffers(table[name]) for name in ("text", "chunks", "chunk_sha1"))
    return len(_native.chunk_hashes(text, chunks, sha1, sha1, "words", 0)) // 20


def _hash_all(corpus: Kept, function: Callable[[Split], int]) -> int:
    with ThreadPoolExecutor(THREADS) as pool:
        return sum(pool.map(function, corpus.splits()))


def measure(record: Record) -> None:
    WORK.mkdir(exist_ok=True)
    folder = WORK / "reuse-medium"
    if not folder.exists():
        uq.ingest(MEDIUM, folder)
    corpus, how = documents(Run.read(folder)), uq.How(settings=uq.Settings(threads=THREADS, memory=1 << 30))
    with tempfile.TemporaryDirectory(dir=WORK) as name:
        place = Path(name)
        hashes = b"".join(hashlib.sha1(str(each).encode()).digest() for each in range(LABELS))
        labels = place / "many.labels"
        taken = seconds(lambda: uq.LabelSet.pack(labels, About(), chunks=hashes))
        size = labels.stat().st_size / LABELS
        record.add(f"make a set of {LABELS:,} labels", taken, "s", note=f"{size:.1f} bytes a label")
        record.add("open it", 1e3 * min(seconds(lambda: uq.LabelSet.load(labels)) for _ in range(9)), "ms")
        numbers = iter(range(99))
        tasks: dict[str, Callable[[], Any]] = {
            "core": lambda: _hash_all(corpus, hash_in_core),
            "discover": lambda: uq.discover(folder, place / str(next(numbers)), how=how),
            "detect": lambda: uq.detect(folder, place / str(next(numbers)), how=how, labels=str(labels)),
        }
        found = rounds(tasks, 2)
        chunks = _hash_all(corpus, hash_in_core)
        record.add("SHA-1 of every chunk alone, in the core", found["core"], "s", note=f"{chunks:,} chunks")
        record.add("SHA-1 of every chunk alone, hashlib", seconds(lambda: _hash_all(corpus, hash_with_hashlib)), "s")
        record.add("discover", found["discover"], "s")
        record.add("… beside SHA-1 in the core", found["discover"] / found["core"], "times", floor="at most 2")
        record.add(f"detect, {LABELS:,} labels", found["detect"], "s")
        record.add("… beside SHA-1 in the core", found["detect"] / found["core"], "times", floor="at most 1.5")
        _measure_detector(record, uq.LabelSet.load(labels))


def _measure_detector(record: Record, labels: uq.LabelSet) -> None:
    """A detector beside the parsing and hashing of the same pages, the first of the corpus."""
    with gzip.open(MEDIUM, "rb") as file:
        pages = [json.loads(line)["html"].encode() for line in islice(file, PAGES)]
    detector = uq.Detector(labels)

    def parse() -> None:
        for page in pages:
            _native.extract(_native.decode(page, None, True)[0], None)
            hashlib.sha1(page, usedforsecurity=False).digest()

    def ask() -> None:
        for page in pages:
            detector.page(page, media="html")

    found = rounds({"parse": parse, "ask": ask}, 5)
    record.add(f"ask a detector about {len(pages):,} pages", found["ask"], "s")
    record.add("… beside parse and hash", found["ask"] / found["parse"], "times", floor="at most 1.3")
