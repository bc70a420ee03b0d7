"""Where processes cannot be forked, as on Windows: one line says so, before imports of what such systems lack."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ELSEWHERE = """
import os, signal, sys
for owner, name in ((os, "fork"), (os, "sched_getaffinity"), (os, "sysconf"), (signal, "SIGKILL")):
    if hasattr(owner, name):
        delattr(owner, name)
for module in ("fcntl", "resource", "unquilt._core"):
    sys.modules[module] = None
"""
"""Makes this Python like one on Windows, as far as unquilt asks; the core cannot be built there."""
SAID = "unquilt needs Linux or macOS, as it forks processes; on Windows, run it in WSL"


def run_elsewhere(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", ELSEWHERE + code]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"})


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["demo"], ["quilts", ".", "-o", "run"], ["no"]])
@pytest.mark.parametrize(
    "start", ["from unquilt.cli import main; main()", "import runpy; runpy.run_module('unquilt', run_name='__main__')"]
)
def test_the_command_line_refuses_windows_in_one_line(start, arguments):
    result = run_elsewhere(f"sys.argv[:] = {['unquilt', *arguments]!r}\n{start}")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"unquilt: {SAID}\n")


@pytest.mark.parametrize("use", ["uq.quilts", "uq.Settings", "from unquilt import words"])
def test_python_refuses_windows_in_one_line(use):
    result = run_elsewhere(f"import unquilt as uq\nprint('imported')\n{use}")
    assert result.stdout == "imported\n"
    assert result.stderr.splitlines()[-1] == f"unquilt.errors.UnsupportedSystemError: {SAID}"
