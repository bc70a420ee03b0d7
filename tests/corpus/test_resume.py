"""An ingest that is interrupted goes on with the pieces that are missing, and ends with the same bytes."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

import unquilt
import unquilt.jobs.ingestion
from unquilt.corpus.find.pieces import pieces
from unquilt.errors import InputChangedError, RunError
from unquilt.settings import Settings

FILES = 6
LOCAL = Settings(threads=1, memory=1 << 28)


class Interrupting:
    """Progress that interrupts a stage at one of its steps, and notes what was done by an earlier run."""

    def __init__(self, stage: str = "", at: int = 0, act: Callable[[], object] | None = None) -> None:
        self._stage, self._at, self._act = stage, at, act
        self.before: dict[str, int] = {}
        self.steps: dict[str, int] = {}
        self.said: list[str] = []

    @contextmanager
    def stage(self, name: str, total: int, unit: str = "") -> Iterator[Callable[..., None]]:
        def step(units: int, documents: int = 0, *, before: bool = False) -> None:
            steps = self.before if before else self.steps
            steps[name] = steps.get(name, 0) + 1
            if name == self._stage and self.steps.get(name) == self._at:
                if self._act:
                    self._act()
                raise KeyboardInterrupt

        yield step

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of files, each of which becomes a piece; some of it is rejected."""
    monkeypatch.setattr(unquilt.jobs.ingestion, "pieces", partial(pieces, pack=1))
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(FILES):
        lines = [json.dumps({"id": f"{number}-{i}", "text": f"page {number} line {i}"}) for i in range(number + 2)]
        (folder / f"{number}.jsonl").write_text("\n".join([*lines, "{broken"]))
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*.parquet")}


def interrupt(pages: Path, folder: Path, settings: Settings, stage: str, at: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        unquilt.ingest(pages, folder, options=unquilt.JobOptions(settings, progress=Interrupting(stage, at)))


@pytest.fixture
def compressed(tmp_path: Path) -> Path:
    """A folder with a large compressed file, which is cut, and a small one."""
    folder = tmp_path / "compressed"
    folder.mkdir()
    lines = [json.dumps({"id": str(i), "text": random.Random(i).randbytes(100).hex()}) for i in range(2000)]
    (folder / "a.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(lines[0].encode()))
    return folder


def cut_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unquilt.jobs.ingestion, "CUT", 100_000)
    monkeypatch.setattr(unquilt.jobs.ingestion, "pieces", partial(pieces, cut=100_000, pack=1))


def test_a_large_gzip_file_gets_an_index_and_is_cut(
    compressed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = unquilt.ingest(compressed, tmp_path / "uncut").documents["id"].to_pylist()
    cut_small(monkeypatch)
    seen = Interrupting()
    run = unquilt.ingest(compressed, tmp_path / "corpus", options=unquilt.JobOptions(LOCAL, progress=seen))
    assert run.documents["id"].to_pylist() == expected == [*map(str, range(2000)), "0"]
    assert seen.steps["index"] == 1
    assert seen.steps["read"] > 4


KILLED = """
import os, signal, sys
import pytest, unquilt
from test_resume import LOCAL, Interrupting, cut_small

cut_small(pytest.MonkeyPatch())
progress = Interrupting("read", 2, lambda: os.kill(os.getpid(), signal.SIGKILL))
if __name__ == "__main__":
    unquilt.ingest(sys.argv[1], sys.argv[2], options=unquilt.JobOptions(LOCAL, progress=progress))
"""


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["none", "a byte", "cut", "of another run"])
def test_an_index_outlives_a_kill(
    compressed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    """And is made again if it is not as it was written, or not of this run."""
    program, folder = tmp_path / "killed.py", tmp_path / "corpus"
    program.write_text(KILLED)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    ended = subprocess.run([sys.executable, program, compressed, folder], env=environment, check=False)
    assert ended.returncode == -signal.SIGKILL
    cut_small(monkeypatch)
    kept = folder / ".pieces" / "index-0"
    said = kept.read_bytes()
    match damage:
        case "a byte":
            kept.write_bytes(said[:-40] + bytes([said[-40] ^ 1]) + said[-39:])
        case "cut":
            kept.write_bytes(said[:-40])
        case "of another run":
            (compressed / "c.jsonl.gz").write_bytes((compressed / "a.jsonl.gz").read_bytes())
            interrupt(compressed / "c.jsonl.gz", tmp_path / "other", LOCAL, "read", 1)
            (compressed / "c.jsonl.gz").unlink()
            kept.write_bytes((tmp_path / "other" / ".pieces" / "index-0").read_bytes())
    resumed = Interrupting()
    run = unquilt.ingest(compressed, folder, options=unquilt.JobOptions(LOCAL, progress=resumed))
    assert resumed.before.get("index", 0) == (damage == "none")
    assert resumed.steps.get("index", 0) == (damage != "none")
    assert resumed.before["read"] >= 1
    assert contents(run.path) == contents(unquilt.ingest(compressed, tmp_path / "whole").path)
    assert not kept.exists()


@pytest.mark.parametrize(("stage", "at"), [("read", 1), ("read", 4), ("write", 1), ("write", FILES)])
def test_what_was_done_is_not_done_again(pages: Path, tmp_path: Path, settings: Settings, stage: str, at: int) -> None:
    expected = contents(unquilt.ingest(pages, tmp_path / "whole").path)
    interrupt(pages, tmp_path / "corpus", settings, stage, at)
    resumed = Interrupting()
    run = unquilt.ingest(pages, tmp_path / "corpus", options=unquilt.JobOptions(settings, progress=resumed))
    assert contents(run.path) == expected
    read = resumed.before["read"]
    assert read == FILES if stage == "write" else at <= read <= FILES
    assert resumed.steps.get("read", 0) == FILES - read
    were = "was" if read == 1 else "were"
    assert resumed.said[0].startswith(f"resuming: {read} of {FILES} pieces {were} read before, with ")
    if stage == "write":
        assert resumed.steps.get("write", 0) <= FILES - at + 1
    assert sorted(path.name for path in run.path.iterdir()) == [
        ".done",
        "documents",
        "manifest.json",
        "rejects.parquet",
    ]


@pytest.mark.parametrize("damage", ["note cut", "note of another run", "file cut", "note missing", "note a link"])
def test_a_piece_that_cannot_be_believed_is_read_again(pages: Path, tmp_path: Path, damage: str) -> None:
    expected = contents(unquilt.ingest(pages, tmp_path / "whole").path)
    folder = tmp_path / "corpus"
    interrupt(pages, folder, LOCAL, "write", 1)
    note, file = (folder / ".pieces" / f"piece-3.{suffix}" for suffix in ("done", "texts"))
    match damage:
        case "note cut":
            note.write_bytes(note.read_bytes()[:-20])
        case "note of another run":
            interrupt(pages / "3.jsonl", tmp_path / "other", LOCAL, "write", 1)
            note.write_bytes((tmp_path / "other" / ".pieces" / "piece-0.done").read_bytes())
        case "file cut":
            file.write_bytes(file.read_bytes()[:-1])
        case "note missing":
            note.unlink()
        case _:
            note.rename(tmp_path / "note")
            note.symlink_to(tmp_path / "note")
    resumed = Interrupting()
    run = unquilt.ingest(pages, folder, options=unquilt.JobOptions(LOCAL, progress=resumed))
    assert resumed.steps["read"] == 1
    assert contents(run.path) == expected


def test_a_part_that_was_removed_is_read_again(pages: Path, tmp_path: Path) -> None:
    expected = contents(unquilt.ingest(pages, tmp_path / "whole").path)
    interrupt(pages, tmp_path / "corpus", LOCAL, "write", 3)
    (tmp_path / "corpus" / "documents" / "part-00001.parquet").unlink()
    assert contents(unquilt.ingest(pages, tmp_path / "corpus").path) == expected


def test_other_parameters_do_not_resume(pages: Path, tmp_path: Path) -> None:
    interrupt(pages, tmp_path / "corpus", LOCAL, "read", 2)
    options = unquilt.JobOptions(reading=unquilt.Reading(max_repeats=5))
    with pytest.raises(RunError, match="max_repeats was 4 and is now 5"):
        unquilt.ingest(pages, tmp_path / "corpus", options=options)


def test_an_overwriting_ingest_resumes_beside_the_older_one(pages: Path, tmp_path: Path) -> None:
    older = contents(unquilt.ingest(pages / "0.jsonl", tmp_path / "corpus").path)
    options = unquilt.JobOptions(LOCAL, overwrite=True, progress=Interrupting("read", 3))
    with pytest.raises(KeyboardInterrupt):
        unquilt.ingest(pages, tmp_path / "corpus", options=options)
    assert contents(tmp_path / "corpus") == older
    resumed = Interrupting()
    run = unquilt.ingest(
        pages, tmp_path / "corpus", options=unquilt.JobOptions(LOCAL, overwrite=True, progress=resumed)
    )
    assert resumed.before["read"] >= 3
    assert contents(run.path) == contents(unquilt.ingest(pages, tmp_path / "whole").path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus", "pages", "whole"]


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A file that is too large to be digested when its kind is told."""
    folder = tmp_path / "large"
    folder.mkdir()
    for name in "ab":
        lines = [json.dumps({"id": f"{name}{i}", "text": random.Random(i).randbytes(100).hex()}) for i in range(1000)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    return folder


def write_other(path: Path) -> None:
    """Other bytes of the same size, and the same time."""
    then = path.stat().st_mtime_ns
    path.write_text(path.read_text().replace('"id": "a', '"id": "x'))
    os.utime(path, ns=(then, then))


def cut_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unquilt.jobs.ingestion, "pieces", partial(pieces, cut=100_000, pack=1))


def test_digests_are_those_of_the_readers(large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is read for its digest alone, be it when a run begins, goes on, or is asked for again."""
    cut_small_pieces(monkeypatch)
    monkeypatch.setattr("unquilt.corpus.find.identity.digest_file", None)
    monkeypatch.setattr("unquilt.runs.digests.digest_file", None)
    interrupt(large, tmp_path / "corpus", LOCAL, "read", 2)
    for _ in range(2):
        run = unquilt.ingest(large, tmp_path / "corpus")
        digests = [hashlib.sha256((large / f"{name}.jsonl").read_bytes()).hexdigest() for name in "ab"]
        assert [each["sha256"] for each in run.manifest["inputs"]] == digests
    analysed = unquilt.neardups(large, tmp_path / "run")
    assert [each["sha256"] for each in analysed.manifest["inputs"]] == digests
    assert unquilt.neardups(large, tmp_path / "run").manifest == analysed.manifest


def test_an_input_that_was_read_and_has_other_bytes_now_is_noticed(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although its size and time are the same (docs/faults.md 38)."""
    cut_small_pieces(monkeypatch)
    interrupt(large, tmp_path / "corpus", LOCAL, "read", 3)
    (tmp_path / "link").hardlink_to(large / "a.jsonl")
    interrupt(large, tmp_path / "corpus", LOCAL, "write", 1)
    write_other(large / "a.jsonl")
    with pytest.raises(InputChangedError, match=r"a\.jsonl: the file changed"):
        unquilt.ingest(large, tmp_path / "corpus")


def test_a_time_alone_is_no_change_of_what_was_read(large: Path, tmp_path: Path) -> None:
    first = unquilt.ingest(large, tmp_path / "corpus")
    analysed = unquilt.neardups(first.path, tmp_path / "run")
    os.utime(large / "a.jsonl", ns=(1, 1))
    assert unquilt.ingest(large, tmp_path / "corpus").manifest == first.manifest
    assert unquilt.neardups(first.path, tmp_path / "run").manifest == analysed.manifest
    write_other(large / "a.jsonl")
    os.utime(large / "a.jsonl", ns=(2, 2))
    with pytest.raises(InputChangedError, match=r"a\.jsonl changed since .* began: it was last changed at 20"):
        unquilt.ingest(large, tmp_path / "corpus")


def test_another_time_before_all_was_read_is_a_change(large: Path, tmp_path: Path) -> None:
    interrupt(large, tmp_path / "corpus", LOCAL, "read", 1)
    os.utime(large / "b.jsonl", ns=(0, 0))
    with pytest.raises(
        InputChangedError, match=r"b\.jsonl changed since .*, and now at 1970-01-01T00:00:00\.000000000Z"
    ):
        unquilt.ingest(large, tmp_path / "corpus")


def test_a_file_that_a_corpus_has_is_known_by_its_bytes(large: Path, tmp_path: Path) -> None:
    corpus = unquilt.ingest(large / "a.jsonl", tmp_path / "corpus")
    (tmp_path / "copy.jsonl").write_bytes((large / "a.jsonl").read_bytes())
    assert unquilt.ingest(tmp_path / "copy.jsonl", into=corpus.path).manifest == corpus.manifest
    assert unquilt.ingest(large / "b.jsonl", into=corpus.path).manifest["summary"]["documents"] == 2000
