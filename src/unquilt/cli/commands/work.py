"""`unquilt work`: take tasks of a run that another machine has begun."""

from __future__ import annotations

import click

from unquilt.arrow_start import start_without_pandas
from unquilt.cli.group import usual_options
from unquilt.cli.options import given_parameters, number_option, parameter_options
from unquilt.cli.terminal.output import count, emit
from unquilt.settings import Settings

EXAMPLES = """\b
Examples:
  unquilt work shared & unquilt quilts corpus -o shared --engine workers
"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN")
@parameter_options(Settings, "threads", "memory")
@number_option(
    "lease",
    "Seconds without a sign of life after which the task of another worker is taken over (default 120).",
    at_least=1,
    default=120,
)
@number_option(
    "wait", "Seconds to wait for a run that has no tasks, or is not there yet (default 600).", at_least=1, default=600
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@usual_options
def work(run: str, lease: int, wait: int, quiet: bool, **given: int | None) -> None:
    """Take tasks of a RUN that was begun with --engine workers, until it is finished.

    Start as many as you like, on any machine that reaches the corpus and the run, folders or URLs, by the same names:
    a job array of Slurm, a job of Kubernetes. A worker may begin before the run does, and may be stopped at any time.
    Tasks of a worker that is lost are taken over by others. Results are the same, however many there are.
    """
    start_without_pandas()
    from unquilt.jobs.working import work_for
    from unquilt.settings import Settings

    done = work_for(run, Settings.from_dict(given_parameters(given)), lease=lease, wait=wait)
    if not quiet:
        emit(f"{count(done, 'task')} done.")
