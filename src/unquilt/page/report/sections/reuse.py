"""Runs of reuse: how often chunks and files occur, how bad pages and neighbourhoods are, how deep paths are; and ten
examples with the copied chunks marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unquilt.figures.reuse import UNITS, plot
from unquilt.page.report.examples import mark_page, show_evidence
from unquilt.page.report.section import Content, Example, list_rows, read_examples, read_first
from unquilt.page.report.spelling import count, share
from unquilt.results import RunFolder
from unquilt.results.marks import Passage
from unquilt.results.occurrences import find_target
from unquilt.tables.reuse import NEIGHBOURHOODS, OBJECTS, STOP_CHUNKS, TARGETS

Row = Mapping[str, Any]
_OBJECT = ["kind", "documents", "sites", "length", "example"]


def show_discover(folder: RunFolder) -> Content:
    """A run of discovery."""
    objects, stopped = (folder.table(table.name).rows for table in (OBJECTS, STOP_CHUNKS))
    asked, summary = folder.run.manifest["parameters"], folder.run.manifest["summary"]
    chunks, files = (_times(asked[name]) for name in ("chunk_threshold", "file_threshold"))
    says = [
        f"{count(objects, 'object')} occur again and again in {count(summary['documents'], 'document')}: paragraphs "
        f"(chunks) that occur more than {chunks}, and files that do so more than {files}."
    ]
    first = read_first(folder, OBJECTS, limit=1)
    says += [
        f"What matters most is a {row['kind']} of {count(row['length'], 'character')}, in "
        f"{count(row['documents'], 'document')} on {count(row['sites'], 'site')}."
        for row in first
    ]
    if stopped:
        says.append(f"{count(stopped, 'short paragraph is', 'short paragraphs are')} left out, as very many have them.")
    return Content(
        says,
        lambda: plot(folder.run),
        lambda: [
            *list_rows(folder, OBJECTS, "Paragraphs and files, those that matter most first", _OBJECT),
            *list_rows(folder, STOP_CHUNKS, "Stop chunks", ["documents", "sites", "length", "example"]),
        ],
        lambda most: [_object(folder, row) for row in read_examples(folder, OBJECTS, most)],
        "Paragraphs and files that occur again and again, where they first stand",
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _object(folder: RunFolder, row: Row) -> Example:
    whole = row["kind"] == "file"
    facts = [
        ("kind", row["kind"]),
        ("documents", count(row["documents"])),
        ("sites", count(row["sites"])),
        ("occurrences", count(row["occurrences"])),
        ("characters", count(row["length"])),
    ]
    passages = [Passage(0 if whole else row["begin"], row["length"] if whole else row["end"], 1)]
    note = "All of this document is the file." if whole else ""
    return mark_page(folder, row["first"], passages, facts, note=note)


def show_detect(folder: RunFolder) -> Content:
    """A run of detection, or several merged."""
    summary = folder.run.manifest["summary"]
    targets, places = (folder.table(table.name).rows for table in (TARGETS, NEIGHBOURHOODS))
    above = {name: summary.get(f"above_{name}", 0) / UNITS for name in ("page", "neighbourhood")}
    bad = summary.get("bad_neighbourhoods", 0)
    by_ratio = folder.run.manifest["parameters"].get("bad_by") == "ratio"
    says = [
        f"{count(targets, 'document')} of {summary['documents']:,} {'contains' if targets == 1 else 'contain'} "
        f"labelled content: {count(summary.get('file_targets', 0), 'is a labelled file', 'are labelled files')}, "
        f"{count(summary.get('partial_targets', 0), 'consists', 'consist')} of labelled chunks by more than "
        f"{share(above['page'])}.",
        f"{count(summary.get('matched', 0), 'labelled chunk was', 'labelled chunks were')} found.",
        f"{bad:,} of {count(places, 'neighbourhood')} (sites and folders) "
        f"{'is bad: its' if bad == 1 else 'are bad: their'} documents consist of labelled chunks by more than "
        f"{share(above['neighbourhood'])} {'taken together' if by_ratio else 'on average'}.",
    ]
    place = ["prefix", "badness", "bad", "documents", "matched", "chunks"]
    page = ["id", "url", "contains", "matched", "chunks", "file"]
    return Content(
        says,
        lambda: plot(folder.run),
        lambda: [
            *list_rows(folder, TARGETS, "Documents with the most labelled content", page),
            *list_rows(folder, NEIGHBOURHOODS, "The worst sites and folders", place),
            *list_rows(folder, OBJECTS, "What was found", _OBJECT),
        ],
        lambda most: [_target(folder, row) for row in read_examples(folder, TARGETS, most)],
        "Documents with the most labelled content; each labelled chunk in a colour, and with a number, of its own",
    )


def _target(folder: RunFolder, row: Row) -> Example:
    facts = [
        ("labelled", share(row["contains"])),
        ("chunks", f"{row['matched']:,} of {row['chunks']:,}"),
        ("a labelled file", "yes" if row["file"] else "no"),
    ]
    return show_evidence(folder, find_target(folder, row["doc"]), facts, _describe)


def _describe(facts: Mapping[str, Any]) -> str:
    return f"first stands there; in {count(facts['documents'], 'document')}, {count(facts['sites'], 'site')}"
