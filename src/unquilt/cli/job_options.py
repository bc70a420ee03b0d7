"""The options that all jobs have: about running, and about reading."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from unquilt.arrow_start import start_without_pandas
from unquilt.cli.group import usual_options
from unquilt.cli.options import Command, given_parameters, number_option, parameter_options, usage_error
from unquilt.corpus.options import Fields, Limits, Reading
from unquilt.settings import Settings

if TYPE_CHECKING:
    from unquilt.jobs.options import JobOptions

FIELDS = tuple(each.name for each in fields(Fields))


def _read_fields(ctx: click.Context, _: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in given:
        part, equals, name = each.partition("=")
        if part not in FIELDS or not equals or not name:
            parts = f"one of {', '.join(FIELDS)}, then = and the name it has in your files"
            raise click.UsageError(f"--field must be {parts}, such as text=content; not {each!r}", ctx)
        if part in found:
            raise click.UsageError(f"--field {part} is given twice: {found[part]!r} and {name!r}", ctx)
        found[part] = name
    return found


@dataclass(frozen=True)
class JobArguments:
    """The options that jobs have in common, as they were given: about running, about reading, and the rest."""

    settings: Mapping[str, Any]
    about_reading: Mapping[str, Any]
    overwrite: bool = False
    accept: bool = False
    quiet: bool = False
    as_json: bool = False
    max_rejects: int | None = None

    def reading(self) -> Reading:
        """The options about reading, with defaults for those that were not given."""
        given = dict(self.about_reading)
        named = given.pop("fields", {})
        limits = {info.name: given.pop(info.name) for info in Limits.describe() if info.name in given}
        return Reading.from_dict(given | {"fields": named, "limits": limits})

    def job_options(self, costs: Iterable[tuple[str, float]] = ()) -> JobOptions:
        """All of these options, as the API takes them; `costs` of stages tell progress what is to come."""
        start_without_pandas()
        from unquilt.cli.terminal.progress import choose_progress
        from unquilt.jobs.options import JobOptions

        return JobOptions(
            settings=Settings.from_dict(self.settings),
            reading=self.reading(),
            overwrite=self.overwrite,
            accept=self.accept,
            progress=choose_progress(quiet=self.quiet, costs=costs),
        )


_RUNNING = (
    parameter_options(Settings),
    click.option("--overwrite", is_flag=True, help="Replace the run in the output folder, once this one is finished."),
    click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors (and JSON, if asked for)."),
    click.option("--json", "as_json", is_flag=True, help="Print the summary as one line of JSON, for programs."),
    usual_options,
)
_READING = (
    click.option(
        "--field",
        "fields",
        multiple=True,
        metavar="PART=NAME",
        callback=_read_fields,
        help=f"Name of a field in JSONL or Parquet, such as text=content; repeat for each of {', '.join(FIELDS)}.",
    ),
    parameter_options(Limits),
    parameter_options(Reading),
    number_option(
        "max_rejects",
        "Exit with code 3 if more records than this were rejected (default: no limit). "
        "Results are written all the same.",
        at_least=0,
    ),
)


_ACCEPTING = click.option(
    "--accept", is_flag=True, help="Read the kept documents of a run as INPUT even if its audit raised alarms."
)


def job_options(command: Command) -> Callable[..., Any]:
    """The common options of everything that reads and computes; the command gets them as `asked`."""
    return _collected(command, (*_READING, _ACCEPTING, *_RUNNING))


def running_options(command: Command) -> Callable[..., Any]:
    """The common options without those on reading."""
    return _collected(command, _RUNNING)


def reading_options(command: Command) -> Callable[..., Any]:
    """The common options on reading alone, for commands that answer documents as they come."""
    return _collected(command, (*_READING, usual_options))


def _collected(command: Command, options: Sequence[Callable[[Any], Any]]) -> Callable[..., Any]:
    running = [info.name for info in Settings.describe()]
    reading = ["fields", *(info.name for kind in (Limits, Reading) for info in kind.describe())]
    others = ("overwrite", "accept", "quiet", "as_json", "max_rejects")

    @functools.wraps(command)
    def collect(**given: Any) -> Any:
        def take(names: Sequence[str]) -> dict[str, Any]:
            return given_parameters({name: given.pop(name) for name in names if name in given})

        asked = JobArguments(
            take(running), take(reading), **{name: given.pop(name) for name in others if name in given}
        )
        if "master" in asked.settings and asked.settings.get("engine") != "spark":
            raise usage_error("--master is for --engine spark")
        return command(asked=asked, **given)

    decorated: Callable[..., Any] = collect
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def refuse_reading_options(inputs: tuple[str, ...], asked: JobArguments) -> None:
    """Refuse options about reading where all inputs are corpora: these were read already, so they would be ignored."""
    from unquilt.jobs.named import CorpusPart, group_inputs

    groups = group_inputs(list(inputs))
    if asked.reading() != Reading() and groups and all(isinstance(group, CorpusPart) for group in groups):
        what = "is a corpus, which was" if len(inputs) == 1 else "and the others are corpora, which were"
        raise usage_error(f"{inputs[0]} {what} read already; leave out the options about reading")
