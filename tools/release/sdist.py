"""The source archive: all that git tracks, the Rust crates, and PKG-INFO.

Tests, documents and benchmarks are in it, so that tests can be run there and the links of README lead somewhere. What
only a host of the repository reads (workflows, CI) is not.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

from tools.release.crates import add_crates

LEFT_OUT = (".ci", ".github", ".gitignore")


class ReleaseError(Exception):
    """Why there is no release, in one line."""


def project(root: Path) -> dict[str, Any]:
    """What pyproject.toml says about the project."""
    described: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return described


def tracked(root: Path) -> list[str]:
    """The files that git tracks, but for those of the host: as they are in the folder now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and name.split("/")[0] not in LEFT_OUT]


def make_sdist(root: Path, work: Path) -> Path:
    """The archive, made in the folder `work`."""
    about = project(root)
    tree = work / f"{about['name']}-{about['version']}"
    for name in tracked(root):
        there = tree / name
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, there)
        there.chmod(0o755 if os.access(root / name, os.X_OK) else 0o644)
    add_crates(tree)
    (tree / "PKG-INFO").write_bytes(_describe(tree, work))
    archive = work / f"{tree.name}.tar.gz"
    pack(tree, archive)
    shutil.rmtree(tree)
    return archive


def _describe(tree: Path, work: Path) -> bytes:
    """The metadata, made by maturin from pyproject.toml, as the wheel's will be."""
    made = work / "metadata"
    command = ["maturin", "pep517", "write-dist-info", "--metadata-directory", str(made), "--interpreter"]
    done = subprocess.run([*command, sys.executable], cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"maturin could not make the metadata: {done.stderr.strip()}")
    (metadata,) = made.glob("*.dist-info/METADATA")
    return metadata.read_bytes()


def pack(tree: Path, archive: Path) -> None:
    """A tar file that depends on names and contents alone."""
    time = int(os.environ["SOURCE_DATE_EPOCH"])

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = time, 0, 0, "", ""
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with (
        archive.open("wb") as raw,
        gzip.GzipFile("", "wb", mtime=time, fileobj=raw) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in sorted(tree.rglob("*")):
            tar.add(path, f"{tree.name}/{path.relative_to(tree)}", recursive=False, filter=plain)
