"""`unquilt ingest`: read pages once, for several analyses."""

from __future__ import annotations

import click

from unquilt.cli.options import JobArguments, job_options

EXAMPLES = """\b
Examples:
  unquilt ingest crawl/*.warc.gz -o corpus
  unquilt ingest pages.parquet -o posts --field text=content --field id=page_id
  zcat pages.jsonl.gz | unquilt ingest - -o piped
  unquilt quilts corpus -o run
"""


@click.command(epilog=EXAMPLES)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="CORPUS", required=True, help="Folder for the corpus; made if need be.")
@job_options
def ingest(inputs: tuple[str, ...], output: str, asked: JobArguments) -> None:
    """Read pages into a corpus folder, which analyses take in place of the inputs.

    INPUT is any number of files, folders, globs, or - for standard input, of any of these kinds, also mixed: WARC and
    ARC (responses), WET, HTML, plain text, JSON lines (fields id, url, text or html, ip), Parquet with such columns,
    mail (.eml, mbox, folders of messages); each also as .gz or .zst. Kinds are recognised by content and name. Records
    that cannot be read are left out and listed, with the reason, in the table rejects. The same command again resumes
    what was interrupted.
    """
    from unquilt import api
    from unquilt.cli.show.summary import conclude, is_complete

    before = is_complete(output)
    api.ingest(list(inputs), output, options=asked.job_options())
    conclude(output, asked, before=before)
