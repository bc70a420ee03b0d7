"""`unquilt neardups`: find documents that say the same but for small changes."""

from __future__ import annotations

from typing import Any

import click

from unquilt.analyses.neardups import NeardupParameters
from unquilt.cli.options import Asked, given_parameters, job_options, parameter_options, refuse_reading_options

EXAMPLES = """\b
Examples:
  unquilt neardups crawl/*.warc.gz -o run
  unquilt neardups corpus -o run --pairs
  unquilt neardups corpus -o published --family rabin
  unquilt show run clusters
"""


@click.command(epilog=EXAMPLES)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
@parameter_options(NeardupParameters, ranges=["nidf"])
@job_options
def neardups(inputs: tuple[str, ...], output: str, asked: Asked, **values: Any) -> None:
    """Find near-duplicates: documents that say the same but for small changes.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    The table clusters has the documents that belong together, the lowest of each marked as the one to keep; similarity
    says how much the others have in common with it. By default documents are compared by super-shingles, which find
    96 % of those that share 96.5 % of their grams, and 1 % of those that share 77 %.
    """
    from unquilt import api
    from unquilt.cli.show.summary import conclude, is_complete

    parameters = given_parameters(values)
    refuse_reading_options(inputs, asked)
    before = is_complete(output)
    api.neardups(list(inputs), output, how=asked.how(), **parameters)
    conclude(output, asked, before=before)
