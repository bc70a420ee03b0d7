"""Processes that read are killed, at any time, and the corpus is held against one that nobody disturbed.

`python -m fault_bench.kills CUT PACK ingest …` is the command line with files cut and packed as if they were large, so
that a small input keeps several processes at work; what they do is the real thing.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from faulty import family, files, gz, response, write

from fault_bench import bases

TESTS = Path(__file__).resolve().parents[1]
CUT, PACK = 300_000, 300_000
LARGE = 3
"""How many larger files there are beside one of every kind."""
TIMEOUT = 600
WORKERS = {"local": "", "spark": "pyspark.daemon"}
"""What is in the command of the processes to kill: of ours, that is any."""


class Way(NamedTuple):
    """How to run the command: on an engine, with files cut small or not."""

    engine: str = "local"
    small: bool = True

    def command(self, source: Path, output: Path) -> list[str]:
        program = ["-m", "fault_bench.kills", str(CUT), str(PACK)] if self.small else ["-m", "unquilt.cli"]
        spark = ["--master", "local[2,4]"] if self.engine == "spark" else []
        options = ["--engine", self.engine, "--threads", "2", "--memory", "1GB", "--quiet", *spark]
        return [sys.executable, *program, "ingest", str(source), "-o", str(output), *options]


def write_inputs(folder: Path, records: int, seed: int = 1) -> Path:
    """A file of every kind, and some that take longer."""
    for name, sample in bases.make(bases.MIXED, seed).samples.items():
        write(folder / name, sample.data)
    rng = Random(seed)
    for number in range(LARGE):
        texts = [" ".join(bases.words(rng, 300)) for _ in range(records)]
        lines = [json.dumps({"id": f"{number}/{i}", "text": text}).encode() + b"\n" for i, text in enumerate(texts)]
        write(folder / f"large-{number}.jsonl", *lines)
        pages = [gz(response(i, b"<p>" + text.encode())) for i, text in enumerate(texts)]
        write(folder / f"large-{number}.warc.gz", *pages)
    return folder


class Moment(NamedTuple):
    """How far a run has come: seconds since it began, and how many bytes its folder has held at most."""

    seconds: float = 0.0
    size: int = 0


class Ended(NamedTuple):
    """How a run ended: its exit code, what it said, when, and how many processes were killed in it."""

    code: int
    said: str
    moment: Moment
    kills: int


def run(way: Way, source: Path, output: Path, moment: Moment | None = None, rng: Random | None = None) -> Ended:
    """Runs ingest, and kills one of the processes that read for it, once it has come as far as `moment`.

    If there is none then, the next one that there is; after the last one, nobody is killed.
    """
    paths = [str(TESTS), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYSPARK_PYTHON": sys.executable}
    begin, kills, now = time.monotonic(), 0, Moment()
    with subprocess.Popen(
        way.command(source, output), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        while process.poll() is None and now.seconds < TIMEOUT:
            now = Moment(time.monotonic() - begin, max(now.size, _size(output)))
            if moment is not None and not kills and now.seconds >= moment.seconds and now.size >= moment.size:
                found = list(_workers(process.pid, WORKERS[way.engine]))
                kills = _kill((rng or Random()).choice(found)) if found else 0
            time.sleep(0.005)
        process.kill()  # if it has not ended yet
        _, said = process.communicate()
    return Ended(process.returncode, said.decode(errors="replace"), now, kills)


def _size(folder: Path) -> int:
    size = 0
    for where, _, names in os.walk(folder):  # passes over folders that are gone since
        for name in names:
            with contextlib.suppress(OSError):
                size += Path(where, name).stat().st_size
    return size


def _workers(root: int, name: str) -> Iterator[int]:
    """The processes that read for a process. Of Spark's, those that were forked for a task."""
    for pid in family(root)[1:]:
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
            parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            forked = parent == root or name in Path(f"/proc/{parent}/cmdline").read_bytes().decode()
            if name in command and forked:
                yield pid


def _kill(pid: int) -> int:
    """Kills a process, unless it is gone already; says how many were killed."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return 0
    return 1


class Kills(NamedTuple):
    """What came of killing: how often, and a line for each run whose corpus was not the same."""

    kills: int
    lines: list[str]


def kill_some(way: Way, source: Path, folder: Path, wanted: int, seed: int, until: float = float("inf")) -> Kills:
    """Kills as many times as is wanted, each time in a run of its own, at moments spread over a run."""
    shutil.rmtree(folder, ignore_errors=True)
    alone = run(way, source, folder / "alone")
    assert alone.code == 0, alone.said
    expected = content(folder / "alone")
    rng, kills, lines = Random(seed), 0, []
    for number in range(2 * wanted):
        if kills == wanted or time.monotonic() > until:
            break
        moment = Moment(seconds=rng.uniform(0, alone.moment.seconds))
        if number % 2:
            moment = Moment(size=rng.randrange(alone.moment.size))
        output = folder / "killed"
        shutil.rmtree(output, ignore_errors=True)
        ended = run(way, source, output, moment, rng)
        kills += ended.kills
        if ended.code:
            lines.append(f"killed at {moment}: exit code {ended.code}: {ended.said.strip()[:200]}")
        elif content(output) != expected:
            lines.append(f"killed at {moment}: another corpus: {_difference(output, folder / 'alone')}")
    return Kills(kills, lines)


def content(folder: Path) -> dict[str, Any]:
    """A corpus: its tables byte for byte, and what it says of itself."""
    return files(folder) | {"summary": json.loads((folder / "manifest.json").read_bytes())["summary"]}


def _difference(one: Path, other: Path) -> str:
    first, second = content(one), content(other)
    changed = [name for name in first.keys() | second.keys() if first.get(name) != second.get(name)]
    counts = [f"{name} {first['summary'][name]}, not {second['summary'][name]}" for name in ("documents", "rejects")]
    return "; ".join([*counts, *sorted(changed)])


def main(arguments: Sequence[str]) -> None:
    from unquilt.cli import main as command
    from unquilt.corpus.find.pieces import pieces
    from unquilt.jobs import ingestion

    cut, pack, *rest = arguments
    ingestion.pieces = partial(pieces, cut=int(cut), pack=int(pack))  # type: ignore[assignment]
    sys.argv = ["unquilt", *rest]
    command()


if __name__ == "__main__":
    main(sys.argv[1:])
