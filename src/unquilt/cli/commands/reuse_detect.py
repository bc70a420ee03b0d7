"""`unquilt reuse detect`: find documents and sites that contain labelled content."""

from __future__ import annotations

from unquilt.analyses.detect import DECLARATION
from unquilt.cli.analysis import AnalysisJob, analysis_command
from unquilt.cli.figures import draw_reuse
from unquilt.cli.options import usage_error

EXAMPLES = """\
  unquilt reuse detect crawl/*.warc.gz --labels ours.labels -o copies
  unquilt reuse detect corpus --labels ours.labels -o strict --page-threshold 0.5
  unquilt reuse detect corpus --labels ours.labels -o others --exclude-site www.garden-news.example
  unquilt show copies targets
  unquilt show copies targets --doc http://www.stone-times.example/2001/0.html    # one of them, what is ours marked
  unquilt show copies neighbourhoods
"""


@analysis_command(DECLARATION, EXAMPLES)
def detect(job: AnalysisJob) -> None:
    """Find documents that contain labelled chunks, and the sites and folders that are full of them.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    A document is a target if it is a labelled file, or if more of its chunks than usual are labelled: a share above the
    mean of all documents plus their standard deviation, or above --page-threshold. A neighbourhood is a site, or a
    folder of it; its badness is the mean share of its documents, and it is bad above mean plus standard deviation, or
    above --neighbourhood-threshold. The tables are targets, each with the page of ours that most of it is from,
    neighbourhoods, objects (the labelled chunks that were found, and where else they stand), and origins (where these
    stand on our pages). --exclude-site leaves out sites of ours.
    """
    if "labels" not in job.parameters:
        raise usage_error("--labels is missing: name the set to look for; unquilt reuse label makes one")
    job.carry_out(lambda run: draw_reuse(run, job.output))
