"""What tasks do for tables that are kept: rows become batches of Arrow, these row groups, and these one file.

Row groups have a fixed number of rows, wherever partitions end. So the rows of all partitions must be counted (`store`)
before row groups can be made (`pack`), and the bytes of all row groups before one can be put in its place (`paste`).
At a store nothing can be put in its place: there one task puts all of them together (`join`), through its folder for
temporary files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from unquilt.columns import store as store_columns
from unquilt.engines.objects.blocks_file import Object, find_ranges, missing_object, read_blocks
from unquilt.engines.objects.making import Made, Task, fill_partitions, write_made
from unquilt.engines.objects.stages import MARKER, objects, read_fields, read_marker, read_schema
from unquilt.engines.tasks import STORE
from unquilt.errors import EngineError
from unquilt.runs import storing
from unquilt.runs.row_groups import JoinedTable, pack_group
from unquilt.runs.row_groups import paste as paste_groups
from unquilt.runs.tables import Gathering

PACK, PASTE, JOIN = "pack", "paste", "join"
BODIES, FOOTERS = 0, 1
"""The ports of a task that packs: row groups, and what a footer says of each."""
_LENGTH = 8


def store(task: Task, does: Mapping[str, Any], memory: int, scratch: str) -> Made:
    """The partitions of a table as batches of Arrow, one block each."""
    schema, fields = read_schema(does["schema"]), read_fields(does["fields"])
    first, last = task.partitions
    filled = fill_partitions(STORE, task, does, memory, scratch)
    rows: list[int] = []

    def take(_: int, number: int) -> Iterator[bytes]:
        partition, rows_of_it = next(filled)
        assert partition == first + number
        with storing(Path(scratch)):
            batch = store_columns(rows_of_it, schema, fields)
        rows.append(batch.num_rows)
        if batch.num_rows:
            yield memoryview(batch.serialize())  # type: ignore[misc]

    return write_made(task, 1, last - first, take, {}, rows)


def pack(task: Task, does: Mapping[str, Any]) -> Made:
    """Row groups of a table, in its order, each as it will be in the file."""
    if does["pyarrow"] != pa.__version__:
        raise EngineError(
            f"this table is written with pyarrow {does['pyarrow']}, and a worker has {pa.__version__}: its bytes would "
            "differ; install the same version everywhere"
        )
    first, last = task.partitions
    groups = _gather(task.folder.parent / does["stored"], does, first, last)
    rows: list[int] = []
    said: list[bytes] = []

    def take(port: int, number: int) -> Iterator[bytes]:
        if port == FOOTERS:
            yield said[number]
            return
        group = next(groups)
        body, about = pack_group(group, on_the_way=does["on_the_way"])
        rows.append(group.num_rows)
        said.append(len(body).to_bytes(_LENGTH, "little") + about)
        yield body

    return write_made(task, 2, last - first, take, {}, rows)


def paste(task: Task, does: Mapping[str, Any]) -> Made:
    """Puts the row groups of an object in their place in the file, and leaves no object."""
    made = objects(task.folder.parent / does["packed"], 2)[task.number]
    paste_groups(task.folder.parent.parent, does["table"], does["offsets"][task.number], read_bodies(made))
    return Made(task.number, "", 0, 0, (), {})


def join(task: Task, does: Mapping[str, Any]) -> Made:
    """Makes the file of a table at a store, and leaves no object. Memory: its footer."""
    run, packed = task.folder.parent.parent, task.folder.parent / does["packed"]
    with JoinedTable(run, does["table"], read_schema(does["schema"]), on_the_way=does["on_the_way"]) as joined:
        for made in objects(packed, 2):
            joined.write(joined.add_all(read_footers(made)), read_bodies(made))
    return Made(task.number, "", 0, 0, (), {})


def read_footers(made: Object) -> Iterator[tuple[bytes, int]]:
    """What a footer says of each row group of an object, and how many bytes it takes."""
    for block in _read(made, FOOTERS):
        yield block[_LENGTH:], int.from_bytes(block[:_LENGTH], "little")


def read_bodies(made: Object) -> Iterator[bytes]:
    """The row groups of an object."""
    return _read(made, BODIES)


def read_batches(folder: Path, schema: pa.Schema, first: int = 0, last: int | None = None) -> Iterator[pa.RecordBatch]:
    """The rows first..last-1 of a table in batches, as `store` has left them; of the others, nothing is read."""
    marker = read_marker(folder)
    if marker is None:
        raise missing_object(folder / MARKER)
    rows, at = iter(marker.rows), 0
    for made in objects(folder, 1):
        for number in range(made.partitions):
            begin, at = at, at + next(rows)
            if begin < at and at > first and (last is None or begin < last):
                for _, block in read_blocks(find_ranges(made, 0, number, number + 1), 0, 1):
                    batch = pa.ipc.read_record_batch(pa.py_buffer(block), schema)
                    skipped = max(0, first - begin)
                    yield batch.slice(skipped, (at if last is None else min(at, last)) - begin - skipped)


def _gather(stored: Path, does: Mapping[str, Any], first: int, last: int) -> Iterator[pa.Table]:
    schema, size = read_schema(does["schema"]), does["rows_per_group"]
    waiting = Gathering(schema, size)
    for batch in read_batches(stored, schema, first * size, last * size):
        waiting.add(pa.table(batch))
        yield from waiting.take()
    yield from waiting.take(last=True)


def _read(made: Object, port: int) -> Iterator[bytes]:
    ranges = find_ranges(made, port, 0, made.partitions)
    for number in range(made.partitions):
        for _, block in read_blocks(ranges, number, number + 1):
            yield block
