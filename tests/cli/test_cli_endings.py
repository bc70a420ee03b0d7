"""How commands end: signals, pipes, full disks and bugs, in processes of their own where it matters."""

from __future__ import annotations

import errno
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

import unquilt
from unquilt.cli import cli
from unquilt.cli.terminal import endings

pytestmark = pytest.mark.slow

UNQUILT = [sys.executable, "-m", "unquilt.cli"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with more rows than fit into a pipe."""
    folder = tmp_path_factory.mktemp("endings")
    lines = (f'{{"id": "{number}", "text": "{"a b c d e f " * 3}{number}"}}\n' for number in range(1_500))
    (folder / "pages.jsonl").write_text("".join(lines))
    unquilt.ingest(folder / "pages.jsonl", folder / "corpus")
    return folder / "corpus"


def invoke(*arguments: object):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="unquilt")


@pytest.mark.parametrize("buffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["documents", "--json"], ["documents", "--limit", "1500"], ["--help"]])
def test_a_reader_that_goes_away_is_no_error(run, arguments, buffered):
    environment = os.environ | {"PYTHONUNBUFFERED": buffered}
    command = [*UNQUILT, "show", str(run), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        if arguments != ["--help"]:
            assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["show", "{run}"], ["--help"]])
def test_standard_output_without_room(run, arguments):
    command = [*UNQUILT, *(argument.format(run=run) for argument in arguments)]
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (result.returncode, result.stderr) == (1, "unquilt: no space left on device: standard output\n")


def interrupt(command: list[str], until: Path, number: int) -> subprocess.CompletedProcess:
    """Run a command in a group of its own, and send the whole group a signal when a file is there."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 300
    while not until.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    with suppress(ProcessLookupError):  # it was done before
        os.killpg(process.pid, number)
    out, err = process.communicate(timeout=300)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def test_an_interrupted_demo_resumes(tmp_path):
    folder = tmp_path / "demo"
    command = [*UNQUILT, "demo", "--pages", "2000", "-o", str(folder)]
    for until, number, word in (
        (folder / "pages-2000-seed-1" / "part-0001.jsonl", signal.SIGINT, "interrupted"),
        (folder / "corpus" / "manifest.json", signal.SIGTERM, "terminated"),
        (folder / "quilts" / "manifest.json", signal.SIGINT, "interrupted"),
    ):
        for _ in range(5):  # one that was done before the signal came has to begin again
            result = interrupt(command, until, number)
            if result.returncode:
                break
            shutil.rmtree(until.parent)
        assert (result.returncode, result.stdout) == (128 + number, "")
        assert result.stderr.splitlines()[-1] == f"unquilt: {word}; the same command resumes"
        assert "Traceback" not in result.stderr
    shown = subprocess.run([*UNQUILT, "show", str(folder / "quilts")], capture_output=True, text=True, check=True)
    assert "NOT COMPLETE" in shown.stdout
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Every planted quilt was found." in result.stdout
    assert unquilt.read(folder / "quilts").complete


@pytest.mark.parametrize(
    ("error", "arguments", "line", "code"),
    [
        (KeyboardInterrupt(), ["quilts", "show"], "interrupted; the same command resumes", 130),
        (KeyboardInterrupt(), ["show", "quilts"], "interrupted", 130),
        (KeyboardInterrupt(), ["passages", "x"], "interrupted; the same command resumes", 130),
        (KeyboardInterrupt(), ["reuse", "detect", "x"], "interrupted; the same command resumes", 130),
        (KeyboardInterrupt(), ["reuse", "label", "x"], "interrupted", 130),
        (endings.Stopped(signal.SIGTERM), ["--traceback", "demo"], "terminated; the same command resumes", 143),
        (OSError(errno.ENOSPC, "", "/a/b"), ["show"], "no space left on device: /a/b", 1),
        (OSError(errno.ENOSPC, "Error writing"), ["quilts", "x", "-o", "out"], "no space left on device: out", 1),
        (OSError(errno.ENOSPC, "Error writing"), ["quilts", "x", "--output=out"], "no space left on device: out", 1),
        (PermissionError(errno.EACCES, "", b"/a"), ["show"], "permission denied: /a", 1),
        (MemoryError(), [], "out of memory; try a smaller --memory or fewer --threads", 1),
        (
            RuntimeError("can't start new thread"),
            [],
            "out of memory, or no process is left for another thread (ulimit -a); "
            "try a smaller --memory or fewer --threads",
            1,
        ),
        (KeyError("x"), [], "internal error: KeyError: 'x'; please report this with --traceback", 1),
        (endings.RejectsError("too many"), [], "too many", 3),
    ],
)
def test_every_end_has_one_line_and_a_code(error, arguments, line, code):
    assert endings.explain(error, arguments) == (line, code)


class TestBugs:
    @pytest.fixture(autouse=True)
    def _bug(self, monkeypatch):
        def fail(*_):
            raise ZeroDivisionError("two\nlines \x1b[2J")

        monkeypatch.delenv("UNQUILT_TRACEBACK", raising=False)
        monkeypatch.setattr("unquilt.runs.Run.read", fail)

    def test_one_line(self, tmp_path):
        result = invoke("show", tmp_path)
        assert (result.exit_code, result.stdout) == (1, "")
        error = r"ZeroDivisionError: two\nlines \x1b[2J"
        assert result.stderr == f"unquilt: internal error: {error}; please report this with --traceback\n"

    @pytest.mark.parametrize("arguments", [["--traceback", "show", "."], ["show", ".", "--traceback"]])
    def test_traceback_by_option(self, arguments):
        result = invoke(*arguments)
        assert result.exit_code == 1
        assert result.stderr.startswith("Traceback (most recent call last):\n")
        assert "\x1b" not in result.stderr

    @pytest.mark.parametrize(("value", "shown"), [("1", True), ("0", False), ("", False)])
    def test_traceback_by_environment(self, value, shown, monkeypatch):
        monkeypatch.setenv("UNQUILT_TRACEBACK", value)
        assert ("Traceback" in invoke("show", ".").stderr) is shown


def test_signals_are_as_before_afterwards():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    invoke("--version")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_what_an_encoding_does_not_have_is_escaped(run):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [*UNQUILT, "show", str(run), "documents", "--limit", "1"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert result.stdout.splitlines()[-1].startswith(r"\u2026 and 1,499 more")


def run_on_terminal(code: str, **environment: str) -> str:
    """What a program writes to a terminal of 100 columns."""
    leader, follower = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    env |= {"TERM": "xterm"} | environment
    streams = {"stdin": follower, "stdout": follower, "stderr": follower}
    with subprocess.Popen([sys.executable, "-c", code], env=env, **streams) as process:
        os.close(follower)
        written = b""
        try:
            while block := os.read(leader, 65536):
                written += block
        except OSError:  # the other end is closed
            pass
        assert process.wait() == 0
    os.close(leader)
    return written.decode()


SHOW = """
import sys, time
from unquilt.cli.terminal import progress
progress.PATIENCE = 0.05
progress.find_label("read")  # which imports all analyses, and may take longer than the stage below
with progress.choose_progress(quiet=False).stage("read", 10, "B") as step:
    time.sleep(0.4)
    step(5)
    time.sleep(0.3)
sys.argv = ["unquilt", "show", {run!r}, "documents", "--limit", "2"]
from unquilt.cli import main
main()
"""


def test_bars_and_colours_on_a_terminal(run):
    written = run_on_terminal(SHOW.format(run=str(run)))
    assert "\x1b[?25l" in written
    assert "reading" in written
    assert written.rindex("\x1b[?25h") > written.rindex("\x1b[?25l")
    assert "\x1b[1m" in written


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_plain_terminals_get_plain_text(run, environment):
    written = run_on_terminal(SHOW.format(run=str(run)), **environment)
    assert "reading: " in written
    assert "\x1b" not in written
    assert "… and 1,498 more" in written
