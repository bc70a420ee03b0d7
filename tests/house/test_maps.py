"""The docstring of each package is a map: a line for each module, and no line for a module that is gone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import unquilt

ROOT = Path(unquilt.__file__).parent
PACKAGES = [path.parent.relative_to(ROOT) for path in sorted(ROOT.rglob("__init__.py"))]
NAMELESS = {"__init__", "__main__"}
_LINE = re.compile(r"^(?: {4})?(\w+)(/?) {2,}\S", re.MULTILINE)
"""A line of a map: the name of a module (of a package with a slash), two spaces or more, and what it is for. The map is
indented by four spaces, unless nothing follows it: then `ruff format` takes the indentation away."""


def read_map(docstring: str) -> list[str]:
    """The names on the map, packages with a slash."""
    return ["".join(found) for found in _LINE.findall(docstring)]


def list_modules(folder: Path) -> set[str]:
    """The modules of a folder, and its packages with a slash."""
    modules = {path.stem for path in folder.glob("*.py")} - NAMELESS
    return modules | {f"{path.parent.name}/" for path in folder.glob("*/__init__.py")}


def test_docstring_has_a_line_for_each_module() -> None:
    for package in PACKAGES:
        source = (ROOT / package / "__init__.py").read_text(encoding="utf-8")
        named = read_map(ast.get_docstring(ast.parse(source)) or "")
        assert len(named) == len(set(named)), f"a module of {package} has two lines"
        assert set(named) == list_modules(ROOT / package), f"mend the map in the docstring of {package}/__init__.py"


def test_map_lines_are_told_from_examples() -> None:
    text = "Two modules.\n\n    one     the first\n    two/    the second\n\n    run = one(2)\n      three  is a file\n"
    assert read_map(text) == ["one", "two/"]
