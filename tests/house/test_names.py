"""One name, one meaning: who searches for a type finds one definition."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import unquilt

PACKAGE = Path(unquilt.__file__).parent
NATIVE = Path(__file__).parents[2] / "native"
_RUST = re.compile(r"^\s*pub(?:\([^)]*\))? (?:struct|enum) (\w+)", re.MULTILINE)

ALLOWED_IN_PYTHON: set[str] = set()
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
    """All classes of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, str(path.relative_to(PACKAGE))


def rust_types() -> Iterator[tuple[str, str]]:
    """The structs and enums of the core that others may use, as far as a regular expression finds them."""
    for path in sorted(NATIVE.rglob("*.rs")):
        for name in _RUST.findall(path.read_text(encoding="utf-8")):
            yield name, str(path.relative_to(NATIVE))


def test_each_class_is_defined_once() -> None:
    found = repeated(python_classes())
    assert {name: where for name, where in found.items() if name not in ALLOWED_IN_PYTHON} == {}


def test_each_type_of_the_core_is_defined_once() -> None:
    assert "Sorter" in dict(rust_types())
    found = repeated(rust_types())
    assert {name: where for name, where in found.items() if name not in ALLOWED_IN_RUST} == {}


def test_exceptions_are_still_needed() -> None:
    assert repeated(python_classes()).keys() >= ALLOWED_IN_PYTHON
    assert repeated(rust_types()).keys() >= ALLOWED_IN_RUST
