"""Runs that are killed, at any step and at any time; kill_toy_runs.py does it."""

from __future__ import annotations

import os
import subprocess
import sys

import kill_toy_runs
import pytest

pytestmark = pytest.mark.slow

SCENARIOS = ("kill-steps", "kill-steps-with-scratch", "kill-times", "kill-overwriting", "kill-overwriting-renames")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_killed_run_never_looks_complete_and_resumes_to_the_same_bytes(tmp_path, scenario):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, kill_toy_runs.__file__, scenario, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 20
