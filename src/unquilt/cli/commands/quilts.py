"""`unquilt quilts`: find pages stitched together from other pages."""

from __future__ import annotations

from typing import Any

import click

from unquilt.analyses.quilts import QuiltParameters
from unquilt.cli.options import (
    Asked,
    given_parameters,
    job_options,
    parameter_options,
    refuse_reading_options,
    usage_error,
)

AS_PUBLISHED = {"foreign": "none", "collapse": "none"}
EXAMPLES = """\b
Examples:
  unquilt quilts crawl/*.jsonl.gz -o run
  unquilt quilts corpus -o strict -c 8 --sigma 0.8
  unquilt quilts corpus -o published --as-published
  unquilt show run quilts
"""


@click.command(epilog=EXAMPLES)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
@parameter_options(QuiltParameters)
@click.option("--as-published", is_flag=True, help="As in the paper: --foreign none --collapse none.")
@job_options
def quilts(inputs: tuple[str, ...], output: str, as_published: bool, asked: Asked, **values: Any) -> None:
    """Find quilts: pages stitched together from other pages, and the pages they draw on.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    A gram is k words in a row. One that a few pages share (2 to m) is a patch gram. A page is a quilt if at least the
    share sigma of its grams are patch grams, and at least c other pages are needed to explain them. Results are the
    tables quilts (the pages) and sources (which pages they draw on, best first).
    """
    from unquilt import api
    from unquilt.cli.show.summary import conclude, is_complete

    parameters = given_parameters(values)
    if as_published:
        parameters = publish(parameters)
    refuse_reading_options(inputs, asked)
    before = is_complete(output)
    api.quilts(list(inputs), output, how=asked.how(), **parameters)
    conclude(output, asked, before=before)


def publish(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters with those of the paper; refuses what contradicts them."""
    for name, value in AS_PUBLISHED.items():
        if parameters.get(name, value) != value:
            contradiction = f"--as-published (which means --{name} {value}) and --{name} {parameters[name]}"
            raise usage_error(f"{contradiction} contradict each other; leave one out")
    return parameters | AS_PUBLISHED
