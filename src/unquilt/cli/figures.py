"""Figures of a run, drawn at the end of its command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from unquilt.cli.terminal.output import printable

if TYPE_CHECKING:
    from unquilt.runs import Run


def draw_figures(run: Run, figures: Mapping[str, dict[str, Any]], names: Iterable[str]) -> Iterator[str]:
    """Draws figures into the run's folder, and says where they are; those of `names` that an earlier run left go."""
    from unquilt import plots
    from unquilt.errors import MissingDependencyError

    folder = run.inner(plots.FOLDER)
    for name in names:
        plots.remove_figure(folder, name)
    try:
        for name, figure in figures.items():
            plots.draw(figure, folder, name)
    except MissingDependencyError as error:
        yield f"To have the figures of the paper, too: {error}"
    else:
        if figures:
            yield f"Figures of {', '.join(figures)} are in {printable(str(folder))}, as SVG and PNG"


def draw_reuse(run: Run) -> Iterator[str]:
    """Draws the figures of a run of reuse, or of its experiment."""
    from unquilt import reuse_figures

    return draw_figures(run, reuse_figures.plot(run), reuse_figures.NAMES[run.manifest["analysis"]])
