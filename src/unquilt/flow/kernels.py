"""Kernels by name, as analyses ask for them, and what each says of itself.

A kernel states its contract once, in Rust, beside its struct: the columns it reads, what it is told, the rows that
leave each of its ports. Here the contract is compared with what an analysis asks for, so that a plan that does not fit
is refused when it is noted, before anything runs:

>>> Kernel("scan", k=5, key=None).ports
(Port(name='grams', key='hash'), Port(name='documents', key='doc'))
>>> Kernel("scam", k=5, key=None)
Traceback (most recent call last):
unquilt.errors.PlanError: there is no kernel 'scam'; did you mean 'scan'?
>>> Kernel("scan", k="five", key=None)
Traceback (most recent call last):
unquilt.errors.PlanError: kernel scan: k must be a whole number of at least 1, not 'five'
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from unquilt import _native
from unquilt.errors import PlanError

DOC = "doc"
"""Rows keyed by documents: dense numbers below the size of the corpus."""


@dataclass(frozen=True)
class Side:
    """A file that kernels look things up in: mapped into memory on each machine that needs it, never sent in a task."""

    name: str
    path: str


@dataclass(frozen=True)
class Field:
    """A field of a row, or a column."""

    name: str
    kind: str

    def __str__(self) -> str:
        return f"{self.name} ({self.kind})"


Fields = tuple[Field, ...]


@dataclass(frozen=True)
class Shape:
    """What rows or columns look like: `which` is the word for it in `native/binding/src/kernels.rs`, such as "fields"
    or "any"; the fields, or the numbers of tables, are those that belong to it."""

    which: str
    fields: Fields = ()
    tables: tuple[int, ...] = ()

    @classmethod
    def of(cls, said: tuple[str, Sequence[Any]]) -> Shape:
        which, rest = said
        return cls(which, (), tuple(rest)) if which == "tables" else cls(which, _fields(rest))


def _fields(said: Sequence[tuple[str, str]]) -> Fields:
    return tuple(Field(name, kind) for name, kind in said)


@dataclass(frozen=True)
class Port:
    """Where rows leave a kernel: the kind of their keys, and what they look like."""

    name: str
    key: str
    shape: Shape = field(repr=False)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel: its name, its kind, and the words it may be if it is a choice."""

    name: str
    kind: str
    choices: tuple[str, ...]

    @property
    def wanted(self) -> str:
        """What it has to be, in words that follow "must be"."""
        return f"one of {', '.join(self.choices)}" if self.choices else _WANTED[self.kind][0]

    def fits(self, value: object) -> bool:
        return value in self.choices if self.choices else _WANTED[self.kind][1](value)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 64


def _is_real(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value)


def _all(fits: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list | tuple) and all(map(fits, value))


_WANTED: dict[str, tuple[str, Callable[[object], bool]]] = {
    "flag": ("true or false", lambda value: isinstance(value, bool)),
    "number": ("a whole number of at least 0", _is_number),
    "positive": ("a whole number of at least 1", lambda value: _is_number(value) and value != 0),
    "small": ("a whole number from 0 to 255", lambda value: _is_number(value) and value in range(256)),
    "real": ("a number", _is_real),
    "numbers": ("a list of whole numbers of at least 0", _all(_is_number)),
    "reals": ("a list of numbers", _all(_is_real)),
    "text": ("text", lambda value: isinstance(value, str)),
    "key": ("16 bytes or None", lambda value: value is None or (isinstance(value, bytes) and len(value) == 16)),
    "side": ("a side", lambda value: isinstance(value, Side)),
}


@dataclass(frozen=True)
class Contract:
    """What a kernel says of itself."""

    name: str
    maps: bool
    reads: Shape
    beside: Shape
    only: Mapping[str, tuple[str, str, bool]]
    """Columns that are read only if a parameter has some value, or another one."""
    tables: tuple[Shape, ...]
    key: str
    """What the keys of rows are that meet in it; empty if it maps."""
    repeated: bool
    parameters: tuple[Parameter, ...]
    keeps: str
    _ports: tuple[tuple[Port, tuple[str, str, bool] | None], ...]

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Contract:
        ports = [(Port(port["name"], port["key"], Shape.of(port["shape"])), port["when"]) for port in said["ports"]]
        return cls(
            name=said["name"],
            maps="reads" in said,
            reads=Shape.of(said.get("reads", ("nothing", ()))),
            beside=Shape.of(said.get("beside", ("nothing", ()))),
            only=dict(said.get("only", ())),
            tables=tuple(Shape.of(table) for table in said.get("tables", ())),
            key=said.get("key", ""),
            repeated=said.get("repeated", False),
            parameters=tuple(Parameter(name, kind, tuple(choices)) for name, kind, choices in said["parameters"]),
            keeps=said["keeps"],
            _ports=tuple(ports),
        )

    def check(self, given: Mapping[str, Any]) -> None:
        """Raise PlanError unless these are all the parameters, and no others, each of its kind."""
        known = {parameter.name for parameter in self.parameters}
        for name in given:
            if name not in known:
                others = f"; it has {', '.join(sorted(known))}" if known else "; it has none"
                raise PlanError(f"kernel {self.name} has no parameter {name}{others}")
        for parameter in self.parameters:
            if parameter.name not in given:
                raise PlanError(f"kernel {self.name}: {parameter.name} is missing")
            if not parameter.fits(given[parameter.name]):
                value = given[parameter.name]
                raise PlanError(f"kernel {self.name}: {parameter.name} must be {parameter.wanted}, not {value!r}")

    def columns(self, given: Mapping[str, Any]) -> tuple[str, ...]:
        """The columns that it says it reads with these parameters."""
        names = (each.name for each in self.reads.fields)
        return tuple(name for name in names if name not in self.only or _is_met(self.only[name], given))

    def ports(self, given: Mapping[str, Any]) -> tuple[Port, ...]:
        """The ports that exist with these parameters."""
        return tuple(port for port, when in self._ports if when is None or _is_met(when, given))


def _is_met(when: tuple[str, str, bool], given: Mapping[str, Any]) -> bool:
    name, value, equal = when
    said = given[name]
    return ((str(said).lower() if isinstance(said, bool) else said) == value) is equal


@cache
def contracts() -> Mapping[str, Contract]:
    """What each kernel says of itself, by name."""
    return {said["name"]: Contract.of(said) for said in _native.contracts()}


class Kernel:
    """A native kernel with its parameters. One that reads any columns is given their names, that of the key first."""

    def __init__(self, name: str, columns: Sequence[str] = (), **parameters: Any) -> None:
        if name not in contracts():
            near = difflib.get_close_matches(name, contracts(), 1)
            raise PlanError(f"there is no kernel {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        self.contract = contracts()[name]
        self.contract.check(parameters)
        if bool(columns) != (self.contract.reads.which == "any"):
            raise PlanError(f"kernel {name} " + ("says itself which columns it reads" if columns else "needs columns"))
        self.name = name
        self.parameters = parameters
        self.columns = tuple(columns) or self.contract.columns(parameters)
        """The columns that it reads, if it is a kernel for `map`."""
        self.ports = self.contract.ports(parameters)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_kernel, (self.name, self.columns if self.contract.reads.which == "any" else (), self.parameters)

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.parameters.items() if name != "key")
        return f"Kernel({self.name!r}{given})"


def _make_kernel(name: str, columns: Sequence[str], parameters: Mapping[str, Any]) -> Kernel:
    return Kernel(name, columns, **parameters)
