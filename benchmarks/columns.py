"""Reading the medium Debian corpus with 20 further columns beside each page, and without: JSON lines and Parquet.

Numbers, texts, dates, decimals, lists and objects, some of them missing: as much as tables of training corpora have.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.debian import debian
from benchmarks.medium import THREADS, fresh
from benchmarks.record import WORK, Record, cost

ROUNDS = 2
BEGIN = datetime(2020, 1, 1, tzinfo=UTC)


def measure(record: Record, tier: str = "medium") -> None:
    WORK.mkdir(exist_ok=True)
    for kind, write in {"jsonl.gz": write_lines, "parquet": write_parquet}.items():
        files = {wide: WORK / f"columns-{tier}-{'20' if wide else '0'}.{kind}" for wide in (False, True)}
        for wide, path in files.items():
            if not path.exists():
                write(path, tier, wide=wide)
        least: dict[bool, float] = {}
        for _ in range(ROUNDS):
            for wide, path in files.items():
                asked = ("ingest", str(path), "-o", str(fresh("columns")), "--threads", str(THREADS), "-q")
                spent = cost(*asked).processor
                least[wide] = min(spent, least.get(wide, spent))
        record.add(
            f"ingest, Debian {tier}, {kind}", least[False], "s", note=f"processor time, best of {ROUNDS}, interleaved"
        )
        record.add("… with 20 further columns", least[True], "s")
        record.add("… times as long", least[True] / least[False], "×", floor="at most 1.2")


def read_pages(tier: str, *, wide: bool, exact: bool) -> Iterator[dict[str, Any]]:
    rng = random.Random(4)
    with gzip.open(debian(tier), "rb") as lines:
        for number, line in enumerate(lines):
            yield orjson.loads(line) | (_draw_columns(number, rng, exact=exact) if wide else {})


def _draw_columns(number: int, rng: random.Random, *, exact: bool) -> dict[str, Any]:
    """Values of 20 columns; `exact`: with types that JSON does not have."""
    when, price = BEGIN + timedelta(seconds=rng.randrange(10**8)), Decimal(rng.randrange(10**6)).scaleb(-2)
    return {
        "crawl": f"2024-{rng.randrange(50):02}",
        "source": rng.choice(("news", "forum", "docs", None)),
        "language": rng.choice(("en", "de", "zh")),
        "fetched_at": when if exact else when.isoformat(),
        "day": when.date() if exact else when.date().isoformat(),
        "price": price if exact else str(price),
        "quality": rng.random(),
        "perplexity": rng.choice((None, rng.random() * 1000)),
        "toxicity": rng.random(),
        "tokens": rng.randrange(10**5),
        "rank": number,
        "is_adult": rng.random() < 0.1,
        "licence": rng.choice((None, "CC-BY-4.0")),
        "digest": f"{rng.getrandbits(160):040x}",
        "tags": [f"tag{rng.randrange(100)}" for _ in range(rng.randrange(5))],
        "scores": [rng.random() for _ in range(8)],
        "meta": {"offset": rng.randrange(10**9), "file": f"segment-{rng.randrange(100)}.warc.gz", "note": None},
        "labels": [{"name": "spam", "share": rng.random()}],
        "title": f"Page {number} of a collection",
        "note": rng.choice((None, "seen")),
    }


def write_lines(path: Path, tier: str, *, wide: bool) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for page in read_pages(tier, wide=wide, exact=False):
            file.write(orjson.dumps(page) + b"\n")


def write_parquet(path: Path, tier: str, *, wide: bool) -> None:
    writer, left = None, read_pages(tier, wide=wide, exact=True)
    while pages := list(islice(left, 2_000)):
        table = pa.Table.from_pylist(pages)
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table.cast(writer.schema))
    if writer is not None:
        writer.close()
