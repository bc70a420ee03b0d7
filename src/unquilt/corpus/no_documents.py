"""Why there is not a single document in the inputs, in one line that says what there was, and what to do.

The usual reason is that records call their text otherwise; so the names of the fields are looked up, in a process that
may be lost, as with all input. Costs nothing unless nothing was read, then a look at the first records of a few files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from unquilt.corpus.first_records import look_up, name_fields
from unquilt.corpus.options import Reading
from unquilt.corpus.sources import Source
from unquilt.errors import NoDocumentsError
from unquilt.guard import Each

NO_TEXT = "no text"
"""The reason of a reject whose record has no field with a text."""
MOST_REASONS = 5


def explain(
    sources: Sequence[Source],
    rejects: Sequence[pa.Table],
    skipped: Mapping[str, int],
    reading: Reading,
    each: Each,
    notes: Path,
) -> NoDocumentsError:
    """The error for inputs in which there is no document. `notes` is a folder for processes that may be lost."""
    reasons = Counter[str]()
    for table in rejects:
        reasons.update(table.column("reason").to_pylist())
    found = f"no document in {_count(len(sources), 'file')}"
    if not reasons and not skipped:
        return NoDocumentsError(f"{found}: no record was found; is the input complete?")
    if reasons[NO_TEXT] and reasons[NO_TEXT] == reasons.total():
        first = look_up(sources, reading, each, notes)
        if first.fields:
            return name_fields(_count(reasons[NO_TEXT], "record"), first, reading)
    told = []
    if reasons:
        told.append(f"{_count(reasons.total(), 'reject')} ({_counted(reasons)})")
    if skipped:
        told.append(f"{_count(sum(skipped.values()), 'record')} of no use ({_counted(Counter(skipped))})")
    reject = next((table.slice(0, 1).to_pylist()[0] for table in rejects if table.num_rows), None)
    example = f"; the first: {reject['file']}: {reject['detail']}" if reject else ""
    return NoDocumentsError(f"{found}: {' and '.join(told)}{example}")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _counted(what: Counter[str]) -> str:
    """`10 unknown kind, 2 empty file`, the most frequent first."""
    shown = sorted(what.items(), key=lambda item: (-item[1], item[0]))
    others = sum(number for _, number in shown[MOST_REASONS:])
    parts = [f"{number:,} × {name}" for name, number in shown[:MOST_REASONS]]
    return ", ".join([*parts, _count(others, "other")] if others else parts)
