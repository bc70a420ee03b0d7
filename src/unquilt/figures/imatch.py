"""The figures of the experiment with I-Match (Kołcz, Chowdhury and Alspector, KDD 2004): stability (Figure 1), and
recall by number of randomised lexicons (Figures 2 and 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unquilt.figures.axis import Axis
from unquilt.figures.chart import PANEL, Chart
from unquilt.figures.figure import Figure
from unquilt.runs import Run

Row = dict[str, Any]
NAMES = ("recalls", "stability")
"""The figures that a run has, if there is something to draw."""
_KINDS = ("one", "two", "three")
_DRAWN = (1, 5, 10)
"""The numbers of lexicons whose stability is drawn, as far as they were tried."""


def plot(run: Run) -> list[Figure]:
    """All figures of a run; those for which there is nothing to draw are left out."""
    recalls = [row for row in run.table("recalls").to_pylist() if row["recall"] is not None]
    stability = run.table("stability").to_pylist()
    return ([_plot_recalls(recalls)] if recalls else []) + ([_plot_stability(stability)] if stability else [])


def _plot_recalls(rows: Sequence[Row]) -> Figure:
    legend = list(zip(_KINDS, dict.fromkeys(f"lexicon: {row['lexicon']}" for row in rows), strict=False))
    chart = Chart(
        "Recall by number of randomised lexicons",
        Axis("randomised lexicons", 0, max(row["lexicons"] for row in rows)),
        Axis("recall", 0, 1, percent=True),
        legend,
    )
    for kind, name in legend:
        chart.line(
            [(row["lexicons"], row["recall"]) for row in rows if f"lexicon: {row['lexicon']}" == name], kind, 3.5
        )
    says = (
        "Which share of the near-duplicates of a document (by exact cosine) I-Match finds, in the mean of documents. "
        "Figures 2 and 3 of the paper; three lexicons are drawn at most."
    )
    return Figure("recalls", "Recall of I-Match", says, [chart], rows)


def _plot_stability(rows: Sequence[Row]) -> Figure:
    numbers = [number for number in _DRAWN if any(row["lexicons"] == number for row in rows)]
    legend = list(zip(_KINDS, (f"K = {number}" for number in numbers), strict=False))
    charts = []
    for value, head in (("model", "Model: 1 - (1 - p^n)^K"), ("measured", "Measured on documents")):
        chart = Chart(
            f"Signatures that stay, {value}",
            Axis("words of the lexicon that were changed", 1, max(2, *(row["changes"] for row in rows))),
            Axis("one of the signatures stays", 0, 1, percent=True),
            legend,
            PANEL,
            head,
        )
        for (kind, _), number in zip(legend, numbers, strict=True):
            drawn = [row for row in rows if row["lexicons"] == number and row[value] is not None]
            if drawn:
                chart.line([(row["changes"], row[value]) for row in drawn], kind, 3)
        charts.append(chart)
    says = "How often one of K randomised signatures stays the same after n words of the lexicon were added or removed."
    return Figure("stability", "Stability of signatures", f"{says} Figure 1 of the paper.", charts, rows)
