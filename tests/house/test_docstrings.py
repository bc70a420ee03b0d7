"""Every example (`>>>`) in the package runs, and prints what its docstring says."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

import unquilt

SRC = Path(__file__).parents[2] / "src"
EXAMPLE = re.compile(r"^ *>>> ", re.MULTILINE)
FILES = {path: len(EXAMPLE.findall(path.read_text(encoding="utf-8"))) for path in sorted(SRC.rglob("*.py"))}


def run_examples(name: str) -> tuple[int, int]:
    """Run the examples of a module: those of its docstrings, and that of the call in the API which an analysis has.
    Returns how many failed, and how many there were."""
    module = import_module(name)
    failed, tried = doctest.testmod(module)
    analysis = getattr(module, "DECLARATION", None)
    if analysis is not None and analysis.example:
        call = getattr(unquilt, analysis.name)
        names = {analysis.name: call, "label": unquilt.label}
        test = doctest.DocTestParser().get_doctest(call.__doc__, names, analysis.name, None, 0)
        result = doctest.DocTestRunner().run(test)
        failed, tried = failed + result.failed, tried + result.attempted
    return failed, tried


@pytest.mark.parametrize("path", [path for path, examples in FILES.items() if examples], ids=lambda path: path.stem)
def test_examples_in_docstrings_of_the_package_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
    assert run_examples(name) == (0, FILES[path]), "some example failed, or stands where nothing runs it"
