"""What a task of a stage does, whichever engine runs it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt import _native
from unquilt.columns import buffers
from unquilt.flow.kept import Split
from unquilt.flow.kernels import DOC, Kernel, Side
from unquilt.flow.verbs import MapStage
from unquilt.remote.files import RemoteFile
from unquilt.remote.names import is_url
from unquilt.runs import storing

STORE = "store"
"""Who reads the rows of a partition that become a table."""


@dataclass(frozen=True)
class Scale:
    """How large the corpus is: documents are numbered below the first, and partitions are made for the second."""

    documents: int
    words: int

    def ports(self, kernel: Kernel, partitions: int) -> list[tuple[int, int]]:
        """A kernel's ports as the core takes them: partitions, and the number of keys (0 for fingerprints)."""
        return [(partitions, max(1, self.documents) if port.key == DOC else 0) for port in kernel.ports]


def map_split(stage: MapStage, split: Split, ports: list[tuple[int, int]], sink: _native.Sink) -> _native.Counters:
    """Runs a map's kernel over one row group, and what stands beside it."""
    kernel, beside = stage.kernel, None
    if stage.beside is None:
        batch = split.read(kernel.columns, seen=True)
    else:
        named = [field.name for field in kernel.contract.beside.fields]
        rows = stage.beside.between(*_ends(stage, split), named)
        if stage.among and not rows.num_rows:
            return {}
        batch = split.read(kernel.columns, seen=True)
        if stage.among:
            wanted = pc.is_in(batch.column(0), rows.column(0))
            # Kernels pass over documents without rows beside them: to copy the others is worth it if they are few.
            batch = batch.filter(wanted) if 2 * pc.sum(wanted).as_py() < len(wanted) else batch
        beside = _named_buffers(rows)
    return _native.run_map(kernel.name, kernel_parameters(kernel), ports, _named_buffers(batch), beside, sink)


def _ends(stage: MapStage, split: Split) -> tuple[int, int]:
    """The first and the last document of a row group: as its footer says, if documents are the key of its table."""
    column, schema = stage.kernel.columns[0], stage.table.schema
    if split.keys and schema is not None and schema.names[0] == column:
        return split.keys
    keys = split.read([column]).column(0)
    return keys[0].as_py(), keys[-1].as_py()


def _named_buffers(table: pa.Table) -> list[tuple[str, Any]]:
    return [(name, buffers(column)) for name, column in zip(table.column_names, table.columns, strict=True)]


def kernel_parameters(kernel: Kernel) -> dict[str, Any]:
    """A kernel's parameters as the core takes them: of a side, its file, mapped into memory."""
    return {
        name: _map_file(value.path) if isinstance(value, Side) else value for name, value in kernel.parameters.items()
    }


@lru_cache(maxsize=8)
def _map_file(path: str) -> _native.MappedFile:
    """Mapped once in each process: kernels are made anew for every batch."""
    if not is_url(path):
        return _native.MappedFile(path)
    with tempfile.NamedTemporaryFile(prefix="unquilt-") as copy, storing(Path(copy.name)):
        copy.writelines(RemoteFile(path))
        copy.flush()
        return _native.MappedFile(copy.name)


def forget_sides() -> None:
    """Let go of mapped files, which take room on the disk for as long as they are mapped."""
    _map_file.cache_clear()
