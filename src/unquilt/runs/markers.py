"""Completion markers: one JSON file per stage that vouches for the tables and other files of that stage.

A marker is believed only if it carries the run's fingerprint and all it names is there: each table with the size and
the number of rows it says, each other file with its size. Checking costs one stat per file and one Parquet footer per
table; data are not read. Other files must be synced by whoever writes them, before the stage is marked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from unquilt.errors import RunError
from unquilt.remote.names import is_url
from unquilt.runs.shapes import Misfit, a_count, a_list, a_mapping, a_record, a_text, a_whole_number
from unquilt.runs.storage import (
    check_name,
    inside,
    listed,
    make_folder,
    read_own,
    shown,
    storing,
    sync_folder,
    write_atomically,
)
from unquilt.runs.tables import safe_table_path, table_path

DONE = ".done"
_FILE = re.compile(r"([a-z0-9][a-z0-9_.-]*/)*[a-z0-9][a-z0-9_.-]*")


def check_file_name(name: str) -> str:
    """Return `name` if it can name a file of a run that is no table: inside its folder, and not hidden."""
    if not _FILE.fullmatch(name):
        raise RunError(f"{name!r} cannot name a file of a run: a/b, of lower-case letters, digits and any of . _ -")
    return name


FACTS = a_record(
    {},
    {
        "skipped": a_mapping(a_count),
        "keep_missing": a_mapping(a_count),
        "warnings": a_list(a_text),
        "urls": a_text,
    },
    others=a_whole_number,
)
"""What a stage notes, or a run ends with: numbers, counts of what was skipped while reading, and of documents
without a value that --keep asks for, warnings, and how URLs were made."""
MARKER = a_record(
    {
        "stage": a_text,
        "fingerprint": a_text,
        "versions": a_mapping(a_text),
        "tables": a_mapping(a_record({"rows": a_count, "bytes": a_count}), check_name),
        "files": a_mapping(a_count, check_file_name),
        "values": FACTS,
    }
)


def marker_path(folder: Path, stage: str) -> Path:
    """Where the marker of a stage lies."""
    return folder / DONE / f"{check_name(stage)}.json"


def write_marker(
    folder: Path,
    stage: str,
    manifest: Mapping[str, Any],
    *,
    tables: Iterable[str] = (),
    files: Iterable[str] = (),
    values: Mapping[str, Any] | None = None,
) -> None:
    """Vouch for tables and other files, which must be there, and note small values; the last act of a stage."""
    path = marker_path(folder, stage)
    _list_sizes.cache_clear()
    marker = {
        "stage": stage,
        "fingerprint": manifest["fingerprint"],
        "versions": manifest["versions"],
        "tables": {name: _measure(folder, name, stage) for name in tables},
        "files": {name: _file_size(folder, name, stage) for name in files},
        "values": dict(values or {}),
    }
    make_folder(path.parent)
    write_atomically(path, json.dumps(marker, indent=1).encode() + b"\n")


def _measure(folder: Path, table: str, stage: str) -> dict[str, int]:
    path = safe_table_path(folder, table)
    try:
        source = pa.PythonFile(path.open("rb"), mode="r") if is_url(path) else path
        return {"rows": pq.read_metadata(source).num_rows, "bytes": path.stat().st_size}
    except (OSError, pa.ArrowException) as error:
        raise RunError(f"stage {stage} is not done: {shown(path)} is missing or no table") from error


def _file_size(folder: Path, name: str, stage: str) -> int:
    path = inside(folder, check_file_name(name))
    try:
        if is_url(folder):  # one request for all of them
            return _list_sizes(str(folder / name.partition("/")[0]), "")[str(path)]
        return path.stat().st_size
    except (OSError, KeyError) as error:
        raise RunError(f"stage {stage} is not done: {shown(path)} is missing") from error


def remove_marker(folder: Path, stage: str) -> None:
    """Take back a marker."""
    path = marker_path(inside(folder, DONE).parent, stage)
    if is_url(path):
        _list_sizes.cache_clear()
        path.unlink()
        return
    with storing(path):
        path.unlink(missing_ok=True)
        if path.parent.is_dir():
            sync_folder(path.parent)


def read_markers(folder: Path) -> dict[str, Any]:
    """Return stage → marker, in the order of their names, whether they are valid or not."""
    markers = {path.stem: _read(path) for path in listed(folder / DONE, "[a-z]*.json")}
    return {stage: marker for stage, marker in markers.items() if marker is not None}


def read_marker(folder: Path, stage: str) -> Any:
    """The marker of a stage, whether it is valid or not; None if there is none."""
    return None if (folder / DONE).is_symlink() else _read(marker_path(folder, stage))


def _read(path: Path) -> Any:
    try:
        marker = json.loads(read_own(path))
        MARKER(marker, "")
    except (OSError, RunError, ValueError, RecursionError):
        return None  # what cannot be read vouches for nothing
    return marker


def marked_entries(folder: Path) -> set[str]:
    """The entries of `folder` that hold files which markers vouch for, besides tables: `documents` for documents/a."""
    return {name.partition("/")[0] for marker in read_markers(folder).values() for name in marker["files"]}


def _is_valid_at_store(folder: Path, marker: Any) -> bool:
    """Whether all objects have the sizes that the marker says: they are listed, not looked into, which costs least."""
    sizes = {table_path(folder, name): measures["bytes"] for name, measures in marker["tables"].items()}
    sizes |= {folder / check_file_name(name): size for name, size in marker["files"].items()}
    there = _list_sizes(str(folder), marker["fingerprint"])
    return all(there.get(str(path)) == size for path, size in sizes.items())


@lru_cache(maxsize=16)
def _list_sizes(folder: str, fingerprint: str) -> dict[str, int]:  # noqa: ARG001 - another run is another list
    """The files of a run at a store; listed once, and again when something was marked."""
    from unquilt.remote.folders import list_files

    return {entry.url: entry.size for entry in list_files(folder)}


def is_valid(folder: Path, marker: Any, fingerprint: str) -> bool:
    """Tell whether a marker belongs to this run and all it vouches for is there."""
    try:
        MARKER(marker, "")
        if marker["fingerprint"] != fingerprint:
            return False
        if is_url(folder):
            return _is_valid_at_store(folder, marker)
        for name, measures in marker["tables"].items():
            path = safe_table_path(folder, name)
            if path.stat().st_size != measures["bytes"] or pq.read_metadata(path).num_rows != measures["rows"]:
                return False
        return all(inside(folder, name).stat().st_size == size for name, size in marker["files"].items())
    except (Misfit, RunError, OSError, pa.ArrowException):
        return False
