"""A program that runs unquilt and prints the names it gives to files and folders: `python watch_names.py JOBS`.

JOBS is JSON: of each job, the folder to watch and a list of arguments. Whenever this process does something in the
folder, it looks at all that is there, and so sees most of what other processes write, too. Folders end in a slash. What
lies in a spill folder has names that nobody can know beforehand, and is left out.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from unquilt.cli import cli
from unquilt.engines.workers import keeping

LOOKS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink"}


class Names:
    """All names under a folder; an audit hook, which cannot be removed, but told to look elsewhere."""

    def __init__(self) -> None:
        self.folder, self.found, self._looking = Path(), set(), False

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        if event not in LOOKS or self._looking:
            return
        self._looking = True
        paths = [Path(os.fsdecode(each)) for each in given[:2] if isinstance(each, str | bytes | os.PathLike)]
        if any(path.is_relative_to(self.folder) for path in paths):
            to_be = paths[1:] if event == "os.rename" else []
            for path in to_be:
                self._add(str(path.relative_to(self.folder)), path.is_dir())
            self._look("")
        self._looking = False

    def _look(self, within: str) -> None:
        with suppress(FileNotFoundError), os.scandir(self.folder / within) as entries:
            for entry in entries:
                self._add(within + entry.name, entry.is_dir())
                if entry.is_dir(follow_symlinks=False) and entry.name != ".spill":
                    self._look(f"{within}{entry.name}/")

    def _add(self, name: str, is_folder: bool) -> None:
        if ".spill" not in name.split("/")[:-1]:
            self.found.add(f"{name}/" if is_folder else name)


def main(jobs: list[tuple[str, list[str]]]) -> None:
    names = Names()
    sys.addaudithook(names)
    seen = []
    for folder, arguments in jobs:
        names.folder, names.found = Path(folder), set()
        with suppress(SystemExit):
            cli(arguments, prog_name="unquilt")
        assert names.found, arguments
        seen.append(sorted(name for name in names.found if f"{name}/" not in names.found))
    sys.stdout.write("\n" + json.dumps(seen))


if __name__ == "__main__":
    with keeping():
        main(json.loads(sys.argv[1]))
