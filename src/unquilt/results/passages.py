"""Passages as the XML of PAN's shared task on text alignment."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any
from xml.sax.saxutils import quoteattr

from unquilt.errors import ParameterError
from unquilt.results.folders import RunFolder
from unquilt.results.rows import Selection, TableRows
from unquilt.tables.passages import PASSAGES

PLACES = ("a", "b", "a_begin", "a_end", "b_begin", "b_end")


def list_detections(folder: RunFolder, selection: Selection) -> Iterator[tuple[str, bytes, int]]:
    """For each pair of documents a file as PAN wants it: its name, its content, and how many passages it has.

    Documents are referred to by the last part of their ids, as PAN's files are.
    """
    if selection.columns or selection.sort:
        raise ParameterError("the columns and the order of PAN's XML are fixed; leave columns and sort out")
    columns = [*PLACES, "a_id", "b_id"]
    rows = TableRows(folder, PASSAGES.name, Selection(columns, selection.where, (), selection.limit))
    names: set[str] = set()
    for (a, b), group in groupby(rows.rows(), key=lambda row: (row["a"], row["b"])):
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
