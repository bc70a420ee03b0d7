"""What is wrong with the archives, if anything: each check returns complaints, in words.

maturin has checked by now that the wheel's core asks for nothing that manylinux2014 does not have.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from email import message_from_bytes
from pathlib import Path

from tools.release.sdist import project, tracked

CORE = "unquilt/_core.abi3.so"
MUST = ("unquilt/py.typed", "unquilt/_core.pyi", "unquilt/engines/log4j2.properties", "unquilt/page/static/page.js")
TAG = re.compile(r"cp311-abi3-(manylinux2014_\w+\.manylinux_2_17_\w+|macosx_\w+)\.whl$")
OLDEST_GLIBC = (2, 17)


def check_sdist(archive: Path, root: Path) -> list[str]:
    """The files that git tracks, every crate of Cargo.lock, a licence for each, and no more."""
    with tarfile.open(archive) as tar:
        files = {entry.name: tar.extractfile(entry) for entry in tar if entry.isfile()}
        contents = {name: stream.read() for name, stream in files.items() if stream}
    top = archive.name.removesuffix(".tar.gz") + "/"
    complaints = [f"the sdist has {name} outside of {top}" for name in contents if not name.startswith(top)]
    inside = {name.removeprefix(top): text for name, text in contents.items()}
    own = {name for name in inside if not name.startswith("vendor/")}
    expected = {*tracked(root), "PKG-INFO", "LICENSE-THIRD-PARTY", ".cargo/config.toml"}
    complaints += [f"the sdist lacks {name}" for name in sorted(expected - own)]
    complaints += [f"the sdist has {name}" for name in sorted(own - expected)]
    return complaints + _check_crates(inside) + _check_versions(inside, str(project(root)["version"]))


def _check_crates(inside: Mapping[str, bytes]) -> list[str]:
    locked = tomllib.loads(inside["Cargo.lock"].decode())["package"]
    wanted = {f"{crate['name']}-{crate['version']}" for crate in locked if "source" in crate}
    there = {name.split("/")[1] for name in inside if name.startswith("vendor/")}
    complaints = [f"the sdist lacks the crate {name}" for name in sorted(wanted - there)]
    complaints += [f"the sdist has the crate {name}, which Cargo.lock does not name" for name in sorted(there - wanted)]
    for crate in sorted(there):
        package = tomllib.loads(inside[f"vendor/{crate}/Cargo.toml"].decode())["package"]
        if not {"license", "license-file"} & set(package):
            complaints.append(f"the crate {crate} says nothing about its licence")
    return complaints


def _check_versions(inside: Mapping[str, bytes], version: str) -> list[str]:
    said = {
        "Cargo.toml": tomllib.loads(inside["Cargo.toml"].decode())["workspace"]["package"]["version"],
        "CITATION.cff": (re.findall(r"(?m)^version: (\S+)$", inside["CITATION.cff"].decode()) or ["none"])[0],
        "PKG-INFO": message_from_bytes(inside["PKG-INFO"])["Version"],
    }
    return [f"{name} has version {found}, pyproject.toml {version}" for name, found in said.items() if found != version]


def check_wheel(wheel: Path, sdist: Path, forbidden: Iterable[Path]) -> list[str]:
    """The package of the sdist and its core, compiled for all Pythons and any Linux; no trace of this machine."""
    top = sdist.name.removesuffix(".tar.gz")
    with tarfile.open(sdist) as tar:
        names = [entry.name.removeprefix(f"{top}/") for entry in tar if entry.isfile()]
        described = tar.extractfile(f"{top}/PKG-INFO")
        metadata = described.read() if described else b""
    with zipfile.ZipFile(wheel) as archive:
        inside = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    about = f"{top}.dist-info"
    expected = {name.removeprefix("src/") for name in names if name.startswith("src/")} | {CORE, *MUST}
    expected |= {f"{about}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    expected |= {f"{about}/licenses/{name}" for name in ("LICENSE", "LICENSE-THIRD-PARTY")}
    complaints = [f"the wheel lacks {name}" for name in sorted(expected - set(inside))]
    complaints += [f"the wheel has {name}" for name in sorted(set(inside) - expected)]
    if not TAG.search(wheel.name):
        complaints.append(f"the wheel is called {wheel.name}: not abi3, or neither for manylinux2014 nor for macOS")
    if inside[f"{about}/METADATA"] != metadata:
        complaints.append("the metadata of the wheel and of the sdist differ")
    for name, text in inside.items():
        complaints += [f"{name} in the wheel names {path}" for path in forbidden if bytes(path) + b"/" in text]
    return complaints + _check_core(wheel, inside[CORE])


def _check_core(wheel: Path, core: bytes) -> list[str]:
    """Only Python's stable ABI, and of glibc only symbols that the oldest one has."""
    said = audit(wheel)
    complaints = [f"the core uses more than the stable ABI: {said}"] if said else []
    versions = {(int(major), int(minor)) for major, minor in re.findall(rb"GLIBC_(\d+)\.(\d+)", core)}
    complaints += [f"the core needs glibc {a}.{b}" for a, b in sorted(versions) if (a, b) > OLDEST_GLIBC]
    return complaints


def audit(wheel: Path) -> str:
    """What abi3audit has against the core."""
    command = [sys.executable, "-m", "abi3audit", "--strict", str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return " ".join((done.stdout + done.stderr).split()) if done.returncode else ""
