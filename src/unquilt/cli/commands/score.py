"""`unquilt score`: how good the passages of a run are, by known ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from unquilt.cli.group import usual_options
from unquilt.cli.options import usage_error
from unquilt.cli.terminal.output import count, emit, json_line, pad, printable

if TYPE_CHECKING:
    from unquilt.results.measures import Measures
    from unquilt.results.scoring import Score

EXAMPLES = """\b
Examples:
  unquilt score passages --pan pan13-train                  # a folder of labels as PAN publishes them
  unquilt score passages --pan pan13-train/02-no-obfuscation
  unquilt score passages --labels known.jsonl               # {"a": ID, "b": ID, "a_begin": 0, "a_end": 120, …}
  unquilt score passages --labels known.csv --all-pairs     # the labels are complete: anything else is false
  unquilt score passages --pan pan13-train --json
"""
NUMBERS = ("precision", "recall", "granularity", "f1", "plagdet")


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN")
@click.option("--pan", metavar="FOLDER", help="Labels as PAN publishes them: XML files, in folders of categories.")
@click.option("--labels", metavar="FILE", help="Labels as JSON lines or CSV: a, b, a_begin, a_end, b_begin, b_end.")
@click.option("--all-pairs", is_flag=True, help="Count what was found in pairs without labels as false.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each category, for programs.")
@usual_options
def score(run: str, pan: str | None, labels: str | None, all_pairs: bool, as_json: bool) -> None:
    """Compare the passages of RUN with known ones, by the measures of the PAN competitions.

    Precision is the mean share of a found passage that is known, recall the mean share of a known passage that was
    found, granularity the number of pieces in which a known passage was found, and plagdet is F1 / log2(1 +
    granularity): by characters of both documents, then by sentences of which at least half is in a passage. Pairs that
    the labels name are compared, those without a passage included: in them, anything found is a false alarm. Documents
    are named by id, URL, file name or number; a label file may have a column category.
    """
    from unquilt.results.folders import RunFolder
    from unquilt.results.passage_labels import read_labels, read_pan
    from unquilt.results.scoring import score_run

    if (pan is None) == (labels is None):
        raise usage_error("give either --pan FOLDER or --labels FILE")
    given = read_pan(pan) if pan is not None else read_labels(labels or "")
    found = score_run(RunFolder.open(run), given, all_pairs=all_pairs)
    for line in _json_lines(found) if as_json else _describe(found, all_pairs=all_pairs):
        emit(line)


def _json_lines(found: Score) -> Iterator[str]:
    for unit, measured in (("characters", found.characters), ("sentences", found.sentences)):
        for category, measures in measured.items():
            yield json_line({"category": category, "unit": unit} | asdict(measures))


def _describe(found: Score, *, all_pairs: bool) -> Iterator[str]:
    """The measures for people."""
    wide = max(13, *(len(printable(category)) for category in found.characters))
    yield from _tabulate("by characters", found.characters, wide)
    yield ""
    yield from _tabulate("by sentences", found.sentences, wide)
    if found.elsewhere:
        how = "count as false" if all_pairs else "are left out; --all-pairs counts them as false"
        yield ""
        yield f"{count(found.elsewhere, 'passage')} in pairs without labels {how}."
    if found.unknown:
        some = ", ".join(printable(name) for name in found.unknown[:3])
        yield ""
        yield f"{count(len(found.unknown), 'document')} of the labels are not in this run, such as {some}."


def _tabulate(title: str, measured: Mapping[str, Measures], wide: int) -> Iterator[str]:
    heads = (("pairs", 7), ("known", 7), ("found", 7), *((name, 11) for name in NUMBERS), ("false alarms", 15))
    yield f"{title:<{wide}}  " + " ".join(f"{head:>{cells}}" for head, cells in heads)
    for category, each in measured.items():
        values = [f"{number:>7,}" for number in (each.pairs, each.known, each.found)]
        some = each.known or each.found
        values += [f"{getattr(each, name):>11.3f}" if some else f"{'-':>11}" for name in NUMBERS]
        values.append(f"{f'{each.flagged:,} of {each.clean:,}' if each.clean else '-':>15}")
        yield f"{pad(category or '-', wide)}  " + " ".join(values)
