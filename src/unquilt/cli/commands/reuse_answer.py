"""`unquilt reuse answer`: say of documents, as they come, what they contain of a set of labels."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from unquilt.cli.job_options import JobArguments, reading_options
from unquilt.cli.options import usage_error
from unquilt.cli.terminal.output import emit, flush, json_line

if TYPE_CHECKING:
    from unquilt.jobs.matching import LabelAnswer

EXAMPLES = """\b
Examples:
  cat pages.jsonl | unquilt reuse answer --labels ours.labels      # answers line by line
  unquilt reuse answer crawl/*.warc.gz --labels ours.labels --places
"""


@click.command(epilog=EXAMPLES)
@click.argument("inputs", metavar="[INPUT...]", nargs=-1)
@click.option(
    "--labels", metavar="SET", required=True, help="Set of labels to look for; unquilt reuse label makes one."
)
@click.option("--places", is_flag=True, help="Also say where each labelled chunk begins and ends, with its SHA-1.")
@reading_options
def answer(inputs: tuple[str, ...], labels: str, places: bool, asked: JobArguments) -> None:
    """Say of documents, as they come, which share of their chunks is labelled: for crawlers that are not in Python.

    INPUT is what unquilt ingest takes (files, folders, globs); without INPUT, or with -, it is standard input. Each
    document is answered by one line of JSON: id and URL, how many chunks it has without stop chunks, how many of these
    are labelled, their share, whether the whole file is labelled, whether it is a target, which is null if the set has
    no threshold for pages, and the page of ours that it has most of, with how many of the labelled chunks are from it.
    Lines of JSON on standard input are answered one by one. What cannot be read is answered by a line with the reason.
    """
    from unquilt.cli.terminal.endings import check_rejects
    from unquilt.corpus.records import Reject
    from unquilt.jobs.matching import LabelAnswer, LabelQuestion, answers
    from unquilt.jobs.named import list_corpora
    from unquilt.stores.labels import LabelSet

    known = LabelSet.load(labels)
    if corpora := list_corpora(list(inputs)):
        raise usage_error(
            f"{corpora[0].run.path} is a corpus; unquilt reuse detect says what all of its documents contain"
        )
    reading = asked.reading()
    if "words" in asked.about_reading and reading.words != known.about.words:
        raise usage_error(f"--words {reading.words} does not fit: chunks of {labels} have {known.about.words} words")
    reading = replace(reading, words=known.about.words, source=known.about.by == "raw")
    rejects = 0
    for each in answers(inputs or ("-",), sys.stdin.buffer, reading, LabelQuestion.about(known.path)):
        if isinstance(each, Reject):
            rejects += 1
            where = {"file": each.file, "offset": each.offset}
            emit(json_line(where | {"reject": each.reason, "detail": each.detail}))
        else:
            assert isinstance(each, LabelAnswer)
            emit(json_line(_describe(each, places=places)))
        flush()
    check_rejects(rejects, asked.max_rejects)


def _describe(answer: LabelAnswer, *, places: bool) -> dict[str, Any]:
    found = answer.content
    said: dict[str, Any] = {"id": answer.id, "url": answer.url, "chunks": found.chunks, "labelled": len(found.labelled)}
    said |= {"contains": found.contains, "file": found.file, "target": found.target}
    said |= {"ours": found.ours, "ours_labelled": found.ours_labelled}
    if places:
        marked = [{"begin": each.begin, "end": each.end, "sha1": each.sha1.hex()} for each in found.labelled]
        said["places"] = marked
    return said
