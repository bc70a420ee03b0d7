"""A toy analysis of three stages, for what a run folder has to bear, and looks into such folders."""

from __future__ import annotations

import errno
import hashlib

import pyarrow as pa

from unquilt.runs import InputRecord, Run

SCHEMA = pa.schema([("doc", pa.uint32()), ("text", pa.string())])
STAGES = ("documents", "grams", "quilts")
INPUTS = [InputRecord("a.warc", 10, "aa"), InputRecord("b.warc", 20, "bb")]


def open_run(path, **changes):
    asked = {"analysis": "quilts", "parameters": {"k": 5, "foreign": "domain"}, "inputs": INPUTS}
    return Run.open(path, **{**asked, **changes})


def rows(stage, k, count=3_000):
    docs = pa.array(range(count), pa.uint32())
    return pa.table({"doc": docs, "text": [f"{stage} {k} {i * i % 1009}" for i in range(count)]}, schema=SCHEMA)


def compute(path, k=5, *, overwrite=False, until=None, count=3_000, results=None):
    """A toy analysis of three stages; `until` stops it after one of them, `results` are the tables that stay."""
    with open_run(path, parameters={"k": k, "foreign": "domain"}, overwrite=overwrite) as run:
        for name in () if run.complete else STAGES:
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
            run.finish({"quilts": 1}, results=results)
        return run


def digests(path):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(path.glob("*.parquet"))}


def snapshot(path):
    """Every file under `path` with its content and time of change."""
    files = (file for file in sorted(path.rglob("*")) if file.is_file())
    return {str(file.relative_to(path)): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def names(path):
    return sorted(entry.name for entry in path.iterdir())


def no_exchange(*_):
    raise OSError(errno.EINVAL, "Invalid argument")
