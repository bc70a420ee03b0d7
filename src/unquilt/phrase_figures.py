"""The figures of phrases (Fetterly, Manasse and Najork, SIGIR 2005), as data and as drawings.

    frequencies(run)          Figure 1: how many shingles are in how many documents
    counts(run, site)         Figure 2: which share of the documents has how many popular shingles, here and on one site
    bubbles(run, site)        Figures 3 to 7: how many covering sets have so many popular shingles and so many sources,
                              and which share of them is foreign; of a run with `sample`, those of the sample
    sites(run)                Figures 8 and 9: pages, mean and deviation of sites

Each returns the rows that are plotted, and `plot(run)` all four as specifications for `plots.draw`. Counts are rounded
down, so that with `exact`, too, there are 85 of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.jobs.corpora import documents
from unquilt.plots import ACCENT, INK, make_axis, make_figure
from unquilt.runs import Run

Row = dict[str, Any]


def frequencies(run: Run) -> list[Row]:
    """Figure 1: `documents` and `shingles`, for logarithmic axes."""
    found: list[Row] = run.table("histogram").to_pylist()
    return found


def counts(run: Run, site: str | None = None, corpus: Run | None = None) -> list[Row]:
    """Figure 2: for each number of `popular` shingles the `share` of all documents and, with `site` (a host, domain or
    address; `corpus` then says which documents are there), `site_share` of those of the site."""
    table = run.table("document_phrases").select(["doc", "of_84"])
    there = None if site is None else _documents_of(site, corpus)
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
    there = None if site is None else _documents_of(site, corpus)
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


def _documents_of(site: str, corpus: Run | None) -> set[int]:
    """The documents on a host, domain or address."""
    if corpus is None:
        raise ValueError("to tell the documents of a site, the corpus is needed: corpus=…")
    found: set[int] = set()
    for split in documents(corpus).splits():
        part = split.read(["doc", "host", "domain", "ip"])
        masks = [pc.fill_null(pc.equal(part.column(name), pa.scalar(site)), False) for name in ("host", "domain", "ip")]
        found.update(part.filter(pc.or_(pc.or_(*masks[:2]), masks[2])).column("doc").to_pylist())
    return found


def plot(run: Run) -> dict[str, dict[str, Any]]:
    """The four figures by name; those for which there is nothing to draw are left out."""
    asked = run.manifest["parameters"]
    figures = {
        "frequencies": (frequencies(run), _plot_frequencies),
        "counts": ([row for row in counts(run) if row["share"]], _plot_counts),
        "covers": (bubbles(run), _plot_bubbles),
        "hosts": (sites(run), _plot_sites),
    }
    whose = "every document" if asked["sample"] == "all" else "a sample"
    return {name: make(rows, whose) for name, (rows, make) in figures.items() if rows}


def _plot_frequencies(rows: Sequence[Row], _: str) -> dict[str, Any]:
    x, y = (make_axis(name, f"{name} (logarithmic)", type="log") for name in ("documents", "shingles"))
    dot = {"type": "point", "filled": True, "color": INK, "size": 22, "opacity": 0.8}
    return make_figure("How many shingles are in how many documents", rows, mark=dot, encoding={"x": x, "y": y})


def _plot_counts(rows: Sequence[Row], _: str) -> dict[str, Any]:
    x = make_axis("popular", "popular shingles of a document, of 84", domain=[0, 84])
    y = make_axis("share", "share of documents (logarithmic)", type="log")
    line = {"type": "line", "color": INK, "point": {"color": INK, "size": 20}}
    return make_figure("Popular shingles per document", rows, mark=line, encoding={"x": x, "y": y})


def _plot_bubbles(rows: Sequence[Row], whose: str) -> dict[str, Any]:
    """Outer discs say how many documents there are, inner ones how much of their covering sets is foreign."""
    x = make_axis("popular", "popular shingles of a document, of 84", domain=[0, 86])
    y = make_axis("sources", "sources that cover them")
    most = max(row["documents"] for row in rows)
    inner = [row | {"inner": row["documents"] * row["foreign"]} for row in rows]
    area = {"type": "quantitative", "legend": None, "scale": {"domain": [0, most], "range": [0, 500]}}
    disc = {"type": "point", "opacity": 1}
    return make_figure(
        f"Covering sets of {whose}: discs by documents, filled as far as they are foreign",
        inner,
        encoding={"x": x, "y": y},
        layer=[
            {"mark": disc | {"color": INK, "strokeWidth": 1}, "encoding": {"size": area | {"field": "documents"}}},
            {"mark": disc | {"filled": True, "color": ACCENT}, "encoding": {"size": area | {"field": "inner"}}},
        ],
    )


def _plot_sites(rows: Sequence[Row], _: str) -> dict[str, Any]:
    spread = [row | {"low": row["mean"] - row["deviation"], "high": row["mean"] + row["deviation"]} for row in rows]
    x = make_axis("mean", "mean of popular shingles of a page, ± deviation", zero=False)
    y = make_axis("pages", "pages of the site (logarithmic)", type="log")
    colour = {"condition": {"test": "datum.candidate", "value": ACCENT}, "value": INK}
    bars = {"x": x | {"field": "low"}, "x2": {"field": "high"}, "y": y, "color": colour}
    dots = {"x": x, "y": y, "color": colour}
    named = {"x": x, "y": y, "text": {"field": "site"}, "color": colour}
    return make_figure(
        "Sites of many popular phrases; candidates in red, named",
        spread,
        layer=[
            {"mark": {"type": "rule", "strokeWidth": 1}, "encoding": bars},
            {"mark": {"type": "point", "filled": True, "size": 45, "opacity": 1}, "encoding": dots},
            {
                "transform": [{"filter": "datum.candidate"}],
                "mark": {"type": "text", "align": "left", "dx": 7, "dy": -7, "limit": 220},
                "encoding": named,
            },
        ],
    )
