"""Options that are made from parameters.

An option whose value is out of range ends the command with one line that names the option and the range. No default of
an analysis is repeated here: an option that the user does not give is not passed on.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unquilt.errors import ParameterError
from unquilt.parameters import Constraint, ParameterInfo, Parameters

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType

Command = TypeVar("Command", bound=Callable[..., Any])

_PLACEHOLDERS: dict[type, str] = {int: "N", float: "X"}
MOST = 1 << 63
LARGE = (1 << 31) - 1
"""Upper limits from here on protect the program, and mean nothing to people: help does not give them."""


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
        from unquilt.settings import parse_size

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


def parameter_options(parameters: type[Parameters], *names: str) -> Callable[[Command], Command]:
    """An option for each parameter, or each of these; the command gets a keyword for each, None if it was not given."""

    def decorate(command: Command) -> Command:
        for info in reversed(parameters.describe()):
            command = command if names and info.name not in names else _option(info)(command)
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
    if allowed.at_most is not None and allowed.at_most >= LARGE:
        allowed = replace(allowed, at_most=None)
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


def share_option(name: str, meaning: str) -> Callable[[Command], Command]:
    """An option for a share, from 0 to 1, that is no parameter of an analysis."""
    allowed = Constraint(at_least=0, at_most=1)
    info = ParameterInfo(name, float, None, meaning, None, allowed, optional=True, many=False)
    return click.option(option_name(info), name, type=Value(info), metavar="SHARE", help=meaning)
