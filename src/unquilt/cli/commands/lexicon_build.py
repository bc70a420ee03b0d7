"""`unquilt lexicon build`: make a lexicon of a corpus."""

from __future__ import annotations

from typing import Any

import click

from unquilt.analyses.lexicon import LexiconParameters
from unquilt.cli.job_options import JobArguments, job_options, refuse_reading_options
from unquilt.cli.options import given_parameters, parameter_options
from unquilt.cli.terminal.endings import check_rejects
from unquilt.cli.terminal.output import count, emit, json_line, printable, typed

EXAMPLES = """\b
Examples:
  unquilt lexicon build news/*.jsonl.gz -o news.lexicon
  unquilt lexicon build corpus -o rare.lexicon --nidf 0.4:0.9 --min-df 3
  unquilt lexicon build corpus -o mail.lexicon --nidf 0.2:0.3      # as published for mail
  unquilt lexicon show news.lexicon
"""


@click.command(epilog=EXAMPLES)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", required=True, help="File for the lexicon; Parquet, whatever its name.")
@parameter_options(LexiconParameters)
@job_options
def build(inputs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
    """Make a lexicon: the words of a corpus that are neither too common nor too rare to tell one document from another.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made.

    A word that is in df of N documents has the normalised idf log(N/df) / log(N): 0 if it is in all, 1 if in one.
    Signatures are made of words in the range --nidf; rarer ones fill up signatures that would be too short. Words of
    fewer than four characters (in scripts with spaces) or with more than one digit are left out.
    """
    from unquilt.cli.show.neardups import warn_of_size
    from unquilt.jobs.work import build_lexicon

    refuse_reading_options(inputs, asked)
    parameters = LexiconParameters.from_dict(given_parameters(values))
    lexicon, summary = build_lexicon(parameters, list(inputs), output, asked.job_options())
    if asked.as_json:
        facts = {"file": output, "primary": lexicon.primary, "secondary": lexicon.secondary}
        facts |= parameters.to_dict() | {"documents": lexicon.documents, "rejects": summary["rejects"]}
        emit(json_line(facts | {"warnings": list(warn_of_size(lexicon.primary))}))
    elif not asked.quiet:
        rejected = f"; {count(summary['rejects'], 'record')} rejected" if summary["rejects"] else ""
        emit(f"{count(lexicon.documents, 'document')}{rejected}")
        rarer = f"{lexicon.secondary:,} rarer ones to fill up short signatures"
        emit(f"{count(lexicon.primary, 'word')} to make signatures of, {rarer}")
        for warning in warn_of_size(lexicon.primary):
            emit(f"Warning: {warning}")
        emit(f"The lexicon is in {printable(output)}; to look at it: unquilt lexicon show {typed(output)}")
    check_rejects(summary["rejects"], asked.max_rejects)
