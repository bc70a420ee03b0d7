"""`unquilt repeats`: find text that occurs elsewhere, too, and can be removed."""

from __future__ import annotations

from unquilt.analyses.repeats import DECLARATION
from unquilt.cli.analysis import AnalysisJob, analysis_command

EXAMPLES = """\
  unquilt repeats corpus -o repeats                           # runs of 50 words or more
  unquilt repeats corpus -o paragraphs --unit paragraph       # paragraphs, and menus
  unquilt repeats corpus -o lines --unit line --min-words 5
  unquilt show repeats removed --columns id,text,copy_id
  unquilt export repeats --without repeats -o once.jsonl.gz
"""


@analysis_command(DECLARATION, EXAMPLES)
def repeats(job: AnalysisJob) -> None:
    """Find text that occurs elsewhere in the corpus, too, and can be removed from documents.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    Every run of 50 words or more that stands in a preferred document, too, or earlier in the same one, can go; or every
    line, or every paragraph. Paragraphs go as a reader would have it: menus first, and wherever they stand, but not the
    headings of text that stays. The table removed has each piece of text that goes, why, and where its copy stays; the
    table emptied has documents of which nothing worth reading is left. unquilt export RUN --without repeats writes
    the documents without it.
    """
    job.carry_out()
