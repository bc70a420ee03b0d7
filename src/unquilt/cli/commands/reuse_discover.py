"""`unquilt reuse discover`: find paragraphs and files that occur again and again."""

from __future__ import annotations

from unquilt.analyses.discover import DECLARATION
from unquilt.cli.analysis import AnalysisJob, analysis_command
from unquilt.cli.figures import draw_reuse

EXAMPLES = """\
  unquilt reuse discover crawl/*.warc.gz -o copied
  unquilt reuse discover corpus -o everywhere --min-sites 5 --top 1000
  unquilt reuse discover crawl/*.warc.gz -o raw --raw --no-auto-stop --chunk-threshold 100000 --file-threshold 1000
  unquilt show copied objects
"""


@analysis_command(DECLARATION, EXAMPLES)
def discover(job: AnalysisJob) -> None:
    """Find paragraphs (chunks) and files that occur again and again, without knowing what to look for.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    The table objects has what occurs more often than the thresholds: long texts on many sites come first, notices of
    copyright and licences last. Stop chunks are left out: those without two letters or digits, those of --stop, and
    with --auto-stop those that are shorter than 10 characters for each doubling of the documents that have them, such
    as menus and headings; the table stop_chunks has these. Documents whose URLs look like a crawler that went round in
    circles are dropped.
    """
    job.carry_out(lambda run: draw_reuse(run, job.output))
