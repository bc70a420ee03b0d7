"""What an analysis can be told: one frozen dataclass of parameters each, validated once.

A parameter is declared in one line, with its default, what it means and what it may be:

>>> @dataclass(frozen=True)
... class QuiltParameters(Parameters):
...     k: int = parameter(5, "words in a gram", at_least=1)
...     sigma: float = parameter(0.5, "least patch fraction of a quilt", at_least=0, at_most=1, symbol="σ")
>>> QuiltParameters(k=7)
QuiltParameters(k=7, sigma=0.5)
>>> QuiltParameters(sigma=2)
Traceback (most recent call last):
unquilt.errors.ParameterError: sigma must be a number between 0 and 1, not 2

The Python call, the command line (`describe`) and the manifest (`to_dict`) all derive from it, so that a default, a
range and an explanation stand in one place. A field is an `int`, `float`, `str` or `bool`, one of these `| None`, or a
`tuple[…, ...]` of them. Values are stored in one form (a float is a float even if given as 1; no -0.0; a list becomes a
tuple), so that equal parameters are equal in the manifest. What ties several fields together goes into `check`.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import math
import numbers
import reprlib
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from unquilt.errors import ParameterError

__all__ = ["Constraint", "ParameterInfo", "Parameters", "parameter", "part"]

T = TypeVar("T")
P = TypeVar("P", bound="Parameters")
Number = int | float
Scalar = int | float | str | bool

_DECLARATION = "unquilt parameter"
_PART = "unquilt part"
MOST_NUMBERED = 96
_NOUNS: dict[type, str] = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


@dataclass(frozen=True)
class Constraint:
    """The values a parameter may take, beyond its type."""

    at_least: Number | None = None
    above: Number | None = None
    at_most: Number | None = None
    below: Number | None = None
    one_of: tuple[Scalar, ...] | None = None

    def allow(self, value: Scalar) -> bool:
        """Tell whether `value`, already of the right type, is one of these."""
        if self.one_of is not None:
            return any(_is_choice(choice, value) for choice in self.one_of)
        if isinstance(value, str):
            return True
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )

    def phrase(self, noun: str) -> str:
        """Say them in words that follow "must be": a whole number of at least 1."""
        if self.one_of is not None:
            return "one of " + ", ".join(str(choice) for choice in self.one_of)
        if self.at_least is not None and self.at_most is not None:
            return f"{noun} between {self.at_least} and {self.at_most}"
        bounds = {"of at least": self.at_least, "above": self.above, "of at most": self.at_most, "below": self.below}
        given = " and ".join(f"{word} {bound}" for word, bound in bounds.items() if bound is not None)
        return f"{noun} {given}" if given else noun


def _is_choice(choice: Scalar, value: Scalar) -> bool:
    """Whether a value is this choice; `path:N` stands for `path:1` to `path:96`."""
    if not (isinstance(choice, str) and isinstance(value, str) and choice.endswith(":N")):
        return value == choice
    name, _, number = value.partition(":")
    plain = number.isascii() and number.isdigit() and not number.startswith("0") and len(number) < 3
    return name == choice[:-2] and plain and int(number) <= MOST_NUMBERED


@dataclass(frozen=True)
class _Declaration:
    help: str
    symbol: str | None
    constraint: Constraint
    is_range: bool = False
    unit: str = ""
    usual: str = ""
    is_pair: bool = False
    word: str = ""


def parameter(
    default: T,
    meaning: str,
    *,
    at_least: Number | None = None,
    above: Number | None = None,
    at_most: Number | None = None,
    below: Number | None = None,
    one_of: Sequence[Scalar] | None = None,
    symbol: str | None = None,
    is_range: bool = False,
    unit: str = "",
    usual: str = "",
    is_pair: bool = False,
    word: str = "",
) -> T:
    """Declare a field of a `Parameters` class: its default, what it means, and what it may be.

    The bounds and choices hold for each item of a tuple; `is_range` says that a tuple is the two ends of a range,
    `is_pair` that it has two items, or none.
    `symbol` is the paper's letter for the parameter, `unit` is `bytes` or `seconds`. `usual` says in words what the
    default stands for, where that is a value that means "as usual", such as 0 threads. `word` is what people call it,
    where that is another word than its name: the option has it, and the Python call takes both.
    """
    constraint = Constraint(at_least, above, at_most, below, None if one_of is None else tuple(one_of))
    declaration = _Declaration(meaning, symbol, constraint, is_range, unit, usual, is_pair, word)
    return dataclasses.field(default=default, metadata={_DECLARATION: declaration})


def part(kind: type[P]) -> P:
    """Declare a field that is itself `Parameters`, with its defaults; in the manifest it is a group of its own."""
    return dataclasses.field(default=kind(), metadata={_PART: kind})


@dataclass(frozen=True)
class ParameterInfo:
    """One parameter, described: enough to build a command line option or a line of the reference from it.

    `type` is the type of one value; `many` says that the parameter is a tuple of such values, `is_range` that these are
    the two ends of a range, `is_pair` that they are two or none, `optional` that it may be None; `unit`, `usual`
    and `word` are as in `parameter`.
    """

    name: str
    type: type
    default: Any
    help: str
    symbol: str | None
    constraint: Constraint
    optional: bool
    many: bool
    is_range: bool = False
    unit: str = ""
    usual: str = ""
    is_pair: bool = False
    word: str = ""

    @property
    def allowed(self) -> str:
        """The allowed values in words: "a number between 0 and 1"."""
        each = self.constraint.phrase(_NOUNS[self.type])
        words = f"a list, each item {each}" if self.many else each
        return f"{words} or None" if self.optional else words

    def validate(self, value: object) -> Any:
        """Return `value` in the form in which it is stored, or raise a ParameterError of one line."""
        if value is None and self.optional:
            return None
        if not self.many:
            return self._validate_one(value, self.word or self.name)
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            raise ParameterError(f"{self.name} must be {self.allowed}, not {_shown(value)}")
        if self.is_pair and len(value) not in (0, 2):
            raise ParameterError(f"{self.name} must have two items, not {_shown(value)}")
        return tuple(self._validate_one(item, f"item {i} of {self.name}") for i, item in enumerate(value, 1))

    def _validate_one(self, value: object, subject: str) -> Scalar:
        converted = _convert(value, self.type)
        if converted is None or not self.constraint.allow(converted):
            words = self.constraint.phrase(_NOUNS[self.type]) if self.many else self.allowed
            raise ParameterError(f"{subject} must be {words}, not {_shown(value)}")
        return converted


def _convert(value: object, wanted: type) -> Scalar | None:
    """Bring `value` into its one form, or return None if it is of another type or not finite.

    A bool is no number. numpy's numbers are, as they register with `numbers`.
    """
    if wanted is str or wanted is bool:
        return value if isinstance(value, str | bool) and type(value) is wanted else None
    if isinstance(value, bool):
        return None
    if wanted is int:
        return int(value) if isinstance(value, numbers.Integral) else None
    if not isinstance(value, numbers.Real):
        return None
    try:
        number = float(value) + 0.0  # -0.0 becomes 0.0
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


@dataclass(frozen=True)
class Parameters:
    """Base of all parameters: a frozen dataclass whose fields are all declared with `parameter` or `part`."""

    def __post_init__(self) -> None:
        for name, kind in self.parts().items():
            if not isinstance(getattr(self, name), kind):
                raise ParameterError(f"{name} must be {kind.__name__}, not {_shown(getattr(self, name))}")
        for info in self.describe():
            object.__setattr__(self, info.name, info.validate(getattr(self, info.name)))
        self.check()

    def check(self) -> None:
        """Override to check what ties several fields together; raise ParameterError. Each alone is already valid."""

    def to_dict(self) -> dict[str, Any]:
        """Return name → value in the order of declaration, all of it JSON: a tuple is a list, a part a dictionary."""
        return {field.name: _stored(getattr(self, field.name)) for field in dataclasses.fields(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Self:
        """Make parameters of a mapping; what it leaves out has its default, an unknown name is refused."""
        known = [field.name for field in dataclasses.fields(cls)]
        words = {info.word: info.name for info in cls.describe() if info.word}
        given: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known and name not in words:
                suggestion = _suggestion(str(name), [*known, *words])
                raise ParameterError(f"there is no parameter {_shown(name)}; {suggestion}")
            if words.get(name, name) in given:
                raise ParameterError(f"{name} is given twice: {words.get(name, name)} is another word for it")
            given[words.get(name, name)] = value
        for name, kind in cls.parts().items():
            inner = given.get(name)
            if isinstance(inner, Mapping):
                given[name] = kind.from_dict(inner)
        return cls(**given)

    @classmethod
    def describe(cls) -> tuple[ParameterInfo, ...]:
        """Describe every parameter, in the order of declaration; not those of `parts`, which describe their own."""
        key: Any = cls  # mypy does not see that a class hashes as an object, not as its instances do
        return _describe(key)

    @classmethod
    def parts(cls) -> dict[str, type[Parameters]]:
        """The fields that are parameters themselves."""
        return {field.name: field.metadata[_PART] for field in dataclasses.fields(cls) if _PART in field.metadata}


def _stored(value: Any) -> Any:
    if isinstance(value, Parameters):
        return value.to_dict()
    return list(value) if isinstance(value, tuple) else value


def _shown(value: object) -> str:
    """Show a refused value on one line, cut short, control characters escaped."""
    try:
        return " ".join(reprlib.repr(value).split())
    except ValueError:  # an int of more digits than Python agrees to print
        return f"so large a {type(value).__name__}"


def _suggestion(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]}?" if close else f"there are: {', '.join(known) or 'none'}"


@functools.cache
def _describe(cls: type[Any]) -> tuple[ParameterInfo, ...]:
    hints = typing.get_type_hints(cls)
    return tuple(
        _describe_field(field, hints[field.name]) for field in dataclasses.fields(cls) if _PART not in field.metadata
    )


def _describe_field(field: dataclasses.Field[Any], hint: Any) -> ParameterInfo:
    declaration = field.metadata.get(_DECLARATION)
    if not isinstance(declaration, _Declaration):
        raise TypeError(f"field {field.name} is not declared with parameter()")
    hint, optional = _without_none(hint)
    many = typing.get_origin(hint) is tuple and typing.get_args(hint)[1:] == (Ellipsis,)
    item = typing.get_args(hint)[0] if many else hint
    if item not in _NOUNS:
        raise TypeError(f"field {field.name} is of type {hint}: a parameter is an int, float, str or bool")
    info = ParameterInfo(
        name=field.name,
        type=item,
        default=field.default,
        help=declaration.help,
        symbol=declaration.symbol,
        constraint=declaration.constraint,
        optional=optional,
        many=many,
        is_range=declaration.is_range,
        unit=declaration.unit,
        usual=declaration.usual,
        is_pair=declaration.is_pair,
        word=declaration.word,
    )
    return dataclasses.replace(info, default=info.validate(field.default))


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Split `X | None` into X and True; leave everything else as it is."""
    if typing.get_origin(hint) not in (types.UnionType, typing.Union):
        return hint, False
    others = [option for option in typing.get_args(hint) if option is not types.NoneType]
    return (others[0], True) if len(others) == 1 else (hint, False)
