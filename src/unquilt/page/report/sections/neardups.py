"""Runs of neardups: how large clusters are, how similar what is in them, and ten pairs, word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import pyarrow as pa

from unquilt.figures.axis import Axis
from unquilt.figures.chart import Chart
from unquilt.figures.figure import Figure
from unquilt.page.report.excerpts import compare
from unquilt.page.report.section import Content, Example, has_texts, list_rows, name_page, read_first
from unquilt.page.report.spelling import count, cut, share
from unquilt.results import RunFolder
from unquilt.results.keeping import list_alarms
from unquilt.results.rows import Selection, TableRows, read_table
from unquilt.tables.neardups import CLUSTERS, KEPT, SIMILARITY

_BARS = 20
_MOST_ALARMS = 5
_MOST_MEMBERS = 1_000
"""Documents of the clusters that are shown among which the least similar one is looked for."""


def show_neardups(folder: RunFolder) -> Content:
    """A run of near-duplicates."""
    sizes = _sizes(folder)
    columns = ["cluster", "documents", "least", "median", "kept_id", "kept_url"]
    return Content(
        _say(folder, sizes),
        partial(_figures, folder, sizes),
        lambda: list_rows(folder, SIMILARITY, "Clusters, the loosest first", columns),
        partial(_examples, folder),
        "The riskiest drops: documents that would go beside the ones that are kept instead, the least similar first",
    )


def _sizes(folder: RunFolder) -> Counter[int]:
    """How many clusters have how many documents."""
    parts = [split.read(["cluster"]).column("cluster") for split in folder.table(CLUSTERS.name).splits()]
    clusters = pa.chunked_array([chunk for part in parts for chunk in part.chunks], pa.int64())
    sizes = clusters.value_counts().field("counts").value_counts()
    return Counter({each["values"]: each["counts"] for each in sizes.to_pylist()})


def _say(folder: RunFolder, sizes: Counter[int]) -> list[str]:
    summary, asked = folder.run.manifest["summary"], folder.run.manifest["parameters"]
    near, documents = summary["near_duplicates"], summary["documents"]
    chained = summary.get("chained")
    why = "if one document of each cluster is kept" if chained is None else "as one that is kept is near to each"
    says = [
        f"{count(sizes.total(), 'cluster')} of near-duplicates: {count(near, 'document')} of {documents:,} "
        f"({share(near / max(1, documents))}) could go, {why}."
    ]
    if alarms := list_alarms(folder):
        said = "; ".join(each.says for each in alarms[:_MOST_ALARMS])
        says.append(f"{count(len(alarms), 'alarm')}: {said}.")
    if chained:
        more = count(chained, "more document is", "more documents are")
        says.append(f"{more} in these clusters, but not near to one that is kept, and not dropped.")
    if sizes:
        largest = max(sizes)
        pairs = count(sizes[2], "cluster is a pair", "clusters are pairs")
        says.append(f"The largest cluster has {count(largest, 'document')}; {pairs}.")
    if found := read_first(folder, SIMILARITY, limit=1) if SIMILARITY.name in folder.tables else []:
        says.append(
            f"The loosest cluster holds a document that shares {share(found[0]['least'])} of the {asked['k']}-word "
            "phrases with the one that is kept."
        )
    return says


def _figures(folder: RunFolder, sizes: Counter[int]) -> list[Figure]:
    if not sizes:
        return []
    rows = [{"documents": size, "clusters": sizes[size]} for size in sorted(sizes)]
    chart = Chart(
        "Clusters by number of documents",
        Axis("documents of a cluster (logarithmic)", 1.8, max(10, max(sizes) * 1.2), log=True),
        Axis("clusters (logarithmic)", 0.8, max(10, max(sizes.values()) * 1.3), log=True),
    )
    chart.points([(row["documents"], row["clusters"]) for row in rows], size=4)
    found = [Figure("cluster-sizes", "Sizes of clusters", "How many clusters have how many documents.", [chart], rows)]
    if SIMILARITY.name in folder.tables:
        found.append(_similarity(folder))
    return found


def _similarity(folder: RunFolder) -> Figure:
    least: Counter[int] = Counter()
    median: Counter[int] = Counter()
    for row in read_table(folder.table(SIMILARITY.name), ["least", "median"]):
        least[min(_BARS - 1, int(row["least"] * _BARS))] += 1
        median[min(_BARS - 1, int(row["median"] * _BARS))] += 1
    rows = [
        {"from": place / _BARS, "to": (place + 1) / _BARS, "least": least[place], "median": median[place]}
        for place in range(_BARS)
    ]
    highest = max(1, *least.values(), *median.values())
    chart = Chart(
        "Clusters by similarity",
        Axis("Jaccard coefficient with the document that is kept", 0, 1),
        Axis("clusters", 0, highest),
        [("one", "least similar document"), ("two", "median document")],
    )
    chart.bars([(row["from"], row["to"], row["least"]) for row in rows])
    chart.points([((row["from"] + row["to"]) / 2, row["median"]) for row in rows if row["median"]], "two", 4)
    says = "How similar the documents of a cluster are to the one that is kept. Clusters far to the left may be chains."
    return Figure("cluster-similarity", "Similarity within clusters", says, [chart], rows)


def _examples(folder: RunFolder, most: int) -> list[Example]:
    """Documents that would go, the least similar to the one that is kept first."""
    if not has_texts(folder):
        return []
    chosen = Selection(("doc", "kept_instead", "similarity"), "not keep", ["similarity"], most)
    return [_compare(folder, row) for row in TableRows(folder, KEPT.name, chosen).rows()]


def _compare(folder: RunFolder, row: Mapping[str, Any]) -> Example:
    kept, other, similarity = row["kept_instead"], row["doc"], row["similarity"]
    pages = dict(folder.documents([kept, other], ["text", "words", "domain"]))
    text, said = compare(pages[kept]["text"], pages[other]["text"])
    name, url = name_page(folder, other)
    stays, its_url = name_page(folder, kept)
    sites = [pages[number]["domain"] for number in (other, kept)]
    facts = [
        ("kept instead", cut(f"{stays} {its_url or ''}".strip())),
        ("similarity of the two", "not known" if similarity is None else f"{similarity:.3f}"),
        ("words", f"{pages[other]['words']:,}; of the one that is kept {pages[kept]['words']:,}"),
        *([("sites", "the same" if sites[0] == sites[1] else "different")] if all(sites) else []),
    ]
    return Example(name, url, facts, text, note=said)
