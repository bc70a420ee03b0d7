"""Installs unquilt as somebody does who has nothing else of it, and uses it as the documents say: `make stranger`.

The wheel is installed alone into new environments, which are far from the checkout and have no package beyond those
that pyproject.toml declares:

    bare      no extra, the newest Python and versions: the demo, figures, and every example of README.md and docs/.
              Commands that need an extra have to name it in one line
    page, spark     each extra alone: the commands that were refused for want of it, in the folders where they were
    lowest    the lowest versions that pyproject.toml promises (tests/lowest.txt), on the oldest Python: the demo and
              the examples of README.md

So every example runs once, and `make test` runs none of them. The demo runs in surroundings that are not ours: a home
that is not there, the locale C, no network where that can be had, folders with spaces. Environments are installed one
after the other, while two examples at a time run in those that are ready. Only the standard library is used. Packages
come from pip's own cache.
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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from examples.__main__ import AT_ONCE, all_pages, find_groups, run_groups
from examples.running import EXTRAS, Program

ROOT = Path(__file__).parents[1]
LOWEST = ROOT / "tests" / "lowest.txt"
OLDEST, NEWEST = 11, 20
"""Minor versions of Python 3: the oldest that is promised, and one that does not exist yet."""
FIGURES = {
    "phrases": "unquilt phrases demo-run/corpus -o phrases --site ip",
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
        place.parent.mkdir(parents=True)
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
        begin = time.monotonic()
        run(pip + (["--constraint", str(self.constraints)] if self.constraints else []))
        print(f"{self.name}: installed with {self.python} in {time.monotonic() - begin:.0f} s", flush=True)
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


def try_program(program: Program, folder: Path, *, figures: bool) -> list[str]:
    """Run the demo, and what draws figures of its web; returns what went wrong."""
    place = folder / "a folder"
    place.mkdir()
    wrong = try_demo(program, place, strange_surroundings(folder))
    return wrong or (try_figures(program, place) if figures else [])


def find_stages(wheel: Path, folder: Path, wanted: Iterable[str]) -> dict[str, Stage]:
    """The stages that are wanted, by name; without Java, there is none of Spark."""
    pythons = find_pythons()
    oldest, newest = pythons[min(pythons)], pythons[max(pythons)]
    known = {
        "bare": Stage("bare", wheel, folder / "bare", newest),
        "page": Stage("page", wheel, folder / "page", newest, "page"),
        "spark": Stage("spark", wheel, folder / "spark", sys.executable, "spark"),
        "lowest": Stage("lowest", wheel, folder / "lowest", oldest, constraints=LOWEST),
    }
    if "spark" in wanted and not shutil.which("java") and "JAVA_HOME" not in os.environ:
        print("there is no Java: the examples of Spark are left out", flush=True)
        del known["spark"]
    return {name: stage for name, stage in known.items() if name in wanted}


def try_stages(stages: dict[str, Stage], store: Path) -> list[str]:
    """Install the stages, and use them; returns what went wrong."""
    wrong = []
    with ThreadPoolExecutor(1) as installing, ThreadPoolExecutor(AT_ONCE) as trying:
        programs = {name: installing.submit(stage.install) for name, stage in stages.items()}
        others = {extra: programs[extra].result for extra in EXTRAS if extra in programs}
        for name, pages in (("bare", all_pages()), ("lowest", [ROOT / "README.md"])):
            if name not in stages:
                continue
            program = programs[name].result()
            tried = trying.submit(try_program, program, stages[name].folder, figures=name == "bare")
            program.others = others if name == "bare" else {}
            if run_groups(find_groups(pages), program, store, trying):
                wrong.append(f"{name}: examples of documents differ, see above")
            wrong += [f"{name}: {each}" for each in tried.result()]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Install the wheel alone, and use it as the documents say.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("stages", nargs="*", default=["bare", "page", "spark", "lowest"])
    given = parser.parse_args()
    if not re.search(r"-cp3\d+-abi3-", given.wheel.name):
        parser.error(f"{given.wheel} is not a wheel for all Pythons")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="a stranger ") as made:
        wrong = try_stages(find_stages(given.wheel.absolute(), Path(made), given.stages), Path(made) / "store")
    for each in wrong:
        print(each)
    print(f"{'failed' if wrong else 'done'} in {time.monotonic() - begin:.0f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
