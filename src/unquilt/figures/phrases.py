"""The figures of phrases (Fetterly, Manasse and Najork, SIGIR 2005), as data and as drawings.

    frequencies(run)          Figure 1: how many shingles are in how many documents
    counts(run, site)         Figure 2: which share of the documents has how many popular shingles, here and on one site
    bubbles(run, site)        Figures 3 to 7: how many covering sets have so many popular shingles and so many sources,
                              and which share of them is foreign; of a run with `sample`, those of the sample
    sites(run)                Figures 8 and 9: pages, mean and deviation of sites

Each of these returns the rows that are plotted; `plot(run)` returns the four figures. Counts are rounded down, so that
there are 85 of them with `exact`, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.figures.axis import Axis, reach
from unquilt.figures.chart import WHOLE, Chart
from unquilt.figures.figure import Figure
from unquilt.jobs.corpora import documents
from unquilt.results import RunFolder
from unquilt.runs import Run

Row = dict[str, Any]
NAMES = ("frequencies", "counts", "covers", "hosts")
"""The figures that a run has, if there is something to draw."""
SHINGLES = 84
MOST_SITES = 500
"""So many sites are drawn, at most: more could not be told apart."""
_MOST_NAMES = 50
_LARGEST_DISC = 11.0
POPULAR_LABEL = f"popular shingles of a document, of {SHINGLES}"


def frequencies(run: Run) -> list[Row]:
    """Figure 1: `documents` and `shingles`, for logarithmic axes."""
    found: list[Row] = run.table("histogram").to_pylist()
    return found


def counts(run: Run, site: str | None = None, corpus: Run | None = None) -> list[Row]:
    """Figure 2: for each number of `popular` shingles the `share` of all documents and, with `site` (a host, domain or
    address; `corpus` then says which documents are there), `site_share` of those of the site."""
    table = run.table("document_phrases").select(["doc", "of_84"])
    there = None if site is None else documents_of(site, corpus)
    whole: Counter[int] = Counter()
    part: Counter[int] = Counter()
    for row in table.to_pylist():
        whole[int(row["of_84"])] += 1
        if there is not None and row["doc"] in there:
            part[int(row["of_84"])] += 1
    rows = [{"popular": popular, "share": _share(whole, popular)} for popular in range(85)]
    if there is not None:
        rows = [row | {"site_share": _share(part, int(row["popular"]))} for row in rows]
    return rows


def bubbles(run: Run, site: str | None = None, corpus: Run | None = None) -> list[Row]:
    """Figures 3 to 7: for each pair of `popular` shingles and `sources` the number of `documents`, and `foreign`, the
    mean share of the covered shingles that sources with no common address have."""
    there = None if site is None else documents_of(site, corpus)
    shingles = dict(
        zip(*(run.table("document_phrases").column(name).to_pylist() for name in ("doc", "of_84")), strict=True)
    )
    found: dict[tuple[int, int], list[float]] = {}
    for row in run.table("covers").to_pylist():
        if there is None or row["doc"] in there:
            share = row["foreign_contribution"] / max(1, row["covered"])
            found.setdefault((int(shingles[row["doc"]]), row["sources"]), []).append(share)
    return [
        {"popular": popular, "sources": sources, "documents": len(shares), "foreign": sum(shares) / len(shares)}
        for (popular, sources), shares in sorted(found.items())
    ]


def sites(run: Run) -> list[Row]:
    """Figures 8 and 9: the sites whose mean is large enough, candidates or not."""
    least = run.manifest["parameters"]["min_mean"]
    names = ["site", "pages", "mean", "deviation", "candidate"]
    found: list[Row] = [row for row in run.table("hosts").select(names).to_pylist() if row["mean"] >= least]
    return found


def _share(counted: Counter[int], popular: int) -> float:
    return counted[popular] / max(1, counted.total())


def documents_of(site: str, corpus: Run | None) -> set[int]:
    """The documents on a host, domain or address."""
    if corpus is None:
        raise ValueError("the documents of a site are looked up in the corpus: give corpus=…")
    found: set[int] = set()
    for split in documents(corpus).splits():
        part = split.read(["doc", "host", "domain", "ip"])
        masks = [pc.fill_null(pc.equal(part.column(name), pa.scalar(site)), False) for name in ("host", "domain", "ip")]
        found.update(part.filter(pc.or_(pc.or_(*masks[:2]), masks[2])).column("doc").to_pylist())
    return found


def plot(run: Run) -> list[Figure]:
    """The four figures; those for which there is nothing to draw are left out. If the sample is of one site, Figure 2
    has its curve beside that of all documents, as long as the corpus is there."""
    asked = run.manifest["parameters"]
    whose = "every document" if asked["sample"] == "all" else "a sample of documents"
    site = asked.get("sample_site") or None
    corpus = RunFolder(run).corpus if site else None
    drawn = [
        _plot_frequencies(frequencies(run)),
        _plot_counts(counts(run, site, corpus) if corpus else counts(run), site),
        _plot_covers(bubbles(run), whose),
        _plot_sites(sites(run)),
    ]
    return [figure for figure in drawn if figure is not None]


def _plot_frequencies(rows: Sequence[Row]) -> Figure | None:
    if not rows:
        return None
    numbers, shingles = ([row[name] for row in rows] for name in ("documents", "shingles"))
    chart = Chart(
        "Shingles by number of documents",
        Axis("documents (logarithmic)", 0.9, reach(numbers, 10) * 1.1, log=True),
        Axis("shingles (logarithmic)", 0.8, reach(shingles, 10) * 1.3, log=True),
    )
    chart.points(list(zip(numbers, shingles, strict=True)))
    says = "How many shingles are in how many documents. Figure 1 of the paper."
    return Figure("frequencies", "Frequencies of shingles", says, [chart], rows)


def _plot_counts(rows: Sequence[Row], site: str | None) -> Figure | None:
    some = [row for row in rows if row["share"]]
    if not some:
        return None
    there = [row for row in rows if row.get("site_share")]
    shares = [row["share"] for row in some] + [row["site_share"] for row in there]
    chart = Chart(
        "Documents by number of popular shingles",
        Axis(POPULAR_LABEL, 0, SHINGLES),
        Axis("share of documents (logarithmic)", min(shares) / 1.5, min(1, max(shares) * 1.5), log=True, percent=True),
        [("one", "all documents"), ("two", f"documents of {site}")] if there else (),
    )
    chart.line([(row["popular"], row["share"]) for row in some], size=2.5)
    if there:
        chart.line([(row["popular"], row["site_share"]) for row in there], "two", 2.5)
    says = "Which share of the documents has how many popular shingles. Figure 2 of the paper."
    return Figure("counts", "Popular shingles of a document", says, [chart], rows)


def _plot_covers(rows: Sequence[Row], whose: str) -> Figure | None:
    if not rows:
        return None
    most = max(row["documents"] for row in rows)
    says = (
        f"How many other documents it takes to cover the popular shingles of one, for {whose}. The area of a disc is "
        f"the number of documents (the largest: {most:,}); the filled part is the share that foreign documents cover. "
        "Figures 3 to 7 of the paper."
    )
    return Figure("covers", "Covering sets", says, [chart_covers(rows)], rows)


def chart_covers(rows: Sequence[Row], size: tuple[int, int] = WHOLE, head: str = "") -> Chart:
    """Discs by popular shingles and sources; the part that foreign documents cover is filled."""
    most = max(row["documents"] for row in rows)
    chart = Chart(
        "Covering sets by popular shingles and sources",
        Axis(POPULAR_LABEL, 0, SHINGLES + 2),
        Axis("documents that cover them", 0, reach([row["sources"] for row in rows]) * 1.05),
        size=size,
        head=head,
    )
    for row in rows:
        radius = _LARGEST_DISC * (row["documents"] / most) ** 0.5
        chart.disc(row["popular"], row["sources"], max(1.2, radius), "outline")
        if row["foreign"]:
            chart.disc(row["popular"], row["sources"], max(0.8, radius * row["foreign"] ** 0.5), "two")
    return chart


def _plot_sites(rows: Sequence[Row]) -> Figure | None:
    if not rows:
        return None
    shown = sorted(rows, key=lambda row: (not row["candidate"], -row["pages"]))[:MOST_SITES]
    some = f" Of {len(rows):,} sites, the {len(shown):,} largest, candidates first." if len(shown) < len(rows) else ""
    says = (
        "Sites whose pages have many popular shingles on average; the lines show the standard deviation. Figures 8 and "
        f"9 of the paper.{some}"
    )
    return Figure("hosts", "Sites of many popular phrases", says, [chart_sites(shown)], shown)


def chart_sites(
    rows: Sequence[Row], link: Callable[[str], str] | None = None, size: tuple[int, int] = WHOLE, head: str = ""
) -> Chart:
    """Sites by mean and pages, candidates above the others and with their names; each leads to `link(site)`."""
    ends = [max(0, min(SHINGLES, row["mean"] + sign * row["deviation"])) for row in rows for sign in (-1, 1)]
    pages = [max(1, row["pages"]) for row in rows]
    chart = Chart(
        "Sites by mean number of popular shingles of a page and by pages",
        Axis(f"mean of popular shingles of a page (of {SHINGLES}), ± deviation", max(0, min(ends) - 2), max(ends) + 2),
        Axis("pages of the site (logarithmic)", min(pages) * 0.8, max(10, max(pages) * 1.3), log=True),
        [("two", "candidates"), ("one", "other sites")],
        size,
        head,
    )
    for row in sorted(rows, key=lambda row: row["candidate"]):
        kind, up = "two" if row["candidate"] else "one", max(1, row["pages"])
        low, high = (max(0, min(SHINGLES, row["mean"] + sign * row["deviation"])) for sign in (-1, 1))
        noun = "page" if row["pages"] == 1 else "pages"
        said = f"{row['site']}: {row['pages']:,} {noun}, mean {row['mean']:.1f}, deviation {row['deviation']:.1f}"
        with chart.linked(link(row["site"]), said) if link else nullcontext():
            chart.spread(low, high, up, kind)
            chart.points([(row["mean"], up)], kind, 4)
    for row in sorted((row for row in rows if row["candidate"]), key=lambda row: -row["pages"])[:_MOST_NAMES]:
        chart.name(row["mean"], max(1, row["pages"]), row["site"])
    return chart
