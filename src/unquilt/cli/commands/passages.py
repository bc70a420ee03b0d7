"""`unquilt passages`: find the passages that two documents share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from unquilt.analyses.passages import DECLARATION, PUBLISHED
from unquilt.analyses.reworded import RewordedParameters
from unquilt.cli.analysis import AnalysisJob, Published, analysis_command
from unquilt.cli.options import given_parameters, hidden_option, usage_error

EXAMPLES = """\
  unquilt passages crawl/*.warc.gz -o run
  unquilt passages corpus -o short --gamma 15              # from 15 words in a row on
  unquilt passages essays books -o essays-run --between essays/ books/   # which essays copy from which books
  unquilt passages corpus -o sentences --signature imatch  # whole sentences, as published
  unquilt passages corpus -o published --as-published
  unquilt show run passage_pairs
"""
PAPER = Published(PUBLISHED, free=("signature",))
BY_WORDS = ("grams", "fuzzy")
OF_REWORDED = [hidden_option(RewordedParameters, name) for name in ("max_candidates", "boilerplate")]
"""The options of `unquilt reworded` that `--signature fuzzy` takes, too."""


@analysis_command(DECLARATION, EXAMPLES, [PAPER.option, *OF_REWORDED])
def passages(job: AnalysisJob, as_published: bool, **of_reworded: Any) -> None:
    """Find the passages that two documents share, and where they begin and end in both.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    Thirty words that two documents share are a passage; up to thirty changed words between runs of eight equal ones do
    not break it. With --signature imatch, as published, three sentences in a row are one, word for word but for the
    commonest words. Documents of one site are not compared with each other, unless --site none is given. What very
    many documents share (menus, notices, licences) is no passage on its own. Results are the tables passages (where
    each begins and ends in both texts) and passage_pairs (how much two documents share); where sentences are compared,
    also stop_runs (what very many share).

    Passages that were reworded are found by unquilt reworded; --signature fuzzy runs that command.
    """
    if as_published:
        if job.parameters.get("signature") in BY_WORDS:
            raise usage_error(f"--as-published compares sentences, and --signature {job.parameters['signature']} words")
        job = replace(job, parameters=PAPER.complete(job.parameters))
    replace(job, parameters=job.parameters | given_parameters(of_reworded)).carry_out()
