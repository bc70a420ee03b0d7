"""One name, one meaning: who searches for a type finds one definition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import unquilt

PACKAGE = Path(unquilt.__file__).parent
NATIVE = Path(__file__).parents[2] / "native"
_PYTHON = re.compile(r"^class (\w+)", re.MULTILINE)
_RUST = re.compile(r"^\s*pub(?:\([^)]*\))? (?:struct|enum) (\w+)", re.MULTILINE)

ALLOWED_IN_RUST = {
    *("Labels", "Members", "Prototypes"),  # the binding has what Python sees of them
    "Slide",  # over our own fingerprints and over Rabin's: to be renamed
}


def repeated(found: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    """The names that are defined in more than one place, with their places."""
    places: dict[str, list[str]] = {}
    for name, place in found:
        places.setdefault(name, []).append(place)
    return {name: where for name, where in places.items() if len(where) > 1}


def python_classes() -> Iterator[tuple[str, str]]:
    """All classes of the package that are not within others."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in _PYTHON.findall(path.read_text(encoding="utf-8")):
            yield name, str(path.relative_to(PACKAGE))


def rust_types() -> Iterator[tuple[str, str]]:
    """The structs and enums of the core that others may use, as far as a regular expression finds them."""
    for path in sorted(NATIVE.rglob("*.rs")):
        for name in _RUST.findall(path.read_text(encoding="utf-8")):
            yield name, str(path.relative_to(NATIVE))


def test_each_class_is_defined_once() -> None:
    assert dict(python_classes())["Table"] == "tables/table.py"
    assert repeated(python_classes()) == {}


def test_each_type_of_the_core_is_defined_once_but_for_exceptions() -> None:
    """An exception that is no longer one has to go from the list, too."""
    assert "Sorter" in dict(rust_types())
    assert repeated(rust_types()).keys() == ALLOWED_IN_RUST


def test_a_second_definition_is_found() -> None:
    found = iter([("Row", "a.py"), ("Table", "a.py"), ("Row", "b.py")])
    assert repeated(found) == {"Row": ["a.py", "b.py"]}
