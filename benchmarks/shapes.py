"""Shapes that break other tools, in full size: each must stay near-linear."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import islice

import pyarrow as pa

import unquilt as uq
from benchmarks.record import WORK, Record, seconds

BATCH = 10_000


def everywhere(count: int) -> Iterator[str]:
    """A gram in every page."""
    return (f"all rights reserved by us page{i} has its own words{i} and more{i} here{i}" for i in range(count))


def identical(count: int) -> Iterator[str]:
    text = " ".join(f"word{i}" for i in range(100))
    return (text for _ in range(count))


def equal_words(count: int) -> Iterator[str]:
    yield "same " * count
    yield "same same same same same other"


def many_sources(count: int) -> Iterator[str]:
    """One page with a million candidate sources: each shares five words with it."""
    fives = [" ".join(f"w{i}x{j}" for j in range(5)) for i in range(count)]
    yield " ".join(fives)
    yield from fives


SHAPES = {
    "a gram in each of 1,000,000 pages": (everywhere, 1_000_000, {}),
    "1,000,000 identical pages, collapsed": (identical, 1_000_000, {}),
    "1,000,000 identical pages, --collapse none": (identical, 1_000_000, {"collapse": "none"}),
    "one page of 10,000,000 equal words": (equal_words, 10_000_000, {}),
    "one page with 1,000,000 candidate sources": (many_sources, 1_000_000, {"foreign": "none", "sigma": 0.1}),
}


def measure(record: Record) -> None:
    WORK.mkdir(exist_ok=True)
    for name, (make, count, parameters) in SHAPES.items():
        for folder in ("shape", "shape-corpus"):
            shutil.rmtree(WORK / folder, ignore_errors=True)
        schema = pa.schema([("text", pa.large_string())])
        reader = pa.RecordBatchReader.from_batches(schema, _batches(make(count), schema))
        uq.ingest(reader, WORK / "shape-corpus")
        taken = seconds(lambda parameters=parameters: uq.quilts(WORK / "shape-corpus", WORK / "shape", **parameters))
        summary = uq.read(WORK / "shape").manifest["summary"]
        record.add(
            name,
            taken,
            "s",
            note=f"{summary['words']:,} words, {summary['quilts']} quilts, {summary['sources']:,} sources",
        )


def _batches(texts: Iterator[str], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    while chunk := list(islice(texts, BATCH)):
        yield pa.RecordBatch.from_arrays([pa.array(chunk, pa.large_string())], schema=schema)
