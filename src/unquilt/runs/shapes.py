"""Shapes of JSON: files that others may have changed are checked once, when they are read, and trusted from then on.

A shape is a function of a value and the place where it stands. It raises `Misfit`, which says what is wrong and where:

>>> person = a_record({"name": a_text, "children": a_list(a_text)})
>>> person({"name": "Ann", "children": ["Bob", 3]}, "")
Traceback (most recent call last):
unquilt.runs.shapes.Misfit: children, item 2, is not a text
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from unquilt.errors import RunError

Shape = Callable[[Any, str], None]

MOST = 1 << 128
"""Numbers must be smaller: no count of ours has more than 128 bits."""
DEEPEST = 8


class Misfit(ValueError):  # noqa: N818 - what does not fit is no error yet
    """A value does not have its shape."""


def a_text(value: Any, where: str) -> None:
    """Any text."""
    if not isinstance(value, str):
        raise Misfit(f"{where} is not a text")


def a_path(value: Any, where: str) -> None:
    """A text that can name a file."""
    a_text(value, where)
    try:
        possible = value and b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise Misfit(f"{where} is not a name of a file")


def a_count(value: Any, where: str) -> None:
    """A whole number that is not negative."""
    if type(value) is not int or not 0 <= value < MOST:
        raise Misfit(f"{where} is not a count")


def a_whole_number(value: Any, where: str) -> None:
    """A whole number."""
    if type(value) is not int or not -MOST < value < MOST:
        raise Misfit(f"{where} is not a whole number")


def a_duration(value: Any, where: str) -> None:
    """A number of seconds."""
    if type(value) not in (int, float) or not 0 <= value < MOST:
        raise Misfit(f"{where} is not a number of seconds")


def anything(value: Any, where: str, deep: int = DEEPEST) -> None:
    """Anything, if its numbers are finite and it is not nested too deeply."""
    if isinstance(value, list | dict) and not deep:
        raise Misfit(f"{where} is nested too deeply")
    if isinstance(value, dict):
        for name, item in value.items():
            anything(item, _at(where, name), deep - 1)
    elif isinstance(value, list):
        for number, item in enumerate(value, 1):
            anything(item, f"{where}, item {number},", deep - 1)
    elif isinstance(value, int | float) and not -MOST < value < MOST:  # or not a number (NaN)
        raise Misfit(f"{where} is out of range")


def a_record(
    required: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None, others: Shape = anything
) -> Shape:
    """An object with these entries; any further ones have the shape `others`."""
    known = {**required, **(optional or {})}

    def check(value: Any, where: str) -> None:
        _object(value, where)
        for name in required:
            if name not in value:
                raise Misfit(f"{_at(where, name)} is missing")
        for name, item in value.items():
            known.get(name, others)(item, _at(where, name))

    return check


def a_mapping(shape: Shape, names: Callable[[str], object] = str) -> Shape:
    """An object whose entries all have one shape, and names that `names` does not refuse."""

    def check(value: Any, where: str) -> None:
        _object(value, where)
        for name, item in value.items():
            try:
                names(name)
            except RunError as error:
                raise Misfit(f"{where} has an entry {name[:40]!a}, which is not allowed") from error
            shape(item, _at(where, name))

    return check


def a_list(shape: Shape) -> Shape:
    """A list whose items all have one shape."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, list):
            raise Misfit(f"{where} is not a list")
        for number, item in enumerate(value, 1):
            shape(item, f"{where}, item {number},")

    return check


def _object(value: Any, where: str) -> None:
    if not isinstance(value, dict):
        raise Misfit(f"{where or 'it'} is not an object")


def _at(where: str, name: str) -> str:
    """The place of an entry within the place of its object, as a message shows it."""
    inner = name if name.isprintable() and len(name) <= 40 else ascii(name[:40])
    return f"{where}.{inner}" if where else inner
