"""`unquilt ingest`: read pages once, for several analyses."""

from __future__ import annotations

from dataclasses import replace

import click

from unquilt.cli.job_options import JobArguments, job_options
from unquilt.cli.options import usage_error

EXAMPLES = """\b
Examples:
  unquilt ingest crawl/*.warc.gz -o corpus
  unquilt ingest pages.parquet -o posts --field text=content --field id=page_id
  zcat pages.jsonl.gz | unquilt ingest - -o piped
  unquilt quilts corpus -o run
  unquilt ingest --into corpus new/*.warc.gz          # add pages to it; the old ones are not read again
  unquilt ingest corpus-2023 corpus-2024 -o both      # one corpus of two
"""


@click.command(epilog=EXAMPLES)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="CORPUS", help="Folder for the corpus; made if need be.")
@click.option("--into", metavar="CORPUS", help="Corpus that INPUT is added to; its own documents are not read again.")
@job_options
def ingest(inputs: tuple[str, ...], output: str | None, into: str | None, asked: JobArguments) -> None:
    """Read pages into a corpus folder, which analyses take in place of the inputs.

    INPUT is any number of files, folders, globs, or - for standard input, of any of these kinds, also mixed: WARC and
    ARC (responses), WET, HTML, plain text, JSON lines (fields id, url, text or html, ip), Parquet with such columns,
    mail (.eml, mbox, folders of messages); each also as .gz or .zst. Kinds are recognised by content and name. Records
    that cannot be read are left out and listed, with the reason, in the table rejects. The same command again resumes
    what was interrupted. Corpora, and runs that say which documents to keep, are INPUT, too: their documents are taken
    as they are.
    """
    from unquilt import api
    from unquilt.cli.show.summary import conclude, is_complete, read_fingerprint

    if (output is None) == (into is None):
        raise usage_error("say where the corpus goes: -o for a new one, --into for one to add to")
    if into is not None:
        old = read_fingerprint(into)
        api.ingest(list(inputs), into=into, options=asked.job_options())
        conclude(into, replace(asked, overwrite=False), before=read_fingerprint(into) == old)
        return
    assert output is not None
    before = is_complete(output)
    api.ingest(list(inputs), output, options=asked.job_options())
    conclude(output, asked, before=before)
