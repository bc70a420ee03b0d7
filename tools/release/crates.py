"""The Rust crates that the core is built from: copied beside it as sources, with their licences in one file.

Crates bring tests and benchmarks, which nobody builds who builds unquilt, and which are two thirds of all bytes: they
are left out. No crate is left out as a whole: cargo asks for each that Cargo.lock names, whatever the target, and those
that other systems need are small.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from collections import defaultdict
from pathlib import Path

LEFT_OUT = ("tests", "benches")
NOTICES = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)([-._].*)?$", re.IGNORECASE)
CONFIG = """\
# The crates are in vendor/: nothing is downloaded.
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
"""
HEADING = """\
unquilt's compiled core is built from the Rust crates below, and contains code of most of them. Each is listed with
its licence; after the list are the texts of the licences, each with the crates that bring it.
"""


def add_crates(tree: Path) -> None:
    """Put the crates, cargo's setting that finds them, and their licences into a source tree."""
    vendor = tree / "vendor"
    command = ["cargo", "vendor", "--quiet", "--locked", "--versioned-dirs", str(vendor)]
    subprocess.run(command, cwd=tree, check=True, stdout=subprocess.DEVNULL)
    add_licences(tree)
    for crate in vendor.iterdir():
        trim(crate)
    config = tree / ".cargo" / "config.toml"
    config.parent.mkdir()
    config.write_text(CONFIG, encoding="utf-8")


def trim(crate: Path) -> None:
    """Leave out what is not built, in the list of checksums, too, by which cargo looks for files."""
    for name in LEFT_OUT:
        shutil.rmtree(crate / name, ignore_errors=True)
    listing = crate / ".cargo-checksum.json"
    sums = json.loads(listing.read_text(encoding="utf-8"))
    sums["files"] = {name: value for name, value in sorted(sums["files"].items()) if (crate / name).is_file()}
    listing.write_text(json.dumps(sums, separators=(",", ":")), encoding="utf-8")


def add_licences(tree: Path) -> None:
    """Write every crate's licence to one file, and every text of one, once: most crates bring the same."""
    listed, texts = [], defaultdict(list)
    for crate in sorted((tree / "vendor").iterdir()):
        package = tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))["package"]
        listed.append(f"{package['name']} {package['version']}: {package.get('license', 'see its text')}")
        for path in sorted(crate.rglob("*")):
            if path.is_file() and NOTICES.match(path.name) and path.suffix not in (".rs", ".py"):
                text = path.read_text(encoding="utf-8", errors="replace").strip()
                texts[text].append(f"{crate.name}/{path.relative_to(crate)}")
    parts = [HEADING, "\n".join(listed)]
    for text, places in texts.items():
        parts.append("-" * 80 + "\n" + "\n".join(places) + "\n\n" + text)
    (tree / "LICENSE-THIRD-PARTY").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
