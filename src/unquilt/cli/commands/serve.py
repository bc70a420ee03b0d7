"""`unquilt serve`: look at runs in the browser."""

from __future__ import annotations

import click

from unquilt.arrow_start import start_without_pandas
from unquilt.cli.group import usual_options
from unquilt.cli.options import number_option

EXAMPLES = """\b
Examples:
  unquilt serve run                               # open a run in the browser
  unquilt serve run near phrases                  # several, over one corpus or over several
  unquilt serve demo-run                          # all runs in a folder
  unquilt serve run --port 8080 --no-browser      # only say where it is
"""


@click.command(epilog=EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@number_option("port", "Port on 127.0.0.1 (default 8017, or any that is free).", at_least=1)
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser (the default), or do not.")
@click.option("--labels", metavar="FILE", help="File with the labels (default: labels.sqlite beside the first run).")
@usual_options
def serve(runs: tuple[str, ...], port: int | None, browser: bool, labels: str | None) -> None:
    """Show RUNs, or all runs in a folder, on a page in the browser: tables to sort and search, with the evidence.

    A quilt stands beside its sources, near-duplicates are compared word by word, sites and folders can be looked
    through, and samples can be judged. Every view has an address to share, and exports what it shows. The page answers
    nobody but the browser that opens the printed address, and loads nothing from elsewhere. Ctrl-C ends it.
    """
    start_without_pandas()
    from unquilt.cli.show.serving import open_page

    open_page(runs, port, browse=browser, labels=labels)
