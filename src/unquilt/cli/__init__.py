"""The command line: `unquilt COMMAND …`, with one small file for each command.

    group             the list of commands; each is imported when it is called
    options           options made from parameters
    job_options       the options of all jobs: about running, and about reading
    analysis          the common body of the commands of analyses
    figures           figures of a run, drawn at its end
    commands/         one file for each command
    show/             the output of `unquilt show`
    terminal/         output, progress, endings

Only click and the catalogue are imported here, so that `unquilt --help` answers at once. Each command imports what it
needs (pyarrow, rich, the API) when it runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from unquilt.analyses.catalogue import ENTRIES
from unquilt.cli.group import LazyGroup, usual_options
from unquilt.cli.terminal.output import emit
from unquilt.errors import UnsupportedSystemError
from unquilt.systems import check_system

COMMANDS = {
    "reuse": ("unquilt.cli.commands.reuse:reuse", "Find paragraphs and files that occur again and again."),
    "experiment": ("unquilt.cli.commands.experiment:experiment", "Rerun the papers' evaluations on your own corpus."),
    "filter": ("unquilt.cli.commands.filter:filter_", "Say which known documents new ones are near-duplicates of."),
    "show": ("unquilt.cli.commands.show:show", "Look at a run or a corpus, or at one of its tables."),
    "serve": ("unquilt.cli.commands.serve:serve", "Look at runs on a page in the browser."),
    "judge": ("unquilt.cli.commands.judge:judge", "Judge a random sample of what was found by hand."),
    "score": ("unquilt.cli.commands.score:score", "Compare passages with known ones: how good are they?"),
    "export": ("unquilt.cli.commands.export:export", "Write what was found to files: JSON lines, CSV, Parquet."),
    "report": ("unquilt.cli.commands.report:report", "Write runs as one HTML file: figures, tables, examples."),
    "work": ("unquilt.cli.commands.work:work", "Take tasks of a run that another machine has begun."),
    "demo": ("unquilt.cli.commands.demo:demo", "Make a small web with planted quilts, and find them."),
}
"""The commands that belong to no analysis."""
READING = {*ENTRIES, "reuse", "filter"}
"""Those that may be given pages to read."""
EXAMPLES = """\b
Examples:
  unquilt demo                                    # see what it does, in a few seconds
  unquilt quilts crawl/*.warc.gz -o run           # find quilts
  unquilt show run                                # a summary
  unquilt show run quilts --limit 5               # a table
  unquilt show run sources --json                 # the same for programs
"""


def list_commands() -> dict[str, tuple[str, str]]:
    """All commands: where they are, and what they are for."""
    return {entry.name: (entry.command, entry.purpose) for entry in ENTRIES.values() if entry.command} | COMMANDS


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from importlib.metadata import version

        from unquilt._native import UNICODE_VERSION, build

        emit(f"unquilt {version('unquilt')} (Unicode {UNICODE_VERSION})")
        for label, value in build():
            emit(f"{label}: {value}".rstrip())
        ctx.exit()


@click.group(cls=LazyGroup, list_table=list_commands, epilog=EXAMPLES, invoke_without_command=True)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version, that of the Unicode standard by which texts are cut into words, the compiler of the core, "
    "the system that it was built for, and the instructions of this processor that it uses.",
)
@usual_options
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find copied text in web-size corpora: which pages are stitched together from which other pages.

    Each command has its own help: unquilt COMMAND --help.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


def will_read(arguments: Sequence[str]) -> bool:
    """Whether a command is likely to read inputs: it can, and is given a file, or a folder that is no corpus."""
    command, *others = arguments or [""]
    if command not in READING or {"-h", "--help"} & set(others):
        return False
    there = os.path.exists  # which, unlike that of pathlib, takes any name, however odd
    return any(there(path) and not there(f"{path}/manifest.json") for path in others)


def main() -> None:
    """The program `unquilt`. What readers are forked from is started before anything else, since it and this process
    have much to import, and can do so at once."""
    try:
        check_system()
    except UnsupportedSystemError as error:
        sys.exit(f"unquilt: {error}")
    if will_read(sys.argv[1:]):
        from unquilt.engines.workers import prepare  # imports modules that some systems lack

        prepare()
    cli(prog_name="unquilt")
