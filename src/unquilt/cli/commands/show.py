"""`unquilt show`: look at a run or a corpus."""

from __future__ import annotations

from typing import Any

import click

from unquilt.arrow_start import start_without_pandas
from unquilt.cli.group import usual_options
from unquilt.cli.options import number_option, usage_error
from unquilt.cli.show.own_options import own_options, refuse_strange
from unquilt.cli.show.selecting import NAMES, is_selective, read_selection, selection_options
from unquilt.cli.terminal.output import emit, json_line

EXAMPLES = """\b
Examples:
  unquilt show run                              # a summary, also of a run that is not complete
  unquilt show run quilts                       # the quilts: share of copied text, number of sources
  unquilt show run sources --limit 100          # which pages they draw on, best first
  unquilt show run quilts --doc page-0000258    # one of them: the page with its patches marked
  unquilt show run patches --doc page-0000258   # its patches, beside the texts they were taken from
  unquilt show run source_domains               # the sites that quilts draw on most
  unquilt show run quilts --where "covered > .6 and host like '%news%'" --sort -sources
  unquilt show run sources --columns quilt_url,source_url,new_grams --sort -new_grams
  unquilt show phrases hosts 198.51.100.1       # one site: its pages, and the phrases that they share
  unquilt show passages passages --pair 28 34   # two documents side by side, what they share marked
  unquilt show corpus rejects                   # what could not be read, and why
  unquilt show run quilts --json                # for programs
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN")
@click.argument("table", metavar="[TABLE]", required=False)
@click.argument("name", metavar="[NAME]", required=False)
@number_option("limit", "Rows to show (default 20, all with --json).", at_least=1)
@click.option("--json", "as_json", is_flag=True, help="Print lines of JSON, one for each row, for programs.")
@click.option("--doc", metavar="ID", help="Show only the rows about one document, by its id, number or URL.")
@selection_options
@own_options
@usual_options
def show(
    run: str, table: str | None, name: str | None, limit: int | None, as_json: bool, doc: str | None, **own: Any
) -> None:
    """Show what is in RUN, the folder of a run or a corpus: a summary, the rows of one TABLE, or what it says of NAME.

    Runs and corpora can be looked at in any state, also while they are being made; what is not complete says so. The
    tables of a run are named in its summary. They are Parquet files, which any other tool can read as well.

    With --doc, the table quilts shows the page itself, its patches in the colours of their sources (or in brackets,
    where there are no colours), and patches shows the texts of both documents. Where patches overlap, that of the
    better source is marked; stretches without any are shortened.
    """
    start_without_pandas()
    from unquilt.cli.show.summary import describe, gather
    from unquilt.cli.show.table_views import Request, find_view
    from unquilt.results import RunFolder

    chosen = {name: own.pop(name) for name in NAMES}
    if is_selective(chosen) and table is None:
        raise usage_error("--columns, --where and --sort are for the rows of a TABLE; name one")
    if doc is not None and table is None:
        raise usage_error("--doc is for a TABLE; for a page with its patches: unquilt show RUN quilts --doc ID")
    refuse_strange(own, table, doc)
    folder = RunFolder.open(run)
    if table is None:
        facts = gather(folder)
        for line in [json_line(facts)] if as_json else describe(folder, facts):
            emit(line)
        return
    request = Request(folder, table, limit, as_json, doc or "", read_selection(chosen), own)
    view = find_view(table)
    if name is not None:
        if doc is not None or is_selective(chosen):
            raise usage_error(f"{table} {name} is shown as a whole; leave --doc, --columns, --where and --sort out")
        view.show_named(request, name)
        return
    if doc is None:
        view.show_all(request)
        return
    if is_selective(chosen) and not view.one_is_rows:
        given = " and ".join(f"--{option}" for option in NAMES if chosen[option] is not None)
        instead = f'leave out --doc for rows, as in: unquilt show {run} {table} --where "doc = 12"'
        raise usage_error(f"{table} --doc shows one document as a whole, so {given} cannot choose; {instead}")
    view.show_one(request)
