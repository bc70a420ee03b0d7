"""Passages with the texts of both sides, and as the XML of PAN's shared task on text alignment.

Texts are read some thousand passages at a time: their documents lie all over the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any
from xml.sax.saxutils import quoteattr

import pyarrow as pa

from unquilt.errors import ParameterError
from unquilt.results.folders import RunFolder
from unquilt.results.rows import Selection, TableRows
from unquilt.tables import PASSAGES

AT_ONCE = 4096
"""Passages whose texts are in memory."""
TEXTS = [pa.field("a_text", pa.large_string()), pa.field("b_text", pa.large_string())]
PLACES = ("a", "b", "a_begin", "a_end", "b_begin", "b_end")


class PassageRows(TableRows):
    """Passages with what both documents say there."""

    def __init__(self, folder: RunFolder, selection: Selection | None = None) -> None:
        super().__init__(folder, PASSAGES.name, selection)
        if self._documents is None:
            raise ParameterError(f"the corpus of {folder.run.path} is not found, so there are no texts")
        self._folder = folder
        self.chosen += [name for name in PLACES if name not in self.chosen]

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns that were chosen, and the texts."""
        schema = self._schema(self.chosen)
        for field in TEXTS:
            schema = schema.append(field)
        return schema

    def _complete(self, found: Iterator[pa.Table]) -> Iterator[pa.Table]:
        for part in super()._complete(found):
            for begin in range(0, part.num_rows, AT_ONCE):
                yield self._add_texts(part.slice(begin, AT_ONCE))

    def _add_texts(self, passages: pa.Table) -> pa.Table:
        rows = passages.select(list(PLACES)).to_pylist()
        numbers = {row[side] for row in rows for side in ("a", "b")}
        texts = {number: row["text"] for number, row in self._folder.documents(numbers, ["text"])}
        for field, side in zip(TEXTS, ("a", "b"), strict=True):
            said = [texts[row[side]][row[f"{side}_begin"] : row[f"{side}_end"]] for row in rows]
            passages = passages.append_column(field, pa.array(said, field.type))
        return passages


def list_detections(folder: RunFolder, selection: Selection) -> Iterator[tuple[str, bytes, int]]:
    """For each pair of documents a file as PAN wants it: its name, its content, and how many passages it has.

    Documents are referred to by the last part of their ids, as PAN's files are.
    """
    if selection.columns or selection.sort:
        raise ParameterError("the columns and the order of PAN's XML are fixed; leave columns and sort out")
    columns = [*PLACES, "a_id", "b_id"]
    rows = TableRows(folder, PASSAGES.name, Selection(columns, selection.where, (), selection.limit))
    found = (row for part in rows for row in part.to_pylist())
    names: set[str] = set()
    for (a, b), group in groupby(found, key=lambda row: (row["a"], row["b"])):
        passages = list(group)
        susp, source = (PurePosixPath(passages[0][f"{side}_id"]).name or str(passages[0][side]) for side in ("a", "b"))
        name = f"{_stem(susp)}-{_stem(source)}"
        if name in names:
            name = f"{name}-{a}-{b}"  # ids that end alike
        names.add(name)
        yield f"{name}.xml", _write_xml(susp, source, passages), len(passages)


def _stem(name: str) -> str:
    """A name without its ending, and without what no file name should have."""
    stem = Path(name).stem or name
    return "".join(char if char.isalnum() or char in "-_." else "_" for char in stem)[:100]


def _write_xml(susp: str, source: str, passages: list[dict[str, Any]]) -> bytes:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<document reference={_quote(susp)}>"]
    lines += [
        f'  <feature name="detected-plagiarism" this_offset="{row["a_begin"]}" '
        f'this_length="{row["a_end"] - row["a_begin"]}" source_reference={_quote(source)} '
        f'source_offset="{row["b_begin"]}" source_length="{row["b_end"] - row["b_begin"]}"/>'
        for row in passages
    ]
    return "\n".join([*lines, "</document>", ""]).encode()


def _quote(name: str) -> str:
    """As the value of an attribute; characters that XML cannot have are replaced."""
    return quoteattr("".join(char if char.isprintable() else "\ufffd" for char in name))
