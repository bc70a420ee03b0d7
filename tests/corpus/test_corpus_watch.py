"""Records that end their process: they are left out, and everything else is read (docs/faults.md 20, 23, 41, 42)."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deadly import read_suffering
from snapshots import Snapshots
from unnumbered import read_texts

from unquilt.corpus.find.inputs import find
from unquilt.corpus.find.pieces import pieces
from unquilt.corpus.options import Limits, Reading
from unquilt.corpus.write.parts import PieceRead, ReadPiece, read_piece
from unquilt.engines.workers import Workers
from unquilt.errors import EngineError
from unquilt.guard import MOST

pytestmark = pytest.mark.slow


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReadPiece:
    """To read what `write` wrote."""
    tests = Path(__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tests), str(tests / "corpus")]))
    write(tmp_path / "a.jsonl", ["one"])
    (piece,) = pieces(find([tmp_path / "a.jsonl"]), Reading(limits=Limits(deadline=0.5)))
    return ReadPiece(piece, tmp_path / "read.texts", tmp_path / "note")


def write(path: Path, texts: list[str]) -> None:
    path.write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts)))


def suffer(task: ReadPiece, *texts: str) -> tuple[list[str], list[tuple[int, str, str]], PieceRead]:
    """The texts that were read all the same, and the rejects: which, why, and the particulars."""
    path = Path(task.piece.slices[0].source.path)
    write(path, list(texts))
    (piece,) = pieces(find([path]), task.piece.reading)
    with Workers(1) as workers:
        (result,) = workers.map(read_suffering, [replace(task, piece=piece)])
    offsets = [0]
    for line in path.read_bytes().splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    read = read_texts(result.path).column("text").to_pylist()
    rejects = [(offsets.index(r["offset"]), r["reason"], r["detail"]) for r in result.rejects.to_pylist()]
    return read, rejects, result


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        ("spin", "too slow", "0.5 s"),
        ("crash", "crashed", "SIGSEGV"),
        ("leave", "crashed", "exit code 3"),
        ("killed", "crashed", "SIGKILL"),
        ("hungry", "out of memory", "MiB"),
    ],
)
def test_a_deadly_record_is_left_out(text: str, reason: str, detail: str, task: ReadPiece) -> None:
    read, ((where, why, said),), result = suffer(task, "one", text, "two")
    assert read == ["one", "two"]
    assert (where, why) == (1, reason)
    assert detail in said
    assert result.documents == 2


def test_several_deadly_records(task: ReadPiece) -> None:
    read, rejects, _ = suffer(task, "crash", "one", "killed", "crash", "two", "leave")
    assert read == ["one", "two"]
    assert [where for where, _, _ in rejects] == [0, 2, 3, 5]


def test_a_file_whose_next_record_cannot_even_be_found_is_given_up_there(task: ReadPiece) -> None:
    read, ((where, reason, detail),), _ = suffer(task, "one", "last", "two")
    assert read == ["one", "last"]
    assert (where, reason) == (1, "crashed")
    assert detail.endswith("what follows was given up")


def test_a_row_group_that_ends_the_process_is_rejected_row_by_row(task: ReadPiece, tmp_path: Path) -> None:
    texts = ["one", "two", "last", "three", "four", "five", "six"]
    pq.write_table(pa.table({"text": texts}), tmp_path / "a.parquet", row_group_size=4)
    (piece,) = pieces(find([tmp_path / "a.parquet"]), task.piece.reading)
    with Workers(1) as workers:
        (result,) = workers.map(read_suffering, [replace(task, piece=piece)])
    read = read_texts(result.path).column("text").to_pylist()
    assert read == ["one", "two", "last", "four", "five", "six"]
    assert [(row["offset"], row["reason"]) for row in result.rejects.to_pylist()] == [(3, "crashed")]


@pytest.mark.parametrize("text", ["flaky", "twice"])
def test_a_record_is_blamed_only_if_it_kills_alone_twice(text: str, task: ReadPiece) -> None:
    """`flaky` kills the process that reads the whole piece; `twice` kills once more, alone. Both are innocent."""
    read, rejects, _ = suffer(task, "one", text, "two", "killed", "three")
    assert read == ["one", text, "two", "three"]
    assert [(where, why) for where, why, _ in rejects] == [(3, "crashed")]


def test_deaths_that_no_record_is_to_blame_for_are_an_error_in_the_end(task: ReadPiece) -> None:
    with pytest.raises(EngineError) as raised, Workers(1) as workers:
        list(workers.map(leave, [task]))
    path = task.piece.slices[0].source.path
    assert str(raised.value).startswith(f"{path}: the process at work on it was lost {MOST} times, ")
    assert "exit code 7" in str(raised.value)
    assert len(str(raised.value)) < 400


def leave(task: ReadPiece) -> PieceRead:
    raise SystemExit(7)


def test_what_is_seen_and_neither_kept_nor_told_is_an_error(task: ReadPiece, snapshots: Snapshots) -> None:
    task = replace(task, note=None)
    assert read_piece(task).documents == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unquilt.corpus.read.extract_document", lambda *_: None)
        assert read_piece(task).documents == 0  # a record that says that it is none was never seen
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unquilt.corpus.read.batches", lambda records, _: [None for _ in records][:0])
        with snapshots.error(EngineError):
            read_piece(task)


def test_watching_changes_nothing(task: ReadPiece, tmp_path: Path) -> None:
    watched, alone = read_piece(replace(task, target=tmp_path / "a", note=None)), tmp_path / "b"
    with Workers(1) as workers:
        (guarded,) = workers.map(read_piece, [replace(task, target=alone)])
    assert guarded.path.read_bytes() == watched.path.read_bytes()
