"""`unquilt copies`: who has text of ours?"""

from __future__ import annotations

from typing import Any

import click

from unquilt.analyses.own_copies import OwnCopyParameters
from unquilt.cli.job_options import JobArguments, job_options, refuse_reading_options
from unquilt.cli.options import given_parameters, parameter_options

EXAMPLES = """\b
Examples:
  unquilt copies www.garden-news.example corpus -o who
  unquilt copies http://www.garden-news.example/20 corpus -o articles --except partner.example,mirror.example
  unquilt copies our-pages/ crawl/*.warc.gz -o from-folder
  unquilt show who copies
  unquilt report who -o copies.html
"""


@click.command(epilog=EXAMPLES)
@click.argument("ours", metavar="OURS", required=True)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
@parameter_options(OwnCopyParameters)
@job_options
def copies(ours: str, inputs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
    """Find who copied from us: which page took which text of which page of ours, and how much.

    OURS is a site (www.example.org), how our URLs begin (http://www.example.org/blog/), a file with a list of URLs, one
    on a line, a set of labels that was made of our pages, or a file or folder with our pages. INPUT is what unquilt
    ingest takes, or one corpus that it made.

    Copies are found at three strengths: whole paragraphs, passages word for word, and reworded passages. Other pages of
    our own sites are not looked at, and neither are sites that --except names. Templates of ours, notices of copyright
    and files for machines are left out. The report has all copies, both texts side by side.
    """
    from unquilt.cli.show.summary import conclude, is_complete
    from unquilt.jobs.own_copies import find_own_copies

    refuse_reading_options(inputs, asked)
    before = is_complete(output)
    given = OwnCopyParameters.from_dict(given_parameters(values))
    find_own_copies(given, ours, list(inputs), output, asked.job_options())
    conclude(output, asked, before=before)
