"""Parts of corpora that are there become parts of another corpus: nothing is read from the inputs again.

Documents get the numbers that they have in the whole, and the columns that inputs gave beside them get the types of the
whole. Of a run, only the documents that it keeps are taken. A part that stays as it is, is the same file under a second
name where the file system can do that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.corpus.given import GivenPlan, restore_chunk
from unquilt.corpus.options import Fields
from unquilt.corpus.write.batches import BATCH_BYTES, BATCH_ROWS
from unquilt.corpus.write.parts import written_part
from unquilt.flow.kept import Kept, Split
from unquilt.parquet import opened
from unquilt.tables.corpus import DOCUMENTS


class Sums(NamedTuple):
    """What is in a part."""

    documents: int
    words: int
    bytes: int


@dataclass(frozen=True)
class JoinPart:
    """A task: make a part of another corpus of a part, with `first` as the number of its first document.

    `own` and `wanted` say what the inputs of the corpus call the parts of a document, and what they are called in the
    whole. `verdicts` say which documents are kept; without them all are.
    """

    source: Path
    target: Path
    first: int
    spill: Path
    plan: GivenPlan = field(default_factory=GivenPlan)
    own: Fields = field(default_factory=Fields)
    wanted: Fields = field(default_factory=Fields)
    verdicts: Kept | None = None

    def __str__(self) -> str:
        return str(self.target)


def join_part(task: JoinPart) -> Sums | None:
    """Writes the part; says what is in it if not all documents are taken. Memory: two row groups."""
    if _link(task):
        return None
    sums = Sums(0, 0, 0)
    unnumbered = [name for name in DOCUMENTS.schema.names if name != "doc"]
    with written_part(task.target, task.first, task.plan, task.spill) as writer:
        for rows in _gather(task):
            (batch,) = rows.select(unnumbered).combine_chunks().to_batches()
            writer.write(batch.columns, task.plan.place(restore_chunk(rows, task.own, task.wanted), batch))
            sums = Sums(*map(sum, zip(sums, _measure(rows), strict=True)))
    return None if task.verdicts is None else sums


def count_kept(source: Path, verdicts: Kept | None) -> int:
    """How many documents of a part are kept."""
    splits = Kept.of(DOCUMENTS.name, source).splits()
    return sum(split.rows if verdicts is None else len(_choose(split, verdicts)) for split in splits)


def measure_part(path: Path) -> Sums:
    """What is in a part that was written before."""
    sums = Sums(0, 0, 0)
    with opened(path) as file:
        for group in range(file.metadata.num_row_groups):
            table = file.read_row_group(group, columns=["words", "text"], use_threads=False)
            sums = Sums(*map(sum, zip(sums, _measure(table), strict=True)))
    return sums


def _measure(table: pa.Table) -> Sums:
    """Texts as the bytes of UTF-8, and of a place for each."""
    size = (pc.sum(pc.binary_length(table["text"])).as_py() or 0) + 8 * (table.num_rows + 1)
    return Sums(table.num_rows, pc.sum(table["words"]).as_py() or 0, size)


def _gather(task: JoinPart) -> Iterator[pa.Table]:
    """The rows that are kept, in row groups of the usual size."""
    waiting: list[pa.Table] = []
    size = rows = 0
    for split in Kept.of(DOCUMENTS.name, task.source).checked(DOCUMENTS).splits():
        with opened(split.path) as file:
            schema = file.schema_arrow
        table = split.read(schema.names).replace_schema_metadata(schema.metadata)
        if task.verdicts is None:
            yield table
            continue
        table = table.take(_choose(split, task.verdicts))
        waiting.append(table)
        size, rows = size + table["text"].nbytes, rows + table.num_rows
        if size >= BATCH_BYTES or rows >= BATCH_ROWS:
            yield pa.concat_tables(waiting)
            waiting, size, rows = [], 0, 0
    if rows:
        yield pa.concat_tables(waiting)


def _choose(split: Split, verdicts: Kept) -> pa.Array:
    """The places in a row group of the documents that are kept. Documents of which nothing is said are kept, too."""
    numbers = split.read(["doc"]).column("doc").combine_chunks()
    if not verdicts.paths or not len(numbers):
        return pa.array(range(len(numbers)), pa.int64())
    said = verdicts.between(numbers[0].as_py(), numbers[-1].as_py(), ["doc", "keep"])
    gone = said.column("doc").filter(pc.invert(said.column("keep"))).combine_chunks()
    return pc.indices_nonzero(pc.invert(pc.is_in(numbers, value_set=gone)))


def _link(task: JoinPart) -> bool:
    """Gives the part a second name, if nothing of it changes and the file system can do so."""
    if task.verdicts is not None or task.own != task.wanted:
        return False
    with opened(task.source) as file:
        schema = file.schema_arrow
        first = file.metadata.row_group(0).column(0).statistics.min
    wanted = task.plan.extend(DOCUMENTS.schema)
    noted = [[each.metadata, *(field.metadata for field in each)] for each in (schema, wanted)]
    if first != task.first or not schema.equals(wanted) or noted[0] != noted[1]:  # items of lists have other names
        return False
    with suppress(OSError):
        task.target.unlink(missing_ok=True)
        os.link(task.source, task.target)
        return True
    return False
