"""Run folders where there is no room, or no right to write."""

from __future__ import annotations

import errno
import os
import random
import resource
import subprocess

import pyarrow as pa
import pytest
from toy_run import SCHEMA, compute, digests, names, open_run, rows, snapshot

from unquilt.errors import RunError, StorageError
from unquilt.runs import Run, storing


def noise(count=70_000):
    text = [random.Random(i).randbytes(32).hex() for i in range(count)]
    return pa.table({"doc": pa.array(range(count), pa.uint32()), "text": text}, schema=SCHEMA)


def test_file_size_limit_is_a_storage_error(tmp_path):
    compute(tmp_path / "out", until="documents")
    before = digests(tmp_path / "out")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    data = noise()
    with open_run(tmp_path / "out") as run:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
        try:
            refused = pytest.raises(StorageError, match=r"^file too large: .*documents.parquet")
            with refused, run.writer("documents", SCHEMA) as out:
                out.write(data)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert not list(run.path.glob(".*.partial"))
        assert run.done("documents")
        assert digests(run.path) == before


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS])
def test_storage_errors_name_the_path(tmp_path, code):
    with pytest.raises(StorageError) as caught, storing(tmp_path / "out" / "x"):
        raise OSError(code, "whatever")
    message = str(caught.value)
    assert str(tmp_path / "out" / "x") in message
    assert message.startswith(os.strerror(code)[0].lower() + os.strerror(code)[1:])
    assert ("MB free" in message) == (code in (errno.ENOSPC, errno.EDQUOT))


@pytest.mark.parametrize("function", ["fsync", "replace"])
def test_manifest_and_markers_survive_a_failed_write(tmp_path, monkeypatch, function):
    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    compute(tmp_path / "out", until="documents")
    with open_run(tmp_path / "out") as run:
        before = snapshot(run.path)
        with monkeypatch.context() as patch:
            patch.setattr(os, function, fail)
            for attempt in (lambda: run.finish({}), lambda: run.mark("grams")):
                with pytest.raises(StorageError, match=r"no space left on device: .*MB free"):
                    attempt()
        assert snapshot(run.path) == before
        assert not run.complete


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MB, and a function that mounts it anew with other options."""
    disk = tmp_path / "disk"
    disk.mkdir()

    def mount(options):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk], capture_output=True)
        return done.returncode == 0

    if os.geteuid() != 0 or not mount("size=1m"):
        pytest.skip("needs the right to mount a file system")
    yield disk, lambda options: mount(f"remount,{options}")
    subprocess.run(["umount", "-l", disk], check=True)


def test_full_disk_names_the_path_keeps_the_older_and_the_rerun_works(small_disk):
    disk, remount = small_disk
    older = compute(disk / "out")
    before = snapshot(older.path)
    data = noise()

    def attempt():
        with open_run(disk / "out", parameters={"k": 7}, overwrite=True) as run:
            if not run.done("documents"):
                with run.writer("documents", SCHEMA) as out:
                    out.write(rows("documents", 7))
                run.mark("documents", tables=["documents"])
            with run.writer("grams", SCHEMA) as out:
                out.write(data)
            run.mark("grams", tables=["grams"])
            run.finish({})

    for _ in range(2):
        with pytest.raises(
            StorageError, match=r"^no space left on device: .*grams.parquet \(\d\.\d MB free\); make room"
        ):
            attempt()
        assert snapshot(older.path) == before
        assert Run.read(older.path).complete
        assert not list(disk.rglob("*.partial"))
    assert remount("size=32m")
    attempt()
    assert Run.read(older.path).tables == ["documents", "grams"]
    assert names(disk) == ["out"]


def test_read_only_disk_and_mount_points(small_disk):
    disk, remount = small_disk
    compute(disk)  # a mount point can hold a run, but not be replaced
    with pytest.raises(RunError, match="is a mount point and cannot be replaced"):
        open_run(disk, parameters={"k": 7}, overwrite=True)
    assert remount("ro")
    with pytest.raises(StorageError, match=r"^read-only file system: "):
        open_run(disk)
    with pytest.raises(StorageError, match=r"^read-only file system: "):
        open_run(disk / "out")
    assert Run.read(disk).complete
