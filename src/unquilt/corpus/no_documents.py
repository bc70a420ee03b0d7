"""Why there is not a single document in the inputs, in one line that says what there was, and what to do.

The usual reason is that records call their text otherwise; so the names of the fields are looked up, in a process that
may be lost, as with all input. Costs nothing unless nothing was read, then a look at the first records of a few files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from unquilt.corpus.find import kinds
from unquilt.corpus.options import Fields, Reading, advise_field, list_names
from unquilt.corpus.sources import Slice, Source
from unquilt.errors import NoDocumentsError
from unquilt.guard import Blame, Each, each_guarded

NO_TEXT = "no text"
"""The reason of a reject whose record has no field with a text."""
LOOKED_AT = 100
"""Records of a file, and files, in which field names are looked up."""
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
        named = [source for source in sources if isinstance(kinds.reader(source.kind), kinds.Naming)][:LOOKED_AT]
        lengths = _look_up(named, reading, each, notes)
        if lengths:
            return _other_names(reasons[NO_TEXT], lengths, reading.fields)
    told = []
    if reasons:
        told.append(f"{_count(reasons.total(), 'reject')} ({_counted(reasons)})")
    if skipped:
        told.append(f"{_count(sum(skipped.values()), 'record')} of no use ({_counted(Counter(skipped))})")
    first = next((table.slice(0, 1).to_pylist()[0] for table in rejects if table.num_rows), None)
    example = f"; the first: {first['file']}: {first['detail']}" if first else ""
    return NoDocumentsError(f"{found}: {' and '.join(told)}{example}")


def _other_names(records: int, lengths: Mapping[str, int], fields: Fields) -> NoDocumentsError:
    wanted = " or ".join(ascii(name) for name in dict.fromkeys(field for _, field in fields.contents))
    there = f"{'it has' if records == 1 else 'they have'} the fields {list_names(list(lengths))}"
    longest = max(lengths.values(), default=0)
    proposed = next((name for name, length in lengths.items() if length == longest), "") if longest else ""
    have = "record has" if records == 1 else "records have"
    message = f"no document: {records:,} {have} no field {wanted} with a text; {there}"
    return NoDocumentsError(message, advice=advise_field(proposed) if proposed else None)


def _look_up(sources: Sequence[Source], reading: Reading, each: Each, notes: Path) -> dict[str, int]:
    """The fields of the first records, in the order in which they are met, and the lengths of their texts."""
    lengths: dict[str, int] = {}
    for found in each_guarded(each, _Names(reading), sources, reading.limits.bounds, notes, LOOKED_AT):
        for name, length in {} if isinstance(found, Blame) else found.items():
            lengths[name] = lengths.get(name, 0) + length
    return lengths


class _Names:
    """A function that measures the fields of the first records of a source, and can be pickled."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def __call__(self, source: Source) -> dict[str, int]:
        reader: Any = kinds.reader(source.kind)
        lengths: dict[str, int] = {}
        for record in islice(reader.objects(Slice(source), self.reading), LOOKED_AT):
            for name, value in record.items():
                lengths[name] = lengths.get(name, 0) + _letters(value)
        return lengths


def _letters(value: object) -> int:
    """The length of what may be a text: URLs, which many records have in place of one, are not."""
    return len(value) if isinstance(value, str) and not value.startswith(("http://", "https://")) else 0


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _counted(what: Counter[str]) -> str:
    """`10 unknown kind, 2 empty file`, the most frequent first."""
    shown = sorted(what.items(), key=lambda item: (-item[1], item[0]))
    others = sum(number for _, number in shown[MOST_REASONS:])
    parts = [f"{number:,} × {name}" for name, number in shown[:MOST_REASONS]]
    return ", ".join([*parts, _count(others, "other")] if others else parts)
