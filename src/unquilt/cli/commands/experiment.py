"""`unquilt experiment`: the papers' evaluations on a corpus of one's own."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import cleandoc
from typing import Any

import click

from unquilt.analyses.imatch_experiment import ImatchExperimentParameters
from unquilt.analyses.passages_experiment import PassagesExperimentParameters
from unquilt.analyses.phrases_experiment import PhrasesExperimentParameters
from unquilt.analyses.quilts_experiment import QuiltsExperimentParameters
from unquilt.analyses.reuse_experiment import ReuseExperimentParameters
from unquilt.cli.figures import save_figures
from unquilt.cli.group import LazyGroup, usual_options
from unquilt.cli.job_options import JobArguments, job_options, refuse_reading_options
from unquilt.cli.options import given_parameters, parameter_options
from unquilt.cli.terminal.output import count, emit
from unquilt.parameters import Parameters

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


ABOUT_ALL = """INPUT is what unquilt ingest takes (files, folders, globs, - for standard input), or one corpus that it
made; what is read becomes a corpus beside RUN. Figures are drawn into RUN/figures."""


def _experiment(parameters: type[Parameters], epilog: str) -> Callable[[Callable[[Any], str]], click.Command]:
    """The command of an experiment, made of a function that tells its cost; the docstring of that is the help."""

    def make_command(tell_cost: Callable[[Any], str]) -> click.Command:
        name = tell_cost.__name__
        title, text = (tell_cost.__doc__ or "").split("\n\n", 1)

        @click.command(name, epilog=epilog, help=f"{title}\n\n{ABOUT_ALL}\n\n{cleandoc(text)}")
        @click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
        @click.option("-o", "--output", metavar="RUN", required=True, help="Folder for the results; made if need be.")
        @parameter_options(parameters)
        @job_options
        def command(inputs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
            from unquilt.cli.show.summary import conclude, is_complete

            given = parameters.from_dict(given_parameters(values))
            refuse_reading_options(inputs, asked)
            before = is_complete(output)
            talks = not asked.quiet and not asked.as_json
            cost = tell_cost(given)
            if talks and not before:
                emit(cost)
            experiment = import_module(f"unquilt.experiments.{name}").EXPERIMENT
            run = experiment.carry_out(given, list(inputs), output, asked.job_options())
            for line in save_figures(run, experiment.draw(run), experiment.figures, output):
                if talks:
                    emit(line)
            conclude(output, asked, before=before)

        return command

    return make_command


@_experiment(ReuseExperimentParameters, REUSE)
def reuse(given: ReuseExperimentParameters) -> str:
    """Copy the pages of a site many times, change the copies, and see what reuse still finds.

    The tables are injections (which share of the site's files and chunks is discovered, by number of copies), injected
    (how often these then occur), mutations (what detection sees after chunks were added, deleted or changed, for labels
    that are known and for those that are discovered, with and without stop chunks), tolerances (how much may be changed
    before pages, and the site, are no longer found) and cleanings (how many neighbourhoods of all of INPUT are bad,
    with and without stop chunks). The runs of discovery and detection are folders beside RUN, such as RUN-discovered.
    """
    return (
        "This takes as long as a run of unquilt reuse discover and two of unquilt reuse detect, and some seconds for "
        f"{count(given.runs, 'run')} that change up to {count(given.pages, 'page')}"
    )


@_experiment(ImatchExperimentParameters, IMATCH)
def imatch(given: ImatchExperimentParameters) -> str:
    """Measure how many near-duplicates I-Match finds, by number of randomised lexicons and by lexicon.

    Documents are drawn at random. The near-duplicates of each are all documents with a cosine of at least 0.9 over sets
    of words, found exactly. The tables are recalls (which share of these I-Match finds with 0 to 10 randomised
    lexicons, and how many legitimate documents are taken for near-duplicates) and stability (how often a signature
    stays after words were changed, beside the model of the paper).
    """
    return f"To compare {count(given.queries, 'document')} with all others, all texts are read four times"


@_experiment(QuiltsExperimentParameters, QUILTS)
def quilts(given: QuiltsExperimentParameters) -> str:
    """Count quilts by the definitions of the paper and by default, and for many parameters.

    The tables are variants (how many quilts there are as published, with sources of other domains or other addresses
    only, and by default), sweep (as published, for all combinations of k, m, c and sigma) and planted_quilts (how many
    pages are found that were stitched together from documents of INPUT). The runs that are counted are folders beside
    RUN, such as RUN-published, of which unquilt judge draws samples.
    """
    from unquilt.experiments.planted_quilts import list_cases
    from unquilt.experiments.quilts import DEFINITIONS, LOOKING_FOR_PLANTED

    cost = f"This takes as long as {len(DEFINITIONS)} runs of unquilt quilts and one of unquilt sweep"
    if given.planted:
        pages = count(given.planted * len(list_cases(given)), "planted page")
        cost += f", and {len(LOOKING_FOR_PLANTED)} runs on {pages} among up to {count(given.among, 'document')}"
    return cost


@_experiment(PhrasesExperimentParameters, PHRASES)
def phrases(given: PhrasesExperimentParameters) -> str:
    """Draw the figures of popular phrases, of one corpus or of several in one chart.

    The tables are phrase_corpora (how much of each corpus consists of popular phrases), shingle_curves (how many
    shingles are in how many documents), popular_curves (how many documents have how many popular shingles), cover_sizes
    (from how many others samples of documents could be put together) and phrase_sites. --beside has other corpora. The
    runs of each corpus are folders beside RUN, such as RUN-own-uniform.
    """
    runs = 2 * (1 + len(given.beside)) + bool(given.sample_site)
    return f"This takes as long as {runs} runs of unquilt phrases --no-whole"


@_experiment(PassagesExperimentParameters, PASSAGES)
def passages(given: PassagesExperimentParameters) -> str:
    """Measure how well passages are found, by signature and parameter, and beyond near-duplicates.

    Known passages are those of --pan or --labels, whose documents are in INPUT; without these, passages are planted:
    sentences of a document of INPUT, some with a changed word, within another one. The tables are qualities (precision
    and recall of single sentences and of passages) and beyond (documents that share passages beyond near-duplicates,
    and time, for parts of INPUT). The runs are folders in RUN-runs.
    """
    from unquilt.experiments.passages import list_cases

    runs = len(list(list_cases(given)))
    about = "INPUT" if given.pan or given.labels else count(2 * given.pairs, "document")
    return f"This takes {count(runs, 'run')} of unquilt passages on {about}, and {3 * len(given.shares)} runs on INPUT"
