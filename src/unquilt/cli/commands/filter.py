"""`unquilt filter`: make a set of prototypes, and say of which of them documents are near-duplicates."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from unquilt.analyses.neardups import SignatureParameters
from unquilt.cli.job_options import JobArguments, job_options, refuse_reading_options
from unquilt.cli.options import given_parameters, parameter_options, usage_error
from unquilt.cli.terminal.output import count, emit, flush, json_line, printable, typed

if TYPE_CHECKING:
    from unquilt.corpus.records import Reject
    from unquilt.jobs.matching import Answer
    from unquilt.stores.filters import Filter

EXAMPLES = """\b
Examples:
  unquilt filter --build spam/ -o spam.set --method imatch --lexicon mail.lexicon
  unquilt filter --build more-spam/ --prototypes spam.set -o spam.set     # adds to it
  unquilt filter --prototypes spam.set inbox.mbox
  cat pages.jsonl | unquilt filter --prototypes spam.set                    # answers line by line
"""
NO_SIGNATURE = "too few words to be compared"


@click.command(name="filter", epilog=EXAMPLES)
@click.argument("inputs", metavar="[INPUT...]", nargs=-1)
@click.option(
    "--build", is_flag=True, help="Make a set from the documents of INPUT, instead of comparing them with one."
)
@click.option("-o", "--output", metavar="SET", help="File for the set that --build makes.")
@click.option("--prototypes", metavar="SET", help="Set to compare documents with; with --build, the set to add to.")
@parameter_options(SignatureParameters)
@job_options
def filter_(
    inputs: tuple[str, ...], build: bool, output: str | None, prototypes: str | None, asked: JobArguments, **values: Any
) -> None:
    """Say of documents, as they come, which of a set of prototypes they are near-duplicates of.

    INPUT is what unquilt ingest takes (files, folders, globs), or one corpus that it made; without INPUT, or with -, it
    is standard input. Each document is answered by one line of JSON, with its id and the ids of the prototypes; lines
    of JSON on standard input are answered one by one. What cannot be read is answered by a line with the reason.

    A set is one file; the method, its lexicon and seeds are in it. An answer takes the same time however many
    prototypes there are.
    """
    parameters = given_parameters(values)
    refuse_reading_options(inputs, asked)
    if build:
        if not inputs or output is None:
            raise usage_error("--build needs INPUT, the prototypes, and -o SET, the file to make of them")
        make(inputs, output, prototypes, parameters, asked)
        return
    if prototypes is None:
        raise usage_error("name the set to ask (--prototypes SET), or make one (--build INPUT -o SET)")
    if parameters:
        name = next(iter(parameters)).replace("_", "-")
        raise usage_error(f"--{name} is for --build; a set keeps the parameters it was made with")
    for name in ["output"] * (output is not None) + [*asked.settings] + ["overwrite"] * asked.overwrite:
        raise usage_error(f"--{name} is for --build")  # a document is answered at once, here: these would do nothing
    ask(inputs or ("-",), prototypes, asked)


def make(
    inputs: tuple[str, ...], output: str, base: str | None, parameters: dict[str, Any], asked: JobArguments
) -> None:
    """Make a set and say what is in it."""
    from unquilt import api
    from unquilt.cli.show.neardups import LEAST_WORDS, warn_of_size
    from unquilt.cli.terminal.endings import check_rejects
    from unquilt.jobs.work import build_filter

    if base is not None and parameters:
        name = next(iter(parameters)).replace("_", "-")
        raise usage_error(f"--{name} is fixed by {base}, which is added to; leave it out")
    given = SignatureParameters.from_dict(parameters)
    before = None if base is None else api.Filter.load(base)
    made, summary = build_filter(given, list(inputs), output, asked.job_options(), before)
    warnings = list(warn_of_size(summary.get("lexicon_words", LEAST_WORDS)))
    if asked.as_json:
        facts = {"file": output, "prototypes": made.prototypes, "without_signature": made.without_signature}
        facts |= {"documents": summary["documents"], "rejects": summary["rejects"]}
        emit(json_line(facts | {"warnings": warnings, "parameters": made.parameters.to_dict()}))
    elif not asked.quiet:
        rejected = f"; {count(summary['rejects'], 'record')} rejected" if summary["rejects"] else ""
        emit(f"{count(summary['documents'], 'document')}{rejected}")
        emit(f"{count(made.prototypes, 'prototype')} in {printable(output)}")
        if made.without_signature:
            emit(f"{made.without_signature:,} of them with {NO_SIGNATURE}: no document will be near to them")
        for warning in warnings:
            emit(f"Warning: {warning}")
        emit("")
        emit("Next:")
        emit(f"  unquilt filter --prototypes {typed(output)} INPUT   which of them documents are near to")
    check_rejects(summary["rejects"], asked.max_rejects)


def ask(inputs: tuple[str, ...], prototypes: str, asked: JobArguments) -> None:
    """Answer documents, a line each."""
    from unquilt import api
    from unquilt.cli.terminal.endings import check_rejects
    from unquilt.corpus.records import Reject

    filter_ = api.Filter.load(prototypes)
    rejects = 0
    for answer in answer_all(filter_, inputs, asked):
        if isinstance(answer, Reject):
            rejects += 1
            where = {"file": answer.file, "offset": answer.offset}
            emit(json_line(where | {"reject": answer.reason, "detail": answer.detail}))
        else:
            note = {"note": NO_SIGNATURE} if answer.prototypes is None else {}
            emit(json_line({"id": answer.id, "prototypes": answer.prototypes or []} | note))
        flush()
    check_rejects(rejects, asked.max_rejects)


def answer_all(filter_: Filter, inputs: tuple[str, ...], asked: JobArguments) -> Iterator[Answer | Reject]:
    """The answers for documents, as they come, and what could not be read."""
    from unquilt.corpus.records import Reject
    from unquilt.jobs.corpora import documents
    from unquilt.jobs.matching import Answer, PrototypeQuestion, answers
    from unquilt.jobs.named import group_inputs, list_corpora
    from unquilt.stores.filters import read_documents

    corpora = list_corpora(list(inputs))
    if not corpora:
        for answer in answers(inputs, sys.stdin.buffer, asked.reading(), PrototypeQuestion.about(filter_.path)):
            assert isinstance(answer, Answer | Reject)
            yield answer
        return
    if len(corpora) < len(group_inputs(list(inputs))) or any(each.verdicts is not None for each in corpora):
        raise usage_error("give either corpora or files; read what a run keeps into a corpus first: unquilt ingest")
    for table in (table for each in corpora for table in read_documents(documents(each.corpus))):
        for name, text in zip(table["id"].to_pylist(), table["text"].to_pylist(), strict=True):
            yield Answer(name, filter_.answer(text))
