"""`unquilt phrases`: find popular phrases, and the sites that are made of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unquilt.analyses.phrases import DECLARATION
from unquilt.cli.analysis import AnalysisJob, analysis_command
from unquilt.cli.figures import save_figures

if TYPE_CHECKING:
    from unquilt.runs import Run

EXAMPLES = """\
  unquilt phrases crawl/*.warc.gz -o run
  unquilt phrases corpus -o addresses --site ip     # many host names at one address are one site
  unquilt phrases corpus -o exact --exact           # every phrase instead of a sample
  unquilt phrases corpus -o sample --sample counts  # covering sets of the sample that the paper drew
  unquilt show run hosts
"""


@analysis_command(DECLARATION, EXAMPLES)
def phrases(job: AnalysisJob) -> None:
    """Find popular phrases, the pages that consist of them, and the sites that are made of them.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    Of each page 84 phrases are sampled; one that five or more pages share is popular. Pages stitched together from
    sentences of others have many such phrases, and a site that makes its pages like that has them on every page: its
    mean is high, its deviation small. Results are the tables hosts (the sites; candidates first), popular (the
    phrases), and covers with cover_sources (from which other pages a page could be put together). The figures of the
    paper are drawn into RUN/figures.
    """
    job.carry_out(lambda run: draw(run, job.output))


def draw(run: Run, output: str) -> Iterator[str]:
    """Draw the figures of the paper for this corpus; says where they are."""
    from unquilt.figures import phrases

    return save_figures(run, phrases.plot(run), phrases.NAMES, output)
