"""The figures of the experiment with reuse (Ardi and Heidemann, ISI-TR-692, 2014, Figures 1 to 10).

injected       Figures 1 and 2: how often copied files and chunks occur, among all of the corpus
discovered     Figure 3: the share of files and chunks that is discovered, by number of copies
pages          Figures 4 to 6: the mean share of labelled chunks of pages that are changed
targets        Figure 7: pages that are detected
neighbourhood  Figures 8 to 10: badness of the site, and the share of labelled chunks among all of its chunks
left           beside them: the mean number of chunks of pages, and the pages that still have chunks
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unquilt.figures.axis import Axis, reach
from unquilt.figures.chart import PANEL, Chart
from unquilt.figures.figure import Figure
from unquilt.runs import Run
from unquilt.tables.reuse import FREQUENCIES
from unquilt.tables.reuse_experiment import INJECTED, INJECTIONS, MUTATIONS, TOLERANCES

Row = dict[str, Any]
NAMES = ("injected", "discovered", "pages", "targets", "neighbourhood", "left")
"""The figures that a run has, if there is something to draw."""
_KINDS = ("one", "two", "three")
_CONTAINS, _RATIO = "mean share of labelled chunks", "share of labelled chunks"
_OF_THE_MEAN = "mutations of each page, in mean chunks per page"
_STOPPED = "Stop chunks are left out."


def plot(run: Run) -> list[Figure]:
    """All figures of a run. Thresholds are those with informed labels and without stop chunks: those of other cases are
    much the same."""
    usual = [row for row in run.table(TOLERANCES.name).to_pylist() if row["labels"] == "informed"]
    bounds = {row["what"]: row["threshold"] for row in usual if row["stop_chunks"] == "out"}
    rows = [row for row in run.table(MUTATIONS.name).to_pylist() if row["stop_chunks"] == "out"]
    return [
        _plot_injected(run),
        _plot_discovered(run.table(INJECTIONS.name).to_pylist()),
        _plot_pages(rows, bounds),
        _plot_targets(rows),
        _plot_neighbourhood(rows, bounds),
        _plot_left(rows),
    ]


def _plot_injected(run: Run) -> Figure:
    """Files for all numbers of copies; chunks for that from which blind labels come, as they are many."""
    everywhere, injected = (run.table(table.name).to_pylist() for table in (FREQUENCIES, INJECTED))
    given = run.manifest["parameters"]
    blind = given["blind_copies"]
    charts, drawn = [], []
    legend = [("one", "corpus"), ("two", "copies: not discovered"), ("three", "discovered")]
    for what, head in (("files", "Files"), ("chunks", f"Chunks, {blind:,} copies")):
        corpus = [row for row in everywhere if row["what"] == what]
        copied = [row for row in injected if row["what"] == what and (what == "files" or row["copies"] == blind)]
        threshold = given[f"{what[:-1]}_threshold"]
        every = [*corpus, *copied]
        most = reach([*_take(every, "occurrences"), threshold], 10)
        chart = Chart(
            f"{what.capitalize()} by occurrences, copied ones among them",
            Axis("occurrences (logarithmic)", 0.9, most * 1.4, log=True),
            Axis("different ones (logarithmic)", 0.8, reach(_take(every, "count"), 10) * 1.3, log=True),
            legend,
            PANEL,
            head,
        )
        chart.points([(row["occurrences"], row["count"]) for row in corpus], "one", 2)
        for kind, discovered in (("two", False), ("three", True)):
            there = [row for row in copied if row["discovered"] == discovered]
            chart.points([(row["occurrences"], row["count"]) for row in there], kind, 3)
        chart.limit(threshold + 0.5, f"> {threshold:,}")
        charts.append(chart)
        drawn += [{"copies": 0, **row, "discovered": row["occurrences"] > threshold} for row in corpus] + copied
    says = (
        "How many different files and chunks occur how often in the corpus, and those of the copied pages after they "
        "were copied: files for each number of copies, chunks for that from which blind labels are discovered. Figures "
        "1 and 2 of the paper."
    )
    return Figure("injected", "Copies among files and chunks by occurrences", says, charts, drawn)


def _plot_discovered(rows: Sequence[Row]) -> Figure:
    legend = list(zip(_KINDS, dict.fromkeys(_take(rows, "what")), strict=False))
    chart = Chart(
        "What is discovered, by number of copies",
        Axis("copies of each page (logarithmic)", *_widen(_take(rows, "copies")), log=True),
        Axis("share that is discovered", 0, 1, percent=True),
        legend,
    )
    for kind, what in legend:
        chart.line([(row["copies"], row["share"]) for row in rows if row["what"] == what], kind, 3.5)
    says = (
        "Which share of the files and chunks of a site is discovered if its pages are copied so often. Figure 3 of the "
        "paper."
    )
    return Figure("discovered", "What is discovered of pages that are copied", says, [chart], rows)


def _plot_pages(rows: Sequence[Row], bounds: Mapping[str, float]) -> Figure:
    title = "Mean share of labelled chunks of a page"
    says = f"{title} after chunks of each page were added, changed or deleted. {_EXPLAIN} Figures 4 to 6 of the paper."
    return Figure("pages", title, says, _plot_mutations(rows, "contains", title, _CONTAINS, bounds["pages"]), rows)


def _plot_targets(rows: Sequence[Row]) -> Figure:
    title = "Share of pages that are targets"
    says = f"{title} after chunks of each page were added, changed or deleted. {_EXPLAIN} Figure 7 of the paper."
    return Figure("targets", title, says, _plot_mutations(rows, "targets", title, "pages that are targets", None), rows)


def _plot_neighbourhood(rows: Sequence[Row], bounds: Mapping[str, float]) -> Figure:
    bound = bounds["neighbourhood"]
    charts = [
        *_plot_mutations(rows, "contains", "Badness of the site", "badness of the site", bound),
        *_plot_mutations(rows, "ratio", "Share of labelled chunks of the site", _RATIO, bound),
    ]
    says = (
        "The site after chunks of each page were added, changed or deleted: above by badness, the mean share of its "
        "pages; below by the share of labelled chunks among all chunks, in which long pages count for more. "
        f"{_EXPLAIN} Figures 8 to 10 of the paper."
    )
    return Figure("neighbourhood", "Badness of the site", says, charts, rows)


def _plot_left(rows: Sequence[Row]) -> Figure:
    """Which chunks are labelled does not matter here."""
    there = [row for row in rows if row["labels"] == "informed"]
    chunks = reach([row["mean_chunks"] or 0 for row in there]) * 1.05
    most = reach(_take(there, "pages")) * 1.05
    charts = []
    for name, title, up in (
        ("mean_chunks", "Chunks", Axis("mean chunks per page", 0, chunks)),
        ("pages", "Pages", Axis("pages that have chunks", 0, most)),
    ):
        chart = _begin(there, f"{title} that are left", up, title)
        for kind, operation in chart.legend:
            drawn = [row for row in there if row["operation"] == operation and row[name] is not None]
            chart.line([(row["times"], row[name]) for row in drawn], kind, 2.2)
        chart.limit(1, "mean chunks per page")
        charts.append(chart)
    says = (
        "The mean number of chunks of pages that still have some, and how many pages these are, after chunks of each "
        f"page were added, changed or deleted. {_STOPPED} The line of chunks in Figures 4 to 10 of the paper."
    )
    return Figure("left", "What is left of pages", says, charts, there)


_EXPLAIN = (
    f"{_STOPPED} A line ends where no page has chunks any more: then it is undefined. The bars are the standard errors "
    "over all runs."
)


def _plot_mutations(rows: Sequence[Row], value: str, title: str, measure: str, bound: float | None) -> list[Chart]:
    """A chart for labels that are known, and one for labels that are discovered."""
    charts = []
    error = "error" if value == "contains" else f"{value}_error"
    for labels, head in (("informed", "Informed labels: all chunks"), ("blind", "Blind labels: discovered chunks")):
        there = [row for row in rows if row["labels"] == labels]
        chart = _begin(there, f"{title}, {labels} labels", Axis(measure, 0, 1, percent=True), head)
        for kind, operation in chart.legend:
            drawn = [row for row in there if row["operation"] == operation and row[value] is not None]
            chart.line([(row["times"], row[value]) for row in drawn], kind, 2.2)
            for row in drawn:
                low, high = max(0, row[value] - row[error]), min(1, row[value] + row[error])
                chart.error(row["times"], low, high, kind)
        chart.limit(1, "mean chunks per page")
        if bound is not None:
            chart.level(bound, f"threshold: {bound * 100:.3g} %")
        charts.append(chart)
    return charts


def _begin(rows: Sequence[Row], title: str, up: Axis, head: str) -> Chart:
    legend = list(zip(_KINDS, dict.fromkeys(_take(rows, "operation")), strict=False))
    return Chart(title, Axis(_OF_THE_MEAN, 0, reach(_take(rows, "times"))), up, legend, PANEL, head)


def _take(rows: Sequence[Row], name: str) -> list[Any]:
    return [row[name] for row in rows]


def _widen(values: Sequence[float]) -> tuple[float, float]:
    """The ends of a logarithmic axis for these values."""
    low, high = min(values, default=1), max(values, default=10)
    return low / 1.2, max(high * 1.2, low * 2)
