"""Folders of stages: what a stage does, under a name that is made of just that, and which objects count.

All of it is JSON. A run folder may be shared, and whoever can write to it must not be able to have code run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from unquilt.engines.objects.blocks_file import Object, damaged_object, missing_object
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Field, Fields, Kernel, Side
from unquilt.remote.folders import list_files, remove_all
from unquilt.remote.names import is_url
from unquilt.remote.paths import place
from unquilt.runs.storage import make_folder, read_own, remove, write_atomically

STAGE, MARKER, SIDES = "stage.json", "marker.json", "sides"
Counters = dict[str, tuple[str, int]]
"""What kernels counted, each with whether it is a sum or the greatest."""


@dataclass(frozen=True)
class Marker:
    """A stage that is done: its objects in the order of tasks, each with the partitions that it has."""

    objects: tuple[tuple[str, int, int], ...]
    """Name, size, and for how many partitions it has entries."""
    sizes: tuple[tuple[int, ...], ...]
    """The bytes of each port, as sums over partitions that follow each other."""
    counters: Counters
    rows: tuple[int, ...] = ()
    """Of a table: those of each partition or row group."""

    @property
    def bytes(self) -> int:
        return sum(size for _, size, _ in self.objects)


def name_stage(fingerprint: str, does: Mapping[str, Any]) -> str:
    """What a stage of a run is called: a digest of all that its objects depend on."""
    said = json.dumps([fingerprint, does], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def begin_stage(folder: Path, does: Mapping[str, Any]) -> None:
    """Makes the folder of a stage. Objects of earlier attempts that no marker lists go; at a store, with the stage."""
    if not is_url(folder):
        remove(folder)
    make_folder(folder)
    write_atomically(folder / STAGE, json.dumps(does).encode())


def read_stage(folder: Path) -> dict[str, Any]:
    """What a stage does. It is small."""
    try:
        return dict(json.loads(read_own(folder / STAGE)))
    except FileNotFoundError as error:
        raise missing_object(folder / STAGE) from error
    except (OSError, ValueError) as error:
        raise damaged_object(folder / STAGE, "it cannot be read") from error


def end_stage(folder: Path, marker: Marker) -> None:
    said = {"objects": marker.objects, "sizes": marker.sizes, "counters": marker.counters, "rows": marker.rows}
    write_atomically(folder / MARKER, json.dumps(said).encode())


def read_marker(folder: Path) -> Marker | None:
    """What counts of a stage; None unless it is done and all of it is there."""
    try:
        said = json.loads(read_own(folder / MARKER))
        marker = Marker(
            tuple((str(name), int(size), int(partitions)) for name, size, partitions in said["objects"]),
            tuple(tuple(map(int, port)) for port in said["sizes"]),
            {name: (str(how), int(value)) for name, (how, value) in said["counters"].items()},
            tuple(map(int, said["rows"])),
        )
        there = {entry.url: entry.size for entry in list_files(str(folder))} if is_url(folder) else None
        places = ((folder / Path(name).name, size) for name, size, _ in marker.objects)
        whole = all((path.stat().st_size if there is None else there.get(str(path))) == size for path, size in places)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return marker if whole else None


def objects(folder: Path, ports: int) -> tuple[Object, ...]:
    """The objects of a stage that is done, for those who read them."""
    try:
        changed = (folder / MARKER).stat().st_mtime_ns
    except OSError as error:
        raise missing_object(folder / MARKER) from error
    return _objects(folder, ports, changed)


@lru_cache(maxsize=16)
def _objects(folder: Path, ports: int, changed: int) -> tuple[Object, ...]:  # noqa: ARG001
    """Read once: every task of the next stage asks for them."""
    marker = read_marker(folder)
    if marker is None:
        raise missing_object(folder / MARKER)
    return tuple(Object(folder / Path(name).name, size, ports, each) for name, size, each in marker.objects)


def end_folder(folder: Path) -> None:
    """Removes a stage that nobody reads any more: its marker first, as objects without one do not count."""
    if is_url(folder):  # all at once; what is left of it does not count, as the list of objects shows
        remove_all(str(folder))
        return
    remove(folder / MARKER)
    remove(folder)


def say_kernel(kernel: Kernel) -> dict[str, Any]:
    columns = kernel.columns if kernel.contract.reads.which == "any" else ()
    given = {name: _say_value(value) for name, value in kernel.parameters.items()}
    return {"name": kernel.name, "columns": columns, "parameters": given}


def _say_value(value: Any) -> Any:
    if isinstance(value, Side):
        return {"side": value.name, "file": Path(value.path).name}
    return {"bytes": value.hex()} if isinstance(value, bytes) else value


def read_kernel(said: Mapping[str, Any], folder: Path) -> Kernel:
    """A kernel of a stage in this folder; sides lie beside it."""
    given = {name: _read_value(value, folder.parent / SIDES) for name, value in said["parameters"].items()}
    return Kernel(said["name"], said["columns"], **given)


def _read_value(value: Any, sides: Path) -> Any:
    if not isinstance(value, dict):
        return value
    return (
        Side(value["side"], str(sides / Path(value["file"]).name)) if "side" in value else bytes.fromhex(value["bytes"])
    )


def say_table(table: Kept) -> dict[str, Any]:
    """By paths that mean the same for whoever works, wherever it was started."""
    paths = [str(place(path).absolute()) for path in table.paths]
    return {"name": table.name, "paths": paths, "numbered": table.numbered, "site": table.site}


def read_kept(said: Mapping[str, Any], paths: Sequence[str] | None = None) -> Kept:
    return Kept(said["name"], tuple(said["paths"] if paths is None else paths), said["numbered"], said["site"])


def say_schema(schema: pa.Schema) -> str:
    return base64.b64encode(schema.serialize()).decode()


def read_schema(said: str) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(said)))


def say_fields(fields: Fields) -> list[list[str]]:
    return [[field.name, field.kind] for field in fields]


def read_fields(said: Sequence[Sequence[str]]) -> Fields:
    return tuple(Field(name, kind) for name, kind in said)
