"""`unquilt show`: look at a run or a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unquilt.cli.group import usual_options
from unquilt.cli.options import number_option, usage_error
from unquilt.cli.terminal.output import emit, json_line

if TYPE_CHECKING:
    from unquilt.cli.show.folders import Folder

FEW = 20
EXAMPLES = """\b
Examples:
  unquilt show run                              # a summary, also of a run that is not complete
  unquilt show run quilts                       # the quilts: share of copied text, number of sources
  unquilt show run sources --limit 100          # which pages they draw on, best first
  unquilt show run quilts --doc page-17         # one of them: the page with its patches marked
  unquilt show run patches --doc page-17        # its patches, beside the texts they were taken from
  unquilt show run source_domains               # the sites that quilts draw on most
  unquilt show corpus rejects                   # what could not be read, and why
  unquilt show run quilts --json | jq .url      # for programs
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN")
@click.argument("table", metavar="[TABLE]", required=False)
@number_option("limit", f"Rows to show (default {FEW}, all with --json).", at_least=1)
@click.option("--json", "as_json", is_flag=True, help="Print lines of JSON, one for each row, for programs.")
@click.option("--doc", metavar="ID", help="Only what TABLE says about one document, by its id or number.")
@click.option("--full", is_flag=True, help="With --doc: all of the text, also where there are no patches.")
@usual_options
def show(run: str, table: str | None, limit: int | None, as_json: bool, doc: str | None, full: bool) -> None:
    """Show what is in RUN, the folder of a run or a corpus: a summary, or the rows of one TABLE.

    Runs and corpora can be looked at in any state, also while they are being made; what is not complete says so. The
    tables of a run are named in its summary. They are Parquet files, which any other tool can read as well.

    With --doc, the table quilts shows the page itself, its patches in the colours of their sources (or in brackets,
    where there are no colours), and patches shows the texts of both documents. Where patches overlap, that of the
    better source is marked; stretches without any are shortened.
    """
    from unquilt.cli.show.folders import Folder, rows
    from unquilt.cli.show.summary import describe, gather
    from unquilt.cli.show.tables import show_table

    if doc is None and full:
        raise usage_error("--full is for one document; say which with --doc")
    if doc is not None and table is None:
        raise usage_error("--doc is for a TABLE; for a page with its patches: unquilt show RUN quilts --doc ID")
    folder = Folder.open(run)
    if doc is not None and table is not None:
        show_one(folder, table, doc, limit, as_json=as_json, full=full)
    elif table is None:
        facts = gather(folder)
        for line in [json_line(facts)] if as_json else describe(folder, facts):
            emit(line)
    elif as_json:
        for row in rows(folder.table(table), limit=limit):
            emit(json_line(row))
    else:
        show_table(folder, table, limit or FEW)


def show_one(folder: Folder, table: str, doc: str, limit: int | None, *, as_json: bool, full: bool) -> None:
    """Show what a table says about one document."""
    from unquilt.cli.show.choice import ABOUT, choose
    from unquilt.cli.show.evidence import show_document, show_patches, show_quilt
    from unquilt.cli.show.tables import show_rows

    few = limit or (None if as_json else FEW)
    match table:
        case "quilts":
            show_quilt(folder, doc, few, as_json=as_json, full=full)
        case "patches":
            show_patches(folder, doc, few, as_json=as_json, full=full)
        case "documents":
            show_document(folder, doc, as_json=as_json, full=full)
        case _:
            if folder.columns(table)[0] not in ABOUT:
                raise usage_error(f"--doc is for tables about documents, which {table} is not")
            found = folder.about(table, choose(folder, table, doc))
            if as_json:
                for row in found[:limit]:
                    emit(json_line(row))
            else:
                show_rows(folder, table, found, few)
