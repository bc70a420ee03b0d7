"""`unquilt neardups`: find documents that say the same but for small changes."""

from __future__ import annotations

from unquilt.analyses.neardups import DECLARATION
from unquilt.cli.analysis import AnalysisJob, analysis_command

EXAMPLES = """\
  unquilt neardups crawl/*.warc.gz -o run --threshold 0.8
  unquilt neardups corpus -o longest --threshold 0.9 --keep longest --min-words 50
  unquilt neardups corpus -o published --family rabin
  unquilt show run kept --where "not keep"
  unquilt show run clusters
"""


@analysis_command(DECLARATION, EXAMPLES)
def neardups(job: AnalysisJob) -> None:
    """Find near-duplicates: documents that are the same but for small changes.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    The table kept says of every document whether to keep it, or which one instead; clusters has the documents that
    belong together, and similarity says how much they have in common with the preferred one. With --threshold,
    near-duplicates are pairs with at least that Jaccard coefficient of their grams, each compared exactly, and a
    document is dropped only if one that is kept is such a near-duplicate of it: chains drop nothing. By default
    documents are compared by super-shingles, as published, which find 96 % of those that share 96.5 % of their grams,
    and 1 % of those that share 77 %.
    """
    job.carry_out()
