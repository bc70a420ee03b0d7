"""The regular expressions of `unquilt.corpus`, found by introspection, and strings that each of them may choke on.

A regular expression takes too long where a repetition can match the same characters in several ways, and what follows
does not match. So strings are made of what stands in it: something that leads into a repetition, then its literals and
members of its classes, one or two of them again and again, then what nothing expects.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any

import unquilt.corpus

ALPHABET = "aAbx09 \t\n\r\x01:;=-_.,<>\"'?!*/\\&#%+@~`(\x80é"
UNBOUNDED = 16
"""A repetition that may go on so far counts as one without end."""

Strings = tuple[Any, Any, Any]

METHODS: dict[str, Callable[[re.Pattern[Any]], Callable[[Any], object]]] = {
    "match": lambda pattern: pattern.match,
    "fullmatch": lambda pattern: pattern.fullmatch,
    "search": lambda pattern: pattern.search,
    **dict.fromkeys(
        ("finditer", "findall", "sub", "split"), lambda pattern: lambda text: sum(1 for _ in pattern.finditer(text))
    ),
}


@dataclass
class Found:
    """A regular expression, how it is used, and what it is called."""

    pattern: re.Pattern[Any]
    methods: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


@cache
def find() -> dict[str, Found]:
    """All of them by name: those of modules, of the tuples in modules, and those that stand in a call."""
    names = [module.name for module in pkgutil.walk_packages(unquilt.corpus.__path__, "unquilt.corpus.")]
    modules = [importlib.import_module(name) for name in names]
    found: dict[re.Pattern[Any], Found] = {}  # equal ones are one
    named: dict[str, Found] = {}
    for module in modules:
        for name, value in vars(module).items():
            parts = value._asdict() if isinstance(value, tuple) and hasattr(value, "_asdict") else {"": value}
            for part, pattern in parts.items():
                if isinstance(pattern, re.Pattern):
                    if pattern not in found:
                        full = ".".join(filter(None, (module.__name__.split(".")[-1], name, part)))
                        found[pattern] = named[full] = Found(pattern)
                    found[pattern].names.add(part or name)
    for module in modules:
        for call in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in METHODS:
                _note_use(call, call.func, module, named)
    return named


def _note_use(call: ast.Call, function: ast.Attribute, module: Any, named: dict[str, Found]) -> None:
    of = function.value
    if isinstance(of, ast.Name) and of.id == "re":
        (literal, *_) = call.args
        assert isinstance(literal, ast.Constant), f"{module.__name__}, line {call.lineno}: not a literal"
        name = f"{module.__name__.split('.')[-1]}, line {call.lineno}"
        named[name] = Found(re.compile(literal.value), {function.attr})
    elif isinstance(of, ast.Name):
        pattern = getattr(module, of.id, None)
        for found in named.values():
            if found.pattern == pattern:
                found.methods.add(function.attr)
    elif isinstance(of, ast.Attribute):  # an attribute of another module, or of whatever has one of this name
        for found in named.values():
            if of.attr in found.names:
                found.methods.add(function.attr)


def attacks(pattern: re.Pattern[Any], most: int | None) -> Iterator[Strings]:
    """(before, unit, after): the unit is to be repeated. At most so many, drawn by lot."""
    tree = _Tree(pattern)
    tokens = tree.tokens()
    units = [*tokens, *(a + b for a, b in product(tokens, repeat=2) if a != b)]
    afters = [tree.text(after) for after in ("", "\x01", "\n", "x")]
    befores = list(dict.fromkeys([tree.text(""), *tree.befores()]))
    tried = list(product(befores, units, afters))
    yield from tried if most is None or len(tried) <= most else random.Random(0).sample(tried, most)


class _Tree:
    """A regular expression as `re` parses it."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self.pattern = pattern
        self.tree = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)

    def text(self, characters: str) -> Any:
        return characters.encode("latin-1", "replace") if isinstance(self.pattern.pattern, bytes) else characters

    def _members(self, operation: Any, argument: Any) -> list[str]:
        """A few characters that are matched here."""
        tree = _parser.SubPattern(self.tree.state, [(operation, argument)])
        single = _compiler.compile(tree, self.pattern.flags & (re.IGNORECASE | re.DOTALL | re.ASCII))
        probe = (lambda c: c.encode("latin-1")) if isinstance(self.pattern.pattern, bytes) else (lambda c: c)
        return [character for character in ALPHABET if single.fullmatch(probe(character))][:4]

    def _samples(self, operation: Any, argument: Any) -> list[str]:
        """Strings that are matched here, the shortest first."""
        name = str(operation)
        if name == "LITERAL":
            return [chr(argument)]
        if name in ("NOT_LITERAL", "ANY", "IN"):
            return self._members(operation, argument) or ["a"]
        if name == "BRANCH":
            return [self._sample(branch) for branch in argument[1]]
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return [self._sample(argument[2]) * max(argument[0], 1)]
        if name == "SUBPATTERN":
            return [self._sample(argument[3])]
        if name == "ATOMIC_GROUP":
            return [self._sample(argument)]
        return [""]

    def _sample(self, sequence: Sequence[Any]) -> str:
        return "".join(self._samples(operation, argument)[0] for operation, argument in sequence)

    def _walk(self, sequence: Any, before: str = "") -> Iterator[tuple[str, Any, Any]]:
        """All parts, each with a string that leads to it."""
        for operation, argument in sequence:
            yield before, operation, argument
            inner = {
                "BRANCH": lambda a: a[1],
                "SUBPATTERN": lambda a: [a[3]],
                "ATOMIC_GROUP": lambda a: [a],
                "ASSERT": lambda a: [a[1]],
                "ASSERT_NOT": lambda a: [a[1]],
            }.get(str(operation), lambda a, o=str(operation): [a[2]] if o.endswith("_REPEAT") else [])
            for part in inner(argument):
                yield from self._walk(part, before)
            before += self._samples(operation, argument)[0]

    def befores(self) -> Iterator[Any]:
        """What leads into each repetition without end, and through one round of it."""
        for before, operation, argument in self._walk(self.tree):
            if str(operation).endswith("_REPEAT") and argument[1] >= UNBOUNDED:
                yield self.text(before)
                yield self.text(before + self._sample(argument[2]))

    def tokens(self) -> list[Any]:
        """Runs of literals, members of classes, rounds of repetitions."""
        found: dict[str, None] = {}
        run = ""
        for _, operation, argument in self._walk(self.tree):
            if str(operation) == "LITERAL":
                run += chr(argument)
                continue
            found |= dict.fromkeys(filter(None, (run, run[:1], run[-1:])))
            run = ""
            found |= dict.fromkeys(filter(None, self._samples(operation, argument)))
        found |= dict.fromkeys(filter(None, (run,)))
        return [self.text(token) for token in found if token]
