"""Reuse: discovery and detection beside the SHA-1 of every chunk alone, and a detector beside parsing.

The yardstick reads texts and chunks of the ingested medium Debian corpus, cuts each text and makes the SHA-1 of the
words of each chunk, in the core, with as many threads as the analyses have: no Python object for any chunk. The same
with `hashlib` stands beside it.

Rivals on the same chunks, in the same run: DuckDB, which makes the SHA-1 of every chunk and groups by it (in a table
of chunks that were cut for it: to cut them itself, by `substring` over our `documents`, takes it more than ten times
as long), and if it is installed `dolma dedupe` by paragraphs, which marks paragraphs that a Bloom filter has seen
before, over the same texts as compressed JSON lines (dolma reads no others). What each prepares before (a table of
chunks, the files) is not counted.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

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
        _measure_memory(record, folder, place, labels)
        _measure_duckdb(record, corpus, place, found["discover"], chunks)
        _measure_dolma(record, corpus, place, found["discover"])
        _measure_detector(record, uq.LabelSet.load(labels))


def _measure_memory(record: Record, folder: Path, place: Path, labels: Path) -> None:
    """The memory that detection takes beyond what it takes with a single label, beside the size of the set."""
    few = place / "few.labels"
    uq.LabelSet.pack(few, About(), chunks=hashlib.sha1(b"0", usedforsecurity=False).digest())
    peaks = [_peak_of_detection(folder, place / f"peak-{each.stem}", each) for each in (few, labels)]
    share = (peaks[1] - peaks[0]) / labels.stat().st_size
    record.add("memory of detection beyond that with one label", share, "times the set", floor="at most 1.3")


def _peak_of_detection(folder: Path, run: Path, labels: Path) -> int:
    """The peak memory of a process of its own, in bytes."""
    program = (
        "import resource, sys, unquilt as uq\n"
        "how = uq.How(settings=uq.Settings(threads=2, memory=1 << 30))\n"
        "uq.detect(sys.argv[1], sys.argv[2], how=how, labels=sys.argv[3])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    asked = [sys.executable, "-c", program, str(folder), str(run), str(labels)]
    return int(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)


def _measure_duckdb(record: Record, corpus: Kept, place: Path, discovery: float, chunks: int) -> None:
    """DuckDB over a table of the texts of all chunks."""
    import duckdb

    table = place / "chunks.parquet"
    with pq.ParquetWriter(table, pa.schema([("doc", pa.int64()), ("chunk", pa.large_string())])) as writer:
        for split in corpus.splits():
            for batch in list_chunks(split):
                writer.write_batch(batch)
    asked = (
        "select sha1(chunk) as hash, count(*) as occurrences, count(distinct doc) as documents, min(doc) as first "
        f"from read_parquet('{table}') group by hash having count(*) > 1"
    )
    with duckdb.connect() as database:
        database.execute(f"set threads = {THREADS}; set memory_limit = '1GB'; set temp_directory = '{place}'")
        counted = database.execute(f"select count(*) from read_parquet('{table}')").fetchone()
        assert counted is not None
        taken = seconds(lambda: database.execute(f"create table found as {asked}"))
        rows = database.execute("select count(*) from found").fetchone()
    assert rows is not None
    note = f"{counted[0]:,} chunks, those that say nothing included ({chunks:,} without); {rows[0]:,} repeated"
    record.add("DuckDB: sha1 and group by on the same chunks, cut for it", taken, "s", note=note)
    record.add("… beside discover, which reads whole texts", taken / discovery, "times")


def list_chunks(split: Split) -> Iterator[pa.RecordBatch]:
    """The texts of the chunks of a row group, with white space collapsed, as unquilt compares them."""
    table = split.read(("doc", "text", "chunks"))
    docs: list[int] = []
    texts: list[str] = []
    for doc, text, spans in zip(*(table[name].to_pylist() for name in table.column_names), strict=True):
        for span in spans or ():
            docs.append(doc)
            texts.append(" ".join(text[span["begin"] : span["end"]].split()))
    yield pa.RecordBatch.from_arrays([pa.array(docs, pa.int64()), pa.array(texts, pa.large_string())], ["doc", "chunk"])


def _measure_dolma(record: Record, corpus: Kept, place: Path, discovery: float) -> None:
    """dolma's tagger of repeated paragraphs, if it is installed."""
    program = shutil.which("dolma") or shutil.which("dolma", path=str(Path(sys.executable).parent))
    if program is None:
        record.add("dolma dedupe by paragraphs", 0, "s", note="dolma is not installed: pip install dolma")
        return
    folder = place / "dolma" / "documents"
    folder.mkdir(parents=True)
    for number, split in enumerate(corpus.splits()):
        table = split.read(("id", "text"))
        with gzip.open(folder / f"{number:05}.jsonl.gz", "wt", encoding="utf-8", compresslevel=1) as file:
            for row in table.to_pylist():
                file.write(json.dumps({"id": row["id"], "text": row["text"], "source": "debian"}) + "\n")
    asked = [program, "dedupe", "--documents", f"{folder}/*", "--dedupe.name", "repeated", "--processes", str(THREADS)]
    asked += ["--dedupe.paragraphs.attribute_name", "repeated", "--bloom_filter.file", str(place / "bloom.bin")]
    asked += ["--bloom_filter.estimated_doc_count", "4000000", "--bloom_filter.desired_false_positive_rate", "0.0001"]
    taken = seconds(lambda: subprocess.run([*asked, "--no-bloom_filter.read_only"], check=True, capture_output=True))
    record.add("dolma dedupe by paragraphs", taken, "s")
    record.add("… beside discover", taken / discovery, "times", floor="more than 1")


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
