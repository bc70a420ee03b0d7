"""The Debian documentation corpora, as text: the pages of `debian-docs` through the extractor, kept as Parquet.

The benchmarks and the tests that read real data share these files. They are made once, under
`${XDG_CACHE_HOME:-~/.cache}/unquilt-bench`, from what the script `debian-docs` beside the shared data wrote
(its downloads are kept too). Only `resiliparse` is needed besides unquilt's own dependencies.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "unquilt-bench"
SCHEMA = pa.schema([("id", pa.string()), ("url", pa.string()), ("text", pa.large_string())])
PAGES_PER_TASK = 256


def debian(tier: str) -> Path:
    """The Parquet file (id, url, text) of the tier small, medium or large; made if it is missing."""
    target = CACHE / f"debian-{tier}.parquet"
    if not target.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        pages = CACHE / f"debian-{tier}.jsonl.gz"
        if not pages.exists():
            partial = pages.with_suffix(".partial")
            subprocess.run(["bash", SHARED / "debian-docs", tier, partial], check=True, stdout=sys.stderr)
            partial.rename(pages)
        _extract(pages, target)
    return target


def _extract(pages: Path, target: Path) -> None:
    partial = target.with_suffix(".partial")
    waiting: deque[Future[pa.RecordBatch]] = deque()
    with (
        pq.ParquetWriter(partial, SCHEMA, compression="zstd", compression_level=1) as writer,
        ProcessPoolExecutor() as pool,
        gzip.open(pages, "rb") as lines,
    ):
        for chunk in _chunks(iter(lines)):
            waiting.append(pool.submit(_texts, chunk))
            if len(waiting) > 8:
                writer.write_batch(waiting.popleft().result())
        for future in waiting:
            writer.write_batch(future.result())
    partial.rename(target)


def _chunks(lines: Iterator[bytes]) -> Iterator[list[bytes]]:
    while chunk := list(islice(lines, PAGES_PER_TASK)):
        yield chunk


def _texts(lines: list[bytes]) -> pa.RecordBatch:
    from resiliparse.extract.html2text import extract_plain_text

    pages = [json.loads(line) for line in lines]
    return pa.RecordBatch.from_pydict(
        {
            "id": [page["id"] for page in pages],
            "url": [page["url"] for page in pages],
            "text": [extract_plain_text(page["html"]) for page in pages],
        },
        schema=SCHEMA,
    )


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(debian(name))
