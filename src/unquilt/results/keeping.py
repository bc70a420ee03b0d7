"""The documents that are left when near-duplicates are, or those that went: the list people came for.

A run of near-duplicates says of every document whether it is kept (`kept`); a run that collapsed copies says which it
dropped (`clusters`). Both are in the order of documents, so that they are read beside these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.errors import Advice, ParameterError, RunError
from unquilt.flow.kept import Kept
from unquilt.jobs.audit import ALARM, Alarm, find_alarms
from unquilt.results.folders import RunFolder
from unquilt.results.given import choose_columns
from unquilt.results.rows import Read, Selection, TableRows, read_table
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.neardups import AUDIT, CLUSTERS, KEPT

_SHOWN = 3
"""Alarms that a message names."""


class KeptDocuments(TableRows):
    """The documents that a run keeps or, if not `keep`, those that it drops; as they were given, unless columns are
    chosen."""

    def __init__(self, folder: RunFolder, selection: Selection | None = None, *, keep: bool = True) -> None:
        self._keep = keep
        self._verdicts = _find_verdicts(folder)
        super().__init__(folder, DOCUMENTS.name, selection)
        if selection is None or not selection.columns:
            self.chosen = list(choose_columns(self._documents))
        self.as_given = True

    @property
    def total(self) -> int | None:
        """Not known before they are counted."""
        return None

    def _readers(self) -> Iterator[Read]:
        first = 0
        for split in self._table.splits():
            yield _choosing(split.read, self._places(first, split.rows))
            first += split.rows

    def _places(self, first: int, rows: int) -> Callable[[], pa.Array]:
        """The places in a row group of the documents that are wanted."""

        def choose() -> pa.Array:
            numbers = pa.array(range(first, first + rows), pa.int64())
            dropped = numbers[:0]
            if self._verdicts.paths:
                verdicts = self._verdicts.between(first, first + rows - 1, ["doc", "keep"])
                dropped = verdicts.column("doc").filter(pc.invert(verdicts.column("keep"))).combine_chunks()
            gone = pc.is_in(numbers, value_set=dropped)
            return pc.indices_nonzero(pc.invert(gone) if self._keep else gone)

        return choose


def list_alarms(folder: RunFolder, alarm: float = ALARM) -> list[Alarm]:
    """What a person should look at before documents are deleted; nothing for runs without an audit."""
    if AUDIT.name not in folder.tables:
        return []
    return find_alarms(list(read_table(folder.tables[AUDIT.name])), alarm, folder.run.manifest["summary"]["documents"])


def refuse_alarms(folder: RunFolder, alarm: float = ALARM) -> None:
    """Raise RunError, which names the first alarms, if there are any."""
    alarms = list_alarms(folder, alarm)
    if alarms:
        more = f" (and {len(alarms) - _SHOWN:,} more)" if len(alarms) > _SHOWN else ""
        said = "; ".join(each.says for each in alarms[:_SHOWN])
        raise RunError(
            f"nothing was written, because of {len(alarms):,} alarm{'s' if len(alarms) > 1 else ''}: {said}{more}",
            advice=Advice(
                "look at run.audit, and say accept=True if that is right",
                f"look at it with unquilt show {folder.run.path} audit, and say --accept if that is right",
            ),
        )


def _choosing(read: Read, choose: Callable[[], pa.Array]) -> Read:
    return lambda columns: read(columns).take(choose())


def _find_verdicts(folder: RunFolder) -> Kept:
    for table in (KEPT, CLUSTERS):
        if table.name in folder.tables:
            return folder.tables[table.name]
    raise ParameterError(
        f"{folder.run.path} does not say which documents to keep: it has neither {KEPT.name} nor {CLUSTERS.name}",
        advice=Advice("find near-duplicates first: unquilt.neardups", "find near-duplicates first: unquilt neardups"),
    )
