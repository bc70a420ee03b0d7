"""The page over 41 runs of a million documents and a hundred thousand quilts: how long views take, and what memory.

To find so many quilts takes long and says nothing about the page, so the tables of the run are made up: a corpus that
`unquilt ingest` read, and quilts, sources and patches drawn at random, in the shapes that the analysis writes.
"""

from __future__ import annotations

import http.client
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import unquilt as uq
from benchmarks.record import WORK, Record
from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.runs import InputRecord, Run
from unquilt.tables.quilts import PATCHES, QUILTS, SITE_TABLES, SOURCES, VERDICTS
from unquilt.tables.table import Table

DOCUMENTS, QUILTED = 1_000_000, 100_000
SOURCES_EACH, PATCHES_EACH = 6, 18
ASKED = 200
RUNS, LOAD = 41, 10
HEAVY = "after all of these, and four at once: a far page of sorted patches, a sorted CSV, a search in texts, a host"
BATCH = 20_000


def measure(record: Record, documents: int = DOCUMENTS, quilts: int = QUILTED, asked: int = ASKED) -> None:
    folder = WORK / f"page-{documents}-{quilts}-of-{RUNS}-runs"
    run = make_run(folder, documents, quilts)
    record.add("documents", documents)
    record.add("quilts", quilts, note=f"{SOURCES_EACH} sources, {PATCHES_EACH} patches each")
    record.add("runs over the same corpus", RUNS, note="links to the files of the first")
    process, page, opening = start(folder)
    own = OwnMemory(process.pid)
    try:
        record.add("until the page can be asked", opening, "s", note="start of Python included")
        tables = f"/runs/{run.name}/tables"
        for what, path, floor in (
            ("first view: the runs", "/", "at most 1"),
            ("the page of a run, the first time", f"/runs/{run.name}", "at most 1"),
            ("first view of the quilts", f"{tables}/quilts", "at most 1"),
            ("quilts of a host", f"{tables}/quilts?host=h17.example", ""),
            ("quilts sorted by host", f"{tables}/quilts?sort=host", ""),
            ("quilts whose URL has a part", f"{tables}/quilts?q=123", ""),
            ("quilts by a condition", f"{tables}/quilts?where=words+%3E+50+and+domain+%3D+%27h5.example%27", ""),
            ("the last page of quilts", f"{tables}/quilts?page={quilts // 50}", ""),
            ("the last page of documents, sorted by URL", f"{tables}/documents?sort=url&page={documents // 50}", ""),
            ("the hosts of the corpus", f"{tables}/corpus_hosts", ""),
        ):
            before = processor_time(process.pid)
            taken = page.seconds(path)
            used = processor_time(process.pid) - before
            record.add(what, taken, "s", floor=floor, note=f"{used:.2f} s of processor time")
        for at_once in (1, LOAD):
            each = asked if at_once > 1 else asked // 2
            ask_for(record, page, process.pid, f"/runs/{run.name}", documents, quilts, each, at_once)
        heavy = [f"{tables}/patches?sort=-source_url&page={quilts * PATCHES_EACH // 50}"]
        heavy += [f"{tables}/documents?sort=url&format=csv", f"{tables}/documents?where=contains(text,%27abc%27)"]
        heavy += [f"/runs/{run.name}/sites?name=h17.example"]
        with ThreadPoolExecutor(len(heavy)) as pool:  # also those that take too long, which are told so
            list(pool.map(partial(page.seconds, refused=True), heavy))
        record.add("peak memory of the server", own.peak() / 1e6, "MB", floor="below 500", note=HEAVY)
        whole = peak_of(process.pid) / 1e6
        record.add("with files that are mapped into memory", whole, "MB", note="programs, and a copy of the URLs")
    finally:
        process.kill()
        process.communicate()


def ask_for(
    record: Record, page: Page, process: int, run: str, documents: int, quilts: int, asked: int, at_once: int
) -> None:
    """Quilts, their sources and documents, drawn at random; so many requests at once."""
    random = Random(2)
    numbers = [random.randrange(quilts) * (documents // quilts) for _ in range(asked)]
    for what, paths, floor in (
        ("a quilt with its sources", [f"quilts/{each}" for each in numbers], "at most 0.3"),
        (
            "the source of a patch beside it",
            [f"quilts/{n}/beside?patch={n % PATCHES_EACH}" for n in numbers],
            "at most 0.3",
        ),
        ("a document", [f"documents/{random.randrange(documents)}" for _ in numbers], "at most 0.5"),
    ):
        before = processor_time(process)
        with ThreadPoolExecutor(at_once) as pool:
            taken = sorted(pool.map(page.seconds, [f"{run}/{path}" for path in paths]))
        used = (processor_time(process) - before) / asked
        when = f"{at_once} at once" if at_once > 1 else "one after the other"
        record.add(f"{what}, {when}: median", statistics.median(taken), "s")
        limit = {"floor": floor} if at_once == 1 else {}
        record.add(f"{what}, {when}: 95th percentile", taken[int(asked * 0.95)], "s", **limit)
        record.add(f"{what}, {when}: processor time, mean", used, "s")


class Page:
    """Requests to the page, each with a connection of its own, as they cost a browser."""

    def __init__(self, port: int, root: str, key: str) -> None:
        self._port, self._root = port, root
        self._headers = {"cookie": f"unquilt={key}"}

    def seconds(self, path: str, refused: bool = False) -> float:
        begin = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        connection.request("GET", self._root + path, headers=self._headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200 and not (refused and answer.status in (429, 503)):
            raise RuntimeError(f"{path}: {answer.status}: {body[-500:]!r}")
        return time.perf_counter() - begin


def start(folder: Path) -> tuple[subprocess.Popen[str], Page, float]:
    begin = time.perf_counter()
    command = [sys.executable, "-m", "unquilt", "serve", str(folder), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r":(\d+)(/\S+)/\?key=(\S+)", line)
    assert found is not None, line
    return process, Page(int(found[1]), found[2], found[3]), time.perf_counter() - begin


class OwnMemory:
    """Looks again and again how much memory a process has, files that are mapped into it left out."""

    def __init__(self, process: int) -> None:
        self._path, self._most, self._ended = Path(f"/proc/{process}/status"), 0, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.wait(0.01):
            lines = self._path.read_text().splitlines()
            now = next((int(line.split()[1]) for line in lines if line.startswith("RssAnon")), 0)
            self._most = max(self._most, now * 1024)

    def peak(self) -> int:
        self._ended.set()
        self._thread.join()
        return self._most


def peak_of(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def processor_time(process: int) -> float:
    """Seconds of both kinds that a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def make_run(folder: Path, documents: int, quilts: int) -> Path:
    """The corpus and the runs, unless they are there; the first of them."""
    first, last = folder / "quilts", folder / f"quilts-{RUNS}"
    if (last / "manifest.json").exists():
        return first
    folder.mkdir(parents=True, exist_ok=True)
    write_pages(folder / "pages.parquet", documents)
    corpus = uq.ingest(folder / "pages.parquet", folder / "corpus")
    inputs = [InputRecord(str(corpus.path), 1, corpus.manifest["fingerprint"])]
    parameters = QuiltParameters().to_dict()
    with Run.open(first, analysis="quilts", parameters=parameters, inputs=inputs) as run:
        for table, batches in (
            (QUILTS, in_batches(QUILTS, draw_quilts(documents, quilts))),
            (SOURCES, in_batches(SOURCES, draw_sources(documents, quilts))),
            (PATCHES, in_batches(PATCHES, draw_patches(documents, quilts))),
            (VERDICTS, draw_verdicts(documents)),
            *((table, draw_sites(table)) for table in SITE_TABLES["domain"]),
        ):
            with run.stage(table.name), run.writer(table.name, table.schema) as out:
                for batch in batches:
                    out.write(batch)
            run.mark(table.name, tables=[table.name])
        run.finish({"quilts": quilts, "documents": documents})
    for number in range(2, RUNS + 1):
        shutil.copytree(first, folder / f"quilts-{number}", copy_function=os.link)
    return first


def write_pages(path: Path, documents: int) -> None:
    random = Random(1)
    words = ["".join(random.choices("abcdefghijklmnoprstuvw", k=random.randint(2, 9))) for _ in range(20_000)]
    text = " ".join(random.choices(words, k=500_000))
    schema = pa.schema([("id", pa.string()), ("url", pa.string()), ("text", pa.string())])
    with pq.ParquetWriter(path, schema) as out:
        for begin in range(0, documents, BATCH):
            numbers = range(begin, min(begin + BATCH, documents))
            places = [random.randrange(len(text) - 1_000) for _ in numbers]
            columns = {
                "id": [f"page-{number:07}" for number in numbers],
                "url": [f"http://h{number % 5_000}.example/{number % 97}/{number}.html" for number in numbers],
                "text": [text[place : place + 800] for place in places],
            }
            out.write_table(pa.table(columns, schema))


def in_batches(table: Table, rows: Iterator[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    waiting: list[dict[str, Any]] = []
    for row in rows:
        waiting.append(row)
        if len(waiting) == BATCH:
            yield pa.RecordBatch.from_pylist(waiting, table.schema)
            waiting = []
    if waiting:
        yield pa.RecordBatch.from_pylist(waiting, table.schema)


def draw_verdicts(documents: int) -> Iterator[pa.RecordBatch]:
    """The numbers of all documents."""
    random = Random(4)
    for begin in range(0, documents, BATCH):
        size = min(BATCH, documents - begin)
        shares = [random.random() for _ in range(size)]
        columns: dict[str, list[Any]] = {"doc": list(range(begin, begin + size)), "verdict": ["none"] * size}
        columns |= dict.fromkeys(("patchfrac", "covered", "spanned", "largest", "own"), shares)
        columns |= {"quilt": [False] * size, "why": [None] * size}
        fields = [
            (field, columns.get(field.name, [pa.types.is_boolean(field.type) or 1] * size)) for field in VERDICTS.schema
        ]
        yield pa.RecordBatch.from_arrays([pa.array(v, f.type) for f, v in fields], schema=VERDICTS.schema)


def draw_sites(table: Table) -> Iterator[pa.RecordBatch]:
    size = 5_000
    columns = {"domain": [f"h{number}.example" for number in range(size)], "share": [0.5] * size}
    arrays = [pa.array(columns.get(each.name, list(range(size))), each.type) for each in table.schema]
    yield pa.RecordBatch.from_arrays(arrays, schema=table.schema)


def numbers_of(documents: int, quilts: int) -> range:
    return range(0, quilts * (documents // quilts), documents // quilts)


def sources_of(number: int, documents: int) -> list[int]:
    return Random(number).sample(range(documents), SOURCES_EACH)


def draw_quilts(documents: int, quilts: int) -> Iterator[dict[str, Any]]:
    random = Random(3)
    for number in numbers_of(documents, quilts):
        share = random.uniform(0.5, 1)
        named = {"doc": number, "id": f"page-{number:07}", "verdict": "quilt"}
        named["url"] = f"http://h{number % 5_000}.example/{number % 97}/{number}.html"
        counted: dict[str, Any] = {
            each.name: pa.types.is_boolean(each.type) or 100 for each in QUILTS.columns if each.name not in named
        }
        counted |= {"patchfrac": share, "covered": share, "largest": random.random() / 2, "attributed": 0.0}
        yield named | counted | {"words": random.randint(60, 140), "sources": SOURCES_EACH}


def draw_sources(documents: int, quilts: int) -> Iterator[dict[str, Any]]:
    for number in numbers_of(documents, quilts):
        for rank, source in enumerate(sources_of(number, documents), 1):
            row: dict[str, Any] = {"quilt": number, "rank": rank, "source": source, "new_grams": 30 - rank}
            others = {each.name: 0 for each in SOURCES.columns if each.name not in row}
            yield row | others | {"all_grams": 31 - rank, "linked": None}


def draw_patches(documents: int, quilts: int) -> Iterator[dict[str, Any]]:
    for number in numbers_of(documents, quilts):
        sources = sources_of(number, documents)
        for place in range(PATCHES_EACH):
            begin = place * 40
            row = {"quilt": number, "begin": begin, "end": begin + 35, "source": sources[place % SOURCES_EACH]}
            yield row | {"source_begin": begin, "source_end": begin + 35, "words": 6}
