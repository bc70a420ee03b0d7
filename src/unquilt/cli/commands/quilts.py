"""`unquilt quilts`: find pages stitched together from other pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from unquilt.analyses.quilts import DECLARATION
from unquilt.cli.analysis import AnalysisJob, analysis_command
from unquilt.cli.options import usage_error

PUBLISHED = {"foreign": "none", "collapse": "none"}
AS_PUBLISHED = click.option("--as-published", is_flag=True, help="As in the paper: --foreign none --collapse none.")
EXAMPLES = """\
  unquilt quilts crawl/*.jsonl.gz -o run
  unquilt quilts corpus -o strict -c 8 --sigma 0.8
  unquilt quilts corpus -o published --as-published
  unquilt show run quilts
"""


@analysis_command(DECLARATION, EXAMPLES, [AS_PUBLISHED])
def quilts(job: AnalysisJob, as_published: bool) -> None:
    """Find quilts: pages stitched together from other pages, and the pages they draw on.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    A gram is k words in a row. One that a few pages share (2 to m) is a patch gram. A page is a quilt if at least the
    share sigma of its grams are patch grams, and at least c other pages are needed to explain them. Results are the
    tables quilts (the pages) and sources (which pages they draw on, best first).
    """
    if as_published:
        job = replace(job, parameters=publish(job.parameters))
    job.carry_out()


def publish(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters with those of the paper; refuses what contradicts them."""
    for name, value in PUBLISHED.items():
        if parameters.get(name, value) != value:
            contradiction = f"--as-published (which means --{name} {value}) and --{name} {parameters[name]}"
            raise usage_error(f"{contradiction} contradict each other; leave one out")
    return parameters | PUBLISHED
