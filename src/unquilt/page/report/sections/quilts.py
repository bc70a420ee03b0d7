"""Runs of quilts: how many there would be by other limits (Figure 3 of Najork, SIGIR 2012, as far as one run tells),
how many sources they have, which sites they are on, and ten of them with their patches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.analyses.judging import JUDGED_BY, fail_limits, find_in_part
from unquilt.analyses.limits import LIMITS, WITHOUT_SOURCES
from unquilt.analyses.quilt_parameters import CHANGEABLE, QuiltParameters
from unquilt.figures.axis import Axis, reach
from unquilt.figures.chart import PANEL, Chart
from unquilt.figures.figure import Figure
from unquilt.page.report.examples import mark_page, show_evidence
from unquilt.page.report.section import Content, Example, list_rows, read_examples, read_first
from unquilt.page.report.spelling import count, cut, share
from unquilt.results import RunFolder
from unquilt.results.judged import find_quilt
from unquilt.results.marks import Passage
from unquilt.site_names import name_sites
from unquilt.tables.quilts import QUILTS, SITE_TABLES, VERDICTS

_SIGMAS = [number / 20 for number in range(1, 21)]
_SOURCES = range(1, 21)
_WHY = {counter: many for counter, _, many in WITHOUT_SOURCES.values()} | {each.counter: each.many for each in LIMITS}
"""Documents that are no quilts, by the first limit that they fail."""


def show_quilts(folder: RunFolder) -> Content:
    """A run of quilts."""
    by = name_sites(folder.run.manifest["parameters"]["foreign"])
    on, drawn = SITE_TABLES[by]
    columns = ["id", "url", "covered", "sources", "largest", "attributed", "words"]
    return Content(
        _say(folder, by),
        partial(_figures, folder),
        lambda: [
            *list_rows(folder, QUILTS, "The quilts, the surest first", columns),
            *list_rows(folder, on, f"The {by}s that most quilts are on", [by, "quilts", "documents", "share"]),
            *list_rows(folder, drawn, f"The {by}s that most quilts draw on", [by, "quilts", "sources", "new_grams"]),
        ],
        lambda most: [_example(folder, row) for row in read_examples(folder, QUILTS, most)],
        "Quilts, the surest first; passages in the colour, and with the number, of the source that has them",
    )


def _say(folder: RunFolder, by: str) -> list[str]:
    asked, summary = folder.run.manifest["parameters"], folder.run.manifest["summary"]
    quilts, judged = summary["quilts"], summary["documents"] - summary.get("copies", 0)
    where = "other documents" if asked["foreign"] == "none" else f"pages of other {by}s"
    some = f"{count(quilts, 'document')} of {judged:,} that were judged ({share(quilts / max(1, judged))})"
    found = f"{some} {'is a quilt' if quilts == 1 else 'are quilts'}"
    none = f"None of the {count(judged, 'document')} that were judged is a quilt"
    says = [
        f"{found if quilts else none}: a page of which at least {share(asked['sigma'])} of the {asked['k']}-word "
        f"phrases stand on {where} as well, and at least {asked['c']} of these are needed to explain them."
    ]
    tables = (read_first(folder, table, limit=1) for table in SITE_TABLES[by] if table.name in folder.tables)
    on, drawn = (rows[0] if rows else None for rows in tables) if quilts else (None, None)
    if on and drawn:
        most, source = (cut(row[by] or "no URL", 80) for row in (on, drawn))
        says.append(
            f"The {by} with the most of them is {most} ({on['quilts']:,} of {count(on['documents'], 'document')}); the "
            f"one that most of them draw on is {source} ({count(drawn['quilts'], 'quilt')})."
        )
    if left := {name: summary[name] for name in _WHY if summary.get(name)}:
        most_often = max(left, key=lambda name: left[name])
        words = asked | {"site": by, "grams": count(asked["min_grams"], "gram"), "sources": count(asked["c"], "source")}
        says.append(
            f"Of the documents that are not quilts, most ({left[most_often]:,}) {_WHY[most_often].format(**words)}."
        )
    return says


def _figures(folder: RunFolder) -> list[Figure]:
    asked = folder.run.manifest["parameters"]
    found = []
    if VERDICTS.name in folder.tables and set(JUDGED_BY) <= set(folder.columns(VERDICTS.name)):
        verdicts = _read(folder, VERDICTS.name, JUDGED_BY)
        sigma = [{"sigma": each, "share": _share(verdicts, asked, sigma=each)} for each in _SIGMAS]
        sources: list[dict[str, float]] = [{"c": each, "share": _share(verdicts, asked, c=each)} for each in _SOURCES]
        highest = reach([row["share"] for row in (*sigma, *sources)], 0.001)
        found.append(
            Figure(
                "quilts-by-limits",
                "Quilts by other limits",
                f"The share of the documents that would be quilts if one limit were another and all others stayed (k = "
                f"{asked['k']}, m = {asked['m']}); the dashed lines are the limits of this run. After Figure 3 of the "
                "paper.",
                [
                    _curve("σ: least share that sources cover", sigma, "sigma", highest, asked["sigma"], percent=True),
                    _curve("c: fewest sources", sources, "c", highest, asked["c"], percent=False),
                ],
                [{"limit": "sigma", "value": row["sigma"], "share": row["share"]} for row in sigma]
                + [{"limit": "c", "value": row["c"], "share": row["share"]} for row in sources],
            )
        )
    if folder.table(QUILTS.name).rows:
        found.append(_count_sources(folder))
    return found


def _read(folder: RunFolder, name: str, columns: list[str]) -> pa.Table:
    return pa.concat_tables([split.read(columns) for split in folder.table(name).splits()])


def _share(verdicts: pa.Table, asked: Mapping[str, Any], **changed: float) -> float:
    """The share of quilts by the limits of the run, but for one of them."""
    limits = QuiltParameters.from_dict({name: asked[name] for name in CHANGEABLE if name in asked} | changed)
    failures = fail_limits(verdicts, limits)
    failed = reduce(pc.or_, failures.values())
    passed: int = pc.sum(pc.or_(pc.invert(failed), find_in_part(verdicts, failures, limits))).as_py() or 0
    total: int = verdicts.num_rows
    return passed / max(1, total)


def _curve(
    label: str, rows: list[dict[str, float]], name: str, highest: float, limit: float, *, percent: bool
) -> Chart:
    low, high = (0.0, 1.0) if percent else (0.0, 20.0)
    chart = Chart(
        f"Quilts by {label}",
        Axis(label, low, high, percent=percent),
        Axis("quilts, of all documents", 0, highest, percent=True),
        size=PANEL,
    )
    places = [(row[name], row["share"]) for row in rows]
    chart.limit(limit, "this run")
    chart.line(places, size=3)
    return chart


def _count_sources(folder: RunFolder) -> Figure:
    numbers = Counter(_read(folder, QUILTS.name, ["sources"])["sources"].to_pylist())
    rows = [{"sources": number, "quilts": numbers[number]} for number in sorted(numbers)]
    chart = Chart(
        "Quilts by number of sources",
        Axis("sources of a quilt", 0, max(numbers) + 1),
        Axis("quilts", 0, max(numbers.values())),
    )
    chart.bars([(number - 0.5, number + 0.5, numbers[number]) for number in sorted(numbers)])
    says = "How many other pages a quilt is made of; those of many sources are the surest."
    return Figure("sources-of-quilts", "Sources of quilts", says, [chart], rows)


def _example(folder: RunFolder, row: Mapping[str, Any]) -> Example:
    facts = [
        ("from sources", share(row["covered"])),
        ("sources", count(row["sources"])),
        ("largest", share(row["largest"])),
        ("attributed", share(row["attributed"])),
        ("words", count(row["words"])),
    ]
    evidence = find_quilt(folder, row["doc"])
    example = show_evidence(folder, evidence, facts, _describe)
    longest = max(evidence.reworded, key=lambda place: _length(evidence.passages[place]), default=None)
    if longest is None:
        return example
    # Of a page that was reworded, also the source of its longest passage, in its own words.
    source = evidence.others[longest].doc
    both = ((evidence.passages[place], evidence.others[place]) for place in evidence.reworded)
    marks = [Passage(at.begin, at.end, here.number, here.title) for here, at in both if at.doc == source]
    return replace(example, other=mark_page(folder, source, marks, ()))


def _length(passage: Passage) -> int:
    return passage.end - passage.begin


def _describe(facts: Mapping[str, Any]) -> str:
    return f"adds {share(facts['adds'])}, holds {share(facts['holds'])} of what is shared; {facts['linked']}"
