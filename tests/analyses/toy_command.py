"""The command of the toy analysis."""

from __future__ import annotations

from toy_vocabulary import DECLARATION

from unquilt.cli.analysis import AnalysisJob, analysis_command

EXAMPLES = """\
  unquilt vocabulary pages.jsonl -o run
"""


@analysis_command(DECLARATION, EXAMPLES)
def vocabulary(job: AnalysisJob) -> None:
    """Count the documents that each word is in."""
    job.carry_out()
