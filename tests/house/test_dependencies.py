"""The package imports nothing that pyproject.toml does not declare.

This reads the code. `make stranger` is the other half of the proof: it installs the wheel alone, and uses it.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NEED_NUMPY = {"to_numpy", "to_pandas", "fetchnumpy", "df", "fetchdf"}
"""Methods of pyarrow and DuckDB that import NumPy or pandas, which are not among our dependencies."""


def modules_of(requirements: list[str]) -> set[str]:
    """The modules that requirements bring."""
    return {re.split(r"[<>=!~;\[ ]", each)[0].lower().replace("-", "_") for each in requirements}


REQUIRED = modules_of(PROJECT["dependencies"])
OPTIONAL = {name: modules_of(PROJECT["optional-dependencies"][name]) for name in ("hf", "page", "spark")}


def imports(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """The modules that a file imports, and whether at its top (which runs as soon as the file is imported)."""
    top = set(map(id, ast.iter_child_nodes(tree)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((each.name.split(".")[0], id(node) in top) for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0], id(node) in top


def test_imports_are_declared(trees: dict[Path, ast.Module]) -> None:
    known = REQUIRED | set().union(*OPTIONAL.values()) | {"unquilt"} | set(sys.stdlib_module_names)
    found = {str(path): {name for name, _ in imports(tree)} - known for path, tree in trees.items()}
    assert {path: names for path, names in found.items() if names} == {}


def test_extras_are_imported_late(trees: dict[Path, ast.Module]) -> None:
    """What an extra brings is imported when it is used, or in a folder that needs it anyway, and never by the core."""
    extras = set().union(*OPTIONAL.values()) - REQUIRED
    early = {path: {name for name, top in imports(tree) if top} & extras for path, tree in trees.items()}
    assert {path.parts[1] for path, names in early.items() if names} <= {"page"}


def test_nothing_needs_numpy_unseen(trees: dict[Path, ast.Module]) -> None:
    """`to_numpy()` of an Arrow column works only where NumPy happens to be installed."""
    for path, tree in trees.items():
        calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
        named = {call.attr for call in calls if isinstance(call, ast.Attribute)}
        assert not named & NEED_NUMPY, path


def test_the_lowest_versions_are_those_that_are_promised() -> None:
    """`make lowest` and `make stranger` try what tests/lowest.txt pins."""
    pins = dict(re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "tests" / "lowest.txt").read_text(), re.MULTILINE))
    promised = [
        *PROJECT["dependencies"],
        *(each for name in OPTIONAL for each in PROJECT["optional-dependencies"][name]),
    ]
    bounds = dict(re.match(r"([\w-]+)>=([\d.]+)", each).groups() for each in promised)  # type: ignore[union-attr]
    assert pins.keys() == bounds.keys()
    assert {name for name, bound in bounds.items() if not f"{pins[name]}.0".startswith(f"{bound}.")} == set()
