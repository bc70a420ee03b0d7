"""Cases tried in a process that can be lost: one that hangs or crashes is a finding, and does not end the bench.

The process is `python -m fault_bench.guard FOLDER`: cases come in by line, findings go out. A timer of processor time
that nobody handles ends it, so that a busy machine finds no more than an idle one.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import Self

from fault_bench.cases import Case, try_case
from fault_bench.verdicts import Finding

DEADLINE = 20
"""Seconds of processor time for a file of some kilobytes, which takes a few milliseconds."""
PATIENCE = 600
"""Seconds until a process that uses no processor time is given up."""
MEMORY = 4 << 30
TESTS = Path(__file__).resolve().parents[1]


class Guard:
    """Tries cases, one at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        paths = [str(TESTS), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fault_bench.guard", str(self._folder)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def try_case(self, case: Case) -> list[Finding]:
        """What is wrong with how the files of a case are read, or with what that does to a process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{case}\n".encode())
        self._process.stdin.flush()
        if select.select([self._process.stdout], [], [], PATIENCE)[0]:
            answer = self._process.stdout.readline()
            if answer:
                return [Finding(*each) for each in json.loads(answer)]
        self._process.kill()
        self._process.communicate()
        code = self._process.returncode
        self.__enter__()
        if code in (-signal.SIGPROF, -signal.SIGKILL):
            return [Finding("hang", f"more than {DEADLINE} s of processor time, or {PATIENCE} s without any")]
        return [Finding("crash", f"the process ended with exit code {code}")]


def _serve(folder: Path) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_PROF, DEADLINE)
        try:
            case = Case.parse(line.strip())
            found = try_case(case, folder / case.kind)  # of its own, as some are read as folders
        except Exception:  # noqa: BLE001 - whatever it is: that it was raised is the finding
            found = [Finding("raised", traceback.format_exc())]
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
