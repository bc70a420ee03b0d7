"""Prints which tests are near to what changed since the last commit: `make near` runs these.

    python tools/near.py                 what differs from HEAD, and files that Git does not know yet
    python tools/near.py PATH…           the same for these files

Rooms of tests mirror those of the package, so a file of `src/unquilt/ROOM` has its tests in `tests/ROOM`. A module
without such a room has the tests that import it, or anything of its package. The tests of the house (layers, maps,
documents) are always near.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
HOUSE = "tests/house"
NATIVE = {
    "analyses": ("analyses", "flow"),
    "documents": ("analyses", "flow"),
    "flow": ("analyses", "flow"),
    "reading": ("corpus", "faults"),
    "sketches": ("analyses", "text"),
    "store": ("stores",),
    "text": ("text", "analyses"),
}
"""The rooms of tests for the folders of the kernels; other files of `native` have all of these."""


def list_changed() -> list[str]:
    """The files that differ from the last commit, with those that Git does not know and does not ignore."""
    asked = (["diff", "--name-only", "HEAD"], ["ls-files", "--others", "--exclude-standard"])
    ended = [subprocess.run(["git", *each], cwd=ROOT, check=True, capture_output=True, text=True) for each in asked]
    return [line for each in ended for line in each.stdout.splitlines()]


def find_tests(changed: Iterable[str]) -> list[str]:
    """The folders and files of tests that are near to some files, in order; nothing if no file is given."""
    paths = [PurePosixPath(path) for path in changed]
    if PurePosixPath("tests/conftest.py") in paths:
        return ["tests"]
    found = {test for path in paths for test in _find(path) if (ROOT / test).exists()}
    rooms = {test for test in found if not test.endswith(".py")} | ({HOUSE} if paths else set())
    return sorted(rooms | {test for test in found if str(PurePosixPath(test).parent) not in rooms})


def _find(path: PurePosixPath) -> Iterator[str]:
    match path.parts:
        case ("tests", "snapshots", room, file):
            yield f"tests/{room}/{PurePosixPath(file).stem}.py"
        case ("tests", _, *_) if path.name.startswith("test_"):
            yield str(path)
        case ("tests", file):
            yield from _find_users(PurePosixPath(file).stem)
        case ("tests", room, *_):
            yield f"tests/{room}"
        case ("src", "unquilt", room, _, *_) if (ROOT / "tests" / room).is_dir():
            yield f"tests/{room}"
        case ("src", "unquilt", "__init__.py" | "api.py"):
            yield "tests/cli"  # commands call all of the API
        case ("src", "unquilt", room, *_):
            yield from _find_users(f"unquilt.{PurePosixPath(room).stem}")
        case ("native", "kernels", "src", room, *_):
            yield from _name_rooms(PurePosixPath(room).stem)
        case ("native", *_) | ("Cargo.toml",) | ("Cargo.lock",):
            yield from _name_rooms("")
        case ("benchmarks" | "tools", *_):
            yield from _find_users(".".join(path.with_suffix("").parts))


def _name_rooms(native: str) -> list[str]:
    rooms = NATIVE.get(native) or sorted({room for rooms in NATIVE.values() for room in rooms})
    return [f"tests/{room}" for room in rooms]


def _find_users(module: str) -> Iterator[str]:
    """The tests that import a module, or something from it."""
    package, _, name = module.rpartition(".")
    forms = [rf"(?:import|from) {re.escape(module)}\b"]
    if package:
        forms.append(rf"from {re.escape(package)} import (?:.*\b|\([^)]*\b){re.escape(name)}\b")
    imports = re.compile(rf"^\s*(?:{'|'.join(forms)})", re.MULTILINE)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if imports.search(path.read_text(encoding="utf-8")):
            yield str(path.relative_to(ROOT))


if __name__ == "__main__":
    print(*find_tests(sys.argv[1:] or list_changed()))
