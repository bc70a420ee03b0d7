"""Python files in the folder of the data: whatever they are called, none of them is run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import unquilt

pytestmark = pytest.mark.slow

PLANTED = ("struct", "json", "pyspark", "unquilt", "click", "pyarrow", "pickle", "tempfile", "numpy", "sitecustomize")
START = "from unquilt.cli import main; main()"


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """A folder with pages, and with modules that leave a trace when they are imported."""
    for name in PLANTED:
        trace = tmp_path / "traces" / name
        (tmp_path / f"{name}.py").write_text(f"open({str(trace)!r}, 'w').close()\nraise ImportError('planted')\n")
    (tmp_path / "traces").mkdir()
    lines = [json.dumps({"id": str(number), "text": f"one two three four {number}"}) for number in range(3)]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    return tmp_path


def run(folder: Path, *command: str) -> None:
    """Run a command in a folder, as if Python had been told nothing about safe paths."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    environment["PYTHONPATH"] = str(Path(unquilt.__file__).parents[1])
    done = subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list((folder / "traces").iterdir()) == []


@pytest.mark.skipif(shutil.which("java") is None and "JAVA_HOME" not in os.environ, reason="there is no Java for Spark")
def test_no_worker_of_spark_imports_what_lies_beside_the_data(beside: Path) -> None:
    """docs/faults.md 46: as the command `unquilt` does it, whose path begins with the folder it is installed in."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    asked = "lexicon build pages.jsonl -o lexicon --nidf 0:1 -q --engine spark --master local[1]"
    run(beside, "-P", "-c", START, *asked.split())
    assert (beside / "lexicon").exists()


@pytest.mark.parametrize("module", ["unquilt", "unquilt.cli"])
def test_as_a_module_unquilt_leaves_the_current_folder(beside: Path, module: str) -> None:
    (beside / "unquilt.py").unlink()  # which Python would run instead
    run(beside, "-m", module, "show", "--help")
