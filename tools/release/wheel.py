"""The wheel, built from the source archive alone: without a network, in a new folder, with an empty home for cargo.

manylinux2014 is the oldest Linux that Rust itself still supports (glibc 2.17), and the oldest tag that maturin builds.
A core that is linked on the machine at hand asks for that machine's glibc (2.34 on Debian 12, which would shut out
RHEL 8 and Ubuntu 20.04); zig brings the symbols of the old one, and maturin refuses the wheel if any newer one is left.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

from tools.release.sdist import ReleaseError

LINUX = ("--compatibility", "manylinux2014", "--zig", "--auditwheel", "check")


def build_wheel(sdist: Path, work: Path) -> Path:
    """Unpack the archive and build what is in it; return the wheel."""
    with tarfile.open(sdist) as tar:
        tar.extractall(work / "unpacked", filter="data")
    (tree,) = (work / "unpacked").iterdir()
    wheels = work / "wheels"
    command = ["maturin", "build", "--release", "--locked", "--offline", "--interpreter", sys.executable]
    command += ["--out", str(wheels), *(LINUX if sys.platform == "linux" else ())]
    environment = os.environ | {
        "CARGO_HOME": str(work / "cargo"),
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TARGET_DIR": str(work / "target"),
        "CARGO_PROFILE_RELEASE_DEBUG": "0",
        "CARGO_PROFILE_RELEASE_STRIP": "symbols",
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(_without_paths(tree)),
    }
    environment.pop("RUSTFLAGS", None)
    done = subprocess.run(command, cwd=tree, env=environment, check=False)
    if done.returncode:
        raise ReleaseError("the source archive could not be built: see the lines above")
    (wheel,) = wheels.glob("*.whl")
    return wheel


def _without_paths(tree: Path) -> list[str]:
    """Flags that keep the folders of this machine out of messages of panics, which name source files."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    return [f"--remap-path-prefix={here}={there}" for here, there in ((tree, tree.name), (sysroot, "rust"))]
