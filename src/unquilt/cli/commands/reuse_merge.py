"""`unquilt reuse merge`: put the results for parts of a corpus together."""

from __future__ import annotations

from typing import Any

import click

from unquilt.analyses.detect import JudgingParameters
from unquilt.cli.job_options import JobArguments, running_options
from unquilt.cli.options import given_parameters, parameter_options

EXAMPLES = """\b
Examples:
  unquilt reuse detect crawl-1/ --labels ours.labels -o part-1
  unquilt reuse detect crawl-2/ --labels ours.labels -o part-2
  unquilt reuse merge part-1 part-2 -o whole
"""


@click.command(epilog=EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
@parameter_options(JudgingParameters)
@running_options
def merge(runs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
    """Put runs of unquilt reuse detect together, as if their documents had been one corpus.

    What documents contain and the sums of neighbourhoods add up exactly, also where parts share neighbourhoods; means,
    thresholds and verdicts are computed anew. So are objects, as every run keeps on which sites each of them stands; a
    site that several parts have is counted once. Documents are numbered in the order of the runs, which must have been
    made with the same labels and the same --site. The table occurrences is put together if all runs have it.
    """
    from unquilt.cli.show.summary import conclude, is_complete
    from unquilt.jobs.merging import merge_runs

    before = is_complete(output)
    merge_runs(JudgingParameters.from_dict(given_parameters(values)), list(runs), output, asked.job_options())
    conclude(output, asked, before=before)
