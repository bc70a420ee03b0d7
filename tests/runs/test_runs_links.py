"""docs/faults.md 47: links planted wherever unquilt writes: none leads out of its folder, or is taken for what it made.

The names are those that real commands were seen to use (`watch_names.py`), so a new one is covered when it appears.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import watch_names
from click.testing import CliRunner
from toy_run import digests

from unquilt.cli import cli
from unquilt.engines import local

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_process")]

TEXTS = {"x": "aaaa bbbb cccc dddd north", "y": "dddd eeee ffff gggg south", "z": "aaaa bbbb cccc dddd eeee ffff gggg"}
QUILTS = "quilts {pages} -o {work}/out -k 3 -c 2 --foreign none"
COMMANDS = {
    "quilts": [QUILTS],
    "overwriting": [f"{QUILTS} -m 9", f"{QUILTS} --overwrite"],
    "lexicon": ["lexicon build {pages} -o {work}/out --nidf 0:1 --overwrite"],
    "set": ["filter --build {pages} -o {work}/out --method imatch --nidf 0:1 --overwrite"],
    "demo": ["demo --pages 12 -o {work}/out"],
}
"""The last of each is what is tried; the others come before it."""
PRECIOUS = b"precious"


class _Here:
    """As `Workers`, but in this process."""

    def __init__(self, _):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def map(self, function, items):
        return (function(replace(item, note=None) if hasattr(item, "note") else item) for item in items)


@pytest.fixture(scope="module")
def one_process():
    """Worker processes would take most of the time, and have no part in who follows which link."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "Workers", _Here)
        yield


def fill(command: str, place: Path) -> list[str]:
    return command.format(pages=place / "pages.jsonl", work=place / "work").split()


def run(command: str, place: Path):
    return CliRunner().invoke(cli, fill(command, place), prog_name="unquilt")


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """For each command the folder it was run in, and the names it used there."""
    places, jobs = {}, []
    for name, (*before, command) in COMMANDS.items():
        places[name] = place = tmp_path_factory.mktemp(name)
        lines = [json.dumps({"id": id_, "text": text}) for id_, text in TEXTS.items()]
        (place / "pages.jsonl").write_text("\n".join([*lines, "broken\n"]))
        (place / "work").mkdir()
        for each in before:
            assert run(each, place).exit_code == 0
        shutil.copytree(place / "work", place / "before")
        jobs.append((str(place / "work"), fill(command, place)))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    program = [sys.executable, watch_names.__file__, json.dumps(jobs)]
    done = subprocess.run(program, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for place in places.values():
        assert (place / "work" / "out").exists()
        shutil.copytree(place / "work", place / "after")
    return dict(zip(places, zip(places.values(), json.loads(done.stdout.splitlines()[-1]), strict=True), strict=True))


def interrupt(folder: Path) -> None:
    """Make of finished runs, also within others, what a kill at the very beginning leaves."""
    for manifest in sorted(folder.rglob("manifest.json")):
        older = json.loads(manifest.read_bytes())
        if "finished" in older:
            for name in ("finished", "summary", "done"):
                older.pop(name)
            manifest.write_text(json.dumps(older))
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path.name != "manifest.json":
            path.unlink()


def snapshot(folder: Path) -> dict[str, object]:
    return {
        str(path.relative_to(folder)): (path.read_bytes() if path.is_file() else None, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
    }


def plant(place: Path, name: str, kind: str) -> None:
    """Put a link in the place of a name: to a copy of what belongs there, to something else, or to nothing."""
    link, target, copy = place / "work" / name, place / "canary" / name.replace("/", "%"), place / "after" / name
    if kind == "nothing":
        target = target.with_name("nothing")
    elif kind == "folder":
        target.mkdir()
        if copy.is_dir():
            shutil.copytree(copy, target, dirs_exist_ok=True)
        (target / "precious").write_bytes(PRECIOUS)
    else:
        target.write_bytes(copy.read_bytes() if copy.is_file() else PRECIOUS)
    if link.is_dir():
        shutil.rmtree(link)
    link.unlink(missing_ok=True)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)


CASES = [  # half of all, such that each command meets each two of the others
    (name, state, what, kind)
    for name in COMMANDS
    for one, state in enumerate(("new", "finished"))
    for two, what in enumerate(("files", "folders"))
    for three, kind in enumerate(("file", "folder", "nothing"))
    if (one + two + three) % 2 == 0
]


@pytest.mark.parametrize(("name", "state", "what", "kind"), CASES)
def test_links_are_replaced_or_refused_by_name(watched, tmp_path, name, state, what, kind):
    command, (place, seen) = COMMANDS[name][-1], watched[name]
    names = [name.rstrip("/") for name in seen if name.endswith("/") == (what == "folders")]
    names = [name for name in names if name != "out"]  # what the user names may be a link
    begun = tmp_path / "begun"
    shutil.copytree(place / ("before" if state == "new" else "after"), begun)
    if state == "new":
        beside = [name.rstrip("/") for name in seen if name.startswith(".out.new-") and name.count("/") == 1]
        made = begun / (beside[0] if beside else "out")
        if (place / "after" / "out").is_dir():
            shutil.copytree(place / "after" / "out", made, dirs_exist_ok=True)
            interrupt(made)
    for folder in ("work", "canary"):
        shutil.rmtree(place / folder, ignore_errors=True)
    shutil.copytree(begun, place / "work")
    (place / "canary").mkdir()
    planted = []
    for name in names:  # of folders, the outermost, and then those within
        if not any((place / "work" / outer).is_symlink() for outer in map(str, Path(name).parents)):
            plant(place, name, kind)
            planted.append(name)
    assert planted or what == "folders"
    before = snapshot(place / "canary")
    for _ in range(len(names) + 1):
        result = run(command, place)
        assert snapshot(place / "canary") == before
        assert not (place / "canary" / "nothing").exists()
        if result.exit_code == 0:
            break
        follow_advice(result, place, begun)
    assert result.exit_code == 0
    assert [path for path in (place / "work" / "out").rglob("*") if path.is_symlink()] == []
    assert digests(place / "work" / "out") == digests(place / "after" / "out")


def follow_advice(result, place: Path, begun: Path) -> None:
    """Check that a refusal is one line that names a link, and remove it; what it had replaced comes back."""
    assert result.exit_code == 1, result.output
    assert result.stderr.count("\n") == 1
    named = [path for path in (place / "work").rglob("*") if f"{path} is " in result.stderr]
    assert named, result.stderr
    link = max(named, key=lambda path: len(str(path)))
    assert link.is_symlink() or any(path.is_symlink() for path in link.rglob("*"))
    link.unlink() if link.is_symlink() else shutil.rmtree(link)
    older = begun / link.relative_to(place / "work")
    if older.is_dir():
        shutil.copytree(older, link)
    elif older.exists():
        shutil.copy(older, link)
