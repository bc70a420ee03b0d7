"""`unquilt experiment`: the papers' evaluations on a corpus of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from unquilt.analyses.imatch_experiment import ImatchExperimentParameters
from unquilt.analyses.passages_experiment import PassagesExperimentParameters
from unquilt.analyses.phrases_experiment import PhrasesExperimentParameters
from unquilt.analyses.quilts_experiment import QuiltsExperimentParameters
from unquilt.analyses.reuse_experiment import ReuseExperimentParameters
from unquilt.cli.figures import draw_imatch, draw_passages, draw_phrases, draw_quilts, draw_reuse_experiment
from unquilt.cli.group import LazyGroup, usual_options
from unquilt.cli.options import JobArguments, given_parameters, job_options, parameter_options, refuse_reading_options
from unquilt.cli.terminal.output import count, emit

if TYPE_CHECKING:
    from unquilt.runs import Run

COMMANDS = {
    "quilts": ("unquilt.cli.commands.experiment:quilts", "Count quilts by the definitions of the paper."),
    "phrases": ("unquilt.cli.commands.experiment:phrases", "Draw the figures of popular phrases, of several corpora."),
    "passages": ("unquilt.cli.commands.experiment:passages", "Measure how well passages are found, by signature."),
    "imatch": ("unquilt.cli.commands.experiment:imatch", "Measure how many near-duplicates I-Match finds."),
    "reuse": ("unquilt.cli.commands.experiment:reuse", "Copy pages, change the copies, see what reuse still finds."),
}
EXAMPLES = """\b
Examples:
  unquilt experiment reuse corpus -o experiment
  unquilt show experiment tolerances
"""
REUSE = """\b
Examples:
  unquilt experiment reuse crawl/*.warc.gz -o one-site --site www.garden-news.example/
  unquilt show one-site tolerances
"""
PHRASES = """\b
Examples:
  unquilt experiment phrases corpus -o figures-of-phrases --sample-size 20
  unquilt show figures-of-phrases phrase_corpora
"""
PASSAGES = """\b
Examples:
  unquilt experiment passages corpus -o quality --pairs 20 --tau 0.9 --antecedents 1000,10000
  unquilt show quality qualities
"""
IMATCH = """\b
Examples:
  unquilt experiment imatch corpus -o recall --queries 200 --lexicon news.lexicon
  unquilt show recall recalls
"""
QUILTS = """\b
Examples:
  unquilt experiment quilts corpus -o definitions --k 5 --c 4
  unquilt show definitions variants
"""


@click.group(cls=LazyGroup, list_table=lambda: COMMANDS, epilog=EXAMPLES, invoke_without_command=True)
@usual_options
@click.pass_context
def experiment(ctx: click.Context) -> None:
    """Rerun the evaluations of the papers on a corpus of your own, as tables and figures."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


@click.command(epilog=REUSE)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
@parameter_options(ReuseExperimentParameters)
@job_options
def reuse(inputs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
    """Copy the pages of a site many times, change the copies, and see what reuse still finds.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made; what
    is read becomes a corpus beside RUN.

    The tables are injections (which share of the site's files and chunks is discovered, by number of copies), injected
    (how often these then occur), mutations (what detection sees after chunks were added, deleted or changed, for labels
    that are known and for those that are discovered, with and without stop chunks), tolerances (how much may be changed
    before pages, and the site, are no longer found) and cleanings (how many neighbourhoods of all of INPUT are bad,
    with and without stop chunks). Figures are drawn into RUN/figures. The runs of discovery and detection are folders
    beside RUN, such as RUN-discovered.
    """
    from unquilt.experiments.reuse import run_reuse

    given = ReuseExperimentParameters.from_dict(given_parameters(values))
    cost = (
        "This takes as long as a run of unquilt reuse discover and two of unquilt reuse detect, and some seconds for "
        f"{count(given.runs, 'run')} that change up to {count(given.pages, 'page')}"
    )
    _carry_out(inputs, output, asked, lambda *those: run_reuse(given, *those), draw_reuse_experiment, cost)


@click.command(epilog=IMATCH)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
@parameter_options(ImatchExperimentParameters)
@job_options
def imatch(inputs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
    """Measure how many near-duplicates I-Match finds, by number of randomised lexicons and by lexicon.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made; what
    is read becomes a corpus beside RUN.

    Documents are drawn at random. The near-duplicates of each are all documents with a cosine of at least 0.9 over sets
    of words, found exactly. The tables are recalls (which share of these I-Match finds with 0 to 10 randomised
    lexicons, and how many legitimate documents are taken for near-duplicates) and stability (how often a signature
    stays after words were changed, beside the model of the paper). Figures are drawn into RUN/figures.
    """
    from unquilt.experiments.imatch import run_imatch

    given = ImatchExperimentParameters.from_dict(given_parameters(values))
    times = 5 + bool(given.legitimate) * (1 + len(given.lexicon))
    cost = f"To compare {count(given.queries, 'document')} with all others, all texts are read {times} times"
    _carry_out(inputs, output, asked, lambda *those: run_imatch(given, *those), draw_imatch, cost)


@click.command(epilog=QUILTS)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
@parameter_options(QuiltsExperimentParameters)
@job_options
def quilts(inputs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
    """Count quilts by the definitions of the paper and by default, and for many parameters.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made; what
    is read becomes a corpus beside RUN.

    The tables are variants (how many quilts there are as published, with sources of other domains or other addresses
    only, and by default), sweep (as published, for all combinations of k, m, c and sigma) and planted_quilts (how many
    pages are found that were stitched together from documents of INPUT). The runs that are counted are folders beside
    RUN, such as RUN-published, of which unquilt judge draws samples. Figures are drawn into RUN/figures.
    """
    from unquilt.experiments.planted_quilts import list_cases
    from unquilt.experiments.quilts import DEFINITIONS, LOOKING_FOR_PLANTED, run_quilts

    given = QuiltsExperimentParameters.from_dict(given_parameters(values))
    cost = f"This takes as long as {len(DEFINITIONS)} runs of unquilt quilts and one of unquilt sweep"
    if given.planted:
        pages = count(given.planted * len(list_cases(given)), "planted page")
        cost += f", and {len(LOOKING_FOR_PLANTED)} runs on {pages} among up to {count(given.among, 'document')}"
    _carry_out(inputs, output, asked, lambda *those: run_quilts(given, *those), draw_quilts, cost)


@click.command(epilog=PHRASES)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
@parameter_options(PhrasesExperimentParameters)
@job_options
def phrases(inputs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
    """Draw the figures of popular phrases, of one corpus or of several in one chart.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made; what
    is read becomes a corpus beside RUN. --beside has other corpora.

    The tables are phrase_corpora (how much of each corpus consists of popular phrases), shingle_curves (how many
    shingles are in how many documents), popular_curves (how many documents have how many popular shingles), cover_sizes
    (from how many others samples of documents could be put together) and phrase_sites. Figures are drawn into
    RUN/figures. The runs of each corpus are folders beside RUN, such as RUN-own-uniform.
    """
    from unquilt.experiments.phrases import run_phrases

    given = PhrasesExperimentParameters.from_dict(given_parameters(values))
    runs = 2 * (1 + len(given.beside)) + bool(given.sample_site)
    cost = f"This takes as long as {runs} runs of unquilt phrases --no-whole"
    _carry_out(inputs, output, asked, lambda *those: run_phrases(given, *those), draw_phrases, cost)


@click.command(epilog=PASSAGES)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
@parameter_options(PassagesExperimentParameters)
@job_options
def passages(inputs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
    """Measure how well passages are found, by signature and parameter, and beyond near-duplicates.

    INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it made; what
    is read becomes a corpus beside RUN.

    Known passages are those of --pan or --labels, whose documents are in INPUT; without these, passages are planted:
    sentences of a document of INPUT, some with a changed word, within another one. The tables are qualities (precision
    and recall of single sentences and of passages) and beyond (documents that share passages beyond near-duplicates,
    and time, for parts of INPUT). Figures are drawn into RUN/figures, and the runs are folders in RUN-runs.
    """
    from unquilt.experiments.passages import list_cases, run_passages

    given = PassagesExperimentParameters.from_dict(given_parameters(values))
    runs = len(list(list_cases(given)))
    about = "INPUT" if given.pan or given.labels else count(2 * given.pairs, "document")
    cost = f"This takes {count(runs, 'run')} of unquilt passages on {about}, and {3 * len(given.shares)} runs on INPUT"
    _carry_out(inputs, output, asked, lambda *those: run_passages(given, *those), draw_passages, cost)


def _carry_out(
    inputs: tuple[str, ...],
    output: str,
    asked: JobArguments,
    run_experiment: Callable[..., Run],
    draw: Callable[[Run, str], Iterable[str]],
    cost: str,
) -> None:
    """Say what an experiment costs, run it, draw its figures, and say what it found."""
    from unquilt.cli.show.summary import conclude, is_complete

    refuse_reading_options(inputs, asked)
    before = is_complete(output)
    talks = not asked.quiet and not asked.as_json
    if talks and not before:
        emit(cost)
    run = run_experiment(list(inputs), output, asked.job_options())
    for line in draw(run, output):
        if talks:
            emit(line)
    conclude(output, asked, before=before)
