"""What a task does: it reads its row groups or partitions, runs the kernel, and writes one object."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unquilt import _native
from unquilt.engines.blocks import Blocks, Ledger
from unquilt.engines.objects.making import Made, Means, Task, add_counters, fill_partitions, write_made
from unquilt.engines.objects.stages import Counters, read_kept, read_kernel, read_stage
from unquilt.engines.objects.tables import JOIN, PACK, PASTE, join, pack, paste, store
from unquilt.engines.tasks import STORE, kernel_parameters, map_split
from unquilt.errors import EngineError
from unquilt.flow.verbs import MapStage
from unquilt.runs import storing

MAP, GROUP = "map", "group"


def perform(task: Task, means: Means) -> Made:
    """Does a task. Whoever does it again makes another object with the same blocks."""
    does = read_stage(task.folder)
    try:
        return _perform(task, does, means)
    except _native.DamagedRowsError as error:  # which cannot be sent from one process to another
        name = does["kernel"]["name"] if "kernel" in does else STORE
        raise EngineError(f"kernel {name} failed: {error}; this is a bug in unquilt, please report it") from error


def _perform(task: Task, does: Mapping[str, Any], means: Means) -> Made:
    if does["does"] == PACK:
        return pack(task, does)
    if does["does"] == PASTE:
        return paste(task, does)
    if does["does"] == JOIN:
        return join(task, does)
    with tempfile.TemporaryDirectory(prefix="unquilt-", dir=means.scratch) as scratch:
        if does["does"] == STORE:
            return store(task, does, means.memory, scratch)
        out = _Out(does["ports"], means.memory * 2 // 5, Path(scratch))
        counters: Counters = {}
        if does["does"] == MAP:
            _map(task, does, out, counters)
        else:
            _group(task, does, out, counters, means.memory, scratch)
        return out.write(task, counters)


class _Out:
    """The blocks that leave a task: in memory, or on disk where they take too much, until it has read everything."""

    def __init__(self, ports: Sequence[Sequence[int]], memory: int, scratch: Path) -> None:
        self.ports = [(partitions, keys) for partitions, keys in ports]
        ledger = Ledger(memory)
        self._blocks = [Blocks(ledger, scratch) for _ in ports]

    def put(self, port: int, partition: int, block: bytes) -> None:
        self._blocks[port].put(partition, block)

    def write(self, task: Task, counters: Counters) -> Made:
        partitions = self.ports[0][0] if self.ports else 1
        return write_made(task, len(self.ports), partitions, self.take, counters)

    def take(self, port: int, partition: int) -> Iterator[bytes]:
        return self._blocks[port].take(partition)


def _map(task: Task, does: Mapping[str, Any], out: _Out, counters: Counters) -> None:
    kernel = read_kernel(does["kernel"], task.folder)
    beside = read_kept(does["beside"]) if does["beside"] else None
    for piece in task.pieces:
        table = read_kept(does["table"], [piece.path])
        stage = MapStage(table, kernel, beside, does["among"])
        for split in table.splits()[piece.first : piece.last]:
            add_counters(counters, map_split(stage, split, out.ports, out.put))


def _group(task: Task, does: Mapping[str, Any], out: _Out, counters: Counters, memory: int, scratch: str) -> None:
    kernel = read_kernel(does["kernel"], task.folder)
    for _, filled in fill_partitions(kernel.name, task, does, memory, scratch):
        with storing(Path(scratch)):
            add_counters(counters, filled.run(kernel_parameters(kernel), out.ports, out.put))
