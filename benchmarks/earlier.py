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


def measure(record: Record, tier: str = "medium") -> None:
    earlier = os.environ.get("UNQUILT_EARLIER")
    if earlier is None:
        raise SystemExit("set UNQUILT_EARLIER to the command of an earlier unquilt")
    corpora = {"earlier": WORK / f"corpus-{tier}-earlier", "now": corpus_of(record, tier).path}
    if not corpora["earlier"].exists():
        cost("ingest", str(debian(tier)), "-o", str(corpora["earlier"]), "-q", by=Path(earlier))
    for mode, options in MODES.items():
        least: dict[str, float] = {}
        found: dict[str, int] = {}
        for _ in range(ROUNDS):
            for name, by in (("earlier", Path(earlier)), ("now", None)):
                run = fresh("quilts-earlier")
                spent = cost("quilts", str(corpora[name]), "-o", str(run), "-q", *options, by=by).processor
                least[name] = min(spent, least.get(name, spent))
                found[name] = uq.read(run).manifest["summary"]["quilts"]
        for name, spent in least.items():
            record.add(f"quilts, {mode}, {name}", spent, "s of CPU", note=f"{found[name]:,} quilts, best of {ROUNDS}")
        record.add("… now in earlier", least["now"] / least["earlier"], "×", floor="at most 1")
