"""The page over a run of a million documents and a hundred thousand quilts: how long views take, and what memory.

To find so many quilts takes long and says nothing about the page, so the tables of the run are made up: a corpus that
`unquilt ingest` read, and quilts, sources and patches drawn at random, in the shapes that the analysis writes.
"""

from __future__ import annotations

import http.client
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import unquilt as uq
from benchmarks.record import WORK, Record
from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.runs import InputRecord, Run
from unquilt.tables.quilts import PATCHES, QUILTS, SOURCES
from unquilt.tables.table import Table

DOCUMENTS, QUILTED = 1_000_000, 100_000
SOURCES_EACH, PATCHES_EACH = 6, 18
ASKED = 200
BATCH = 20_000


def measure(record: Record, documents: int = DOCUMENTS, quilts: int = QUILTED, asked: int = ASKED) -> None:
    folder = WORK / f"page-{documents}-{quilts}"
    run = make_run(folder, documents, quilts)
    record.add("documents", documents)
    record.add("quilts", quilts, note=f"{SOURCES_EACH} sources, {PATCHES_EACH} patches each")
    process, page, opening = start(run)
    try:
        record.add("until the page can be asked", opening, "s", note="start of Python included")
        record.add("first view: the runs", page.seconds("/"), "s", floor="at most 1")
        record.add("first view of the quilts", page.seconds("/runs/quilts/tables/quilts"), "s", floor="at most 1")
        for what, query in {
            "quilts of a host": "host=h17.example",
            "quilts sorted by host": "sort=host",
            "quilts whose URL has a part": "q=123",
            "quilts by a condition": "where=words+%3E+50+and+domain+%3D+%27h5.example%27",
            "the last page of quilts": f"page={quilts // 50}",
        }.items():
            record.add(what, page.seconds(f"/runs/quilts/tables/quilts?{query}"), "s")
        record.add("the hosts of the corpus", page.seconds("/runs/quilts/tables/corpus_hosts"), "s")
        random, alone, beside = Random(2), list[float](), list[float]()
        before = processor_time(process.pid)
        for _ in range(asked):
            number = random.randrange(quilts) * (documents // quilts)
            here = f"/runs/quilts/quilts/{number}"
            alone.append(page.seconds(here))
            beside.append(page.seconds(f"{here}/beside?patch={random.randrange(PATCHES_EACH)}"))
        used = (processor_time(process.pid) - before) / (2 * asked)
        some = [random.randrange(documents) for _ in range(max(5, asked // 10))]
        known = [page.seconds(f"/runs/quilts/documents/{number}") for number in some]
        for what, taken, floor in (
            ("a quilt with its sources", alone, "at most 0.3"),
            ("the source of a patch beside it", beside, "at most 0.3"),
            ("a document with all that is said of it", known, ""),
        ):
            record.add(f"{what}, median", statistics.median(taken), "s")
            record.add(f"{what}, 95th percentile", sorted(taken)[int(len(taken) * 0.95)], "s", floor=floor)
        record.add("processor time of a quilt or a source, mean", used, "s", note="what it takes on a quiet machine")
        record.add("peak memory of the server", peak_of(process.pid) / 1e6, "MB", floor="below 500")
    finally:
        process.kill()
        process.communicate()


class Page:
    """Requests to the page, each with a connection of its own, as they cost a browser."""

    def __init__(self, port: int, key: str) -> None:
        self._port = port
        self._headers = {"cookie": f"unquilt-{port}={key}"}

    def seconds(self, path: str) -> float:
        begin = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        connection.request("GET", path, headers=self._headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status}: {body[-500:]!r}")
        return time.perf_counter() - begin


def start(run: Path) -> tuple[subprocess.Popen[str], Page, float]:
    begin = time.perf_counter()
    command = [sys.executable, "-m", "unquilt", "serve", str(run), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r":(\d+)/\?key=(\S+)", line)
    assert found is not None, line
    return process, Page(int(found[1]), found[2]), time.perf_counter() - begin


def peak_of(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def processor_time(process: int) -> float:
    """Seconds of both kinds that a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def make_run(folder: Path, documents: int, quilts: int) -> Path:
    """The corpus and the run, unless they are there."""
    if (folder / "quilts" / "manifest.json").exists() and Run.read(folder / "quilts").complete:
        return folder / "quilts"
    folder.mkdir(parents=True, exist_ok=True)
    write_pages(folder / "pages.parquet", documents)
    corpus = uq.ingest(folder / "pages.parquet", folder / "corpus")
    inputs = [InputRecord(str(corpus.path), 1, corpus.manifest["fingerprint"])]
    parameters = QuiltParameters().to_dict()
    with Run.open(folder / "quilts", analysis="quilts", parameters=parameters, inputs=inputs) as run:
        for table, rows in (
            (QUILTS, draw_quilts(documents, quilts)),
            (SOURCES, draw_sources(documents, quilts)),
            (PATCHES, draw_patches(documents, quilts)),
        ):
            with run.stage(table.name), run.writer(table.name, table.schema) as out:
                for batch in in_batches(table, rows):
                    out.write(batch)
            run.mark(table.name, tables=[table.name])
        run.finish({"quilts": quilts})
    return folder / "quilts"


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
        counted: dict[str, Any] = {each.name: 100 for each in QUILTS.columns if each.name not in named}
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
