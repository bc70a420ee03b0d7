"""The command of an analysis: inputs, an output, its parameters and the options of all jobs; then run it and conclude.

@analysis_command(DECLARATION, EXAMPLES)
def quilts(job: AnalysisJob) -> None:
    \"\"\"Find quilts: … (what --help says).\"\"\"
    job.carry_out()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from unquilt.analyses.analysis import Analysis
from unquilt.analyses.catalogue import load_analysis
from unquilt.cli.job_options import JobArguments, job_options, refuse_reading_options
from unquilt.cli.options import given_parameters, parameter_options, usage_error
from unquilt.cli.terminal.output import emit

if TYPE_CHECKING:
    from unquilt.runs import Run


@dataclass(frozen=True)
class AnalysisJob:
    """What was asked of an analysis on the command line."""

    analysis: Analysis
    inputs: tuple[str, ...]
    output: str
    parameters: dict[str, Any]
    asked: JobArguments

    def carry_out(self, present: Callable[[Run], Iterable[str]] = lambda _: ()) -> None:
        """Run the analysis, print the lines that `present` makes of the run, then say how it ended."""
        from unquilt.cli.show.summary import conclude, is_complete
        from unquilt.jobs.work import analyse
        from unquilt.results.run import ReadableRun

        if other := self.analysis.leads(self.parameters):
            self._lead(*other).carry_out()
            return
        refuse_reading_options(self.inputs, self.asked)
        before = is_complete(self.output)
        given = self.analysis.parameters.from_dict(self.parameters)
        options = self.asked.job_options(self.analysis.costs(self.parameters))
        run = ReadableRun.of(analyse(self.analysis, given, list(self.inputs), self.output, options))
        for line in present(run):
            if not self.asked.quiet and not self.asked.as_json:
                emit(line)
        conclude(self.output, self.asked, before=before)

    def _lead(self, name: str, parameters: dict[str, Any]) -> AnalysisJob:
        """The same job of another analysis, which the parameters ask for; says which command that is."""
        if not self.asked.quiet and not self.asked.as_json:
            emit(f"The command for this is: unquilt {name}")
        return replace(self, analysis=load_analysis(name), parameters=parameters)


def analysis_command(
    analysis: Analysis, examples: str, options: Sequence[Callable[[Any], Any]] = ()
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function the command of an analysis: it gets an `AnalysisJob`, and the values of `options`, its own."""

    def decorate(function: Callable[..., None]) -> click.Command:
        names = {info.name for info in analysis.parameters.describe()}

        @wraps(function)
        def command(inputs: tuple[str, ...], output: str, asked: JobArguments, **values: Any) -> None:
            parameters = given_parameters({name: value for name, value in values.items() if name in names})
            others = {name: value for name, value in values.items() if name not in names}
            function(AnalysisJob(analysis, inputs, output, parameters, asked), **others)

        decorated: Callable[..., Any] = job_options(command)
        for option in reversed(options):
            decorated = option(decorated)
        decorated = parameter_options(analysis.parameters)(decorated)
        where = "Folder for the results; made if need be."
        decorated = click.option("-o", "--output", metavar="RUN", required=True, help=where)(decorated)
        decorated = click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)(decorated)
        return click.command(name=analysis.name, epilog=f"\b\nExamples:\n{examples}")(decorated)

    return decorate


@dataclass(frozen=True)
class Published:
    """What a paper has; of parameters that are `free`, the paper varies them, so that others are no contradiction."""

    parameters: Mapping[str, Any]
    free: Sequence[str] = ()

    def say(self, name: str) -> str:
        """A parameter as an option."""
        option, value = name.replace("_", "-"), self.parameters[name]
        if isinstance(value, bool):
            return f"--{option}" if value else f"--no-{option}"
        return f"--{option} {value}".removesuffix(".0")

    @property
    def option(self) -> Callable[[Any], Any]:
        """The option `--as-published`, which says what it means."""
        meaning = " ".join(map(self.say, self.parameters))
        return click.option("--as-published", is_flag=True, help=f"As in the paper: {meaning}.")

    def complete(self, given: dict[str, Any]) -> dict[str, Any]:
        """What was given, with the parameters of the paper; refuses what contradicts them."""
        for name, value in self.parameters.items():
            if name not in self.free and given.get(name, value) != value:
                other = f"{self.say(name).partition(' ')[0]} {given[name]}"
                contradiction = f"--as-published (which means {self.say(name)}) and {other}"
                raise usage_error(f"{contradiction} contradict each other; leave one out")
        return {**self.parameters, **given}
