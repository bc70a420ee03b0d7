"""`python -m tools.release`: make both archives, check them, and put them into dist/."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.release.checks import check_sdist, check_wheel
from tools.release.sdist import ReleaseError, make_sdist, project
from tools.release.wheel import build_wheel


def main() -> None:
    """Nothing reaches dist/ before everything is checked."""
    root = Path(__file__).parents[2]
    dist = root / "dist"
    version = str(project(root)["version"])
    with tempfile.TemporaryDirectory(prefix="unquilt-dist-") as temporary:
        work = Path(temporary)
        os.environ.setdefault("SOURCE_DATE_EPOCH", _commit_time(root))
        sdist = make_sdist(root, work)
        complaints = check_sdist(sdist, root)
        wheel = build_wheel(sdist, work)
        complaints += check_wheel(wheel, sdist, forbidden=[root, work, Path.home()])
        if complaints:
            raise ReleaseError("; ".join(complaints))
        dist.mkdir(exist_ok=True)
        for old in (*dist.glob("*.whl"), *dist.glob("*.tar.gz")):
            old.unlink()
        for made in (sdist, wheel):
            there = dist / made.name
            there.write_bytes(made.read_bytes())
            print(f"dist/{there.name}  {there.stat().st_size / 1e6:.1f} MB")
    print(f"unquilt {version}: both are checked; install one with pip")


def _commit_time(root: Path) -> str:
    """When the commit was made: the time that all files in the archives bear."""
    command = ["git", "log", "-1", "--format=%ct"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError("a release is made of the files that git tracks: this is not a clone, or git is missing")
    return done.stdout.strip()


try:
    main()
except ReleaseError as error:
    sys.exit(f"make dist: {error}")
except FileNotFoundError as error:
    sys.exit(f"make dist: {error.filename} is missing")
