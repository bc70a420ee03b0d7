"""The figures of the experiment with phrases (Fetterly, Manasse and Najork, SIGIR 2005): Figures 1 to 9, with several
corpora in one chart where the paper has them so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unquilt.figures.axis import Axis, reach
from unquilt.figures.chart import PANEL, WHOLE, Chart
from unquilt.figures.figure import Figure
from unquilt.figures.phrases import MOST_SITES, POPULAR_LABEL, SHINGLES, chart_covers, chart_sites
from unquilt.runs import Run

Row = dict[str, Any]
NAMES = ("frequencies", "counts", "covers", "hosts")
"""The figures that a run has, if there is something to draw."""
_KINDS = ("one", "two", "three")
_SAMPLES = {
    "counts": "drawn by popular shingles",
    "uniform": "drawn uniformly",
    "site": "drawn from one site",
}


def plot(run: Run) -> list[Figure]:
    """All figures of a run; those for which there is nothing to draw are left out."""
    drawn = [
        _plot_frequencies(run.table("shingle_curves").to_pylist()),
        _plot_counts(run.table("popular_curves").to_pylist()),
        _plot_covers(run.table("cover_sizes").to_pylist()),
        _plot_sites(run.table("phrase_sites").to_pylist()),
    ]
    return [figure for figure in drawn if figure.rows]


def _plot_frequencies(rows: Sequence[Row]) -> Figure:
    legend = list(zip(_KINDS, dict.fromkeys(row["corpus"] for row in rows), strict=False))
    chart = Chart(
        "Shingles by number of documents",
        Axis("documents (logarithmic)", 0.9, reach([row["documents"] for row in rows], 10) * 1.1, log=True),
        Axis("shingles (logarithmic)", 0.8, reach([row["shingles"] for row in rows], 10) * 1.3, log=True),
        legend,
    )
    for kind, corpus in legend:
        chart.points([(row["documents"], row["shingles"]) for row in rows if row["corpus"] == corpus], kind)
    says = "How many shingles are in how many documents. Figure 1 of the paper; three corpora are drawn at most."
    return Figure("frequencies", "Frequencies of shingles", says, [chart], rows)


def _plot_counts(rows: Sequence[Row]) -> Figure:
    some = [row for row in rows if row["share"]]
    curves = dict.fromkeys(sorted({(row["corpus"], row["site"]) for row in some}, key=lambda each: not each[1]))
    legend = list(zip(_KINDS, (site or corpus for corpus, site in curves), strict=False))
    shares = [row["share"] for row in some] or [1.0]
    chart = Chart(
        "Documents by number of popular shingles",
        Axis(POPULAR_LABEL, 0, SHINGLES),
        Axis("share of documents (logarithmic)", min(shares) / 1.5, min(1, max(shares) * 1.5), log=True, percent=True),
        legend,
    )
    for (kind, _), curve in zip(legend, curves, strict=False):
        drawn = [row for row in some if (row["corpus"], row["site"]) == curve]
        chart.line([(row["popular"], row["share"]) for row in drawn], kind, 2.5)
    says = (
        "Which share of the documents of each corpus, and of one site if one was asked for, has how many popular "
        "shingles. Figure 2 of the paper; three curves are drawn at most."
    )
    return Figure("counts", "Popular shingles of a document", says, [chart], some)


def _plot_covers(rows: Sequence[Row]) -> Figure:
    charts = []
    for corpus, sample in dict.fromkeys((row["corpus"], row["sample"]) for row in rows):
        drawn = [row for row in rows if (row["corpus"], row["sample"]) == (corpus, sample)]
        charts.append(chart_covers(drawn, PANEL, f"{corpus}: {_SAMPLES[sample]}"))
    says = (
        "How many other documents it takes to cover the popular shingles of one, for samples of documents. The area of "
        "a disc is the number of documents; the filled part is the share that foreign documents cover. Figures 3 to 7 "
        "of the paper."
    )
    return Figure("covers", "Covering sets", says, charts, rows)


def _plot_sites(rows: Sequence[Row]) -> Figure:
    charts = []
    corpora = dict.fromkeys(row["corpus"] for row in rows)
    for corpus in corpora:
        there = [row for row in rows if row["corpus"] == corpus]
        shown = sorted(there, key=lambda row: (not row["candidate"], -row["pages"]))[:MOST_SITES]
        charts.append(chart_sites(shown, size=PANEL if len(corpora) > 1 else WHOLE, head=corpus))
    says = (
        "Sites whose pages have many popular shingles on average, by corpus; the lines show the standard deviation. "
        f"Figures 8 and 9 of the paper; the {MOST_SITES} largest sites are drawn at most, candidates first."
    )
    return Figure("hosts", "Sites of many popular phrases", says, charts, rows)
