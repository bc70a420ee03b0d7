"""Blocks between stages: in memory while there is room, then on disk.

A port's blocks are put by many tasks and taken once, partition by partition. The ledger counts what all ports hold;
when it is full, the largest port writes everything it has to its spill file and remembers where each block lies.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from unquilt.runs import storing


class Ledger:
    """How many bytes the blocks of all ports may take."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._ports: list[Blocks] = []
        self.lock = threading.Lock()

    def enter(self, blocks: Blocks) -> int:
        """Registers a port; returns its number."""
        with self.lock:
            self._ports.append(blocks)
            return len(self._ports)

    def add(self, size: int) -> None:
        """Counts bytes (a negative size: bytes that are gone), and spills if there are too many. The caller holds the
        lock."""
        self._held += size
        while self._held > self._limit and (largest := max(self._ports, key=lambda port: port.held)).held:
            self._held -= largest.spill()


class Blocks:
    """The blocks of one port."""

    def __init__(self, ledger: Ledger, folder: Path) -> None:
        self.held = 0
        self._ledger = ledger
        self._memory: defaultdict[int, list[bytes]] = defaultdict(list)
        self._disk: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._path = folder / f"port-{ledger.enter(self)}.blocks"
        self._size = 0

    def put(self, partition: int, block: bytes) -> None:
        with self._ledger.lock:
            self._memory[partition].append(block)
            self.held += len(block)
            self._ledger.add(len(block))

    def take(self, partition: int) -> Iterator[bytes]:
        """The blocks of a partition, in no particular order; they are gone then."""
        with self._ledger.lock:
            held = self._memory.pop(partition, [])
            size = sum(map(len, held))
            self.held -= size
            self._ledger.add(-size)
            spilled = self._disk.pop(partition, [])
        while held:  # one by one, so that a block can be freed before the next is taken
            yield held.pop()
        if spilled:
            with self._path.open("rb") as file:
                for offset, length in spilled:
                    yield os.pread(file.fileno(), length, offset)

    def close(self) -> None:
        """Removes the spill file, when all blocks have been taken."""
        self._path.unlink(missing_ok=True)

    def spill(self) -> int:
        """Writes all that is in memory to disk; returns how many bytes that was. The ledger calls it."""
        with storing(self._path), self._path.open("ab") as file:
            for partition, blocks in self._memory.items():
                for block in blocks:
                    file.write(block)
                    self._disk[partition].append((self._size, len(block)))
                    self._size += len(block)
        written, self.held = self.held, 0
        self._memory.clear()
        return written
