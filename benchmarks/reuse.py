"""Reuse: discovery and detection beside the SHA-1 of every chunk and beside rivals, and a detector beside parsing.

All times are processor time, of all threads and processes, medians of rounds in each of which all tasks come once:
so a busy machine hits all alike.

The yardstick reads texts and chunks of the ingested medium Debian corpus, cuts each text and makes the SHA-1 of the
words of each chunk, in the core, with as many threads as the analyses have: no Python object for any chunk. The same
with `hashlib` stands beside it.

Rivals, each from what it would have on disk, with two threads:

- DuckDB makes the SHA-1 of every chunk and groups by it, from a Parquet file with a row for each chunk, cut beforehand
  (to cut them itself, by `substring` over our `documents`, takes it more than ten times as long). It counts occurrences
  and documents and finds the first document, as discovery does, or occurrences alone. Discovery reads the corpus, which
  has the SHA-1s since it was ingested; it counts sites, too, and files, and looks up what objects say.
- `dolma dedupe` by paragraphs (a Bloom filter; marks what was seen before) over the same texts as compressed JSON
  lines, which is what it reads. The variable DOLMA names the program, if it is not on the path: it wants numpy below
  2, so it is best installed in an environment of its own.

What each prepares before (a table of chunks, the files) is not counted.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import unquilt as uq
from benchmarks.record import WORK, Record, processor_seconds, rounds, seconds
from unquilt import _native
from unquilt.columns import buffers
from unquilt.flow.kept import Kept, Split
from unquilt.jobs.corpora import documents
from unquilt.runs import Run
from unquilt.stores.labels import About

MEDIUM = Path.home() / ".cache" / "unquilt-bench" / "debian-medium.jsonl.gz"
THREADS = 2
LABELS = 10_000_000
PAGES = 1000
ROUNDS = 2


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
    columns = ("chunks", "trivial_chunks", "text")
    table = split.read(columns)
    chunks, trivial, text = (buffers(table[name]) for name in columns)
    return len(_native.chunk_hashes(chunks, trivial, text, True, 0)) // 20


def _hash_all(corpus: Kept, function: Callable[[Split], int]) -> int:
    with ThreadPoolExecutor(THREADS) as pool:
        return sum(pool.map(function, corpus.splits()))


def measure(record: Record) -> None:
    WORK.mkdir(exist_ok=True)
    folder = WORK / "reuse-medium"
    if not folder.exists():
        uq.ingest(MEDIUM, folder)
    corpus, options = documents(Run.read(folder)), uq.JobOptions(settings=uq.Settings(threads=THREADS, memory=1 << 30))
    with tempfile.TemporaryDirectory(dir=WORK) as name:
        place = Path(name)
        labels = _make_labels(record, place)
        record.add("open it", 1e3 * min(seconds(lambda: uq.LabelSet.load(labels)) for _ in range(9)), "ms")
        numbers = iter(range(99))
        tasks: dict[str, Callable[[], Any]] = {
            "core": lambda: _hash_all(corpus, hash_in_core),
            "discover": lambda: uq.discover(folder, place / str(next(numbers)), options=options),
            "detect": lambda: uq.detect(folder, place / str(next(numbers)), options=options, labels=str(labels)),
            "hashlib": lambda: _hash_all(corpus, hash_with_hashlib),
        }
        table = list_all_chunks(corpus, place / "chunks.parquet")
        tasks["duckdb"] = lambda: group_in_duckdb(table, "count(distinct doc) as documents, min(doc) as first")
        tasks["duckdb counts"] = lambda: group_in_duckdb(table, "")
        dolma = os.environ.get("DOLMA") or shutil.which("dolma")
        if dolma:
            files = write_for_dolma(corpus, place / "dolma" / "documents")
            tasks["dolma"] = lambda: run_dolma(dolma, files, place / f"bloom-{next(numbers)}.bin")
        found = rounds(tasks, ROUNDS, processor_seconds)
        chunks, discovery = _hash_all(corpus, hash_in_core), found["discover"]
        record.add("SHA-1 of every chunk alone, in the core", found["core"], "s", note=f"{chunks:,} chunks")
        record.add("SHA-1 of every chunk alone, hashlib", found["hashlib"], "s")
        record.add("discover", discovery, "s")
        record.add("… beside SHA-1 in the core", discovery / found["core"], "times", floor="at most 2")
        record.add(f"detect, {LABELS:,} labels", found["detect"], "s")
        record.add("… beside SHA-1 in the core", found["detect"] / found["core"], "times", floor="at most 1.5")
        repeated = group_in_duckdb(table, "")
        note = f"{repeated:,} repeated chunks, those that say nothing included"
        record.add("DuckDB: sha1 and group by, occurrences, documents, first one", found["duckdb"], "s", note=note)
        record.add("… beside discover", found["duckdb"] / discovery, "times", floor="more than 1")
        record.add("DuckDB: sha1 and group by, occurrences alone", found["duckdb counts"], "s")
        record.add("… beside discover", found["duckdb counts"] / discovery, "times")
        if dolma:
            record.add("dolma dedupe by paragraphs", found["dolma"], "s")
            record.add("… beside discover", found["dolma"] / discovery, "times", floor="more than 1")
        else:
            record.add("dolma dedupe by paragraphs", "not measured", note="dolma is not installed: pip install dolma")
        _measure_memory(record, folder, place, labels)
        _measure_detector(record, uq.LabelSet.load(labels))


def _make_labels(record: Record, place: Path) -> Path:
    """A set of many labels, made within as little memory as its filter allows."""
    hashes, labels = place / "hashes", place / "many.labels"
    hashes.write_bytes(b"".join(hashlib.sha1(str(each).encode()).digest() for each in range(LABELS)))
    program = (
        "import re, sys, time\n"
        "from pathlib import Path\n"
        "from unquilt.stores.labels import About, LabelGathering\n"
        "begun, place = time.process_time(), Path(sys.argv[1])\n"
        "gathering = LabelGathering(33 * int(sys.argv[2]), place)\n"
        "with (place / 'hashes').open('rb') as file:\n"
        "    while some := file.read(20 << 16):\n"
        "        gathering.add(some)\n"
        "gathering.write(place / 'many.labels', About(), [])\n"
        "print(time.process_time() - begun)\n"
        "print(1024 * int(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1]))"
    )
    asked = [sys.executable, "-c", program, str(place), str(LABELS)]
    taken, peak = map(float, subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split())
    size = labels.stat().st_size / LABELS
    record.add(f"make a set of {LABELS:,} labels", taken, "s", note=f"{size:.1f} bytes a label")
    note = f"{peak / 1e6:,.0f} MB, Python included; {33 * LABELS / 1e6:,.0f} MB were allowed"
    record.add("memory while it is made", peak / LABELS, "bytes a label", note=note)
    return labels


def _measure_memory(record: Record, folder: Path, place: Path, labels: Path) -> None:
    """The memory that detection takes beyond what it takes with a single label, beside the size of the set."""
    few = place / "few.labels"
    uq.LabelSet.pack(few, About(), chunks=hashlib.sha1(b"0", usedforsecurity=False).digest())
    peaks = [_peak_of_detection(folder, place / f"peak-{each.stem}", each) for each in (few, labels)]
    share = (peaks[1] - peaks[0]) / labels.stat().st_size
    note = f"{peaks[1] / 1e6:,.0f} MB in all, {peaks[0] / 1e6:,.0f} MB with one label"
    record.add("memory of detection beyond that with one label", share, "times the set", floor="at most 1.3", note=note)


def _peak_of_detection(folder: Path, run: Path, labels: Path) -> int:
    """The peak memory of a process of its own, in bytes: not by `getrusage`, which counts that of its parent, too."""
    program = (
        "import re, sys, unquilt as uq\n"
        "options = uq.JobOptions(settings=uq.Settings(threads=2, memory=1 << 30))\n"
        "uq.detect(sys.argv[1], sys.argv[2], options=options, labels=sys.argv[3])\n"
        "print(1024 * int(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1]))"
    )
    asked = [sys.executable, "-c", program, str(folder), str(run), str(labels)]
    return int(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)


def list_all_chunks(corpus: Kept, table: Path) -> Path:
    """A file with a row for each chunk."""
    with pq.ParquetWriter(table, pa.schema([("doc", pa.int64()), ("chunk", pa.large_string())])) as writer:
        for split in corpus.splits():
            writer.write_batch(list_chunks(split))
    return table


def group_in_duckdb(table: Path, counted: str) -> int:
    """How many chunks occur more than once, with what else is counted of each."""
    import duckdb

    asked = (
        f"select sha1(chunk) as hash, count(*) as occurrences{counted and ', '}{counted} "
        f"from read_parquet('{table}') group by hash having count(*) > 1"
    )
    with duckdb.connect() as database:
        database.execute(f"set threads = {THREADS}; set memory_limit = '1GB'; set temp_directory = '{table.parent}'")
        database.execute(f"create table found as {asked}")
        rows = database.execute("select count(*) from found").fetchone()
    assert rows is not None
    return int(rows[0])


def list_chunks(split: Split) -> pa.RecordBatch:
    """The texts of the chunks of a row group, with white space collapsed, as unquilt compares them."""
    table = split.read(("doc", "text", "chunks"))
    docs: list[int] = []
    texts: list[str] = []
    for doc, text, spans in zip(*(table[name].to_pylist() for name in table.column_names), strict=True):
        for span in spans or ():
            docs.append(doc)
            texts.append(" ".join(text[span["begin"] : span["end"]].split()))
    return pa.RecordBatch.from_arrays(
        [pa.array(docs, pa.int64()), pa.array(texts, pa.large_string())], ["doc", "chunk"]
    )


def write_for_dolma(corpus: Kept, folder: Path) -> Path:
    """The texts as files that dolma reads."""
    folder.mkdir(parents=True)
    for number, split in enumerate(corpus.splits()):
        table = split.read(("id", "text"))
        with gzip.open(folder / f"{number:05}.jsonl.gz", "wt", encoding="utf-8", compresslevel=1) as file:
            for row in table.to_pylist():
                file.write(json.dumps({"id": row["id"], "text": row["text"], "source": "debian"}) + "\n")
    return folder


def run_dolma(program: str, folder: Path, bloom: Path) -> None:
    """Marks paragraphs that were seen before; as ours, they are what blank lines separate."""
    shutil.rmtree(folder.with_name("attributes"), ignore_errors=True)
    asked = [program, "dedupe", "--documents", f"{folder}/*", "--dedupe.name", "repeated", "--processes", str(THREADS)]
    asked += ["--dedupe.paragraphs.attribute_name", "repeated", "--dedupe.paragraphs.paragraph_separator", "\n\n"]
    asked += ["--bloom_filter.file", str(bloom), "--no-bloom_filter.read_only"]
    asked += ["--bloom_filter.estimated_doc_count", "4000000", "--bloom_filter.desired_false_positive_rate", "0.0001"]
    subprocess.run(asked, check=True, capture_output=True)


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

    found = rounds({"parse": parse, "ask": ask}, 9, processor_seconds)
    record.add(f"ask a detector about {len(pages):,} pages", found["ask"], "s")
    record.add("… beside parse and hash", found["ask"] / found["parse"], "times", floor="at most 1.3")
