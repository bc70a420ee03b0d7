"""`unquilt passages`: find the passages that two documents share."""

from __future__ import annotations

from unquilt.analyses.passages import DECLARATION
from unquilt.cli.analysis import AnalysisJob, analysis_command

EXAMPLES = """\
  unquilt passages crawl/*.warc.gz -o run
  unquilt passages corpus -o parts --signature grams       # parts of sentences, too
  unquilt passages essays books -o essays-run --between essays/ books/   # which essays copy from which books
  unquilt passages corpus -o bridged --max-gap 1           # one sentence in between may differ
  unquilt show run passage_pairs
"""


@analysis_command(DECLARATION, EXAMPLES)
def passages(job: AnalysisJob) -> None:
    """Find the passages that two documents share, and where they begin and end in both.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    Three sentences in a row that two documents share, word for word but for the commonest words, are a passage; its
    borders are then moved word by word as far as the texts agree. Documents of one site are not compared with each
    other, unless --foreign none is given. What very many documents share (menus, notices, licences) is no passage on
    its own, and listed apart. Results are the tables passages (where each begins and ends in both texts),
    passage_pairs (how much two documents share) and stop_runs (what very many share).
    """
    job.carry_out()
