"""Names of documents by number: their ids and URLs, and the hosts and domains of these.

Numbers come in any order. While few are asked for, the row groups that hold them are read. Whoever asks on and on (for
every row of a long table) would have the same groups read again and again: so once as many were read as there are, the
columns with names are copied, once, to a temporary file that is mapped into memory. Memory: one row group; disk: the
names of the corpus, in the folder for temporary files.
"""

from __future__ import annotations

import os
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.flow.kept import Kept
from unquilt.runs import storing

SHOWN = ("id", "url")
"""What stands beside a number."""
ASKED = (*SHOWN, "host", "domain")
"""What can be asked for."""
FEW, MOST_KNOWN = 64, 1024
"""Documents that are few, and of how many of these names are kept."""


class Names:
    """The names of the documents of a corpus: of `columns`, which are some of `ASKED`."""

    def __init__(self, documents: Kept, columns: Sequence[str]) -> None:
        self._columns = list(columns)
        self._splits = documents.splits()
        self._ends = list(accumulate(split.rows for split in self._splits))
        self._reads = 0
        self._copy: list[pa.Table] | None = None
        self._known: dict[int, dict[str, str | None]] = {}
        schema = documents.schema
        assert schema is not None
        self._schema = pa.schema([schema.field(name).with_nullable(True) for name in self._columns])

    def look_up(self, numbers: pa.ChunkedArray) -> pa.Table:
        """A row for each number, in the order of the numbers; of nulls where there is no such document."""
        wanted = pc.unique(numbers.drop_null()).cast(pa.int64()).sort()
        values = wanted.to_pylist()
        at = bisect_left(values, 0)
        until = bisect_left(values, self._ends[-1] if self._ends else 0)
        wanted, values = wanted.slice(at, until - at), values[at:until]
        found = self._find_few(values) if len(values) <= FEW else self._find(wanted, values)
        return found.take(pc.index_in(numbers.combine_chunks(), value_set=wanted))

    def _find_few(self, values: Sequence[int]) -> pa.Table:
        """Those of few documents, which are kept: a page asks for the same ones again and again."""
        missing = [number for number in values if number not in self._known]
        if len(self._known) + len(missing) > MOST_KNOWN:
            self._known, missing = {}, list(values)
        if missing:
            rows = self._find(pa.array(missing, pa.int64()), missing).to_pylist()
            self._known = self._known | dict(zip(missing, rows, strict=True))
        known = self._known
        return pa.Table.from_pylist([known[number] for number in values], self._schema)

    def _find(self, wanted: pa.Array, values: Sequence[int]) -> pa.Table:
        """Those of the documents with these numbers, which rise."""
        parts, at = [self._schema.empty_table()], 0
        while at < len(values):
            group = bisect_right(self._ends, values[at])
            end = self._ends[group]
            until = bisect_left(values, end)
            first = end - self._splits[group].rows
            parts.append(self._read(group).take(pc.subtract(wanted.slice(at, until - at), first)))
            at = until
        return pa.concat_tables(part.cast(self._schema) for part in parts).combine_chunks()

    def _read(self, group: int) -> pa.Table:
        if self._copy is None and self._reads > len(self._splits):
            self._copy = self._map_copy()
        if self._copy is not None:
            return self._copy[group]
        self._reads += 1
        return self._splits[group].read(self._columns)

    def _map_copy(self) -> list[pa.Table]:
        """All names, in a file without a name that goes when it is used no more; a piece for each row group."""
        descriptor, name = tempfile.mkstemp(prefix="unquilt-names-")
        try:
            with storing(Path(name)), os.fdopen(descriptor, "wb") as file:
                pieces: list[int] = []
                with pa.ipc.new_file(file, self._schema) as writer:
                    for split in self._splits:
                        part = split.read(self._columns).cast(self._schema).combine_chunks().to_batches()
                        pieces.append(len(part))
                        for batch in part:
                            writer.write_batch(batch)
            batches = pa.ipc.open_file(pa.memory_map(name))
            begins = [0, *accumulate(pieces)]
            return [
                pa.Table.from_batches([batches.get_batch(number) for number in range(begin, begin + count)])
                for begin, count in zip(begins, pieces, strict=False)
            ]
        finally:
            Path(name).unlink(missing_ok=True)
