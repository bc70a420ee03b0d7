"""Runs of phrases: the figures of Fetterly, Manasse and Najork, SIGIR 2005, for this corpus, the candidate sites, and
ten pages with their popular phrases marked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from unquilt.figures.phrases import SHINGLES, plot, sites
from unquilt.page.report.examples import show_evidence
from unquilt.page.report.section import Content, Example, Listed, list_rows, read_examples
from unquilt.page.report.spelling import count, cut, share
from unquilt.results import RunFolder
from unquilt.results.phrases import find_cover
from unquilt.tables.phrases import COVERS, HOSTS, PHRASES, POPULAR

Row = Mapping[str, Any]


def show_phrases(folder: RunFolder) -> Content:
    """A run of phrases."""
    by = folder.run.manifest["parameters"]["group"]
    return Content(
        _say(folder, by),
        lambda: plot(folder.run),
        partial(_list, folder, by),
        lambda most: [_example(folder, row) for row in read_examples(folder, COVERS, most)],
        "Pages with the most popular phrases; each in the colour, and with the number, of a page that has it, too",
    )


def _list(folder: RunFolder, by: str) -> list[Listed]:
    columns = ["site", "pages", "mean", "deviation", "foreign_contribution", "candidate"]
    covered = ["id", "url", "popular", "sources", "foreign_contribution"]
    return [
        *list_rows(folder, HOSTS, f"Sites (by {by}), candidates first", columns),
        *list_rows(folder, PHRASES, "Phrases that several sites share", ["sites", "documents", "words", "text"]),
        *list_rows(folder, COVERS, "Pages with the most popular phrases", covered),
    ]


def _say(folder: RunFolder, by: str) -> list[str]:
    asked, summary = folder.run.manifest["parameters"], folder.run.manifest["summary"]
    popular = folder.table(POPULAR.name).rows
    candidates = [row for row in sites(folder.run) if row["candidate"]]
    says = [
        f"{count(popular, 'popular phrase')} of {asked['k']} words, each on at least {asked['popular']} of "
        f"{count(summary['documents'], 'document')}."
    ]
    what = f"pages of {asked['min_mean']:g} popular shingles of {SHINGLES} or more on average, with little deviation"
    if candidates:
        first = max(candidates, key=lambda row: row["pages"])
        says.append(
            f"{count(len(candidates), f'site (by {by}) is a candidate', f'sites (by {by}) are candidates')}: {what}."
        )
        says.append(
            f"The largest is {cut(first['site'], 80)}: {count(first['pages'], 'page')}, {first['mean']:.1f} popular "
            f"shingles on average, deviation {first['deviation']:.1f}."
        )
    else:
        says.append(f"No site (by {by}) is a candidate: {what}.")
    return says


def _example(folder: RunFolder, row: Row) -> Example:
    facts = [
        ("popular shingles", count(row["popular"])),
        ("sources", count(row["sources"])),
        ("covered by foreign ones", share(row["foreign_contribution"] / max(1, row["covered"]))),
    ]
    return show_evidence(folder, find_cover(folder, row["doc"]), facts, _describe)


def _describe(facts: Mapping[str, Any]) -> str:
    return f"adds {facts['adds']}, has {facts['has']}; {facts['site']}"
