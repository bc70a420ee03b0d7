"""`unquilt export`: write what people came for to files that other tools read."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import click

from unquilt.cli.group import usual_options
from unquilt.cli.options import number_option, share_option, usage_error
from unquilt.cli.show.selecting import NAMES, read_selection, selection_options
from unquilt.cli.terminal.output import count, emit, json_line, naming_stdout, printable

EXAMPLES = """\b
Examples:
  unquilt export near --kept -o kept.jsonl.gz            # the corpus without redundant pages
  unquilt export near --kept -o kept/                    # the same as a folder of Parquet files, which resumes
  unquilt export near --dropped --ids -o dropped.txt     # the ids of those that went, a line each
  unquilt export near --annotate -o all.parquet          # all pages; columns say which are copies of which
  unquilt export near kept -o kept.csv                   # each page: kept or not, in favour of which
  unquilt export copied --without objects -o clean.jsonl.gz   # the corpus without repeated paragraphs
  unquilt export repeats --without repeats -o once.jsonl.gz   # without text that occurs elsewhere
  unquilt export run quilts --evidence -o quilts.jsonl   # quilts with text, sources and copied passages
  unquilt export passages passages --evidence -o passages.jsonl  # passages with what both documents say there
  unquilt export passages passages --format pan -o found/  # the same as XML, as PAN's tools read it
  unquilt export run sources -o sources.csv --columns quilt_url,source_url,new_grams
  unquilt export run quilts -o - --where "host like '%news%'"
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN")
@click.argument("table", metavar="[TABLE]", required=False)
@click.option(
    "-o", "--output", metavar="OUT", required=True, help="File, folder (its name ends with /) or - to write to."
)
@click.option("--kept", is_flag=True, help="Write the documents that are kept, one of each cluster of near-duplicates.")
@click.option("--dropped", is_flag=True, help="Write the documents that are not kept.")
@click.option("--ids", is_flag=True, help="Write only the ids.")
@click.option(
    "--evidence",
    is_flag=True,
    help="Also write the text, the sources and the copied passages of quilts, or both texts of passages and patches.",
)
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(["objects", "stop_chunks", "repeats"]),
    help="Write all documents, without the paragraphs and files that unquilt reuse found (can be repeated), or without "
    "the text that unquilt repeats removes.",
)
@click.option("--keep-first", is_flag=True, help="With --without objects: keep the first occurrence of each object.")
@click.option(
    "--mask", metavar="TEXT", help="With --without repeats: write TEXT in place of each piece that is removed."
)
@click.option("--empty", is_flag=True, help="With --without repeats: also write documents of which no text is left.")
@share_option(
    "alarm",
    "With --kept: write nothing if a source or site loses more than this share of its documents (default 0.5), or "
    "if something else looks wrong in the table audit.",
)
@click.option(
    "--annotate",
    is_flag=True,
    help="Write all documents, with the results of the run as columns: keep, duplicate_of, similarity; quilt, covered; "
    "reused_share.",
)
@click.option("--accept", is_flag=True, help="With --kept: write the documents in spite of alarms.")
@selection_options
@number_option("limit", "Rows to write, at most (default all).", at_least=1)
@click.option(
    "--format",
    "format_",
    metavar="FORMAT",
    help="jsonl, csv or txt, also with .gz or .zst; parquet; of passages also pan, a folder of XML files "
    "(default: by the name of the file; in a folder parquet).",
)
@click.option(
    "--raw-cells",
    is_flag=True,
    help="In CSV: put no apostrophe before texts that begin with = + - @, which a spreadsheet would run as a formula.",
)
@click.option(
    "--overwrite", is_flag=True, help="Replace the file, or the export in the folder, once this one is complete."
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors (and JSON, if asked for).")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as one line of JSON, for programs.")
@usual_options
def export(run: str, table: str | None, output: str, limit: int | None, **asked: Any) -> None:
    """Write the documents that are kept, or a TABLE, of RUN to files: JSON lines, CSV, plain lines or Parquet.

    Ids and URLs stand beside the numbers of documents. With --kept, --dropped and --without, documents are written,
    with all columns of the inputs unless --columns says otherwise: unquilt and others can read these again. They are in
    the order of the inputs; rows of a table are those of unquilt show, in the same order, unless --sort says otherwise.

    A file gets its name when it is complete. So does a folder, which is made of parts: if it is interrupted, the same
    command goes on behind the parts that are done. Its rows are in the order in which the table is stored.
    """
    from unquilt.cli.terminal.progress import choose_progress
    from unquilt.results import RunFolder
    from unquilt.results.export import Export
    from unquilt.results.export import export as write

    quiet, as_json = asked["quiet"], asked["as_json"]
    if output == "-" and as_json:
        raise usage_error("--json describes the files that are written; with standard output, leave it out")
    selection = read_selection({name: asked[name] for name in NAMES}, limit)
    flags = ("kept", "dropped", "ids", "evidence", "without", "keep_first", "raw_cells", "mask", "empty", "annotate")
    wishes = {name: asked[name] for name in flags}
    for name in ("alarm", "accept"):
        if asked[name] and not asked["kept"]:
            raise usage_error(f"--{name} is about what --kept leaves out; leave it out")
        wishes |= {name: asked[name]} if asked[name] is not None else {}
    what = Export(table or "", **wishes, selection=selection)
    with naming_stdout() if output == "-" else nullcontext():
        made = write(
            RunFolder.open(run),
            what,
            output,
            format=asked["format_"],
            overwrite=asked["overwrite"],
            progress=choose_progress(quiet=quiet or output == "-"),
        )
    if as_json:
        emit(json_line({"path": str(made.path), "rows": made.rows, "format": made.format, "parts": made.parts}))
    elif not quiet and made.path is not None:
        parts = f", {count(made.parts, 'part')}" if made.parts is not None else ""
        noun = "kept document" if what.kept else "dropped document" if what.dropped else "row"
        whose = "" if what.kept or what.dropped else f" of {what.table}"
        if what.annotate:
            noun, whose = "annotated document", ""
        if what.without:
            noun, whose = "document", f" without {' and '.join(name.replace('_', ' ') for name in what.without)}"
        emit(f"{count(made.rows, noun)}{whose} in {printable(output)} ({made.format}{parts})")
