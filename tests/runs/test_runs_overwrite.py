"""Overwriting a run: the older one stays until the new one is finished."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from toy_run import SCHEMA, compute, digests, names, no_exchange, open_run, rows, snapshot

from unquilt.errors import RunError, RunLockedError, StorageError
from unquilt.runs import Run, replacement


def test_older_run_stays_until_the_new_one_is_finished(tmp_path):
    older = compute(tmp_path / "out")
    before = digests(older.path)
    with open_run(tmp_path / "out", parameters={"k": 7}, overwrite=True) as run:
        assert not run.complete
        assert run.path.name.startswith(".out.new-")
        with run.writer("quilts", SCHEMA) as out:
            out.write(rows("quilts", 7))
        run.mark("quilts", tables=["quilts"])
        assert Run.read(tmp_path / "out").complete
        assert digests(tmp_path / "out") == before
        run.finish({})
        assert run.path == tmp_path / "out"
        assert run.complete
        assert run.quilts.equals(rows("quilts", 7))
    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == [".done", "manifest.json", "quilts.parquet"]


def test_overwriting_that_fails_leaves_the_older_run_and_resumes(tmp_path):
    older = compute(tmp_path / "out")
    before = snapshot(older.path)
    with pytest.raises(KeyError), open_run(tmp_path / "out", parameters={"k": 7}, overwrite=True):
        raise KeyError
    assert names(tmp_path) == ["out"]  # nothing was done, nothing is kept
    compute(tmp_path / "out", 7, overwrite=True, until="grams")
    assert snapshot(older.path) == before
    assert len(names(tmp_path)) == 2
    with open_run(tmp_path / "out", parameters={"k": 7, "foreign": "domain"}, overwrite=True) as run:
        assert run.tables == ["documents", "grams"]
    assert compute(tmp_path / "out", 7, overwrite=True).complete
    assert names(tmp_path) == ["out"]
    assert Run.read(tmp_path / "out").manifest["parameters"]["k"] == 7


def test_overwriting_the_same_finished_run_computes_it_again(tmp_path):
    compute(tmp_path / "out")
    with open_run(tmp_path / "out", overwrite=True) as run:
        assert not run.complete
        assert run.tables == []
    assert compute(tmp_path / "out", overwrite=True).complete


def test_overwriting_an_interrupted_run_of_the_same_kind_resumes_it(tmp_path):
    compute(tmp_path / "out", until="grams", overwrite=True)
    with open_run(tmp_path / "out", overwrite=True) as run:
        assert run.path == tmp_path / "out"
        assert run.done("grams")


def test_leftovers_beside_the_run_are_removed_unless_in_use(tmp_path):
    compute(tmp_path / "out")
    compute(tmp_path / "out", 7, overwrite=True, until="grams")
    stranger = tmp_path / f".out.new-{'0' * 16}"
    stranger.mkdir()
    (stranger / "diary").write_text("mine")
    (tmp_path / f".out.new-{'1' * 16}").mkdir()
    (tmp_path / ".out.new-x").mkdir()
    assert compute(tmp_path / "out").complete
    assert names(tmp_path) == [stranger.name, ".out.new-x", "out"]


def test_files_of_others_move_to_the_new_run(tmp_path):
    older = compute(tmp_path / "out")
    (older.path / "labels").mkdir()
    (older.path / "labels" / "me.jsonl").write_text("precious")
    compute(tmp_path / "out", 7, overwrite=True)
    assert (tmp_path / "out" / "labels" / "me.jsonl").read_text() == "precious"
    assert names(tmp_path) == ["out"]


def test_both_names_are_locked_while_overwriting(tmp_path):
    compute(tmp_path / "out")
    with open_run(tmp_path / "out", parameters={"k": 7}, overwrite=True):
        for overwrite in (False, True):
            with pytest.raises(RunLockedError, match=f"out is in use by process {os.getpid()} since 2"):
                open_run(tmp_path / "out", overwrite=overwrite)


def test_overwriting_where_names_cannot_be_exchanged(tmp_path, monkeypatch):
    monkeypatch.setattr(replacement, "exchange", no_exchange)
    compute(tmp_path / "out")
    assert compute(tmp_path / "out", 7, overwrite=True).manifest["parameters"]["k"] == 7
    assert names(tmp_path) == ["out"]


def test_swap_that_fails_puts_the_older_run_back(tmp_path, monkeypatch, snapshots):
    monkeypatch.setattr(replacement, "exchange", no_exchange)
    older = compute(tmp_path / "out")
    before = snapshot(older.path)
    rename = Path.rename

    def fail(self, target):
        if ".new-" in self.name:
            raise OSError(errno.EACCES, "Permission denied")
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        with snapshots.error(StorageError):
            compute(tmp_path / "out", 7, overwrite=True)
    assert snapshot(older.path) == before
    with open_run(tmp_path / "out", parameters={"k": 7, "foreign": "domain"}, overwrite=True) as run:
        assert run.complete  # it was finished and only had to be put in its place
        assert run.path == tmp_path / "out"
    assert names(tmp_path) == ["out"]


def test_swap_killed_between_two_renames_is_completed(tmp_path, snapshots):
    new = compute(tmp_path / "new", 7)
    fingerprint = new.manifest["fingerprint"][:16]
    compute(tmp_path / "out").path.rename(tmp_path / f".out.old-{fingerprint}")
    new.path.rename(tmp_path / f".out.new-{fingerprint}")
    with snapshots.error(RunError):
        Run.read(tmp_path / "out")
    assert compute(tmp_path / "out", 7).complete
    assert names(tmp_path) == ["out"]


def compute_with_parts(path, k, *, overwrite=True):
    """A run with a folder of parts and, as analyses of raw inputs have, another run inside."""
    with open_run(path, parameters={"k": k}, overwrite=overwrite) as run:
        with open_run(run.path / "corpus", analysis="ingest") as corpus:
            corpus.finish({})
        (run.path / "parts").mkdir(exist_ok=True)
        (run.path / "parts" / "part-00000.parquet").write_bytes(bytes(k))
        run.mark("parts", files=["parts/part-00000.parquet"], values={"k": k})
        run.finish({})
    return run


def test_runs_with_parts_and_runs_inside_can_be_overwritten_again_and_again(tmp_path):
    for k in (5, 7, 5, 7):
        run = compute_with_parts(tmp_path / "out", k)
        assert run.complete
        assert run.values("parts") == {"k": k}
        assert names(tmp_path) == ["out"]
    (run.path / "notes").write_text("mine")
    compute_with_parts(tmp_path / "out", 5)
    assert names(tmp_path / "out") == [".done", "corpus", "manifest.json", "notes", "parts"]


def test_overwriting_that_fails_keeps_a_run_inside_it(tmp_path):
    compute(tmp_path / "out")
    with open_run(tmp_path / "out", overwrite=True) as run, open_run(run.path / "corpus", analysis="ingest") as corpus:
        corpus.finish({})
    assert len(names(tmp_path)) == 2
    with open_run(tmp_path / "out", overwrite=True) as run:
        assert Run.read(run.path / "corpus").complete
