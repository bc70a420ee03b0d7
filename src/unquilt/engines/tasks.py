"""What a task of a stage does, whichever engine runs it."""

from __future__ import annotations

from dataclasses import dataclass

from unquilt import _native
from unquilt.columns import buffers
from unquilt.engines.kept import Split
from unquilt.engines.verbs import DOC, Kernel, Mapped


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
    batch = split.read(stage.kernel.columns)
    columns = [buffers(column) for column in batch.columns]
    beside = []
    if stage.beside is not None:
        keys = batch.column(0)
        rows = stage.beside.between(keys[0].as_py(), keys[-1].as_py())
        beside = [buffers(column) for column in rows.columns]
    return _native.run_map(stage.kernel.name, dict(stage.kernel.parameters), ports, columns, beside, sink)
