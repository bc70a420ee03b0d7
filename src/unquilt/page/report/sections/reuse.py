"""Runs of reuse: how often chunks and files occur, how bad pages and neighbourhoods are, how deep paths are; and ten
examples with the copied chunks marked."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from unquilt.page.evidence import find_target
from unquilt.page.marked import Passage
from unquilt.page.report.examples import mark_page, show_evidence
from unquilt.page.report.figures import Figure, reach
from unquilt.page.report.section import Content, Example, has_texts, list_rows, read_first
from unquilt.page.report.spelling import count, share
from unquilt.page.report.svg import PANEL, Axis, Chart
from unquilt.results import RunFolder
from unquilt.results.phrases import read_rows
from unquilt.tables import FREQUENCIES, NEIGHBOURHOODS, OBJECTS, PATH_LENGTHS, SHARES, STOP_CHUNKS, TARGETS

Row = Mapping[str, Any]
_UNITS = 1 << 30
"""Thresholds in a manifest are in units of 2⁻³⁰."""
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
    tables = [
        *list_rows(folder, OBJECTS, "Paragraphs and files, those that matter most first", _OBJECT),
        *list_rows(folder, STOP_CHUNKS, "Stop chunks", ["documents", "sites", "length", "example"]),
    ]
    return Content(
        says,
        [figure for figure in [_frequencies(folder)] if figure is not None],
        tables,
        [_object(folder, row) for row in read_first(folder, OBJECTS)] if has_texts(folder) else [],
        "Paragraphs and files that occur again and again, where they first stand",
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _frequencies(folder: RunFolder) -> Figure | None:
    rows = list(read_rows(folder.table(FREQUENCIES.name))) if FREQUENCIES.name in folder.tables else []
    if not rows:
        return None
    chart = Chart(
        "Chunks and files by occurrences",
        Axis("occurrences (logarithmic)", 1, reach([row["occurrences"] for row in rows], 10), log=True),
        Axis("different ones (logarithmic)", 0.8, reach([row["count"] for row in rows], 10) * 1.2, log=True),
        [("one", "chunks"), ("two", "files")],
    )
    for kind, what in (("one", "chunks"), ("two", "files")):
        chart.points([(row["occurrences"], row["count"]) for row in rows if row["what"] == what], kind)
    says = "How many different chunks and files occur how often."
    return Figure("frequencies", "Frequencies of chunks and files", says, [chart], rows)


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
    above = {name: summary.get(f"above_{name}", 0) / _UNITS for name in ("page", "neighbourhood")}
    bad = summary.get("bad_neighbourhoods", 0)
    says = [
        f"{count(targets, 'document')} of {summary['documents']:,} {'contains' if targets == 1 else 'contain'} "
        f"labelled content: {count(summary.get('file_targets', 0), 'is a labelled file', 'are labelled files')}, "
        f"{count(summary.get('partial_targets', 0), 'consists', 'consist')} of labelled chunks by more than "
        f"{share(above['page'])}.",
        f"{count(summary.get('matched', 0), 'labelled chunk was', 'labelled chunks were')} found.",
        f"{bad:,} of {count(places, 'neighbourhood')} (sites and folders) "
        f"{'is bad: its' if bad == 1 else 'are bad: their'} documents consist of labelled chunks by more than "
        f"{share(above['neighbourhood'])} on average.",
    ]
    tables = [
        *list_rows(
            folder,
            TARGETS,
            "Documents with the most labelled content",
            ["id", "url", "contains", "matched", "chunks", "file"],
        ),
        *list_rows(
            folder,
            NEIGHBOURHOODS,
            "The worst sites and folders",
            ["prefix", "badness", "bad", "documents", "matched", "chunks"],
        ),
        *list_rows(folder, OBJECTS, "What was found", _OBJECT),
    ]
    return Content(
        says,
        [figure for figure in (_badness(folder, above), _paths(folder)) if figure is not None],
        tables,
        [_target(folder, row) for row in read_first(folder, TARGETS)] if has_texts(folder) else [],
        "Documents with the most labelled content; each labelled chunk in a colour, and with a number, of its own",
    )


def _badness(folder: RunFolder, above: Mapping[str, float]) -> Figure | None:
    """Figures of badness as histogram and as cumulative distribution."""
    rows = list(read_rows(folder.table(SHARES.name))) if SHARES.name in folder.tables else []
    if not rows:
        return None
    charts = []
    for what, limit in (("documents", above["page"]), ("neighbourhoods", above["neighbourhood"])):
        counted = {row["twentieth"]: row["count"] for row in rows if row["what"] == what}
        total = sum(counted.values())
        if not total:
            continue
        chart = Chart(
            f"{what} by share of labelled chunks",
            Axis("share of labelled chunks", -0.05, 1, percent=True),
            Axis(f"{what}, of all", 0, 1, percent=True),
            [("one", "in this range"), ("two", "up to here")],
            PANEL,
        )
        chart.bars([((n - 1) / 20, n / 20, counted.get(n, 0) / total) for n in range(21)])
        running = list(accumulate(counted.get(n, 0) / total for n in range(21)))
        chart.line([(n / 20, value) for n, value in enumerate(running)], "two")
        chart.points([(n / 20, value) for n, value in enumerate(running)], "two", 2.5)
        chart.limit(limit, "bad from here")
        charts.append(chart)
    says = (
        "How many documents, and how many neighbourhoods, consist of labelled chunks by how much (for neighbourhoods, "
        "that is their badness): as a histogram, and added up. The first bar is of those that have none."
    )
    return Figure("badness", "Badness", says, charts, rows)


def _paths(folder: RunFolder) -> Figure | None:
    rows = list(read_rows(folder.table(PATH_LENGTHS.name))) if PATH_LENGTHS.name in folder.tables else []
    if not rows:
        return None
    most = max(row["components"] for row in rows)
    chart = Chart(
        "Documents by length of the path",
        Axis("components of the path of the URL", 0, max(5, most + 1)),
        Axis("documents (logarithmic)", 0.8, reach([row["count"] for row in rows], 10) * 1.3, log=True),
        [("one", "kept"), ("two", "dropped, as of a crawler going in circles")],
    )
    for kind, what in (("one", "kept"), ("two", "dropped")):
        chart.points([(row["components"], row["count"]) for row in rows if row["what"] == what], kind, 4)
    return Figure("path-lengths", "Lengths of paths", "How deep the paths of URLs are.", [chart], rows)


def _target(folder: RunFolder, row: Row) -> Example:
    facts = [
        ("labelled", share(row["contains"])),
        ("chunks", f"{row['matched']:,} of {row['chunks']:,}"),
        ("a labelled file", "yes" if row["file"] else "no"),
    ]
    return show_evidence(folder, find_target(folder, row["doc"]), facts, _describe)


def _describe(facts: Mapping[str, Any]) -> str:
    return f"first stands there; in {count(facts['documents'], 'document')}, {count(facts['sites'], 'site')}"
