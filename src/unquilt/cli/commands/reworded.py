"""`unquilt reworded`: find the passages that one document took from another and reworded."""

from __future__ import annotations

from unquilt.analyses.reworded import DECLARATION
from unquilt.cli.analysis import AnalysisJob, analysis_command

EXAMPLES = """\
  unquilt reworded corpus -o reworded
  unquilt reworded essays books -o essays-run --between essays/ books/   # which essays reword which books
  unquilt reworded corpus -o once --collapse near         # near-duplicates become one document first
  unquilt show reworded passages --where "similarity < 0.7"              # what was reworded most
  unquilt show reworded passages --pair 28 34             # two texts, the words that both have marked
"""


@analysis_command(DECLARATION, EXAMPLES)
def reworded(job: AnalysisJob) -> None:
    """Find passages that were reworded, shuffled, translated back and forth or summarised, and what they were before.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    Documents that share rare words are aligned: a passage of one document and a passage of the other belong together
    if they share words that chance would hardly put into both. Documents of one site are not compared with each other,
    unless --site none is given. Words of menus, footers and notices, which very many documents have, are left out.
    Results are the tables passages (where each begins and ends in both texts, and how strong the evidence is) and
    passage_pairs (how much two documents share).
    """
    job.carry_out()
