"""Quilts with their texts, sources and copied passages, for `export --evidence`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import pyarrow as pa

from unquilt.errors import ParameterError
from unquilt.results.folders import RunFolder
from unquilt.results.names import SHOWN
from unquilt.results.rows import Selection, TableRows
from unquilt.tables.quilts import PATCHES, SOURCES

AT_ONCE = 256
"""Quilts whose texts are in memory."""
_NUMBER, _TEXT = pa.int64(), pa.string()
_PAGE = [("source", _NUMBER), ("id", _TEXT), ("url", _TEXT)]
DRAWN_ON = pa.field(
    "drawn_on",
    pa.list_(pa.struct([("rank", _NUMBER), *_PAGE, *((name, _NUMBER) for name in ("new_grams", "all_grams"))])),
)
COPIED = pa.field(
    "copied",
    pa.list_(
        pa.struct(
            [
                *((name, _NUMBER) for name in ("begin", "end", "words")),
                ("similarity", pa.float64()),
                ("text", pa.large_string()),
                *_PAGE,
                *((name, _NUMBER) for name in ("source_begin", "source_end")),
            ]
        )
    ),
)
EVIDENCE = [pa.field("text", pa.large_string()), DRAWN_ON, COPIED]
"""The columns that come on top of those of the table. What was copied is null in a run without patches."""


class QuiltRows(TableRows):
    """Quilts, with their evidence beside them.

    Quilts come some at a time, and their sources and patches lie in the order of quilts: so they are read beside each
    other. Passages are cut from the text of the quilt; that of the source has the same words, and is not read.
    """

    def __init__(self, folder: RunFolder, name: str, selection: Selection | None = None) -> None:
        super().__init__(folder, name, selection)
        if self._documents is None:
            raise ParameterError(f"the corpus of {folder.run.path} is not found, so there are no texts")
        if "doc" not in self.chosen:
            self.chosen.insert(0, "doc")

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns that were chosen, and the evidence."""
        return pa.schema([*self._schema(self.chosen), *EVIDENCE])

    def _complete(self, found: Iterator[pa.Table]) -> Iterator[pa.Table]:
        for part in super()._complete(found):
            for begin in range(0, part.num_rows, AT_ONCE):
                yield self._add_evidence(part.slice(begin, AT_ONCE))

    def _add_evidence(self, quilts: pa.Table) -> pa.Table:
        numbers = quilts.column("doc").to_pylist()
        texts = {number: row["text"] for number, row in self.folder.documents(numbers, ["text"])}
        sources, patches = (self._gather(table.name, numbers) for table in (SOURCES, PATCHES))
        drawn_on, copied = [], []
        for number in numbers:
            drawn_on.append([_pick(row, DRAWN_ON) for row in sources[number]])
            own = texts[number]
            parts = [row | {"text": own[row["begin"] : row["end"]]} for row in patches[number]]
            copied.append([_pick(row, COPIED) for row in parts] if PATCHES.name in self.folder.tables else None)
        columns = ([texts[number] for number in numbers], drawn_on, copied)
        for new, values in zip(EVIDENCE, columns, strict=True):
            quilts = quilts.append_column(new, pa.array(values, new.type))
        return quilts

    def _gather(self, table: str, numbers: Sequence[int]) -> defaultdict[int, list[dict[str, Any]]]:
        """The rows of sources or patches by quilt, with the names of sources."""
        found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
        if table not in self.folder.tables:
            return found
        rising = all(one < other for one, other in pairwise(numbers))
        for first, last in [(numbers[0], numbers[-1])] if rising else zip(numbers, numbers, strict=True):
            rows = self.folder.tables[table].between(first, last)
            names = self.folder.names(SHOWN).look_up(rows.column("source"))
            for row, name in zip(rows.to_pylist(), names.to_pylist(), strict=True):
                found[row["quilt"]].append(row | name)
        return found


def _pick(row: dict[str, Any], field: pa.Field) -> dict[str, Any]:
    return {each.name: row[each.name] for each in field.type.value_type}
