"""Runs of phrases: the figures of Fetterly, Manasse and Najork, SIGIR 2005, for this corpus, the candidate sites, and
ten pages with their popular phrases marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unquilt.page.evidence import find_cover
from unquilt.page.report.examples import show_evidence
from unquilt.page.report.figures import Figure, reach
from unquilt.page.report.section import Content, Example, has_texts, list_rows, read_first
from unquilt.page.report.spelling import count, cut, share
from unquilt.page.report.svg import Axis, Chart
from unquilt.phrase_figures import bubbles, counts, frequencies, sites
from unquilt.results import RunFolder
from unquilt.tables import COVERS, HOSTS, POPULAR

_LARGEST_DISC = 11.0
_SHINGLES = 84
Row = Mapping[str, Any]


def show_phrases(folder: RunFolder) -> Content:
    """A run of phrases."""
    by = folder.run.manifest["parameters"]["group"]
    tables = [
        *list_rows(
            folder,
            HOSTS,
            f"Sites (by {by}), candidates first",
            ["site", "pages", "mean", "deviation", "foreign_contribution", "candidate"],
        ),
        *list_rows(folder, POPULAR, "The most popular phrases", ["documents", "text"]),
        *list_rows(
            folder,
            COVERS,
            "Pages with the most popular phrases",
            ["id", "url", "popular", "sources", "foreign_contribution"],
        ),
    ]
    return Content(
        _say(folder, by),
        _figures(folder),
        tables,
        [_example(folder, row) for row in read_first(folder, COVERS)] if has_texts(folder) else [],
        "Pages with the most popular phrases; each in the colour, and with the number, of a page that has it, too",
    )


def _say(folder: RunFolder, by: str) -> list[str]:
    asked, summary = folder.run.manifest["parameters"], folder.run.manifest["summary"]
    popular = folder.table(POPULAR.name).rows
    candidates = [row for row in sites(folder.run) if row["candidate"]]
    says = [
        f"{count(popular, 'popular phrase')} of {asked['k']} words, each on at least {asked['popular']} of "
        f"{count(summary['documents'], 'document')}."
    ]
    what = f"pages of {asked['min_mean']:g} popular shingles of {_SHINGLES} or more on average, with little deviation"
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


def _figures(folder: RunFolder) -> list[Figure]:
    run = folder.run
    drawn = [_frequencies(frequencies(run)), _counts(counts(run)), _covers(bubbles(run)), _sites(sites(run))]
    return [figure for figure in drawn if figure is not None]


def _frequencies(rows: Sequence[Row]) -> Figure | None:
    if not rows:
        return None
    documents, shingles = ([row[name] for row in rows] for name in ("documents", "shingles"))
    chart = Chart(
        "Shingles by number of documents",
        Axis("documents (logarithmic)", 1, reach(documents, 10), log=True),
        Axis("shingles (logarithmic)", 1, reach(shingles, 10), log=True),
    )
    chart.points(list(zip(documents, shingles, strict=True)))
    says = "How many shingles are in how many documents. Figure 1 of the paper."
    return Figure("phrase-frequencies", "Frequencies of shingles", says, [chart], rows)


def _counts(rows: Sequence[Row]) -> Figure | None:
    some = [row for row in rows if row["share"]]
    if not some:
        return None
    least, most = min(row["share"] for row in some), max(row["share"] for row in some)
    chart = Chart(
        "Documents by number of popular shingles",
        Axis(f"popular shingles of a document, of {_SHINGLES}", 0, _SHINGLES),
        Axis("share of documents (logarithmic)", least / 1.5, min(1, most * 1.5), log=True, percent=True),
    )
    places = [(row["popular"], row["share"]) for row in some]
    chart.line(places)
    chart.points(places, size=2.5)
    says = "Which share of the documents has how many popular shingles. Figure 2 of the paper."
    return Figure("popular-shingles", "Popular shingles of a document", says, [chart], rows)


def _covers(rows: Sequence[Row]) -> Figure | None:
    if not rows:
        return None
    most = max(row["documents"] for row in rows)
    chart = Chart(
        "Covering sets by popular shingles and sources",
        Axis(f"popular shingles of a document, of {_SHINGLES}", 0, _SHINGLES + 2),
        Axis("documents that cover them", 0, reach([row["sources"] for row in rows]) * 1.05),
    )
    for row in rows:
        radius = _LARGEST_DISC * (row["documents"] / most) ** 0.5
        chart.disc(row["popular"], row["sources"], max(1.2, radius), "outline")
        if row["foreign"]:
            chart.disc(row["popular"], row["sources"], max(0.8, radius * row["foreign"] ** 0.5), "two")
    says = (
        "How many other documents it takes to cover the popular shingles of one. Discs are as large as there are "
        "documents, and filled as far as what covers them is foreign. Figures 3 to 7 of the paper."
    )
    return Figure("covering-sets", "Covering sets", says, [chart], rows)


def _sites(rows: Sequence[Row]) -> Figure | None:
    if not rows:
        return None
    ends = [row["mean"] + sign * row["deviation"] for row in rows for sign in (-1, 1)]
    chart = Chart(
        "Sites by mean of popular shingles and pages",
        Axis("mean of popular shingles of a page, ± deviation", max(0.0, min(ends) - 2), min(max(ends) + 2, _SHINGLES)),
        Axis("pages of the site (logarithmic)", 5, reach([row["pages"] for row in rows], 50) * 1.5, log=True),
        [("two", "candidates"), ("one", "other sites")],
    )
    for row in rows:
        kind = "two" if row["candidate"] else "one"
        chart.spread(
            max(0.0, row["mean"] - row["deviation"]), min(_SHINGLES, row["mean"] + row["deviation"]), row["pages"], kind
        )
        chart.points([(row["mean"], row["pages"])], kind, 4)
    for row in sorted((row for row in rows if row["candidate"]), key=lambda row: -row["pages"])[:8]:
        chart.name(row["mean"], row["pages"], cut(row["site"], 40))
    says = "Sites whose pages have many popular shingles on average. Figures 8 and 9 of the paper."
    return Figure("sites", "Sites of many popular phrases", says, [chart], rows)


def _example(folder: RunFolder, row: Row) -> Example:
    facts = [
        ("popular shingles", count(row["popular"])),
        ("sources", count(row["sources"])),
        ("covered by foreign ones", share(row["foreign_contribution"] / max(1, row["covered"]))),
    ]
    return show_evidence(folder, find_cover(folder, row["doc"]), facts, _describe)


def _describe(facts: Mapping[str, Any]) -> str:
    return f"adds {facts['adds']}, has {facts['has']}; {facts['site']}"
