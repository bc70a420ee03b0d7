"""Runs as they are opened: new, finished, to be resumed, or to be refused."""

from __future__ import annotations

import json
import os
import posix
import shutil
from pathlib import Path

import pytest
from toy_run import INPUTS, SCHEMA, STAGES, compute, digests, names, open_run, rows, snapshot

from unquilt.errors import InputChangedError, RunError, StorageError
from unquilt.runs import InputRecord, Run

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


def test_tables_are_attributes_and_unknown_ones_say_which_there_are(tmp_path, snapshots):
    compute(tmp_path / "k=5")  # a folder name that some readers take for a column
    run = Run.read(tmp_path / "k=5")
    assert run.complete
    assert run.tables == sorted(STAGES)
    assert run.quilts.equals(rows("quilts", 5))
    assert run.table("grams").schema == SCHEMA
    assert "quilts" in dir(run)
    assert "complete: documents, grams, quilts" in repr(run)
    with snapshots.error(AttributeError):
        _ = run.sources
    with snapshots.error(RunError):
        run.table("sources")
    assert not hasattr(run, "_repr_html_")


def test_run_can_be_read_but_not_written_after_its_block(tmp_path, snapshots):
    run = compute(tmp_path / "out")
    assert run.quilts.num_rows == 3_000
    for attempt in (lambda: run.mark("x"), lambda: run.finish({}), lambda: run.spill, lambda: run.writer("x", SCHEMA)):
        with snapshots.error(RunError):
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


def test_read_refuses_what_is_no_run(tmp_path, snapshots):
    for path in (tmp_path, tmp_path / "missing"):
        with snapshots.error(RunError):
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
        posix.fsync(descriptor)  # nothing else here does: see `conftest`

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


# --- what is refused ---


def test_folder_with_something_else_is_refused_and_untouched(tmp_path, snapshots):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "manifest.json").write_text('{"name": "a web app"}')
    before = snapshot(tmp_path)
    for overwrite in (False, True):
        with snapshots.error(RunError):
            open_run(tmp_path, overwrite=overwrite)
    assert snapshot(tmp_path) == before


def test_file_in_place_of_the_folder_is_refused(tmp_path, snapshots):
    (tmp_path / "out").write_text("mine")
    with snapshots.error(RunError):
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
    with pytest.raises(RunError, match=f"{message}.*overwrite=True\\)$"):
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


def test_other_format_is_refused_but_can_be_overwritten(tmp_path, snapshots):
    run = compute(tmp_path / "out")
    future = {"format": 2, "unquilt": "9", "analysis": "quilts", "fingerprint": "f" * 64}
    (run.path / "manifest.json").write_text(json.dumps(future))
    with snapshots.error(RunError):
        open_run(run.path)
    with snapshots.error(RunError):
        Run.read(run.path)
    assert compute(run.path, overwrite=True).complete


def test_edited_manifest_is_refused(tmp_path, snapshots):
    run = compute(tmp_path / "out")
    (run.path / "manifest.json").write_text(json.dumps(run.manifest | {"fingerprint": "f" * 64}))
    assert not Run.read(run.path).complete
    with snapshots.error(RunError):
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
