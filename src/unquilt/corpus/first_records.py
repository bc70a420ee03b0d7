"""A look at the first records of tables, before the long part: whether they have a text, and which field is one.

A field that is called otherwise than the user thinks would else be noticed when all of the input is read. Fields are
looked at in processes that may be lost, as with all input, and only in some records of some files: the first ones, and
of JSON lines that are not compressed those in the middle, too, as a field may begin later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from unquilt.corpus.find import kinds
from unquilt.corpus.options import Reading, advise_field, list_names
from unquilt.corpus.readers.html import begins_page
from unquilt.corpus.sources import Slice, Source
from unquilt.errors import NoDocumentsError
from unquilt.guard import Blame, Each, each_guarded
from unquilt.remote.names import is_url

FILES = 100
"""Files in which fields are looked at."""
RECORDS = 1_000
"""Records at one place of a file in which fields are looked at."""
RECORDS_AT_STORE = 20
"""The same of a file at a store, where each byte that is read twice costs time and money."""
LONG, LONG_AT_STORE = 1 << 20, 1 << 26
"""Bytes of inputs that are read before anybody waits: there, reading itself says what all records have."""


@dataclass(frozen=True)
class SeenField:
    """What was seen of a field: letters of its texts, how many of these there are, and how many begin as a page does.
    Addresses, which many records have in place of a text, have no letters."""

    letters: int = 0
    texts: int = 0
    pages: int = 0

    def __add__(self, other: SeenField) -> SeenField:
        return SeenField(self.letters + other.letters, self.texts + other.texts, self.pages + other.pages)


@dataclass(frozen=True)
class FirstRecords:
    """How many records were looked at, and their fields in the order in which they were met."""

    records: int
    fields: Mapping[str, SeenField]


def refuse_without_text(sources: Sequence[Source], reading: Reading, each: Each, notes: Path) -> None:
    """Raises `NoDocumentsError` if all inputs are JSON and no record that is looked at has a field for the text.

    Inputs that are read in a moment are left alone, and so are inputs with a file of another kind, as these may have
    documents. A Parquet file without the column is refused when its footer is read.
    """
    far = any(is_url(source.path) for source in sources)
    if sum(source.size for source in sources) < (LONG_AT_STORE if far else LONG) or not all(map(_is_named, sources)):
        return
    found = look_up(sources, reading, each, notes, later=True)
    wanted = {field for _, field in reading.fields.contents}
    if found.records and found.fields and not wanted & found.fields.keys():
        looked_at = f"{found.records:,} record{'' if found.records == 1 else 's'} looked at before reading"
        raise name_fields(looked_at, found, reading)


def name_fields(records: str, found: FirstRecords, reading: Reading) -> NoDocumentsError:
    """The error for records whose text is in none of the fields that are asked for: it names those that there are, and
    says how to read the one with the longest texts."""
    one = records.startswith("1 ")
    wanted = " or ".join(ascii(name) for name in dict.fromkeys(field for _, field in reading.fields.contents))
    there = f"{'it has' if one else 'they have'} the fields {list_names(list(found.fields))}"
    message = f"no document: {records} {'has' if one else 'have'} no field {wanted} with a text; {there}"
    proposed = propose(found.fields)
    return NoDocumentsError(message, advice=advise_field(*proposed) if proposed else None)


def propose(fields: Mapping[str, SeenField]) -> tuple[str, str] | None:
    """The field with the longest texts, and whether it is one of `html` or `text`; None if no field has a text.

    >>> propose({"title": SeenField(9, 3), "body": SeenField(90, 3, pages=3)})
    ('body', 'html')
    """
    name = max(fields, key=lambda name: fields[name].letters, default="")
    if not name or not fields[name].letters:
        return None
    return name, "html" if 2 * fields[name].pages > fields[name].texts else "text"


def look_up(
    sources: Sequence[Source], reading: Reading, each: Each, notes: Path, *, later: bool = False
) -> FirstRecords:
    """What the first records of some sources with named fields have; with `later`, also those in the middle."""
    named = [source for source in sources if _is_named(source)]
    chosen = named[:: -(-len(named) // FILES)] if named else []
    places = [place for source in chosen for place in _places(source, later=later)]
    records, fields = 0, dict[str, SeenField]()
    for seen in each_guarded(each, _LookAtRecords(reading), places, reading.limits.bounds, notes, 1):
        if isinstance(seen, Blame):
            continue
        records += seen.records
        for name, field in seen.fields.items():
            fields[name] = fields.get(name, SeenField()) + field
    return FirstRecords(records, fields)


def _places(source: Source, *, later: bool) -> list[Slice]:
    """Where records of a file are looked at: its beginning, and its middle if that can be found without reading on."""
    later = later and source.kind == "jsonl" and source.compression is None and not is_url(source.path)
    middle = later and source.size >= LONG
    return [Slice(source), *([Slice(source, source.size // 2)] if middle else [])]


def _is_named(source: Source) -> bool:
    return isinstance(kinds.reader(source.kind), kinds.Naming)


class _LookAtRecords:
    """A function that looks at records of a source, and can be pickled."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def __call__(self, place: Slice) -> FirstRecords:
        reader: Any = kinds.reader(place.source.kind)
        most = RECORDS_AT_STORE if is_url(place.source.path) else RECORDS
        return measure_fields(islice(reader.objects(place, self.reading), most))


def measure_fields(records: Iterable[Mapping[str, object]]) -> FirstRecords:
    """What records have."""
    count, fields = 0, dict[str, SeenField]()
    for record in records:
        count += 1
        for name, value in record.items():
            fields[name] = fields.get(name, SeenField()) + _measure(value)
    return FirstRecords(count, fields)


def _measure(value: object) -> SeenField:
    if not isinstance(value, str) or value.startswith(("http://", "https://")):
        return SeenField()
    return SeenField(len(value), 1, int(begins_page(value[:1024].encode("utf-8", "replace"))))
