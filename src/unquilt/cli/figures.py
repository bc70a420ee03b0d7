"""Figures of a run, drawn at the end of its command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unquilt.cli.terminal.output import printable

if TYPE_CHECKING:
    from unquilt.figures.figure import Figure
    from unquilt.runs import Run


def save_figures(run: Run, figures: Sequence[Figure], names: Sequence[str], output: str) -> Iterator[str]:
    """Saves figures into the run's folder and says where they are; those of `names` that an earlier run left go."""
    from unquilt.figures.figure import FOLDER, replace_figures

    replace_figures(run.inner(FOLDER), figures, names)
    if figures:
        listed = ", ".join(figure.name for figure in figures)
        yield f"Figures of {listed} are in {printable(str(Path(output, FOLDER)))}, as SVG"


def draw_reuse(run: Run, output: str) -> Iterator[str]:
    """Draws the figures of a run of reuse."""
    from unquilt.figures import reuse

    return save_figures(run, reuse.plot(run), reuse.NAMES[run.manifest["analysis"]], output)
