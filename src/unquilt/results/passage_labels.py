"""Known passages to compare with: a folder as PAN publishes them, or a file of one's own.

A PAN folder has a folder for each category, with an XML file for each pair of documents: the root names the document
(`reference`), and each `feature` of the name `plagiarism` a passage of it and of `source_reference`, in characters. A
file without a feature is a pair that has nothing in common. The name of the file says which pair it is about:
`suspicious-document00001-source-document00002.xml`. A folder `all` beside the categories repeats their files, so these
are read once: a file of `all` counts only if no category has a file of its name.

A file of one's own is JSON lines or CSV with the columns a, b, a_begin, a_end, b_begin, b_end and, if wanted, category;
a line without places is a pair that has nothing in common. Documents go by id, URL, file name or number; where there
are columns a_id and b_id, as in what `unquilt judge --export` and `unquilt export` write, by these.
"""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as Tree
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from unquilt.errors import InputError
from unquilt.results.export.formats import read_cell
from unquilt.results.measures import PassageSpans

PLACES = PassageSpans._fields
TOGETHER = "all"
"""The folder that repeats the files of all categories."""
WITHOUT = "labels"
"""The category of labels that have none."""
MOST_BYTES = 64 << 20
"""A larger XML file is no list of the passages of one pair."""


class Label(NamedTuple):
    """A pair of documents by name, and a passage that they share; none if they share nothing."""

    category: str
    a: str
    b: str
    passage: PassageSpans | None


def read_pan(folder: str | Path) -> Iterator[Label]:
    """The labels of a PAN folder: of one category, or of folders of categories."""
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{folder} is not a folder of PAN labels")
    files = sorted(place.glob("*.xml")) or _leave_out_repeated(sorted(place.glob("*/*.xml")))
    if not files:
        raise InputError(f"{folder} has no labels: there is no XML file in it, nor in its folders")
    for file in files:
        category = "" if file.parent == place else file.parent.name
        # `all` is the name of the sum; so what only the folder `all` has is of no category.
        yield from _read_xml(file, WITHOUT if category == TOGETHER else category)


def _leave_out_repeated(files: list[Path]) -> list[Path]:
    """The files without those of the folder `all` that a category has, too."""
    known = {file.name for file in files if file.parent.name != TOGETHER}
    return [file for file in files if file.parent.name != TOGETHER or file.name not in known]


def _read_xml(file: Path, category: str) -> Iterator[Label]:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise InputError(f"{file} is too large for the labels of one pair")
        root = Tree.fromstring(file.read_bytes())  # noqa: S314 (labels of one's own; expat bounds entities)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error
    except Tree.ParseError as error:
        raise InputError(f"{file} is not XML: {error}") from error
    own = root.get("reference") or ""
    features = [each for each in root.iter("feature") if each.get("name") == "plagiarism"]
    for feature in features:
        source = feature.get("source_reference") or ""
        begin, length, source_begin, source_length = (
            _number(feature.get(name), f"{file}: {name}")
            for name in ("this_offset", "this_length", "source_offset", "source_length")
        )
        passage = PassageSpans(begin, begin + length, source_begin, source_begin + source_length)
        yield Label(category, own, source, _check(passage, str(file)))
    if not features:
        stem = Path(own).stem
        other = file.stem.removeprefix(f"{stem}-")
        if not stem or other == file.stem:
            raise InputError(f"{file} has no passage, and its name does not say which pair it is about")
        yield Label(category, own, f"{other}{Path(own).suffix}", None)


def read_labels(file: str | Path) -> Iterator[Label]:
    """The labels of a file of JSON lines or CSV (if its name ends with .csv)."""
    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as lines:
            rows = _parse_cells(lines) if str(file).lower().endswith(".csv") else _parse_lines(lines, file)
            for number, row in enumerate(rows, start=1):
                yield _label(row, f"{file}, label {number}")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file} is not a file of labels: {error}") from error


def _parse_cells(lines: Any) -> Iterator[Mapping[str, Any]]:
    for row in csv.DictReader(lines):
        yield {name: read_cell(cell) if isinstance(cell, str) else cell for name, cell in row.items()}


def _parse_lines(lines: Any, file: str | Path) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError as error:
                raise InputError(f"{file}, line {number}: this is not JSON ({error})") from error
            if not isinstance(row, dict):
                raise InputError(f"{file}, line {number}: this is not a JSON object")
            yield row


def _label(row: Mapping[str, Any], where: str) -> Label:
    a, b = (row.get(f"{side}_id") or row.get(side) for side in ("a", "b"))
    if a in (None, "") or b in (None, ""):
        raise InputError(f"{where}: it must name two documents, a and b")
    category = str(row.get("category") or WITHOUT)
    places = [row.get(name) for name in PLACES]
    if all(place in (None, "") for place in places):
        return Label(category, str(a), str(b), None)
    numbers = [_number(place, f"{where}: {name}") for name, place in zip(PLACES, places, strict=True)]
    return Label(category, str(a), str(b), _check(PassageSpans(*numbers), where))


def _number(value: Any, what: str) -> int:
    text = str(value).strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise InputError(f"{what} must be a whole number of characters, not {str(value)[:40]!r}")
    return int(text)


def _check(passage: PassageSpans, where: str) -> PassageSpans:
    if passage.a_end <= passage.a_begin or passage.b_end <= passage.b_begin:
        raise InputError(f"{where}: a passage ends where it begins, or before")
    return passage
