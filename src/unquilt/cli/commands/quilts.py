"""`unquilt quilts`: find pages stitched together from other pages."""

from __future__ import annotations

from dataclasses import replace

from unquilt.analyses.quilt_parameters import DECLARATION, PUBLISHED
from unquilt.cli.analysis import AnalysisJob, Published, analysis_command

PAPER = Published(PUBLISHED, free=("foreign",))
"""In one experiment of the paper any page is a source, in two only those of other domains or addresses."""
EXAMPLES = """\
  unquilt quilts crawl/*.warc.gz -o run
  unquilt quilts corpus -o strict -c 8 --sigma 0.8
  unquilt quilts corpus -o published --as-published
  unquilt show run quilts
"""


@analysis_command(DECLARATION, EXAMPLES, [PAPER.option])
def quilts(job: AnalysisJob, as_published: bool) -> None:
    """Find quilts: pages stitched together from other pages, and the pages they draw on.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    A gram is k words in a row. One that a few pages share (2 to m) is a patch gram. A page is a quilt if passages
    of pages of other sites make up at least the share sigma of it, at least c such sources are needed for that, and
    none holds more than the share max-largest. These are not quilts: pages whose text their own site has on another
    page, too (max-own); print views of other pages (max-sections); texts that others have in overlapping parts
    (min-sewn); originals that others took from, which read on where their sources jump (max-reads-on); and versions of
    a form, which have the passages of their sources in the same order (max-in-order). A page
    with min-part words sewn in from c sources may be stitched in part, however long it is. Results are the tables
    quilts (the pages), sources (which pages they draw on, best first), patches (which passages) and verdicts (every
    page: its numbers, and why it is or is not a quilt).
    """
    if as_published:
        job = replace(job, parameters=PAPER.complete(job.parameters))
    job.carry_out()
