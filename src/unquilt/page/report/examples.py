"""A page with its evidence as an example of the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unquilt.page.report.excerpts import bar, excerpt
from unquilt.page.report.section import Example, Line, name_page
from unquilt.page.report.spelling import cut
from unquilt.results import RunFolder
from unquilt.results.evidence import Evidence
from unquilt.results.marks import Passage
from unquilt.results.texts import read_part, say_disguise


def show_evidence(
    folder: RunFolder,
    evidence: Evidence,
    facts: Sequence[tuple[str, str]],
    describe: Callable[[Mapping[str, Any]], str],
) -> Example:
    """A page with its passages marked, and a legend of the pages that have them, too."""
    legend = [
        Line(each.number, cut(each.url or each.id or f"document {each.doc}"), describe(each.facts))
        for each in evidence.sources
    ]
    said = f"{evidence.says.rstrip('.')}." if evidence.says else ""
    return mark_page(folder, evidence.doc, evidence.passages, facts, legend, f"{said} {evidence.note}".strip())


def mark_page(
    folder: RunFolder,
    number: int,
    passages: Sequence[Passage],
    facts: Sequence[tuple[str, str]],
    legend: Sequence[Line] = (),
    note: str = "",
) -> Example:
    """A page with some passages marked; of a very long one, as many of them as are near its beginning."""
    part = read_part(folder, number)
    text, length = (part.text, part.length) if part is not None else ("", 0)
    name, url = name_page(folder, number)
    disguise = say_disguise(folder, number)
    facts = [*facts, ("disguise", disguise)] if disguise else facts
    return Example(name, url, facts, excerpt(text, passages, length), legend, bar(length, passages), note)
