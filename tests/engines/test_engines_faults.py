"""What may break while an engine works: workers, inputs, disks and memory."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kill_quilts
import pyarrow as pa
import pytest
from quilting import ASKED, DEBIAN, local, measure, open_run, read_files, run_quilts

import unquilt
from unquilt._native import Partition
from unquilt.analyses.copies import find_copies
from unquilt.corpus.find.inputs import find
from unquilt.corpus.find.pieces import pieces
from unquilt.corpus.write.parts import ReadPiece, WritePart, read_piece, write_part
from unquilt.demo import write_jsonl
from unquilt.engines.local import Local
from unquilt.engines.tasks import Scale
from unquilt.errors import EngineError, InputChangedError, RunError, StorageError
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import documents
from unquilt.runs import Run
from unquilt.settings import LEAST_MEMORY
from unquilt.tables.table import Table, column, document

pytestmark = pytest.mark.slow


def test_a_worker_process_that_dies_is_reported(run: Run) -> None:
    with Local(run, Scale(0, 0), threads=2, memory=1 << 30) as verbs, pytest.raises(EngineError, match="exit code 7"):
        list(verbs.each(os._exit, [7, 7]))


def test_runs_killed_anywhere_end_with_the_same_bytes(tmp_path: Path) -> None:
    """docs/faults.md 33."""
    write_jsonl(tmp_path / "web.jsonl", 300, words=100)
    command = [sys.executable, kill_quilts.__file__, tmp_path / "web.jsonl", tmp_path / "runs", "50"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("killed 5"), done.stdout


def test_a_run_goes_on_where_another_engine_stopped(
    make: Callable[[Scale, int], Callable[[Run], Verbs]], few_corpus: Run, tmp_path: Path
) -> None:
    """docs/definitions.md 5: settings are no part of what a run is; the stages that are done are taken as they are."""
    with open_run(few_corpus, tmp_path / "run", ASKED) as run, local(few_corpus, partitions=7)(run) as verbs:
        find_copies(verbs, documents(few_corpus), foreign=ASKED["foreign"], collapse="near")
    began = run.manifest["stages"]
    assert {"edges", "kept_copies", "clusters"} < began.keys()
    resumed = run_quilts(few_corpus, tmp_path / "run", make(measure(few_corpus), 2), **ASKED)
    assert began.items() < resumed.manifest["stages"].items()
    whole = run_quilts(few_corpus, tmp_path / "whole", local(few_corpus), **ASKED)
    assert read_files(resumed) == read_files(whole)


def test_an_input_that_changed_is_named(tmp_path: Path) -> None:
    """docs/faults.md 38, from the files to the message: the run stops half way, the file changes, the run resumes."""
    source = tmp_path / "web.jsonl"
    write_jsonl(source, 50, words=60)
    parameters = unquilt.QuiltParameters.from_dict(ASKED).to_dict()
    asked: dict[str, Any] = {"output": tmp_path / "run", **parameters}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Local, "keep", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            unquilt.quilts(source, **asked)
    source.write_text(source.read_text().replace("page-0000001", "page-000000X"))
    with pytest.raises(InputChangedError, match=r"web\.jsonl"):
        unquilt.quilts(source, **asked)
    with pytest.raises(RunError, match="k was 2 and is now 3"):
        unquilt.quilts(source, **(asked | {"k": 3}))


def full(path: Path) -> None:
    """Has all that is written to `path` fail for want of room."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    path.symlink_to("/dev/full")


def spilled(folder: Path) -> int:
    """How many partitions this process has spilled so far: the number in the name of the next spill file."""
    folder.mkdir()
    partition = Partition("lists", 0, folder)
    for _ in range(2):
        partition.push(0, b"\0\1" + bytes(8))  # a row without a tail, of key 0
    (path,) = folder.iterdir()
    return int(path.stem.rpartition("-")[2]) + 1


@pytest.mark.parametrize("which", ["blocks", "sorting"])
def test_no_room_to_spill(which: str, packed_corpus: Run, tmp_path: Path) -> None:
    """docs/faults.md 34, errors.py: a StorageError that names the path; then, with room, the same tables."""
    tight = local(packed_corpus, memory=20_000, partitions=2)
    first = spilled(tmp_path / "spilled")
    sorts = [f"sort-{os.getpid()}-{number}.spill" for number in range(first, first + 300)]
    names = sorts if which == "sorting" else [f"port-{number}.blocks" for number in range(1, 20)]

    def engine(run: Run) -> Verbs:
        verbs = tight(run)
        entering = verbs.__enter__

        class Full:
            def __enter__(self) -> Verbs:
                entering()
                (folder,) = run.spill.iterdir()
                for name in names:
                    full(folder / name)
                return verbs

            def __exit__(self, *error: object) -> None:
                verbs.__exit__(*error)

        return Full()  # type: ignore[return-value]

    with pytest.raises(StorageError, match=r"[Nn]o space left on device.*\.spill/"):
        run_quilts(packed_corpus, tmp_path / "run", engine, **ASKED)
    assert not Run.read(tmp_path / "run").complete
    again = run_quilts(packed_corpus, tmp_path / "run", tight, **ASKED)
    assert read_files(again) == read_files(run_quilts(packed_corpus, tmp_path / "roomy", local(packed_corpus), **ASKED))


@pytest.mark.parametrize("memory", [20_000, 1_000_000, 1 << 30], ids=["blocks", "sorting", "tables"])
def test_a_file_that_may_not_grow(
    memory: int, packed_corpus: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit on the size of files, as shells and batch systems set it: no room either."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # or Python would leave half of a compiled file
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    engine = local(packed_corpus, threads=4, memory=memory, partitions=1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limits[1]))
    try:
        with pytest.raises(StorageError, match=str(tmp_path)):
            run_quilts(packed_corpus, tmp_path / "run", engine, **ASKED)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not Run.read(tmp_path / "run").complete
    assert run_quilts(packed_corpus, tmp_path / "run", engine, **ASKED).complete


@pytest.mark.parametrize("text", ["", "some words", "many words " * 100_000])
def test_no_room_while_reading(text: str, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(f"x {text}")
    (piece,) = pieces(find([tmp_path / "in.txt"]))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    read_piece(ReadPiece(piece, tmp_path / "good.texts"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
    try:
        with pytest.raises(StorageError, match=r"piece\.texts"):
            read_piece(ReadPiece(piece, tmp_path / "piece.texts"))
        with pytest.raises(StorageError, match=r"part\.parquet"):
            write_part(WritePart(tmp_path / "good.texts", tmp_path / "part.parquet", 0))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.texts", "good.texts.said", "in.txt"]


def test_a_spill_folder_that_is_gone(packed_corpus: Run, tmp_path: Path) -> None:
    """Someone cleans up while we work: an error that names the path, no half result."""
    corpus = documents(packed_corpus)
    ids = Table("ids", (document("doc", "a document"), column("id", pa.string(), "its id")))
    with (
        open_run(packed_corpus, tmp_path / "run", ASKED) as run,
        Local(run, measure(packed_corpus), threads=2, memory=20_000, partitions=2) as verbs,
    ):
        (rows,) = verbs.map(corpus, Kernel("select", ("doc", "id")))
        shutil.rmtree(run.spill)
        with pytest.raises(StorageError, match=r"\.spill"):
            verbs.keep(rows, ids)


NEEDED = """
import resource, sys, pyarrow, unquilt
from unquilt import JobOptions, Settings
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
_, corpus, folder, memory = sys.argv
options = JobOptions(settings=Settings(threads=8, memory=int(memory)))
unquilt.quilts(pyarrow.table({"text": ["a b c d e"]}), folder + "/idle", options=options)
idle = peak()
unquilt.quilts(corpus, folder + "/run", options=options, foreign="host")
print(peak() - idle)
"""


@pytest.mark.skipif(not DEBIAN.exists(), reason=f"{DEBIAN} is not there: python benchmarks/debian.py small makes it")
def test_memory_stays_near_the_budget(debian: Run, tmp_path: Path) -> None:
    """docs/faults.md 35, docs/definitions.md 4.3: threads and spill files within the budget; twice that is generous."""
    command = [sys.executable, "-c", NEEDED, debian.path, tmp_path, str(LEAST_MEMORY)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 2 * LEAST_MEMORY
