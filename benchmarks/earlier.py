"""Quilts on the medium Debian corpus, by this unquilt and by an earlier one, in turns, in processor seconds.

`UNQUILT_EARLIER` names the earlier command: `.venv/bin/unquilt` of another checkout, built in release mode. It reads
the pages into a corpus of its own, as it may not know all columns of ours.
"""

from __future__ import annotations

import os
from pathlib import Path

import unquilt as uq
from benchmarks.debian import debian
from benchmarks.medium import corpus_of, fresh
from benchmarks.record import WORK, Record, cost

MODES = {"defaults": (), "--as-published": ("--as-published",)}
ROUNDS = 2


def earlier_commands(corpus: uq.Run, tier: str) -> dict[str, tuple[Path | None, Path]]:
    """The commands to compare, each with the corpus that it reads: the earlier one, if there is any, and ours."""
    found: dict[str, tuple[Path | None, Path]] = {}
    if earlier := os.environ.get("UNQUILT_EARLIER"):
        pages = WORK / f"corpus-{tier}-earlier"
        if not pages.exists():
            cost("ingest", str(debian(tier)), "-o", str(pages), "-q", by=Path(earlier))
        found["earlier"] = Path(earlier), pages
    return found | {"now": (None, corpus.path)}


def measure(record: Record, tier: str = "medium") -> None:
    commands = earlier_commands(corpus_of(record, tier), tier)
    if len(commands) == 1:
        raise SystemExit("set UNQUILT_EARLIER to the command of an earlier unquilt")
    for mode, options in MODES.items():
        least: dict[str, float] = {}
        found: dict[str, int] = {}
        for _ in range(ROUNDS):
            for name, (by, pages) in commands.items():
                run = fresh("quilts-earlier")
                spent = cost("quilts", str(pages), "-o", str(run), "-q", *options, by=by).processor
                least[name] = min(spent, least.get(name, spent))
                found[name] = uq.read(run).manifest["summary"]["quilts"]
        for name, spent in least.items():
            record.add(f"quilts, {mode}, {name}", spent, "s of CPU", note=f"{found[name]:,} quilts, best of {ROUNDS}")
        record.add("… now in earlier", least["now"] / least["earlier"], "×", floor="at most 1")
