"""Passages of the medium Debian corpus: growth from 5 to 55 thousand pages, beside copydetect on what it can finish.

copydetect (Lingenhoff; winnowing after Schleimer, Wilkerson and Aiken, SIGMOD 2003) compares every document with every
other, so it is given few, as plain text, and its time is compared with that of `--signature grams` and of the default
on the same documents. It is no dependency of ours: `pip install copydetect` before.
"""

from __future__ import annotations

import importlib.util
import math
import shutil
import tempfile
from pathlib import Path

import pyarrow as pa

import unquilt as uq
from benchmarks.medium import THREADS, corpus_of, fresh
from benchmarks.record import WORK, Record, command, seconds
from unquilt.jobs import documents

SIZES = (5_000, 20_000, 55_000)
RIVAL = 200
"""Documents that copydetect is given."""


def first_pages(corpus: uq.Run, number: int) -> Path:
    """A corpus of every so many-th page, all sites alike; made once."""
    folder = WORK / f"passages-{number}"
    if not folder.exists():
        kept = documents(corpus)
        step = max(1, kept.rows // number)
        parts = []
        for split in kept.splits():
            part = split.read(["doc", "id", "url", "text"])
            wanted = [at for at, doc in enumerate(part["doc"].to_pylist()) if doc % step == 0]
            parts.append(part.take(wanted).drop_columns(["doc"]))
        uq.ingest(pa.concat_tables(parts).slice(0, number), folder)
    return folder


def measure(record: Record, tier: str = "medium", sizes: tuple[int, ...] = SIZES) -> None:
    corpus = corpus_of(record, tier)
    for signature in ("imatch", "grams"):
        taken = {}
        for number in sizes:
            pages = first_pages(corpus, number)
            place = fresh("passages")
            taken[number], memory = command(
                *("passages", str(pages), "-o", str(place), "--signature", signature, "--memory", "2GB"),
                *("--threads", str(THREADS), "--quiet"),
            )
            summary = uq.read(place).manifest["summary"]
            note = f"{summary['words']:,} words, {summary['passages']:,} passages"
            record.add(f"{signature}: {number:,} pages", taken[number], "s", note=note)
            record.add(f"{signature}: {number:,} pages, peak memory with --memory 2GB", memory / 1e9, "GB")
        exponent = math.log(taken[sizes[-1]] / taken[sizes[0]]) / math.log(sizes[-1] / sizes[0])
        record.add(f"{signature}: growth from {sizes[0]:,} to {sizes[-1]:,} pages, exponent", exponent)
    compare(record, corpus)


def compare(record: Record, corpus: uq.Run) -> None:
    """The same documents for copydetect and for us, whole commands, reading included."""
    if importlib.util.find_spec("copydetect") is None:
        record.add("copydetect", "not installed")
        return
    from copydetect import CopyDetector

    with tempfile.TemporaryDirectory(dir=WORK) as name:
        folder = Path(name) / "texts"
        folder.mkdir()
        texts = next(iter(documents(corpus).splits())).read(["text"])["text"].to_pylist()[:RIVAL]
        for number, text in enumerate(texts):
            (folder / f"{number:04}.txt").write_text(text, encoding="utf-8")
        found: dict[str, object] = {}

        def rival() -> None:
            detector = CopyDetector(
                test_dirs=[str(folder)], extensions=["txt"], noise_t=25, guarantee_t=30, display_t=0.01,
                disable_filtering=True, autoopen=False, silent=True,
            )  # fmt: skip
            detector.run()
            found["copydetect"] = len(detector.get_copied_code_list())

        record.add(f"copydetect, {len(texts)} pages", seconds(rival), "s", note=f"{found['copydetect']} pairs")
        for signature in ("grams", "imatch"):
            place = Path(name) / signature
            asked = ("--signature", signature, "--foreign", "none", "--threads", "1", "--quiet")
            taken, _ = command("passages", str(folder), "-o", str(place), *asked)
            pairs = uq.read(place).passage_pairs.num_rows
            record.add(f"passages --signature {signature}, the same", taken, "s", note=f"{pairs} pairs, one thread")
        shutil.rmtree(folder)
