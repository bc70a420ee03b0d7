"""`unquilt show`: look at a run or a corpus."""

from __future__ import annotations

import click

from unquilt.cli.group import usual_options
from unquilt.cli.options import number_option
from unquilt.cli.output import emit, json_line

FEW = 20
EXAMPLES = """\b
Examples:
  unquilt show run                              # a summary, also of a run that is not complete
  unquilt show run quilts                       # the quilts: share of copied text, number of sources
  unquilt show run sources --limit 100          # which pages they draw on, best first
  unquilt show corpus rejects                   # what could not be read, and why
  unquilt show run quilts --json | jq .url      # for programs
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN")
@click.argument("table", metavar="[TABLE]", required=False)
@number_option("limit", f"Rows to show (default {FEW}, all with --json).", at_least=1)
@click.option("--json", "as_json", is_flag=True, help="Print lines of JSON, one for each row, for programs.")
@usual_options
def show(run: str, table: str | None, limit: int | None, as_json: bool) -> None:
    """Show what is in RUN, the folder of a run or a corpus: a summary, or the rows of one TABLE.

    Runs and corpora can be looked at in any state, also while they are being made; what is not complete says so. The
    tables of a run are named in its summary. They are Parquet files, which any other tool can read as well.
    """
    from unquilt.cli.folders import Folder, rows
    from unquilt.cli.summary import describe, gather
    from unquilt.cli.tables import show_table

    folder = Folder.open(run)
    if table is None:
        facts = gather(folder)
        for line in [json_line(facts)] if as_json else describe(folder, facts):
            emit(line)
    elif as_json:
        for row in rows(folder.table(table), limit=limit):
            emit(json_line(row))
    else:
        show_table(folder, table, limit or FEW)
