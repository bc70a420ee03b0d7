"""What a task of a stage does, whichever engine runs it."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow.compute as pc

from unquilt import _native
from unquilt.columns import buffers
from unquilt.flow.kept import Split
from unquilt.flow.verbs import DOC, Kernel, Mapped


@dataclass(frozen=True)
class Scale:
    """How large the corpus is: documents are numbered below the first, and partitions are made for the second."""

    documents: int
    words: int

    def ports(self, kernel: Kernel, partitions: int) -> list[tuple[int, int]]:
        """A kernel's ports as the core takes them: partitions, and the number of keys (0 for fingerprints)."""
        return [(partitions, max(1, self.documents) if key == DOC else 0) for key in kernel.ports]


def map_split(stage: Mapped, split: Split, ports: list[tuple[int, int]], sink: _native.Sink) -> _native.Counters:
    """Runs a map's kernel over one row group, and what stands beside it."""
    names = stage.kernel.columns
    beside = []
    if stage.beside is None:
        batch = split.read(names)
    else:
        keys = split.read(names[:1]).column(0)
        rows = stage.beside.between(keys[0].as_py(), keys[-1].as_py())
        if stage.among and not rows.num_rows:
            return {}
        batch = split.read(names)
        if stage.among:
            batch = batch.filter(pc.is_in(keys, rows.column(0)))
        beside = [buffers(column) for column in rows.columns]
    columns = [buffers(column) for column in batch.columns]
    return _native.run_map(stage.kernel.name, dict(stage.kernel.parameters), ports, columns, beside, sink)
