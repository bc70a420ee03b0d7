"""All that an analysis may say.

An analysis is a function from tables to tables, written once from these verbs; it imports no engine and does no I/O:

    map(table, kernel, beside)    batches of a table become rows; of a kept table in the same order, the kernel is given
                                  the rows of the same documents beside them
    map(table, kernel, among)     the same, but only documents that have rows in the kept table are read
    group(tables, kernel)         rows with equal key meet, ordered by (key, table, tail) as unsigned bytes
    fold(rows, name)              the integers a kernel counted, summed (or their greatest) over all tasks; kept too
    keep(rows, table)             a table at rest, with a completion marker: what is read twice is kept
    repeat(table, step)           keeps step(table), step(step(table)), … until a step changes nothing
    side(name, make)              a file for kernels to look things up in, mapped into memory wherever they run

Nothing happens before `keep` or `fold`: the others only note what is wanted, so that a kept table that is there from
an interrupted run costs nothing. What is noted is checked at once (`fitting`): columns that a table does not have, rows
that cannot meet, a table that rows do not fit are a PlanError before the stage runs. Rows are read once; their bytes
are packed blocks that only kernels look into.

Why `beside`: most analyses have to know something about each document that a group found out, such as whether it is a
copy. A group would send every text through a shuffle to meet that one row, and a side would grow with the corpus. Both
tables are in the order of documents, so a task reads the same range of the other table, and no bytes move.

Why `fold` has no kernel of its own: every value that is needed is a by-product of a pass that happens anyway.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from unquilt.errors import PlanError
from unquilt.flow import fitting
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Fields, Kernel, Side
from unquilt.guard import Item, Result
from unquilt.tables.table import Table


@dataclass(frozen=True, eq=False)
class MapStage:
    """Noted: a kernel over the batches of a kept table."""

    table: Kept
    kernel: Kernel
    beside: Kept | None
    among: bool


@dataclass(frozen=True, eq=False)
class GroupStage:
    """Noted: a kernel over rows that meet by key."""

    tables: tuple[Rows, ...]
    kernel: Kernel


Stage = MapStage | GroupStage


@dataclass(frozen=True)
class Rows:
    """The rows that leave one port of a stage."""

    stage: Stage
    port: int
    fields: Fields = field(compare=False)
    """The fields of their tails."""


class Verbs(ABC):
    """The verbs on some engine. Results depend on tables and parameters alone, never on the engine."""

    def map(
        self, table: Kept, kernel: Kernel, *, beside: Kept | None = None, among: Kept | None = None
    ) -> tuple[Rows, ...]:
        if beside is not None and among is not None:
            raise PlanError(
                f"kernel {kernel.name} reads one table beside another, not both {beside.name} and {among.name}"
            )
        other = beside or among
        fitting.check_columns(kernel, table.schema, table.name)
        fitting.check_beside(kernel, other.schema if other else None, other.name if other else None)
        stage = MapStage(table, kernel, other, among is not None)
        return _leaving(stage, fitting.leaving(kernel, (), table.schema))

    def group(self, tables: Sequence[Rows], kernel: Kernel) -> tuple[Rows, ...]:
        fitting.check_meeting(kernel, [(rows.stage.kernel.ports[rows.port], rows.fields) for rows in tables])
        stage = GroupStage(tuple(tables), kernel)
        return _leaving(stage, fitting.leaving(kernel, [rows.fields for rows in tables]))

    @abstractmethod
    def fold(self, rows: Rows, name: str) -> dict[str, int]:
        """What the kernel that makes `rows` counted. The rows can still be used, once."""

    @abstractmethod
    def keep(self, rows: Rows, table: Table) -> Kept:
        """The rows as a table: key first, then the fields of the tails, sorted. Made unless it is there already."""

    def repeat(self, table: Kept, step: Callable[[Kept, int], tuple[Kept, int]]) -> Kept:
        """Steps until one changes nothing. `step(table, round)` keeps its table under a name of its own and says how
        many changes it made; the last table comes back.
        """
        for round_ in itertools.count():
            table, changes = step(table, round_)
            if changes == 0:
                break
        return table

    @abstractmethod
    def side(self, name: str, make: Callable[[], bytes | memoryview]) -> Side:
        """A file of what `make` returns, for kernels that take a side. It is there for as long as the engine is.

        Its size is bounded by parameters, never by the number of documents: each machine holds a copy.
        """

    @abstractmethod
    def each(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        """`function` of every item, in order: how ingest reads pieces of its inputs. `function` is picklable."""


def _leaving(stage: Stage, fields: Sequence[Fields]) -> tuple[Rows, ...]:
    return tuple(Rows(stage, port, each) for port, each in enumerate(fields))


def fold_counters(into: dict[str, int], counters: Mapping[str, tuple[str, int]]) -> None:
    """Adds one task's counters."""
    for name, (how, value) in counters.items():
        into[name] = max(into.get(name, 0), value) if how == "greatest" else into.get(name, 0) + value


def look_up(verbs: Verbs, rows: Rows, documents: Kept, columns: Sequence[str]) -> Rows:
    """The rows with the named columns of a document put before the fields of each, the document being its key.

    This is how results get ids and URLs.
    """
    (fields,) = verbs.map(documents, Kernel("select", ("doc", *columns)))
    (found,) = verbs.group([fields, rows], Kernel("look up"))
    return found
