"""`unquilt report`: runs as one HTML file, to be mailed, printed and kept."""

from __future__ import annotations

import click

from unquilt.arrow_start import start_without_pandas
from unquilt.cli.group import usual_options
from unquilt.cli.options import number_option
from unquilt.cli.terminal.output import count, emit, json_line, printable, size

EXAMPLES = """\b
Examples:
  unquilt report run -o report.html
  unquilt report run near phrases -o several.html --title "Copied text in the crawl of May"
  unquilt report run -o long.html --examples 20
"""


@click.command(epilog=EXAMPLES)
@click.argument("runs", metavar="RUN…", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", required=True, help="File to write, such as report.html.")
@click.option("--title", metavar="TEXT", help="Its title (default: where the corpus is).")
@number_option("examples", "Examples of each run, with their evidence in the text (default 3; 0 for none).", at_least=0)
@click.option("--overwrite", is_flag=True, help="Replace the file, once this one is complete.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors (and JSON, if asked for).")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as one line of JSON, for programs.")
@usual_options
def report(
    runs: tuple[str, ...],
    output: str,
    title: str | None,
    examples: int | None,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write what came out of one or several RUNs to one HTML file, with figures, tables and examples.

    For each run: what came out, in a few sentences; the figures of the paper for this corpus, with the data behind
    them; the first rows of its tables; some examples with their evidence marked in the text; what was asked of which
    corpus, what was rejected, and the time and memory of each stage. The file needs no other file and no network, and
    can be printed.
    """
    start_without_pandas()
    from unquilt.page.report.writing import write_report
    from unquilt.results import RunFolder

    place = write_report(
        [RunFolder.open(run) for run in runs], output, title=title, examples=examples, overwrite=overwrite
    )
    written = place.stat().st_size
    if as_json:
        emit(json_line({"path": str(place), "bytes": written, "runs": list(runs)}))
    elif not quiet:
        what = f"The report of {count(len(runs), 'run')} is in {printable(output)}"
        emit(f"{what} ({size(written)}); open it in a browser.")
