"""The modules of the package as those who look at the house read them: all are parsed once, when a test needs one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="session")
def trees() -> dict[Path, ast.Module]:
    """The trees of all modules, by their paths below src."""
    paths = (path.relative_to(SOURCES) for path in sorted(SOURCES.rglob("*.py")))
    return {path: ast.parse((SOURCES / path).read_text(encoding="utf-8")) for path in paths}
