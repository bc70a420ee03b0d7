"""Whether a change of the house changed a result: digests of the tables of every analysis, before and after.

    python tests/digests.py > before.json            in a checkout of the older state
    python tests/digests.py --against before.json    in the newer one: says which files differ, exits with 1 if any do

Runs `ingest`, `quilts`, `neardups` (both methods) and `sweep` on the demo web and, where it was made, on the small
Debian corpus. Files are compared byte for byte, so both sides need the same pyarrow. Takes about half a minute.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import unquilt
from unquilt.demo import write_jsonl

DEBIAN = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "unquilt-bench" / "debian-small.jsonl.gz"
PAGES = 2_000
GRID = {"k": (4, 5), "m": (10, 50), "c": (2, 4), "sigma": (0.25, 0.5)}


def analyse(inputs: Path, folder: Path) -> None:
    """All analyses of one input, each in a folder of its own."""
    corpus = unquilt.ingest(inputs, folder / "corpus").path
    unquilt.quilts(corpus, folder / "quilts")
    for foreign in ("none", "host", "ip"):
        unquilt.quilts(corpus, folder / f"quilts-{foreign}", foreign=foreign, collapse="exact", max_attributed=0.9)
    unquilt.sweep(corpus, folder / "sweep", **GRID)
    unquilt.neardups(corpus, folder / "shingles", pairs=True)
    unquilt.neardups(corpus, folder / "imatch", method="imatch", lexicons=3)


def digest(folder: Path) -> Iterator[tuple[str, str]]:
    """The name and digest of each table below a folder."""
    for path in sorted(folder.rglob("*.parquet")):
        yield str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> int:
    asked = argparse.ArgumentParser(description="Digests of the tables of every analysis.")
    asked.add_argument("--against", type=Path, help="digests of an older state, to compare with")
    against = asked.parse_args().against
    older = None if against is None else json.loads(against.read_bytes())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)  # documents say which file they are from
        demo = Path("demo.jsonl")
        write_jsonl(demo, PAGES)
        for corpus in (demo, *([DEBIAN] if DEBIAN.exists() else ())):
            analyse(corpus, folder / corpus.name.partition(".")[0])
        found = dict(digest(folder))
    if older is None:
        json.dump(found, sys.stdout, indent=1)
        return 0
    differ = sorted(name for name in older.keys() | found.keys() if older.get(name) != found.get(name))
    sys.stdout.write("".join(f"differs: {name}\n" for name in differ))
    sys.stdout.write(f"{len(older.keys() & found.keys() - set(differ))} tables are equal\n")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
