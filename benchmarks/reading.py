"""Reading, part by part, beside libraries that could do it: tokens of HTML, checkpoints of gzip, records of WARC.

Pages are those of the small Debian corpus. Seconds are of processor time, each the median of alternating rounds, so
that ratios hold on a busy machine. A rival that is not installed is left out, and the record says so.
"""

from __future__ import annotations

import gzip
import json
import shutil
import statistics
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import unquilt as uq
from benchmarks.debian import as_warc, debian
from benchmarks.record import HERE, WORK, Record
from unquilt import _native
from unquilt.corpus.options import Reading
from unquilt.corpus.readers import warc
from unquilt.corpus.records import Found, Frame
from unquilt.corpus.sources import Slice, Source

ROUNDS = 7
SPAN = 8 << 20
"""Decoded bytes from one checkpoint of a gzip file to the next."""
FLIPS = 20
MAGIC = b"\x1f\x8b\x08"


def measure(record: Record) -> None:
    WORK.mkdir(exist_ok=True)
    pages = debian("small")
    _html(record, pages)
    _checkpoints(record, pages)
    _records(record, as_warc(pages))


def _html(record: Record, path: Path) -> None:
    from resiliparse.extract.html2text import extract_plain_text

    with gzip.open(path, "rb") as lines:
        pages = [json.loads(line)["html"] for line in lines]
    encoded = [page.encode("utf-8", "replace").replace(b"\0", b" ") for page in pages]
    size = sum(map(len, encoded)) / 1e6
    times = _alternate(
        {
            "ours": lambda: [_native.extract(page) for page in encoded],
            "resiliparse": lambda: [extract_plain_text(page, main_content=False) for page in pages],
        }
    )
    record.add("HTML of the small Debian corpus", size, "MB", note=f"{len(pages):,} pages")
    record.add("ours: text, chunks, digests, links", size / times["ours"], "MB/s", note="called from Python")
    _rival(record, "resiliparse: text", times["resiliparse"], times["ours"], size)
    taken = _tokenizers(encoded)
    if taken is None:
        record.add("html5gum, lol_html", "left out", note="there is no cargo")
        return
    record.add("ours, called from Rust", size / taken["ours"], "MB/s")
    _rival(record, "html5gum: tokens", taken["html5gum"], taken["ours"], size)
    _rival(record, "lol_html: text and links as they stand", taken["lol_html"], taken["ours"], size)


def _tokenizers(pages: list[bytes]) -> dict[str, float] | None:
    if shutil.which("cargo") is None:
        return None
    source = WORK / "pages"
    source.write_bytes(b"".join(page + b"\0" for page in pages))
    manifest, target = HERE / "tokenizers" / "Cargo.toml", HERE.parent / "target" / "tokenizers"
    cargo = ["cargo", "run", "--quiet", "--release", "--manifest-path", str(manifest), "--target-dir", str(target)]
    done = subprocess.run([*cargo, "--", str(source), str(ROUNDS)], check=True, stdout=subprocess.PIPE, text=True)
    source.unlink()
    found: dict[str, list[float]] = {}
    for name, seconds, *_ in map(str.split, done.stdout.splitlines()):
        found.setdefault(name, []).append(float(seconds))
    return {name: statistics.median(times) for name, times in found.items()}


def _checkpoints(record: Record, path: Path) -> None:
    """A first pass over one large gzip file, after which it can be entered every few MB."""
    tasks: dict[str, Callable[[], Any]] = {
        "ours": lambda: _native.gzip_index(str(path), SPAN),
        "zlib": lambda: _inflate(path),
    }
    if find_spec("indexed_gzip"):
        tasks["indexed_gzip"] = lambda: _indexed_gzip(path)
    if find_spec("rapidgzip"):
        tasks["rapidgzip"] = lambda: _rapidgzip(path)
    size = _inflate(path) / 1e6
    times = _alternate(tasks)
    points, _ = _native.gzip_index(str(path), SPAN)
    kept = sum(len(point) for _, point in points) / len(points) / 1e3
    note = f"{len(points)} of them, {kept:.0f} kB each"
    record.add("ours: checkpoints of a gzip file", size / times["ours"], "MB/s", note=note)
    _rival(record, "zlib of Python's: inflating alone", times["zlib"], times["ours"], size)
    for name in ("indexed_gzip", "rapidgzip"):
        if name in times:
            _rival(record, f"{name}: an index", times[name], times["ours"], size)
        else:
            record.add(name, "left out", note=f"not installed: pip install {name}")


def _inflate(path: Path) -> int:
    size, inflater = 0, zlib.decompressobj(31)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            size += len(inflater.decompress(block))
    return size


def _indexed_gzip(path: Path) -> None:
    import indexed_gzip

    with indexed_gzip.IndexedGzipFile(str(path), spacing=SPAN) as file:
        file.build_full_index()


def _rapidgzip(path: Path) -> None:
    import rapidgzip

    with rapidgzip.open(str(path), parallelization=1) as file:
        file.block_offsets()


def _records(record: Record, path: Path) -> None:
    """Records of an archive that are found when it is intact, and when bits of it are flipped."""
    intact = sum(1 for _ in _fastwarc(path))
    times = _alternate(
        {
            "ours": lambda: sum(isinstance(found, Frame) for found in _frames(path)),
            "fastwarc": lambda: sum(1 for _ in _fastwarc(path)),
            "again": lambda: len(_resuming(path)),
        }
    )
    size = path.stat().st_size / 1e6
    record.add("records of the small Debian corpus as .warc.gz", intact, note=f"{size:.0f} MB")
    record.add("ours: all of them framed", size / times["ours"], "MB/s", note="of the compressed file")
    _rival(record, "FastWARC: all of them read", times["fastwarc"], times["ours"], size)
    _rival(record, "… with a wrapper that goes on with the next member", times["again"], times["ours"], size)
    flipped = WORK / "flipped.warc.gz"
    content, random = bytearray(path.read_bytes()), Random(1)
    for _ in range(FLIPS):
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    flipped.write_bytes(content)
    found = sum(1 for _ in _fastwarc(flipped))
    record.add(f"{FLIPS} bits flipped: records that FastWARC finds", found, note=f"of {intact:,}")
    urls = _resuming(flipped)
    record.add("… with the wrapper", len(urls))
    output = WORK / "flipped"
    shutil.rmtree(output, ignore_errors=True)
    summary = uq.ingest(flipped, output).manifest["summary"]
    documents, rejects = summary["documents"], summary["rejects"]
    record.add("… ours: documents", documents, note=f"and {rejects} rejects that say what is lost, and where")
    shutil.rmtree(output)
    flipped.unlink()


def _frames(path: Path) -> Iterator[Found]:
    source = Source(str(path), path.stat().st_size, "warc", "gzip")
    return warc.read(Slice(source), Reading())


def _fastwarc(path: Path, begin: int = 0) -> Iterator[tuple[int, str]]:
    """Where each record begins and its URL, its content read; up to the first fault that is raised, or passed over."""
    from fastwarc.stream_io import FileStream
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    stream = FileStream(str(path), "rb")
    stream.seek(begin)
    try:
        for found in ArchiveIterator(stream, parse_http=False, record_types=WarcRecordType.response):
            found.reader.read()
            yield found.stream_pos, found.headers["WARC-Target-URI"]
    except Exception:  # noqa: BLE001 (of several kinds, not all of which it names)
        return


def _resuming(path: Path) -> list[str]:
    """The URLs of all records that FastWARC reads if it is set upon the next member wherever it ends too early."""
    content, at, urls = path.read_bytes(), 0, []
    while at >= 0:
        last = at
        for begin, url in _fastwarc(path, at):
            last = begin
            urls.append(url)
        at = content.find(MAGIC, last + 1)
    return urls


def _rival(record: Record, what: str, seconds: float, ours: float, size: float) -> None:
    record.add(what, size / seconds, "MB/s", note=f"{seconds / ours:.2f} times the time of ours")


def _alternate(tasks: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Each task's median of processor time; all tasks in each round."""
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            begin = time.process_time()
            task()
            taken[name].append(time.process_time() - begin)
    return {name: statistics.median(found) for name, found in taken.items()}
