"""`unquilt neardups`: find documents that say the same but for small changes."""

from __future__ import annotations

from unquilt.analyses.neardups import DECLARATION
from unquilt.cli.analysis import AnalysisJob, analysis_command

EXAMPLES = """\
  unquilt neardups crawl/*.warc.gz -o run
  unquilt neardups corpus -o run --pairs
  unquilt neardups corpus -o published --family rabin
  unquilt show run clusters
"""


@analysis_command(DECLARATION, EXAMPLES)
def neardups(job: AnalysisJob) -> None:
    """Find near-duplicates: documents that say the same but for small changes.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    The table clusters has the documents that belong together, the lowest of each marked as the one to keep; similarity
    says how much the others have in common with it. By default documents are compared by super-shingles, which find
    96 % of those that share 96.5 % of their grams, and 1 % of those that share 77 %.
    """
    job.carry_out()
