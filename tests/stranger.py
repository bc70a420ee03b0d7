"""Installs unquilt as somebody does who has nothing else of it, and uses it as the documents say: `make stranger`.

The wheel is installed alone into new environments, which are far from the checkout and have no package beyond those
that pyproject.toml declares:

    bare      no extra, the newest Python and versions: the demo, figures, and every example of README.md and docs/.
              Commands that need an extra have to name it in one line
    lowest    the lowest versions that pyproject.toml promises (tests/lowest.txt), on the oldest Python: the demo and
              the examples of README.md
    page, spark     each extra alone: the examples that need it

Environments are used in surroundings that are not ours: a home that is not there, the locale C, no network where that
can be had, folders with spaces. Only the standard library is used. Packages come from pip's own cache.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from examples.__main__ import all_pages, find_groups, run_groups
from examples.running import Program

ROOT = Path(__file__).parents[1]
LOWEST = ROOT / "tests" / "lowest.txt"
OLDEST, NEWEST = 11, 20
"""Minor versions of Python 3: the oldest that is promised, and one that does not exist yet."""
FIGURES = {
    "phrases": "unquilt phrases demo-run/corpus -o phrases --group ip",
    "sweep": "unquilt sweep demo-run/corpus -o sweep --k 5",
    "copied": "unquilt reuse discover demo-run/corpus -o copied",
}
"""Commands that draw figures, by the runs that they make."""


@dataclass
class Stage:
    """One environment, and what is tried in it."""

    name: str
    wheel: Path
    folder: Path
    python: str
    extra: str = ""
    constraints: Path | None = None

    def install(self) -> Program:
        """A new environment with the wheel, and with nothing else that is not declared."""
        place = self.folder / "an environment"
        run([self.python, "-m", "venv", "--without-pip", str(place)])
        wanted = f"{self.wheel}[{self.extra}]" if self.extra else str(self.wheel)
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(place / "bin" / "python"),
            "install",
            "--quiet",
            "--no-compile",
            wanted,
        ]
        run(pip + (["--constraint", str(self.constraints)] if self.constraints else []))
        return Program(place / "bin", frozenset([self.extra] if self.extra else []))


def run(command: list[str], **settings: object) -> None:
    """Run a command of the set-up, and end everything if it fails."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PIP_CONSTRAINT", "PYTHONPATH")}
    subprocess.run(command, check=True, env=kept, cwd=tempfile.gettempdir(), **settings)  # type: ignore[call-overload]


def find_pythons() -> dict[int, str]:
    """The programs of all supported Pythons of this machine by minor version: this one, those on the path, pyenv's."""
    found = {sys.version_info.minor: sys.executable}
    own = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(OLDEST, NEWEST):
        places = [shutil.which(f"python3.{minor}"), *map(str, sorted(own.glob(f"3.{minor}.*/bin/python3")))]
        for place in filter(None, places):
            if subprocess.run([place, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
                found.setdefault(minor, place)
    return found


def strange_surroundings(folder: Path) -> dict[str, str]:
    """An environment unlike ours: a home that is not there, and the locale C."""
    return {"HOME": str(folder / "no such home"), "LC_ALL": "C", "LANG": "C", "XDG_CACHE_HOME": "/dev/null"}


def without_network() -> list[str]:
    """The words that, before a command, take its network away; none, with a line that says so, where that cannot be."""
    prefix = ["unshare", "--net", "--map-root-user"]
    try:
        able = subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        able = False
    if not able:
        print("the network cannot be cut off here: the demo runs with it", flush=True)
    return prefix if able else []


def try_demo(program: Program, place: Path, environment: dict[str, str]) -> list[str]:
    """Run the demo in a folder, in strange surroundings; returns what went wrong."""
    command = [*without_network(), str(program.programs / "unquilt"), "demo", "--pages", "1000"]
    done = subprocess.run(
        command, cwd=place, env=program.environment | environment, capture_output=True, text=True, check=False,
        encoding="utf-8",
    )  # fmt: skip
    if done.returncode or "Every planted quilt was found." not in done.stdout:
        return [f"unquilt demo ended with {done.returncode}\n{done.stdout}{done.stderr}"]
    return []


def try_figures(program: Program, folder: Path) -> list[str]:
    """Run commands that draw figures on the web of the demo, and look for the figures; returns what went wrong."""
    wrong = []
    for name, command in FIGURES.items():
        program.run(command, folder)
        if not any(path.stat().st_size for path in (folder / name / "figures").glob("*.svg")):
            wrong.append(f"{command} drew no figures")
    return wrong


def stages(wheel: Path, folder: Path, wanted: Iterable[str]) -> list[Stage]:
    """The stages, in order."""
    pythons = find_pythons()
    oldest, newest = pythons[min(pythons)], pythons[max(pythons)]
    known = {
        "bare": Stage("bare", wheel, folder / "bare", newest),
        "lowest": Stage("lowest", wheel, folder / "lowest", oldest, constraints=LOWEST),
        "page": Stage("page", wheel, folder / "page", newest, "page"),
        "spark": Stage("spark", wheel, folder / "spark", sys.executable, "spark"),
    }
    return [known[name] for name in wanted]


def try_stage(stage: Stage, store: Path) -> list[str]:
    """Install a stage, and use it; returns what went wrong."""
    stage.folder.mkdir(parents=True)
    program = stage.install()
    place = stage.folder / "a folder"
    place.mkdir()
    wrong = try_demo(program, place, strange_surroundings(stage.folder)) if stage.name != "spark" else []
    if stage.name == "bare" and not wrong:
        wrong += try_figures(program, place)
    if stage.name == "spark" and not shutil.which("java") and "JAVA_HOME" not in os.environ:
        print("there is no Java: the examples of Spark are left out")
        return wrong
    groups = find_groups([ROOT / "README.md"] if stage.name == "lowest" else all_pages(), stage.extra)
    if not groups:
        return [*wrong, f"no page has an example of the extra {stage.extra}"]
    if run_groups(groups, program, store):
        wrong.append("examples of documents differ, see above")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Install the wheel alone, and use it as the documents say.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("stages", nargs="*", default=["bare", "lowest", "page", "spark"])
    given = parser.parse_args()
    if not re.search(r"-cp3\d+-abi3-", given.wheel.name):
        parser.error(f"{given.wheel} is not a wheel for all Pythons")
    failed = []
    with tempfile.TemporaryDirectory(prefix="a stranger ") as made:
        for stage in stages(given.wheel.absolute(), Path(made), given.stages):
            begin = time.monotonic()
            print(f"== {stage.name}: {stage.python}", flush=True)
            wrong = try_stage(stage, Path(made) / "store")
            failed += [f"{stage.name}: {each}" for each in wrong]
            print(f"== {stage.name}: {'failed' if wrong else 'done'} in {time.monotonic() - begin:.0f} s", flush=True)
    for each in failed:
        print(each)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
