"""Runs the examples of a page with an installed unquilt, and says what differs from the page."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from examples.blocks import Example, command, read_examples
from examples.comparing import agrees, renew
from examples.desk import Desk

EXTRAS = ("page", "spark")
MOST_SECONDS = 900
"""So long may a command take, on a busy machine, too; a page has to end some time."""
REFERENCE = "cli.md"
"""In this page, examples of one block belong together and know nothing of the other blocks."""
NOT_HERE = re.compile(r"^(?:sudo |pip |python -m pip|make |tail -f|docker )")
"""Commands that change the machine, or never end: they belong into blocks of `sh`."""
SERVING = re.compile(r"\bunquilt (?:serve|judge)\b")
UNSET = (
    "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "COLUMNS", "NO_COLOR", "UNQUILT_TRACEBACK",
    "PYTHONDONTWRITEBYTECODE",
)  # fmt: skip
"""Variables of the shell that examples do not see. With the last, each command would compile all that it imports."""


def needed_extra(code: str) -> str | None:
    """The extra that a command needs, if it needs one.

    >>> needed_extra("unquilt serve run"), needed_extra("unquilt judge run --results"), needed_extra("unquilt show run")
    ('page', None, None)
    """
    if "--engine spark" in code:
        return "spark"
    if re.search(r"\bunquilt (?:serve|report)\b|\bunquilt demo\b.*--report", code) or serves(code):
        return "page"
    return None


def serves(code: str) -> bool:
    """Whether a command opens a page in the browser, and so does not end by itself."""
    return bool(SERVING.search(code)) and "--results" not in code and "--export" not in code


@dataclass
class Program:
    """An installed unquilt: the folder of its programs, the extras that it was installed with, and other
    installations by the extra that they have, in which commands run that this one refuses."""

    programs: Path
    extras: frozenset[str] = frozenset()
    others: Mapping[str, Callable[[], Program]] = field(default_factory=dict)
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        kept = {name: value for name, value in os.environ.items() if name not in UNSET}
        path = f"{self.programs}{os.pathsep}{kept.get('PATH', '')}"
        self.environment = kept | {"PATH": path, "BROWSER": "true", "PYTHONNOUSERSITE": "1"}

    def call(self, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=folder, env=self.environment, capture_output=True, text=True, encoding="utf-8",
            timeout=MOST_SECONDS, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip

    def run(self, code: str, folder: Path) -> None:
        """Run a command that is not an example itself; it has to succeed."""
        done = self.call(["bash", "-c", code], folder)
        if done.returncode:
            raise RuntimeError(f"could not prepare: {code}\n{done.stderr}")


@dataclass
class Ran:
    """What became of some examples of a page: what differs from the page, and the output that is printed now."""

    page: Path
    examples: int = 0
    differences: list[str] = field(default_factory=list)
    renewed: list[tuple[Example, list[str]]] = field(default_factory=list)
    seconds: float = 0


def split_page(page: Path) -> list[list[Example]]:
    """The examples of a page in groups, each of which is run in a folder of its own."""
    examples = read_examples(page)
    if page.name != REFERENCE:
        return [examples]
    return [list(group) for _, group in groupby(examples, lambda example: example.block)]


def run_examples(page: Path, examples: list[Example], program: Program, desk: Desk) -> Ran:
    """Run examples of a page, one after the other, in a new folder."""
    ran, begin = Ran(page, len(examples)), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="unquilt-example-") as folder:
        for example in examples:
            try:
                desk.provide(command(example), Path(folder))
                wrong = list(_run(example, program, Path(folder), ran.renewed))
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                wrong = [str(error)]
            ran.differences += [f"{page}:{example.begin}: {example.code}\n{each}" for each in wrong]
    ran.seconds = time.monotonic() - begin
    return ran


def write_page(page: Path, renewed: list[tuple[Example, list[str]]]) -> None:
    """Write a page with the output that is printed now."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for example, output in sorted(renewed, key=lambda each: each[0].begin, reverse=True):
        lines[example.begin : example.end] = output
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _run(example: Example, program: Program, folder: Path, renewed: list[tuple[Example, list[str]]]) -> Iterator[str]:
    if example.kind == "python":
        done = program.call([str(program.programs / "python"), "-c", example.code], folder)
        if done.returncode:
            yield done.stderr
        return
    extra = needed_extra(example.code)
    if NOT_HERE.match(example.code):
        yield "this cannot be run here: show it in a block of sh"
    elif extra and extra not in program.extras:
        yield from _refuse(example, extra, program, folder)
        if extra in program.others:
            yield from _run(example, program.others[extra](), folder, renewed)
    elif serves(example.code):
        yield from _serve(example, program, folder)
    else:
        yield from _compare(example, program, folder, renewed)


def _compare(
    example: Example, program: Program, folder: Path, renewed: list[tuple[Example, list[str]]]
) -> Iterator[str]:
    done = program.call(["bash", "-o", "pipefail", "-c", example.code], folder)
    shown = list(example.shown)
    fails = bool(shown) and shown[0].startswith("unquilt: ")
    if (done.returncode != 0) != fails:
        yield f"exit code {done.returncode}\n{done.stderr}{done.stdout}"
        return
    printed = (done.stderr if fails else done.stdout).rstrip("\n").split("\n")
    if shown and not agrees(shown, printed):
        now = renew(shown, printed)
        renewed.append((example, now))
        yield "\n".join(["the page shows", *shown, "it prints now", *now])


def _refuse(example: Example, extra: str, program: Program, folder: Path) -> Iterator[str]:
    """Where an extra is missing, a command says in one line how to install it."""
    done = program.call(["bash", "-c", example.code], folder)
    advice = f'pip install "unquilt[{extra}]"'
    if done.returncode != 1 or done.stderr.count("\n") != 1 or advice not in done.stderr:
        yield f"not one line with {advice}, but exit code {done.returncode}\n{done.stderr}"


def _serve(example: Example, program: Program, folder: Path) -> Iterator[str]:
    """A page in the browser: it says where it is, answers, and ends with Ctrl-C."""
    code = example.code.partition("  #")[0]
    with subprocess.Popen(
        ["bash", "-c", f"exec {code}"], cwd=folder, env=program.environment, text=True, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        assert server.stdout is not None
        told: list[str] = []
        for line in server.stdout:
            told.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\S+", line):
                try:
                    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
                    browser.open(found[0], timeout=60).close()
                    with browser.open(found[0].partition("?")[0], timeout=60) as answer:
                        if b"unquilt" not in answer.read():
                            yield f"the page at {found[0]} does not say unquilt"
                except OSError as error:
                    yield f"the page at {found[0]} does not answer: {error}"
                break
        else:
            yield f"no address of a page\n{''.join(told)}"
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=60)
        if server.returncode not in (0, 130) or "Traceback" in errors:
            yield f"ended with exit code {server.returncode}\n{errors}"
