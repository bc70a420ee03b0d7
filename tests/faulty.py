"""Broken and hostile files for tests of docs/faults.md: how to make and how to read them, in this process or by the
command line.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import zstandard
from click.testing import CliRunner

from unquilt.cli import cli
from unquilt.corpus.find.inputs import find
from unquilt.corpus.find.pieces import pieces
from unquilt.corpus.options import Reading
from unquilt.corpus.read import PieceReader
from unquilt.corpus.records import Found, Frame
from unquilt.runs import Run

UNQUILT = [sys.executable, "-m", "unquilt.cli"]
TIMEOUT = 300

gz = partial(gzip.compress, mtime=0)
zst = zstandard.ZstdCompressor(write_checksum=True).compress

Row = dict[str, Any]


# Making files.


def record(kind: str, number: int, body: bytes, *, length: object = None, **fields: str) -> bytes:
    """A WARC record, with a length that may be a lie."""
    header = {"WARC-Type": kind, "WARC-Record-ID": f"<urn:{number}>"}
    header |= {name.replace("_", "-"): value for name, value in fields.items()}
    header["Content-Length"] = str(len(body) if length is None else length)
    lines = ["WARC/1.0", *(f"{name}: {value}" for name, value in header.items()), "", ""]
    return "\r\n".join(lines).encode() + body + b"\r\n\r\n"


def response(number: int, html: bytes | None = None, *, http: str = "", length: object = None, **fields: str) -> bytes:
    """The record of a page, whose text is `page <number>` unless said otherwise; `http` adds to the HTTP header."""
    html = b"<p>page %d</p>" % number if html is None else html
    kind = "" if "content-type" in http.lower() else "Content-Type: text/html; charset=utf-8\r\n"
    body = f"HTTP/1.1 200 OK\r\n{kind}{http}\r\n".encode() + html
    fields = {"WARC_Target_URI": f"http://a.example/{number}"} | fields
    return record("response", number, body, length=length, **fields)


def line(number: int, **fields: object) -> bytes:
    """A line of JSONL."""
    return json.dumps({"id": f"urn:{number}", "text": f"page {number}"} | fields).encode() + b"\n"


def mail(number: int, **fields: str) -> bytes:
    """A message of a mailbox."""
    header = {"Message-ID": f"<urn:{number}>", "From": "a@a.example", "To": "b@a.example"} | fields
    lines = ["From a@a.example Mon Jan  1 00:00:00 2024", *(f"{name}: {value}" for name, value in header.items())]
    return "\n".join([*lines, "", f"page {number}", "", ""]).encode()


def begins(parts: Sequence[bytes]) -> list[int]:
    """Where each part begins when they are joined, and where the last one ends."""
    return [sum(map(len, parts[:i])) for i in range(len(parts) + 1)]


def write(path: Path, *parts: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(parts))
    return path


def zeros(path: Path, size: int = 1 << 30) -> Path:
    """A file of zeros that takes no room on disk."""
    with path.open("wb") as file:
        file.truncate(size)
    return path


# Reading them.


class Tables(NamedTuple):
    """What was read."""

    documents: list[Row]
    rejects: list[Row]
    warnings: list[str]
    skipped: dict[str, int]

    @property
    def texts(self) -> dict[str, str]:
        return {row["id"]: row["text"] for row in self.documents}

    @property
    def pages(self) -> list[int]:
        """The numbers of the pages, which all must have the text that belongs to it."""
        numbers = [int(row["id"].removeprefix("urn:")) for row in self.documents]
        assert [row["text"].strip() for row in self.documents] == [f"page {number}" for number in numbers]
        return numbers

    @property
    def lost(self) -> list[tuple[int, str]]:
        """Offset and reason of each reject."""
        return [(row["offset"], row["reason"]) for row in self.rejects]


def peruse(*inputs: Path, reading: Reading | None = None, **sizes: int) -> Tables:
    """Reads files in this process; `cut` and `pack` say in what pieces."""
    documents: list[Row] = []
    rejects: list[Row] = []
    warnings: list[str] = []
    skipped: Counter[str] = Counter()
    for piece in pieces(find(list(inputs)), reading, **sizes):
        reader = PieceReader(piece)
        for batch in reader.batches():
            batch.documents.validate(full=True)
            batch.rejects.validate(full=True)
            documents += batch.documents.to_pylist()
            rejects += batch.rejects.to_pylist()
            skipped += batch.skipped
        warnings += [warning.what for warning in reader.warnings]
    return Tables(documents, rejects, warnings, dict(skipped))


def resolved(found: Iterable[Found]) -> list[Found]:
    """What a reader finds, with frames looked into."""
    looked = (each.open() if isinstance(each, Frame) else each for each in found)
    return [each for each in looked if each is not None]


class Ended(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def invoke(*arguments: object, stdin: bytes = b"") -> Ended:
    """A command in this process; what it prints never holds anything that a terminal would act upon."""
    given = [str(argument) for argument in arguments]
    result = CliRunner().invoke(cli, given, prog_name="unquilt", input=stdin, env={"COLUMNS": "200"})
    ended = Ended(result.exit_code, result.stdout, result.stderr)
    return _checked(ended)


def execute(*arguments: object, stdin: bytes = b"") -> Ended:
    """The same in a process of its own."""
    command = [*UNQUILT, *map(str, arguments)]
    result = subprocess.run(command, input=stdin, capture_output=True, timeout=TIMEOUT)
    return _checked(Ended(result.returncode, result.stdout.decode(), result.stderr.decode()))


def _checked(ended: Ended) -> Ended:
    for text in (ended.out, ended.err):
        assert "Traceback" not in text, text
        assert "internal error" not in text, text
        assert text.replace("\n", "").isprintable(), ascii(text)
    return ended


def without_progress(err: str) -> list[str]:
    """Lines on standard error other than those that say how far it is, which are there on a slow machine."""
    return [text for text in err.splitlines() if text.startswith("unquilt: ")]


def refuse(*inputs: object, output: Path, options: Sequence[object] = (), stdin: bytes = b"") -> str:
    """The one line by which `ingest` refuses inputs, whatever progress there was before; nothing is left behind."""
    ended = invoke("ingest", *inputs, "-o", output, "-q", *options, stdin=stdin)
    assert (ended.code, ended.out) == (1, "")
    (said,) = ended.err.splitlines()
    assert not output.exists()
    return said.removeprefix("unquilt: ")


def tables(folder: Path) -> Tables:
    """The tables of a finished corpus."""
    run = Run.read(folder)
    assert run.complete
    assert not [path for path in folder.rglob("*") if ".partial" in path.name or ".spill" in path.name]
    paths = sorted((folder / "documents").glob("*.parquet"))
    documents = [row for path in paths for row in pq.read_table(path).to_pylist()]
    assert [row["doc"] for row in documents] == list(range(len(documents)))
    summary = run.manifest["summary"]
    return Tables(documents, run.rejects.to_pylist(), summary["warnings"], summary["skipped"])


def ingest(*inputs: object, output: Path, options: Sequence[object] = (), stdin: bytes = b"") -> Tables:
    """What `unquilt ingest` makes of inputs; it must succeed."""
    ended = invoke("ingest", *inputs, "-o", output, *options, stdin=stdin)
    assert ended.code == 0, ended.err
    assert without_progress(ended.err) == []
    made = tables(output)
    count = len(made.rejects)
    expected = "nothing was rejected" if not count else f"{count:,} record{'s' * (count > 1)} rejected ("
    assert expected in ended.out.splitlines()[0]
    return made


def files(folder: Path) -> dict[str, bytes]:
    """All that a corpus says, byte for byte."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}


# Memory of a command and all its workers.


def family(root: int) -> list[int]:
    found = [root]
    for pid in found:
        with suppress(OSError):  # it may end meanwhile
            for thread in Path(f"/proc/{pid}/task").iterdir():  # a child belongs to the thread that started it
                with suppress(OSError):
                    found += map(int, (thread / "children").read_text().split())
    return found


def _peak(pid: int) -> int:
    """The most memory that a process has had so far: no peak is too short to be seen."""
    with suppress(OSError):
        for entry in Path(f"/proc/{pid}/status").read_text().splitlines():
            if entry.startswith("VmHWM:"):
                return int(entry.split()[1]) << 10
    return 0


def peak(*arguments: object) -> tuple[Ended, int]:
    """A command in a process of its own, and the sum of what it and each of its workers held at most, in bytes."""
    command = [*UNQUILT, *map(str, arguments)]
    most: dict[int, int] = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        read: list[tuple[bytes, bytes]] = []
        reader = threading.Thread(target=lambda: read.append(process.communicate(timeout=TIMEOUT)))
        reader.start()
        while reader.is_alive():
            for pid in family(process.pid):
                most[pid] = max(most.get(pid, 0), _peak(pid))
            time.sleep(0.01)  # a process that we miss is one that had no time to grow
        reader.join()
    out, err = read[0]
    return _checked(Ended(process.returncode, out.decode(), err.decode())), sum(most.values())
