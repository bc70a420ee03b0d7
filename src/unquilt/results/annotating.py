"""All documents with what a run found out about each, as further columns: for those who mark instead of delete.

A run of near-duplicates says `keep`, `duplicate_of` (the id of the document that is kept instead) and `similarity`; a
run of quilts says `quilt` and `covered`; a run of repeats says `reused_share`, the share of the words of a document
that stand elsewhere, too, and a run of `reuse detect` the share of its chunks that are labelled. If the inputs have a
column of such a name, ours is called `unquilt_NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.errors import ParameterError
from unquilt.results.folders import RunFolder
from unquilt.results.given import choose_columns
from unquilt.results.rows import Read, RowColumn, Selection, TableRows
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.neardups import KEPT
from unquilt.tables.quilts import VERDICTS
from unquilt.tables.repeats import REMOVED
from unquilt.tables.reuse import CONTENTS


class _Annotation(NamedTuple):
    """A column that a run adds to documents: its name, and the column of a table of the run that it is made of."""

    name: str
    table: str
    column: str
    type: pa.DataType
    is_id: bool = False
    is_sum: bool = False
    """Whether a document may have several rows, or none: these are added, and divided by its words."""
    unit: int = 1
    """What values are divided by."""


_ANNOTATIONS = (
    _Annotation("keep", KEPT.name, "keep", pa.bool_()),
    _Annotation("duplicate_of", KEPT.name, "kept_instead", pa.string(), is_id=True),
    _Annotation("similarity", KEPT.name, "similarity", pa.float64()),
    _Annotation("quilt", VERDICTS.name, "quilt", pa.bool_()),
    _Annotation("covered", VERDICTS.name, "covered", pa.float64()),
    _Annotation("reused_share", REMOVED.name, "words", pa.float64(), is_sum=True),
    _Annotation("reused_share", CONTENTS.name, "share", pa.float64(), unit=1 << 30),
)


class AnnotatedDocuments(TableRows):
    """All documents as they were given, and what the run says of each."""

    def __init__(self, folder: RunFolder, selection: Selection) -> None:
        there = [each for each in _ANNOTATIONS if each.table in folder.tables]
        if not there or DOCUMENTS.name not in folder.tables:
            known = ", ".join(dict.fromkeys(each.table for each in _ANNOTATIONS))
            raise ParameterError(f"{folder.run.path} has nothing to annotate documents with: it has none of {known}")
        given = folder.tables[DOCUMENTS.name].columns
        self._added = {f"unquilt_{each.name}" if each.name in given else each.name: each for each in there}
        super().__init__(folder, DOCUMENTS.name, selection)
        if not selection.columns:
            self.chosen = [*choose_columns(self._documents), *self._added]
        self.as_given = True

    def _find_columns(self) -> Iterator[RowColumn]:
        yield from super()._find_columns()
        for name, each in self._added.items():
            yield RowColumn(name, each.type, name, meaning=f"{each.column} of {each.table}")

    def _readers(self) -> Iterator[Read]:
        first = 0
        for split in self._table.splits():
            yield self._adding(split.read, first, split.rows)
            first += split.rows

    def _adding(self, read: Read, first: int, rows: int) -> Read:
        def annotated(columns: Sequence[str]) -> pa.Table:
            own = [name for name in columns if name not in self._added]
            part = read(own or ["doc"])
            for name in columns:
                if name in self._added:
                    wanted = self._added[name]
                    add = self._add_up(read) if wanted.is_sum else self._find
                    part = part.append_column(name, add(wanted, first, rows))
            return part.select(list(columns))

        return annotated

    def _add_up(self, read: Read) -> Callable[[_Annotation, int, int], pa.ChunkedArray]:
        """A function for the shares of words that the rows of consecutive documents have."""

        def add(wanted: _Annotation, first: int, rows: int) -> pa.ChunkedArray:
            found = self.folder.tables[wanted.table].between(first, first + rows - 1, ["doc", wanted.column, "why"])
            copied = found.filter(pc.equal(found.column("why"), "copy"))
            sums = copied.group_by("doc", use_threads=False).aggregate([(wanted.column, "sum")])
            documents = read(["doc", "words"])
            places = pc.index_in(documents.column("doc"), value_set=sums.column("doc").combine_chunks())
            words = pc.fill_null(sums.column(f"{wanted.column}_sum").take(places.combine_chunks()), 0)
            all_words = pc.max_element_wise(documents.column("words"), 1)
            return pc.divide(words.cast(pa.float64()), all_words.cast(pa.float64()))

        return add

    def _find(self, wanted: _Annotation, first: int, rows: int) -> pa.ChunkedArray:
        """The values of some consecutive documents; null for those that the table does not have."""
        table = self.folder.tables[wanted.table]
        found = table.between(first, first + rows - 1, [table.columns[0], wanted.column])
        numbers = pa.array(range(first, first + rows), pa.int64())
        values = found.column(1).take(pc.index_in(numbers, value_set=found.column(0).combine_chunks()))
        if wanted.is_id:
            values = self.folder.names(("id",)).look_up(values).column("id")
        values = values.cast(wanted.type)
        return values if wanted.unit == 1 else pc.divide(values, float(wanted.unit))
