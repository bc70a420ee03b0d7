"""`make dist`: what its checks find in archives that are not as they should be. It checks good ones itself."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tools.release import checks
from tools.release.crates import add_licences, trim
from tools.release.sdist import pack, tracked

ROOT = Path(__file__).parents[2]
TOP = "unquilt-0.1.0"
ABOUT = f"{TOP}.dist-info"
PACKAGE = (*checks.MUST, "unquilt/__init__.py")
WHEEL = f"{TOP}-cp311-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"


@pytest.fixture
def sdist(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    tree = tmp_path / TOP
    for name in (*(f"src/{name}" for name in PACKAGE), "PKG-INFO", "tests/test_some.py"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(name, encoding="utf-8")
    archive = tmp_path / f"{TOP}.tar.gz"
    pack(tree, archive)
    return archive


def complaints_about(sdist: Path, changed: dict[str, bytes | None], name: str = WHEEL) -> list[str]:
    """About a wheel that is as it should be, but for some files; None leaves one out."""
    files: dict[str, bytes | None] = {name: name.encode() for name in (*PACKAGE, checks.CORE)}
    files |= {f"{ABOUT}/{name}": b"" for name in ("WHEEL", "RECORD", "entry_points.txt")}
    files |= {f"{ABOUT}/licenses/{name}": b"" for name in ("LICENSE", "LICENSE-THIRD-PARTY")}
    files |= {f"{ABOUT}/METADATA": b"PKG-INFO"} | changed
    wheel = sdist.with_name(name)
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            if text is not None:
                archive.writestr(path, text)
    return checks.check_wheel(wheel, sdist, [Path("/home/me")])


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"unquilt/py.typed": None}, ["the wheel lacks unquilt/py.typed"]),
        ({"tests/test_some.py": b""}, ["the wheel has tests/test_some.py"]),
        ({f"{ABOUT}/METADATA": b"other"}, ["the metadata of the wheel and of the sdist differ"]),
        ({checks.CORE: b"at /home/me/x.rs"}, [f"{checks.CORE} in the wheel names /home/me"]),
        ({checks.CORE: b"GLIBC_2.17\0GLIBC_2.34\0"}, ["the core needs glibc 2.34"]),
    ],
)
def test_what_is_wrong_with_a_wheel(sdist, changed, expected, monkeypatch):
    monkeypatch.setattr(checks, "audit", lambda _: "")
    assert complaints_about(sdist, changed) == expected


@pytest.mark.parametrize("name", [f"{TOP}-cp311-cp311-manylinux_2_17_x86_64.whl", f"{TOP}-cp311-abi3-linux_x86_64.whl"])
def test_a_wheel_for_too_few_machines(sdist, name, monkeypatch):
    monkeypatch.setattr(checks, "audit", lambda _: "")
    (complaint,) = complaints_about(sdist, {}, name)
    assert complaint.startswith(f"the wheel is called {name}")


def test_an_archive_depends_on_names_and_contents_alone(sdist, tmp_path):
    before = sdist.read_bytes()
    for path in (tmp_path / TOP).rglob("*"):
        path.touch()
        path.chmod(0o700 if path.is_dir() else 0o600)
    pack(tmp_path / TOP, sdist)
    assert sdist.read_bytes() == before
    with tarfile.open(fileobj=gzip.open(sdist)) as tar:  # type: ignore[arg-type]
        assert {(entry.uid, entry.uname, entry.mtime) for entry in tar} == {(0, "", 1000000000)}


def test_crates_come_without_tests_and_with_licences(tmp_path):
    for name in ("a-1.0", "b-2.0"):
        crate = tmp_path / "vendor" / name
        (crate / "tests").mkdir(parents=True)
        (crate / "tests" / "t.rs").touch()
        (crate / "Cargo.toml").write_text(f'[package]\nname = "{name[0]}"\nversion = "{name[2:]}"\nlicense = "MIT"\n')
        (crate / "LICENSE-MIT").write_text("Do as you like.\n")
        files = {"tests/t.rs": "12", "Cargo.toml": "34", "LICENSE-MIT": "56"}
        (crate / ".cargo-checksum.json").write_text(json.dumps({"package": "78", "files": files}))
        trim(crate)
        assert sorted(path.name for path in crate.iterdir()) == [".cargo-checksum.json", "Cargo.toml", "LICENSE-MIT"]
        sums = json.loads((crate / ".cargo-checksum.json").read_text())
        assert sums == {"package": "78", "files": {"Cargo.toml": "34", "LICENSE-MIT": "56"}}
    add_licences(tmp_path)
    text = (tmp_path / "LICENSE-THIRD-PARTY").read_text()
    assert "a 1.0: MIT\nb 2.0: MIT\n" in text
    assert text.endswith("a-1.0/LICENSE-MIT\nb-2.0/LICENSE-MIT\n\nDo as you like.\n")


def test_one_version_is_named_everywhere():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"] == version
    assert re.findall(r"(?m)^version: (.*)$", (ROOT / "CITATION.cff").read_text()) == [version]


def test_hosts_of_the_repository_alone_read_their_files():
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    names = tracked(ROOT)
    assert {"LICENSE", "README.md", "CITATION.cff", "src/unquilt/py.typed", "docs/cli.md"} <= set(names)
    assert not [name for name in names if name.startswith((".ci", ".github"))]
