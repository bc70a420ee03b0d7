"""Locks on run folders: one process at a time, and none that died."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager

import kill_toy_runs
import pytest
from toy_run import compute, names, open_run

from unquilt.errors import RunError, RunLockedError
from unquilt.runs import Run

pytestmark = pytest.mark.slow


@contextmanager
def process(scenario, path):
    """A process that plays `scenario` and has said that it is ready."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, kill_toy_runs.__file__, scenario, str(path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            yield child
        finally:
            child.kill()


def test_second_process_is_refused_until_the_first_one_dies(tmp_path):
    path = tmp_path / "out"
    with process("hold", path) as child:
        with pytest.raises(RunLockedError, match=f"out is in use by process {child.pid} since 2"):
            open_run(path)
        assert Run.read(path).tables == []
        assert (path / ".spill" / "block").exists()
        child.kill()
        child.wait()
    assert {".lock", ".spill", ".grams.parquet.partial"} < set(names(path))
    with open_run(path) as run:
        assert names(path) == [".lock", "manifest.json"]
        assert list(run.spill.iterdir()) == []
    assert names(path) == ["manifest.json"]


def test_lock_that_does_not_say_who_holds_it_holds(tmp_path, snapshots):
    with open_run(tmp_path / "out"):
        (tmp_path / "out" / ".lock").write_bytes(b"\x1b")
        with snapshots.error(RunLockedError):
            open_run(tmp_path / "out")


def test_links_are_not_followed(tmp_path, snapshots):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("precious")
    with open_run(tmp_path / "out") as run:
        pass
    (run.path / ".spill").symlink_to(tmp_path / "mine")
    (run.path / ".grams.parquet.partial").symlink_to(tmp_path / "mine" / "file")
    compute(tmp_path / "out")
    assert (tmp_path / "mine" / "file").read_text() == "precious"
    (run.path / ".lock").symlink_to(tmp_path / "mine" / "file")
    with snapshots.error(RunError):
        open_run(tmp_path / "out")
