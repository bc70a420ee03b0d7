"""`unquilt reuse label` and `info`: make a set of labels, and say what is in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unquilt.cli.group import usual_options
from unquilt.cli.job_options import JobArguments, job_options
from unquilt.cli.options import given_parameters, parameter_options, usage_error
from unquilt.cli.terminal.endings import check_rejects
from unquilt.cli.terminal.output import count, emit, json_line, printable, size, typed
from unquilt.jobs.labels import LabelParameters

if TYPE_CHECKING:
    from unquilt.stores.labels import LabelSet

EXAMPLES = """\b
Examples:
  unquilt reuse label our-pages/ -o ours.labels --min-length 100
  unquilt reuse label copied -o blind.labels                    # what unquilt reuse discover found
  unquilt reuse label ours.labels theirs.labels -o both.labels  # merged
  unquilt reuse label blind.labels --subtract known.labels -o rest.labels
  unquilt reuse label --list hashes.txt -o few.labels
"""
INFO_EXAMPLES = """\b
Examples:
  unquilt reuse info ours.labels
"""


@click.command(epilog=EXAMPLES)
@click.argument("inputs", metavar="[INPUT...]", nargs=-1)
@click.option("-o", "--output", metavar="LABELS", required=True, help="File for the set.")
@parameter_options(LabelParameters)
@job_options
def label(inputs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
    """Make a set of labels: the chunks and files that unquilt reuse detect looks for.

    INPUT is reference content (what unquilt ingest takes, or one corpus that it made), a run of unquilt reuse discover,
    or a set of labels; several are merged. Stop chunks that discovery left out are stop chunks of the set. A set is one
    file of about 28 bytes a label, and says how its chunks were cut. It remembers the page of each chunk and where it
    stands there, so that detection says which page of ours it found. That takes 32 bytes for each chunk of a page, and
    id and URL of each page; --no-origins leaves it out. --page-threshold and --neighbourhood-threshold are stored in
    the set, for crawlers that have no corpus to compute a mean of.
    """
    from unquilt.jobs.labels import build_labels

    parameters = LabelParameters.from_dict(given_parameters(values))
    if not inputs and not parameters.list and not parameters.stop:
        raise usage_error("name INPUT, or a list with --list")
    made, summary = build_labels(parameters, list(inputs), output, asked.job_options())
    if asked.as_json:
        emit(json_line(gather(made) | {name: summary[name] for name in ("documents", "rejects")}))
    elif not asked.quiet:
        if summary["documents"]:
            rejected = f"; {count(summary['rejects'], 'record')} rejected" if summary["rejects"] else ""
            emit(f"{count(summary['documents'], 'document')}{rejected}")
        emit(f"{_contents(made)} in {printable(output)}")
        emit("")
        emit("Next:")
        emit(f"  unquilt reuse detect INPUT --labels {typed(output)} -o RUN   where they occur")
    check_rejects(summary["rejects"], asked.max_rejects)


@click.command(epilog=INFO_EXAMPLES)
@click.argument("file", metavar="LABELS")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON, for programs.")
@usual_options
def info(file: str, as_json: bool) -> None:
    """Say what is in a set of labels: how many of each kind, how chunks are compared, which thresholds it has."""
    from unquilt.stores.labels import LabelSet

    found = LabelSet.read(file)
    if as_json:
        emit(json_line(gather(found)))
        return
    about = found.about
    emit(f"{printable(file)}: {_contents(found)}, {size(found.path.stat().st_size)}")
    emit(f"chunks are compared by {about.by}, those of more than {count(about.min_length, 'character')}")
    origins = "not known" if found.pages is None else f"known, {count(found.pages, 'page')}"
    emit(f"where labels are from: {origins}")
    for name, value in (("a target", about.page_threshold), ("bad neighbourhoods", about.neighbourhood_threshold)):
        emit(f"threshold for {name}: {'mean + σ of each corpus' if value is None else f'{value:g}'}")


def _contents(found: LabelSet) -> str:
    counts = found.counts
    names = (("chunks", "chunk"), ("files", "file"), ("stop_chunks", "stop chunk"))
    return ", ".join(count(counts[name], one) for name, one in names)


def gather(found: LabelSet) -> dict[str, Any]:
    """What is known of a set, for programs."""
    about = {name: getattr(found.about, name) for name in found.about.__dataclass_fields__}
    return {"file": str(found.path)} | found.counts | {"pages": found.pages} | about
