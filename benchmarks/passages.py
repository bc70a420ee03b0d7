"""Passages of the medium Debian corpus: growth from 5 to 55 thousand pages, beside copydetect on what it can finish.

copydetect (Lingenhoff; winnowing after Schleimer, Wilkerson and Aiken, SIGMOD 2003) compares every document with every
other, so it is given few, as plain text, and its time is compared with that of `--signature grams` and of the default
on the same documents. It is no dependency of ours: `pip install copydetect` before.
"""

from __future__ import annotations

import importlib.util
import math
import tempfile
from functools import partial
from pathlib import Path

import pyarrow as pa

import unquilt as uq
from benchmarks.medium import THREADS, corpus_of, fresh
from benchmarks.record import WORK, Record, cost, rounds
from unquilt.jobs.corpora import documents

SIZES = (5_000, 20_000, 55_000)
RIVALS = (100, 400)
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


def measure(record: Record, tier: str = "medium") -> None:
    corpus = corpus_of(record, tier)
    for signature in ("imatch", "grams"):
        measure_growth(record, corpus, signature, "passages", "--signature", signature)
    compare(record, corpus)


def measure_growth(record: Record, corpus: uq.Run, name: str, command: str, *options: str) -> None:
    """Time and memory of a command that finds passages, for growing numbers of pages."""
    taken = {}
    for number in SIZES:
        pages = first_pages(corpus, number)
        place = fresh("passages")
        asked = (command, str(pages), "-o", str(place), "--threads", str(THREADS), *options)
        spent = cost(*asked, "--memory", "2GB", "--quiet")
        taken[number] = spent.processor
        summary = uq.read(place).manifest["summary"]
        note = f"{summary['words']:,} words, {summary['passages']:,} passages"
        record.add(f"{name}: {number:,} pages", spent.seconds, "s", note=note)
        record.add(f"{name}: {number:,} pages, of both processors", spent.processor, "s")
        record.add(f"{name}: {number:,} pages, peak memory with --memory 2GB", spent.memory / 1e9, "GB")
    spent = cost(*asked, "--overwrite", "--memory", "1GB", "--quiet")
    record.add(f"{name}: {SIZES[-1]:,} pages, peak memory with --memory 1GB", spent.memory / 1e9, "GB")
    exponent = math.log(taken[SIZES[-1]] / taken[SIZES[0]]) / math.log(SIZES[-1] / SIZES[0])
    record.add(f"{name}: growth from {SIZES[0]:,} to {SIZES[-1]:,} pages, exponent", exponent)


def measure_rival(record: Record, tier: str = "medium") -> None:
    """Beside copydetect alone."""
    compare(record, corpus_of(record, tier))


def compare(record: Record, corpus: uq.Run) -> None:
    """The same documents for copydetect and for us, in one process, reading included.

    Its fingerprints are of characters: 50 stand for the 8 words of our grams, 150 for the 30 words of a passage.
    """
    if importlib.util.find_spec("copydetect") is None:
        record.add("copydetect", "not installed")
        return
    from copydetect import CopyDetector

    kept = documents(corpus)
    for number in RIVALS:
        step = max(1, kept.rows // number)
        texts = [
            text
            for split in kept.splits()
            for doc, text in zip(
                *(split.read(["doc", "text"])[name].to_pylist() for name in ("doc", "text")), strict=True
            )
            if doc % step == 0
        ][:number]
        with tempfile.TemporaryDirectory(dir=WORK) as name:
            folder = Path(name) / "texts"
            folder.mkdir()
            for place, text in enumerate(texts):
                (folder / f"{place:04}.txt").write_text(text, encoding="utf-8")
            found: dict[str, int] = {}

            def rival(folder: Path = folder, found: dict[str, int] = found) -> None:
                detector = CopyDetector(
                    test_dirs=[str(folder)], extensions=["txt"], noise_t=50, guarantee_t=150, display_t=0.01,
                    disable_filtering=True, autoopen=False, silent=True,
                )  # fmt: skip
                detector.run()
                found["pairs"] = len(detector.get_copied_code_list())

            def ours(signature: str, folder: Path = folder, name: str = name) -> None:
                options = uq.JobOptions(settings=uq.Settings(threads=1), overwrite=True)
                uq.passages(folder, Path(name) / signature, options=options, signature=signature, foreign="none")

            tasks = {"copydetect": rival, "grams": partial(ours, "grams"), "imatch": partial(ours, "imatch")}
            taken = rounds(tasks)
            record.add(f"copydetect, {len(texts)} pages", taken["copydetect"], "s", note=f"{found['pairs']} pairs")
            for signature in ("grams", "imatch"):
                note = f"{uq.read(Path(name) / signature).passage_pairs.num_rows} pairs, one thread"
                record.add(f"passages --signature {signature}, the same", taken[signature], "s", note=note)
                record.add(f"… copydetect in {signature}", taken["copydetect"] / taken[signature], "×")
