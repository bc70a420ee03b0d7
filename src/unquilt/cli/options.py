"""Options: those of an analysis, made from its parameters, and those that all jobs have.

An option whose value is out of range ends the command with one line that names the option and the range. No default of
an analysis is repeated here: an option that the user does not give is not passed on.
"""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unquilt.arrow_start import start_without_pandas
from unquilt.cli.group import usual_options
from unquilt.corpus.options import Fields, Limits, Reading
from unquilt.errors import ParameterError
from unquilt.parameters import Constraint, ParameterInfo, Parameters
from unquilt.settings import Settings, parse_size

if TYPE_CHECKING:
    from unquilt.jobs.options import JobOptions

    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType

Command = TypeVar("Command", bound=Callable[..., Any])

_PLACEHOLDERS: dict[type, str] = {int: "N", float: "X"}
FIELDS = tuple(each.name for each in fields(Fields))
MOST = 1 << 63


class Value(ParamType):
    """A value as a parameter describes it."""

    def __init__(self, info: ParameterInfo) -> None:
        self.info = replace(info, many=False)  # one item, if it is a list
        if info.usual and isinstance(info.default, int):  # that default means "as usual", which no option says
            self.info = replace(self.info, constraint=replace(info.constraint, at_least=info.default + 1))
        choices = info.constraint.one_of
        self.name = (
            "|".join(map(str, choices)) if choices else info.unit.upper() or _PLACEHOLDERS.get(info.type, "TEXT")
        )

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        if value == "" and self.info.type is str:
            raise click.UsageError(f"{option_name(self.info)} must not be empty; leave it out for none", ctx)
        number = _number(value, self.info.type)
        if isinstance(number, int) and number >= MOST:
            raise click.UsageError(f"{option_name(self.info)} is too large: {_quoted(value)}", ctx)
        try:
            return self.info.validate(number)
        except ParameterError as error:
            wanted = self.info.constraint.phrase(_noun(self.info))
            raise click.UsageError(f"{option_name(self.info)} must be {wanted}, not {_quoted(value)}", ctx) from error


class Values(ParamType):
    """Values of a list parameter, separated by commas."""

    def __init__(self, info: ParameterInfo) -> None:
        self.item = Value(info)
        self.name = f"{self.item.name},…"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return tuple(self.item.convert(item.strip(), param, ctx) for item in value.split(","))


class Range(Values):
    """The two ends of a range, with a colon between them."""

    def __init__(self, info: ParameterInfo) -> None:
        super().__init__(info)
        self.name = "LOW:HIGH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        ends = value.split(":")
        if len(ends) != 2:
            wanted = f"two numbers with a colon between them, such as {_range(self.item.info.default)}"
            raise click.UsageError(f"{option_name(self.item.info)} must be {wanted}; not {_quoted(value)}", ctx)
        low, high = super().convert(",".join(ends), param, ctx)
        if low > high:
            raise click.UsageError(f"{option_name(self.item.info)} must have its lower end first, not {value}", ctx)
        return low, high


def _range(ends: Sequence[float]) -> str:
    return ":".join(map(_shown, ends))


def _number(value: Any, kind: type) -> Any:
    """Text as a number, if it is one."""
    try:
        return kind(value) if kind in (int, float) else value
    except ValueError:
        return value


def _quoted(value: object) -> str:
    """A refused value, cut short."""
    return reprlib.repr(value)


def _noun(info: ParameterInfo) -> str:
    return {int: "a whole number", float: "a number"}.get(info.type, "a text")


class Size(ParamType):
    """A size such as 2GiB, in bytes."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            size = value if isinstance(value, int) else parse_size(value)
        except (ParameterError, OverflowError):
            size = 0
        if size < 1:
            name = param.opts[-1] if param else "this"
            raise click.UsageError(f"{name} must be a size such as 512MB or 2GiB, not {_quoted(value)}", ctx)
        return size


def usage_error(message: str) -> click.UsageError:
    """An error of the command that is being run, which points to its help."""
    return click.UsageError(message, click.get_current_context(silent=True))


def option_name(info: ParameterInfo) -> str:
    """`--min-share` of `min_share`; `--site` of `foreign`, since people call that so."""
    return "--" + (info.word or info.name).rstrip("_").replace("_", "-")


def parameter_option(parameters: type[Parameters], name: str, help_: str) -> Callable[[Command], Command]:
    """The option of one parameter for a command that has no default for it, and says in its own words what it does."""
    (info,) = (info for info in parameters.describe() if info.name == name)
    return _option(replace(info, default=None, help=help_))


def hidden_option(parameters: type[Parameters], name: str) -> Callable[[Command], Command]:
    """The option of one parameter for a command that takes it, but whose help does not list it."""
    (info,) = (info for info in parameters.describe() if info.name == name)
    return click.option(option_name(info), info.name, type=_kind(info), default=None, hidden=True)


def parameter_options(parameters: type[Parameters]) -> Callable[[Command], Command]:
    """One option for each parameter; the command gets a keyword for each, None if it was not given."""

    def decorate(command: Command) -> Command:
        for info in reversed(parameters.describe()):
            command = _option(info)(command)
        return command

    return decorate


def setting_options(*names: str) -> Callable[[Command], Command]:
    """The options of some settings alone."""

    def decorate(command: Command) -> Command:
        for info in reversed(Settings.describe()):
            command = _option(info)(command) if info.name in names else command
        return command

    return decorate


def _option(info: ParameterInfo) -> Callable[[Command], Command]:
    names = [option_name(info)]
    if info.word:
        names.append("--" + info.name.replace("_", "-"))  # an older word
    if len(info.name) == 1:
        names.insert(0, f"-{info.name}")
    text = f"{info.help[:1].upper()}{info.help[1:]}{_notes(info)}."
    if info.type is bool:
        return click.option(f"{names[0]}/--no-{names[0][2:]}", info.name, default=None, help=text)
    if info.is_pair:
        return click.option(*names, info.name, nargs=2, metavar="A B", default=None, help=text)
    return click.option(*names, info.name, type=_kind(info), default=None, help=text)


def _notes(info: ParameterInfo) -> str:
    """The default and the range, in brackets; those that say nothing are left out."""
    if info.usual:
        return f" (default: {info.usual})"
    silent = info.default in (None, "", ()) or info.default is False
    notes = [] if silent else [f"default {_default(info)}"]
    allowed = info.constraint
    if allowed.at_most is not None and allowed.at_most >= MOST - 1:
        allowed = replace(allowed, at_most=None)  # as large as numbers get
    if info.unit != "bytes" and allowed != Constraint() and not allowed.one_of:
        notes.append(("each " if info.many else "") + allowed.phrase(_noun(info)))
    return f" ({'; '.join(notes)})" if notes else ""


def _kind(info: ParameterInfo) -> ParamType:
    """How a value is read."""
    if info.unit == "bytes":
        return Size()
    return Range(info) if info.is_range else Values(info) if info.many else Value(info)


def _default(info: ParameterInfo) -> str:
    if info.unit == "bytes":
        return f"{info.default >> 20}MiB"
    return _range(info.default) if info.is_range else _shown(info.default)


def _shown(default: Any) -> str:
    if isinstance(default, tuple):
        return ",".join(map(_shown, default))
    return f"{default:g}" if isinstance(default, float) else str(default)


def given_parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that the user gave."""
    return {name: value for name, value in values.items() if value not in (None, ())}


def number_option(
    name: str, meaning: str, *, at_least: int, default: int | None = None
) -> Callable[[Command], Command]:
    """An option for a whole number that is no parameter of an analysis."""
    info = ParameterInfo(name, int, default, meaning, None, Constraint(at_least=at_least), optional=False, many=False)
    return click.option(option_name(info), name, type=Value(info), default=default, help=meaning)


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
