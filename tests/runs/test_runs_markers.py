"""Stages of a run and the markers that vouch for their files."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress

import pyarrow.parquet as pq
import pytest
from toy_run import SCHEMA, compute, digests, open_run, rows, snapshot

from unquilt.errors import RunError
from unquilt.runs import Run


def test_stage_that_raises_is_neither_recorded_nor_marked(tmp_path):
    compute(tmp_path / "out", until="documents")
    with open_run(tmp_path / "out") as run:
        with suppress(KeyError), run.stage("grams"):
            run.mark("grams")
            assert run.done("grams")
            raise KeyError
        assert not run.done("grams")
        assert run.done("documents")
        assert list(run.manifest["stages"]) == ["documents"]


def test_records_of_a_stage_add_up(tmp_path):
    with open_run(tmp_path / "out") as run:
        with run.stage("grams") as stage:
            stage.record(rows=2, bytes=10, counters={"rejects": 1})
            stage.record(rows=3, counters={"rejects": 4, "empty": 1})
        record = run.manifest["stages"]["grams"]
    assert (record["rows"], record["bytes"], record["counters"]) == (5, 10, {"rejects": 5, "empty": 1})


def test_mark_needs_its_tables(tmp_path, snapshots):
    with open_run(tmp_path / "out") as run:
        with snapshots.error(RunError):
            run.mark("grams", tables=["grams"])
        run.mark("empty")
        assert run.done("empty")


def test_marker_vouches_for_files_and_notes_values(tmp_path, snapshots):
    with open_run(tmp_path / "out") as run:
        (run.path / "parts").mkdir()
        part = run.path / "parts" / "part-0.parquet"
        with snapshots.error(RunError):
            run.mark("parts", files=["parts/part-0.parquet"])
        part.write_bytes(b"12345")
        run.mark("parts", files=["parts/part-0.parquet"], values={"words": 7})
        assert run.done("parts")
        assert run.files("parts") == ["parts/part-0.parquet"]
        assert run.values("parts") == {"words": 7}
        part.write_bytes(b"1234")
        assert not run.done("parts")
        for question in (run.files, run.values):
            with snapshots.error(RunError):
                question("parts")
        for name in ("../x", "/x", ".lock", "a/../b", "a//b", "a/.b", ""):
            with snapshots.error(RunError):
                run.mark("parts", files=[name])


@pytest.mark.parametrize("damage", ["missing", "truncated", "other rows", "garbage", "other run", "marker"])
def test_damaged_stage_is_not_done_and_is_computed_again(tmp_path, damage):
    run = compute(tmp_path / "out")
    expected = digests(run.path)
    table, marker = run.path / "grams.parquet", run.path / ".done" / "grams.json"
    content = table.read_bytes()
    if damage == "missing":
        table.unlink()
    elif damage == "truncated":
        table.write_bytes(content[:-1])
    elif damage == "other rows":
        pq.write_table(rows("grams", 5, 10), table)
    elif damage == "garbage":
        table.write_bytes(bytes(len(content)))
    else:  # in a run that is not finished
        manifest = {k: v for k, v in run.manifest.items() if k not in ("finished", "done", "summary")}
        (run.path / "manifest.json").write_text(json.dumps(manifest))
        other = json.loads(marker.read_text()) | {"fingerprint": "0" * 64}
        marker.write_text(json.dumps(other) if damage == "other run" else '{"tables": 7}')
    damaged = Run.read(run.path)
    assert not damaged.complete
    assert not damaged.done("grams")
    assert damaged.tables == ["documents", "quilts"]
    assert compute(tmp_path / "out").complete
    assert digests(run.path) == expected


@pytest.mark.parametrize("name", ["", "../x", "a/b", "A", "x.y", "a" * 65, "con\n", ".lock", "1st"])
def test_no_file_name_but_from_a_plain_name(tmp_path, name, snapshots):
    with open_run(tmp_path / "out") as run:
        before = snapshot(tmp_path)
        for attempt in (run.done, run.mark, lambda n: run.writer(n, SCHEMA), lambda n: run.stage(n).__enter__()):
            with snapshots.error(RunError):
                attempt(name)
        assert snapshot(tmp_path) == before


def test_marker_cannot_point_outside_the_folder(tmp_path):
    run = compute(tmp_path / "out", until="documents")
    shutil.copy(run.path / "documents.parquet", tmp_path / "x.parquet")
    marker = json.loads((run.path / ".done" / "documents.json").read_text())
    marker["tables"] = {"../x": marker["tables"]["documents"]}
    (run.path / ".done" / "documents.json").write_text(json.dumps(marker))
    assert Run.read(run.path).tables == []
