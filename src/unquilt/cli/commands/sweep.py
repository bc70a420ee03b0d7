"""`unquilt sweep`: how many quilts there would be with other parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from unquilt.analyses.sweep import BY_DEFAULT, DECLARATION, DIMENSIONS, PIVOT, SweepParameters
from unquilt.cli.analysis import AnalysisJob, analysis_command
from unquilt.cli.figures import save_figures
from unquilt.cli.options import usage_error
from unquilt.cli.terminal.output import WIDEST, count, terminal_width

if TYPE_CHECKING:
    from unquilt.runs import Run

EXAMPLES = """\
  unquilt sweep corpus -o sweep
  unquilt sweep corpus -o grid --k 3,5,7 --m 5,10,50,100 --c 2,4,8 --sigma 0.25,0.5,0.75
  unquilt sweep corpus -o foreign --site domain --collapse exact --k 5
  unquilt sweep corpus -o sweep --pivot 5,10,4,0.5      # the same results, another pivot
  unquilt sweep corpus -o verdicts --by-default --c 3,4,5 --sigma 0.5
  unquilt show sweep sweep --limit 1000
"""

Row = Mapping[str, Any]
Pivot = dict[str, float]


def _read_pivot(_: click.Context, __: click.Parameter, given: str | None) -> Pivot | None:
    if given is None:
        return None
    try:
        values = [float(value) for value in given.split(",")]
        return dict(zip(DIMENSIONS, values, strict=True))
    except ValueError as error:
        raise usage_error(f"--pivot must be four numbers, k,m,c,sigma, such as 5,50,4,0.5; not {given!r}") from error


PIVOT_OPTION = click.option(
    "--pivot",
    metavar="K,M,C,SIGMA",
    callback=_read_pivot,
    help="Combination from which one parameter is varied at a time, in table and figures (default 5,50,4,0.5; for a "
    "parameter whose values lack that, the middle one).",
)


BY_DEFAULT_OPTION = click.option(
    "--by-default",
    is_flag=True,
    help="Count what unquilt quilts finds by default: all limits, and values of k, m, c and sigma around its own, are "
    "those unless given.",
)


@analysis_command(DECLARATION, EXAMPLES, [PIVOT_OPTION, BY_DEFAULT_OPTION])
def sweep(job: AnalysisJob, pivot: Pivot | None, by_default: bool) -> None:
    """Count quilts for every combination of several k, m, c and sigma, at the price of one pass for each k.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    The share of documents that are quilts and the mean number of their sources are printed for a pivot, one parameter
    varied at a time, and drawn as four curves, also in RUN/figures. The table sweep has every combination. By default
    quilts are those of the paper: any other page can be a source (--site none --collapse none). With other limits
    than --site, --collapse, --min-share and --max-largest, each combination costs as much as a run of unquilt quilts.
    """
    if by_default:
        job = replace(job, parameters={**BY_DEFAULT, **job.parameters})
    chosen = choose_pivot(SweepParameters.from_dict(job.parameters), pivot)
    job.carry_out(lambda run: [*present(run, chosen, job.output), ""])


def choose_pivot(grid: SweepParameters, asked: Pivot | None) -> Pivot:
    """The pivot that was asked for, if it is in the grid; else the paper's, with middle values where need be."""
    pivot = {}
    for name, published in zip(DIMENSIONS, PIVOT, strict=True):
        values: Sequence[float] = getattr(grid, name)
        if asked is None:
            pivot[name] = published if published in values else values[(len(values) - 1) // 2]
        elif asked[name] in values:
            pivot[name] = asked[name]
        else:
            there = ", ".join(f"{value:g}" for value in values)
            raise usage_error(f"--pivot has {name} = {asked[name]:g}, but the values of --{name} are {there}")
    return pivot


def present(run: Run, pivot: Pivot, output: str) -> Iterator[str]:
    """Table 1 and Figure 3 of the paper for this corpus; draws the figure's files, too."""
    from unquilt.figures.sweep import NAME, plot, take_curves

    table = run.sweep.to_pylist()
    if not any(row["quilts"] for row in table):
        yield from save_figures(run, [], [NAME], output)
        yield nothing_found(run, len(table))
        return
    curves = take_curves(table, pivot)
    yield from tabulate(curves, pivot)
    yield ""
    yield from draw_curves(curves, pivot)
    yield ""
    yield from save_figures(run, plot(curves, pivot, describe(run)), [NAME], output)


def nothing_found(run: Run, combinations: int) -> str:
    """Say that there are no quilts, and what to try."""
    if combinations == 0:
        return "There are no documents in this corpus, so there is nothing to count."
    asked = run.manifest["parameters"]
    least = f"smaller k, c or sigma (least: {asked['k'][0]}, {asked['c'][0]}, {asked['sigma'][0]:g})"
    others = f"a larger m (most: {asked['m'][-1]})" + ("" if asked["foreign"] == "none" else ", or --site none")
    tried = count(combinations, "combination")
    return f"No document is a quilt with any of the {tried}; try {least}, {others}."


def describe(run: Run) -> str:
    """What the share is a share of."""
    summary, asked = run.manifest["summary"], run.manifest["parameters"]
    documents = summary["documents"] - summary.get("copies", 0)
    copies = " after copies were collapsed" if asked["collapse"] != "none" else ""
    sources = "any other document" if asked["foreign"] == "none" else f"documents on another {asked['foreign']}"
    return f"Share of {count(documents, 'document')}{copies}; sources are {sources}."


def tabulate(curves: Mapping[str, Sequence[Row]], pivot: Pivot) -> Iterator[str]:
    """Table 1 of the paper: one parameter varied at a time, the pivot marked."""
    from unquilt.cli.terminal.curves import choose_marks
    from unquilt.figures.sweep import name_pivot

    mark = choose_marks().chosen
    yield f"Quilts around {name_pivot(pivot)} ({mark}), one parameter varied at a time:"
    yield ""
    yield f"  {'k':>5} {'m':>6} {'c':>5} {'σ':>6}  {'quilts':>11} {'share':>8} {'sources':>8}"
    for number, (varied, rows) in enumerate(curves.items()):
        if number:
            yield ""
        for row in rows:
            here = mark if row[varied] == pivot[varied] else " "
            values = f"{row['k']:>5} {row['m']:>6} {row['c']:>5} {row['sigma']:>6g}"
            sources = f"{row['mean_sources']:.2f}" if row["quilts"] else "-"
            yield f"{here} {values}  {row['quilts']:>11,} {row['share']:>8.2%} {sources:>8}"


def draw_curves(curves: Mapping[str, Sequence[Row]], pivot: Pivot) -> Iterator[str]:
    """Figure 3 of the paper, in characters."""
    from unquilt.cli.terminal.curves import Curve, arrange
    from unquilt.figures.sweep import MEANING

    drawn = []
    for varied, rows in curves.items():
        values = [row[varied] for row in rows]
        shares = [row["share"] for row in rows]
        labels = [f"{value:g}" for value in values]
        drawn.append(Curve(MEANING[varied], labels, shares, values.index(pivot[varied])))
    yield from arrange(drawn, terminal_width() or WIDEST)
