"""Run folders: resume, refusal, overwriting, locks, full disks and kills.

The file is also a program: `python test_runs.py SCENARIO FOLDER` plays a scenario in a process of its own, which forks
toy runs and kills them; it fails by an AssertionError and prints at how many points it killed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unquilt.errors import InputChangedError, RunError, RunLockedError, StorageError
from unquilt.runs import InputRecord, Run, TableWriter, replacement, storing

SCHEMA = pa.schema([("doc", pa.uint32()), ("text", pa.string())])
STAGES = ("documents", "grams", "quilts")
INPUTS = [InputRecord("a.warc", 10, "aa"), InputRecord("b.warc", 20, "bb")]


@pytest.fixture(autouse=True, scope="module")
def quick():
    """Syncing is slow, and only a power cut would show it; one test below looks at what is synced, and when."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


def open_run(path, **changes):
    asked = {"analysis": "quilts", "parameters": {"k": 5, "foreign": "domain"}, "inputs": INPUTS}
    return Run.open(path, **{**asked, **changes})


def rows(stage, k, count=3_000):
    docs = pa.array(range(count), pa.uint32())
    return pa.table({"doc": docs, "text": [f"{stage} {k} {i * i % 1009}" for i in range(count)]}, schema=SCHEMA)


def compute(path, k=5, *, overwrite=False, until=None, count=3_000):
    """A toy analysis of three stages; `until` stops it after one of them."""
    with open_run(path, parameters={"k": k, "foreign": "domain"}, overwrite=overwrite) as run:
        for name in STAGES:
            if not run.done(name):
                with run.stage(name) as stage, run.writer(name, SCHEMA) as out:
                    (run.spill / "block").write_bytes(b"block")
                    for batch in rows(name, k, count).to_batches(max_chunksize=1_000):
                        out.write(batch)
                    stage.record(rows=out.rows)
                run.mark(name, tables=[name])
            if name == until:
                return run
        if not run.complete:
            run.finish({"quilts": 1})
        return run


def digests(path):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(path.glob("*.parquet"))}


def snapshot(path):
    """Every file under `path` with its content and time of change."""
    files = (file for file in sorted(path.rglob("*")) if file.is_file())
    return {str(file.relative_to(path)): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def names(path):
    return sorted(entry.name for entry in path.iterdir())


# --- one run, from beginning to end ---


def test_new_run_leaves_manifest_tables_and_markers(tmp_path):
    run = compute(tmp_path / "deep" / "out")
    assert names(run.path) == [".done", "documents.parquet", "grams.parquet", "manifest.json", "quilts.parquet"]
    manifest = json.loads((run.path / "manifest.json").read_text())
    assert manifest == run.manifest
    assert (manifest["format"], manifest["analysis"]) == (1, "quilts")
    assert manifest["parameters"] == {"k": 5, "foreign": "domain"}
    assert manifest["inputs"][1] == {"path": "b.warc", "size": 20, "sha256": "bb"}
    assert {"unquilt", "python", "pyarrow"} <= manifest["versions"].keys()
    assert manifest["machine"].keys() == {"cpus", "memory", "platform"}
    assert manifest["created"] <= manifest["finished"]
    assert manifest["summary"] == {"quilts": 1}
    assert list(manifest["stages"]) == list(STAGES)
    grams = manifest["stages"]["grams"]
    assert grams["rows"] == 3_000
    assert grams["seconds"] >= 0
    assert grams["peak_memory"] > 10_000_000


def test_tables_are_attributes_and_unknown_ones_say_which_there_are(tmp_path):
    compute(tmp_path / "k=5")  # a folder name that some readers take for a column
    run = Run.read(tmp_path / "k=5")
    assert run.complete
    assert run.tables == sorted(STAGES)
    assert run.quilts.equals(rows("quilts", 5))
    assert run.table("grams").schema == SCHEMA
    assert "quilts" in dir(run)
    assert "complete: documents, grams, quilts" in repr(run)
    with pytest.raises(AttributeError, match="has no table 'sources'; it has: documents, grams, quilts"):
        _ = run.sources
    with pytest.raises(RunError, match="has no table 'sources'"):
        run.table("sources")
    assert not hasattr(run, "_repr_html_")


def test_run_can_be_read_but_not_written_after_its_block(tmp_path):
    run = compute(tmp_path / "out")
    assert run.quilts.num_rows == 3_000
    for attempt in (lambda: run.mark("x"), lambda: run.finish({}), lambda: run.spill, lambda: run.writer("x", SCHEMA)):
        with pytest.raises(RunError, match="not open for writing"):
            attempt()


def test_finished_run_opened_again_is_complete_and_untouched(tmp_path):
    compute(tmp_path / "out")
    before = snapshot(tmp_path)
    with open_run(tmp_path / "out", settings={"engine": "spark", "threads": 99}) as run:
        assert run.complete
        assert all(run.done(stage) for stage in STAGES)
    assert snapshot(tmp_path) == before


def test_interrupted_run_resumes_after_its_last_stage(tmp_path):
    whole = compute(tmp_path / "whole")
    compute(tmp_path / "out", until="grams")
    first = Run.read(tmp_path / "out")
    assert not first.complete
    assert first.tables == ["documents", "grams"]
    before = snapshot(tmp_path / "out")
    run = compute(tmp_path / "out")
    assert run.complete
    after = snapshot(tmp_path / "out")
    assert after["grams.parquet"] == before["grams.parquet"]  # not written again
    assert run.manifest["stages"]["grams"] == first.manifest["stages"]["grams"]
    assert run.manifest["created"] == first.manifest["created"]
    assert digests(run.path) == digests(whole.path)


def test_read_refuses_what_is_no_run(tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(RunError, match="is not a run folder"):
            Run.read(path)


def test_copy_without_hidden_files_is_whole(tmp_path):
    run = compute(tmp_path / "out")
    shutil.copytree(run.path, tmp_path / "copy", ignore=shutil.ignore_patterns(".*"))
    assert Run.read(tmp_path / "copy").complete


def test_everything_is_synced_before_it_counts(tmp_path, monkeypatch):
    """A file is synced before it gets its name, and the folder after: all that a power cut asks for."""
    events = []
    replace = os.replace

    def record_sync(descriptor):
        events.append(("sync", Path(f"/proc/self/fd/{descriptor}").readlink().name))

    def record_replace(source, target):
        events.append(("replace", Path(target).name))
        replace(source, target)

    with open_run(tmp_path / "out") as run:
        monkeypatch.setattr(os, "fsync", record_sync)
        monkeypatch.setattr(os, "replace", record_replace)
        with run.writer("grams", SCHEMA) as out:
            out.write(rows("grams", 5))
        run.mark("grams", tables=["grams"])
        run.finish({})
    assert events == [
        *[("sync", ".grams.parquet.partial"), ("replace", "grams.parquet"), ("sync", "out")],
        ("sync", "out"),  # it now has a folder for markers
        *[("sync", ".grams.json.partial"), ("replace", "grams.json"), ("sync", ".done")],
        *[("sync", ".manifest.json.partial"), ("replace", "manifest.json"), ("sync", "out")],
    ]


# --- stages and markers ---


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


def test_mark_needs_its_tables(tmp_path):
    with open_run(tmp_path / "out") as run:
        with pytest.raises(RunError, match=r"stage grams is not done: .*grams.parquet is missing"):
            run.mark("grams", tables=["grams"])
        run.mark("empty")
        assert run.done("empty")


def test_marker_vouches_for_files_and_notes_values(tmp_path):
    with open_run(tmp_path / "out") as run:
        (run.path / "parts").mkdir()
        part = run.path / "parts" / "part-0.parquet"
        with pytest.raises(RunError, match=r"stage parts is not done: .*part-0.parquet is missing"):
            run.mark("parts", files=["parts/part-0.parquet"])
        part.write_bytes(b"12345")
        run.mark("parts", files=["parts/part-0.parquet"], values={"words": 7})
        assert run.done("parts")
        assert run.files("parts") == ["parts/part-0.parquet"]
        assert run.values("parts") == {"words": 7}
        part.write_bytes(b"1234")
        assert not run.done("parts")
        for question in (run.files, run.values):
            with pytest.raises(RunError, match="stage parts is not done"):
                question("parts")
        for name in ("../x", "/x", ".lock", "a/../b", "a//b", "a/.b", ""):
            with pytest.raises(RunError, match="cannot name a file of a run"):
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
def test_no_file_name_but_from_a_plain_name(tmp_path, name):
    with open_run(tmp_path / "out") as run:
        before = snapshot(tmp_path)
        for attempt in (run.done, run.mark, lambda n: run.writer(n, SCHEMA), lambda n: run.stage(n).__enter__()):
            with pytest.raises(RunError, match="cannot name a table or stage"):
                attempt(name)
        assert snapshot(tmp_path) == before


def test_marker_cannot_point_outside_the_folder(tmp_path):
    run = compute(tmp_path / "out", until="documents")
    shutil.copy(run.path / "documents.parquet", tmp_path / "x.parquet")
    marker = json.loads((run.path / ".done" / "documents.json").read_text())
    marker["tables"] = {"../x": marker["tables"]["documents"]}
    (run.path / ".done" / "documents.json").write_text(json.dumps(marker))
    assert Run.read(run.path).tables == []


# --- the writer ---

VALUES = st.tuples(
    st.none() | st.integers(0, 5),
    st.none() | st.text(max_size=3),
    st.booleans(),
    st.none() | st.lists(st.integers(0, 3), max_size=3),
)
WIDE = pa.schema([("n", pa.int64()), ("s", pa.string()), ("b", pa.bool_()), ("l", pa.list_(pa.int32()))])


def table_bytes(folder, table, cuts):
    with TableWriter(folder, "t", table.schema, rows_per_group=7) as out:
        for begin, end in zip([0, *cuts], [*cuts, table.num_rows], strict=True):
            out.write(table.slice(begin, end - begin))
    return (folder / "t.parquet").read_bytes()


@settings(max_examples=60, deadline=None)
@given(st.lists(VALUES, max_size=40), st.data())
def test_bytes_depend_on_the_rows_alone(values, data):
    columns = list(zip(*values, strict=True)) or [()] * 4
    table = pa.table([pa.array(column, field.type) for column, field in zip(columns, WIDE, strict=True)], schema=WIDE)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=8)))
    with tempfile.TemporaryDirectory() as folder:
        assert table_bytes(Path(folder), table, cuts) == table_bytes(Path(folder), table, [])
        assert pq.ParquetFile(Path(folder) / "t.parquet").read().equals(table)


def test_row_groups_are_full_whatever_the_batches(tmp_path):
    table = rows("grams", 5, 140_000)
    with open_run(tmp_path / "out") as run:
        for name, size in (("small", 999), ("large", 140_000)):
            with run.writer(name, SCHEMA) as out:
                for batch in table.to_batches(max_chunksize=size):
                    out.write(batch)
            assert out.rows == 140_000
            assert out.bytes == (run.path / f"{name}.parquet").stat().st_size
        file = pq.ParquetFile(run.path / "small.parquet")
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        assert [group.num_rows for group in groups] == [65_536, 65_536, 8_928]
        assert groups[0].column(0).compression == "ZSTD"
        assert len(set(digests(run.path).values())) == 1


def test_table_without_rows_has_its_schema(tmp_path):
    with open_run(tmp_path / "out") as run:
        with run.writer("quilts", SCHEMA):
            pass
        run.mark("quilts", tables=["quilts"])
        assert run.quilts.equals(SCHEMA.empty_table())


def test_writer_that_fails_leaves_the_older_table(tmp_path):
    compute(tmp_path / "out", until="documents")
    before = digests(tmp_path / "out")
    with open_run(tmp_path / "out") as run:
        with suppress(KeyError), run.writer("documents", SCHEMA) as out:
            out.write(rows("other", 1, 70_000))
            assert ".documents.parquet.partial" in names(run.path)
            raise KeyError
        with pytest.raises(ValueError, match="field names"), run.writer("documents", SCHEMA) as out:
            out.write(pa.table({"x": [1]}))
        assert not list(run.path.glob(".*.partial"))
        assert digests(run.path) == before


def test_writer_casts_to_the_schema_and_refuses_what_would_vary(tmp_path):
    with open_run(tmp_path / "out") as run:
        with run.writer("grams", SCHEMA) as out:
            out.write({"doc": [1, 2], "text": pa.array(["a", "b"]).dictionary_encode()})
        assert pq.read_schema(run.path / "grams.parquet") == SCHEMA
        with pytest.raises(TypeError, match="dictionary column"):
            run.writer("grams", pa.schema([("x", pa.dictionary(pa.int32(), pa.string()))]))
        with run.writer("grams", SCHEMA), pytest.raises(RunError, match="already being written"):
            run.writer("grams", SCHEMA).__enter__()


def test_error_swallowed_by_the_caller_does_not_make_a_short_table(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.EIO, "I/O error")

    with open_run(tmp_path / "out") as run:
        out = run.writer("grams", SCHEMA).__enter__()
        with monkeypatch.context() as patch, suppress(StorageError):
            patch.setattr(out._parquet, "write_table", fail)
            out.write(rows("grams", 5, 70_000))
        with pytest.raises(RunError, match="earlier write failed"):
            out.__exit__(None, None, None)
        assert names(run.path) == [".lock", "manifest.json"]


# --- what is refused ---


def test_folder_with_something_else_is_refused_and_untouched(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "manifest.json").write_text('{"name": "a web app"}')
    before = snapshot(tmp_path)
    for overwrite in (False, True):
        with pytest.raises(RunError, match=r"holds something else \(first entry: manifest.json\); choose another"):
            open_run(tmp_path, overwrite=overwrite)
    assert snapshot(tmp_path) == before


def test_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(RunError, match="is a file; choose another folder"):
        open_run(tmp_path / "out")
    with pytest.raises(StorageError, match="not a directory"):
        open_run(tmp_path / "out" / "deeper")


def test_empty_folder_and_link_to_one_are_taken(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert compute(tmp_path / "link").path == (tmp_path / "real").resolve()


DIFFERENCES = [
    ({"parameters": {"k": 7, "foreign": "domain"}}, "k was 5 and is now 7"),
    ({"parameters": {"k": 5, "foreign": "ip"}}, "foreign was domain and is now ip"),
    ({"parameters": {"k": 5}}, "foreign was domain and is now not set"),
    (
        {"parameters": {"k": 7, "m": [1], "foreign": ""}},
        "k was 5 and is now 7; foreign was domain and is now empty; m was",
    ),
    ({"analysis": "neardups", "parameters": {"n": 1}}, "analysis was quilts and is now neardups; choose"),
    ({"versions": {"unicode": "16.0"}}, "unicode was not set and is now 16.0"),
    ({"versions": {"unquilt": "99"}}, "unquilt was .* and is now 99"),
    ({"inputs": INPUTS[:1]}, "other inputs: b.warc is missing; choose"),
    ({"inputs": [*INPUTS, *(InputRecord(x, 1, "") for x in "cde")]}, "other inputs: c is new, 2 more; choose"),
    ({"inputs": INPUTS[::-1]}, "other inputs: the same files in another order"),
]


@pytest.mark.parametrize("until", [None, "documents"])
@pytest.mark.parametrize(("changes", "message"), DIFFERENCES)
def test_other_run_is_refused_and_told_apart(tmp_path, changes, message, until):
    compute(tmp_path / "out", until=until)
    before = snapshot(tmp_path)
    with pytest.raises(RunError, match=f"{message}.*-o, or --overwrite$"):
        open_run(tmp_path / "out", **changes)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("record", "change"),
    [
        (InputRecord("b.warc", 21, "bb"), "its size was 20 and is now 21"),
        (InputRecord("b.warc", 20, "bx"), "sha256 was bb"),
    ],
)
def test_changed_input_is_refused_and_named(tmp_path, record, change):
    compute(tmp_path / "out", until="documents")
    with pytest.raises(InputChangedError, match=f"^b.warc changed since .* began: .*{change}"):
        open_run(tmp_path / "out", inputs=[INPUTS[0], record])


def test_other_python_and_pyarrow_resume(tmp_path):
    with open_run(tmp_path / "out", versions={"python": "3.11.0", "pyarrow": "19"}):
        pass
    with open_run(tmp_path / "out", versions={"python": "3.14.0", "pyarrow": "30"}) as run:
        assert run.manifest["versions"]["pyarrow"] == "30"


def test_other_format_is_refused_but_can_be_overwritten(tmp_path):
    run = compute(tmp_path / "out")
    future = {"format": 2, "unquilt": "9", "analysis": "quilts", "fingerprint": "f" * 64}
    (run.path / "manifest.json").write_text(json.dumps(future))
    with pytest.raises(RunError, match="has format 2, this unquilt writes 1; choose another folder with -o, or --over"):
        open_run(run.path)
    with pytest.raises(RunError, match="has format 2, this unquilt reads 1"):
        Run.read(run.path)
    assert compute(run.path, overwrite=True).complete


def test_edited_manifest_is_refused(tmp_path):
    run = compute(tmp_path / "out")
    (run.path / "manifest.json").write_text(json.dumps(run.manifest | {"fingerprint": "f" * 64}))
    assert not Run.read(run.path).complete
    with pytest.raises(RunError, match="its manifest was edited"):
        open_run(run.path)


def test_file_names_that_are_no_text_are_kept_and_never_raw_in_messages(tmp_path):
    odd = InputRecord(os.fsdecode(b"\xff\x1b[31m"), 1, "a")
    with open_run(tmp_path / "out", inputs=[odd]):
        pass
    with open_run(tmp_path / "out", inputs=[odd]) as run:
        assert run.manifest["inputs"][0]["path"] == odd.path
    with pytest.raises(RunError) as caught:
        open_run(tmp_path / "out", inputs=INPUTS)
    assert str(caught.value).isprintable()


# --- overwriting ---


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


def no_exchange(*_):
    raise OSError(errno.EINVAL, "Invalid argument")


def test_overwriting_where_names_cannot_be_exchanged(tmp_path, monkeypatch):
    monkeypatch.setattr(replacement, "exchange", no_exchange)
    compute(tmp_path / "out")
    assert compute(tmp_path / "out", 7, overwrite=True).manifest["parameters"]["k"] == 7
    assert names(tmp_path) == ["out"]


def test_swap_that_fails_puts_the_older_run_back(tmp_path, monkeypatch):
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
        with pytest.raises(StorageError, match=r"permission denied: .*older run is untouched, the new one in .*new-"):
            compute(tmp_path / "out", 7, overwrite=True)
    assert snapshot(older.path) == before
    with open_run(tmp_path / "out", parameters={"k": 7, "foreign": "domain"}, overwrite=True) as run:
        assert run.complete  # it was finished and only had to be put in its place
        assert run.path == tmp_path / "out"
    assert names(tmp_path) == ["out"]


def test_swap_killed_between_two_renames_is_completed(tmp_path):
    new = compute(tmp_path / "new", 7)
    fingerprint = new.manifest["fingerprint"][:16]
    compute(tmp_path / "out").path.rename(tmp_path / f".out.old-{fingerprint}")
    new.path.rename(tmp_path / f".out.new-{fingerprint}")
    with pytest.raises(RunError, match=r"replacement was interrupted, the run is in .*\.out\.new-"):
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


# --- locks ---


@contextmanager
def process(scenario, path):
    """A process that plays `scenario` and has said that it is ready."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, __file__, scenario, str(path)]
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


def test_lock_that_does_not_say_who_holds_it_holds(tmp_path):
    with open_run(tmp_path / "out"):
        (tmp_path / "out" / ".lock").write_bytes(b"\x1b")
        with pytest.raises(RunLockedError, match="is in use by another process"):
            open_run(tmp_path / "out")


def test_links_are_not_followed(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("precious")
    with open_run(tmp_path / "out") as run:
        pass
    (run.path / ".spill").symlink_to(tmp_path / "mine")
    (run.path / ".grams.parquet.partial").symlink_to(tmp_path / "mine" / "file")
    compute(tmp_path / "out")
    assert (tmp_path / "mine" / "file").read_text() == "precious"
    (run.path / ".lock").symlink_to(tmp_path / "mine" / "file")
    with pytest.raises(StorageError):
        open_run(tmp_path / "out")


# --- no room, no right ---


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


# --- kills ---


@pytest.mark.parametrize("scenario", ["kill-steps", "kill-times", "kill-overwriting", "kill-overwriting-renames"])
def test_killed_run_never_looks_complete_and_resumes_to_the_same_bytes(tmp_path, scenario):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, __file__, scenario, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 20


def hold(path):
    """Work in a run until killed."""
    run = open_run(path)
    (run.spill / "block").write_bytes(b"block")
    run.writer("grams", SCHEMA).__enter__()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    time.sleep(60)


class DiskSteps:
    """Counts the calls that change the disk, and kills this process just before the one numbered `last`.

    Syncs are counted and not done: a kill does not need them, and they are slow.
    """

    def __init__(self, last=0):
        self.count, self.last = 0, last
        for name in ("open", "mkdir", "rmdir", "unlink", "rename", "replace"):
            setattr(os, name, self.counted(getattr(os, name)))
        os.fsync = self.counted(lambda _: None)
        replacement.exchange = self.counted(replacement.exchange)

    def counted(self, function):
        def call(*arguments, **options):
            self.count += 1
            if self.count == self.last:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return call


def fork(action):
    """Run `action` in a child process; return its process id."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        except Exception:
            traceback.print_exc()
            raise
        finally:
            os._exit(status)
    return child


def was_killed(child):
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0


def choose_steps(action):
    """Choose where to kill `action`: at its last ten steps and at ten more at random; or, if told so, at all."""

    def count():
        steps = DiskSteps()
        action()
        os.write(write_end, b"%d" % steps.count)

    read_end, write_end = os.pipe()
    assert not was_killed(fork(count))
    steps = range(1, int(os.read(read_end, 100)) + 1)
    if os.environ.get("UNQUILT_KILL_EVERYWHERE"):
        return list(steps)
    return [*sorted(random.Random(0).sample(steps[:-10], 10)), *steps[-10:]]


def die_in(action, step):
    def act():
        DiskSteps(last=step)
        action()

    return was_killed(fork(act))


def assert_tidy(folder):
    assert names(folder) == ["out"]
    assert names(folder / "out") == [".done", *sorted(["manifest.json", *(f"{stage}.parquet" for stage in STAGES)])]


def kill_steps(folder):
    """Kill a run at chosen steps, kill its resumption at the same step, then let it finish."""
    expected = digests(compute(folder / "whole").path)
    steps = choose_steps(lambda: compute(folder / "counted"))
    for step in steps:
        place = folder / str(step)
        place.mkdir()
        assert die_in(lambda place=place: compute(place / "out"), step)
        if (place / "out" / "manifest.json").exists():
            run = Run.read(place / "out")
            assert not run.complete or digests(run.path) == expected
        die_in(lambda place=place: compute(place / "out"), step)
        assert compute(place / "out").complete
        assert digests(place / "out") == expected
        assert_tidy(place)
    return len(steps)


def kill_times(folder):
    """Kill a run at random times, again and again until it gets through."""
    begin = time.perf_counter()
    expected = digests(compute(folder / "out", count=20_000).path)
    seconds = time.perf_counter() - begin
    chance = random.Random(0)
    kills = 0
    while kills < 20:
        shutil.rmtree(folder / "out")
        killed = True
        while killed:
            child = fork(lambda: compute(folder / "out", count=20_000))
            time.sleep(chance.uniform(0, seconds))
            os.kill(child, signal.SIGKILL)
            killed = was_killed(child)
            kills += killed
            if (folder / "out" / "manifest.json").exists():
                run = Run.read(folder / "out")
                assert run.complete != killed or digests(run.path) == expected
        assert digests(folder / "out") == expected
    return kills


def kill_overwriting(folder):
    """Kill an overwriting run at chosen steps: what is at the path is always one of the two, in full."""
    older, newer = (compute(folder / "whole" / str(k), k).path for k in (5, 7))
    both = {5: digests(older), 7: digests(newer)}
    atomic = replacement.exchange is not no_exchange
    shutil.copytree(older, folder / "counted")
    steps = choose_steps(lambda: compute(folder / "counted", 7, overwrite=True))
    for step in steps:
        place = folder / str(step)
        shutil.copytree(older, place / "out")
        assert die_in(lambda place=place: compute(place / "out", 7, overwrite=True), step)
        if atomic or (place / "out").exists():
            run = Run.read(place / "out")
            assert run.complete
            assert digests(run.path) == both[run.manifest["parameters"]["k"]]
        assert compute(place / "out", 7, overwrite=True).complete
        assert digests(place / "out") == both[7]
        assert_tidy(place)
    return len(steps)


def kill_overwriting_renames(folder):
    """The same where names cannot be exchanged."""
    replacement.exchange = no_exchange
    return kill_overwriting(folder)


def main(scenario, folder):
    os.fsync = lambda _: None
    played = globals()[scenario.replace("-", "_")](Path(folder))
    sys.stdout.write(f"{played}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
