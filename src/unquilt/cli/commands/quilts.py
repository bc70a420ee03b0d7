"""`unquilt quilts`: find pages stitched together from other pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from unquilt.analyses.quilts import DECLARATION, PUBLISHED
from unquilt.cli.analysis import AnalysisJob, analysis_command
from unquilt.cli.options import usage_error

_MEANING = {name: f"--{name.replace('_', '-')} {value}".removesuffix(".0") for name, value in PUBLISHED.items()}
AS_PUBLISHED = click.option("--as-published", is_flag=True, help=f"As in the paper: {' '.join(_MEANING.values())}.")
EXAMPLES = """\
  unquilt quilts crawl/*.warc.gz -o run
  unquilt quilts corpus -o strict -c 8 --sigma 0.8
  unquilt quilts corpus -o published --as-published
  unquilt show run quilts
"""


@analysis_command(DECLARATION, EXAMPLES, [AS_PUBLISHED])
def quilts(job: AnalysisJob, as_published: bool) -> None:
    """Find quilts: pages stitched together from other pages, and the pages they draw on.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    A gram is k words in a row. One that a few pages share (2 to m) is a patch gram. A page is a quilt if pages of other
    sites explain at least the share sigma of its grams, if at least c such sources are needed for that, and if none of
    them holds more than the share max-largest of it: that would be another version of the page, or a page that it is a
    part of. Nor is it one if its own site has the share max-own of that text, too (it lists news or courses of its
    site), if whole pages of other sites make up the share max-sections of it (it is a print view or a chapter of
    them), or if less than the share min-sewn of it is in passages with seams (others took parts of it, or it is a list
    of headings). Results are the tables quilts (the pages), sources (which pages they draw on, best
    first), patches (which passages) and verdicts (every page: its numbers, and why it is or is not a quilt).
    """
    if as_published:
        job = replace(job, parameters=publish(job.parameters))
    job.carry_out()


def publish(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters with those of the paper; refuses what contradicts them."""
    for name, value in PUBLISHED.items():
        if parameters.get(name, value) != value:
            other = f"{_MEANING[name].partition(' ')[0]} {parameters[name]}"
            contradiction = f"--as-published (which means {_MEANING[name]}) and {other}"
            raise usage_error(f"{contradiction} contradict each other; leave one out")
    return parameters | PUBLISHED
