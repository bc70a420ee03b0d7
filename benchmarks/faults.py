"""`python -m benchmarks.faults`: broken files by the thousands, and killed processes (`make fuzz`), for a time given.

First what takes as long as it takes: processes are killed while they read, and tests that have a long form are run in
it. The rest of the time is for the fault bench (`tests/fault_bench`), each kind in turn. Every failure is printed with
the command that shows it again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Lock

from benchmarks.record import HERE, Record

TESTS = HERE.parent / "tests"
sys.path.insert(0, str(TESTS))

from fault_bench.bases import KINDS, MIXED  # noqa: E402
from fault_bench.guard import Guard  # noqa: E402
from fault_bench.kills import Kills, Way, kill_some, write_inputs  # noqa: E402
from fault_bench.sweep import Tally, sweep  # noqa: E402
from fault_bench.verdicts import EXCEPTIONS, FAILURES  # noqa: E402

PROCESSES = 2
BATCH = 20
"""Cases of one kind before the next kind has its turn."""
SHARE = 0.3
"""Most of the time for killing, and for long tests."""
LONG = "UNQUILT_LONG"
"""What tests look for in the environment if they have a long form."""
KILLS = {Way(): 42, Way(small=False): 8, Way(engine="spark"): 4}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    begin = time.monotonic()
    seconds = given.minutes * 60
    record, failures = Record(), 0
    with tempfile.TemporaryDirectory(prefix="unquilt-faults-") as folder:
        record.add("seed", given.seed)
        failures += kill(record, Path(folder), given.seed, begin + seconds * SHARE)
        failures += run_long_tests(record, seconds * SHARE)
        failures += break_files(record, Path(folder), given.seed, begin + seconds)
    print(f"written: {record.write('faults')}")
    sys.exit(1 if failures else 0)


def kill(record: Record, folder: Path, seed: int, until: float) -> int:
    """Kills processes that read; says how many corpora it has changed."""
    source = write_inputs(folder / "in", records=300)
    failures = 0
    for way, wanted in KILLS.items():
        what = f"readers killed on {way.engine}, files cut {'small' if way.small else 'as they are'}"
        missing = way.engine == "spark" and not (shutil.which("java") or "JAVA_HOME" in os.environ)
        if missing or time.monotonic() > until:
            record.add(what, 0, note="there is no Java" if missing else "no time was left")
            continue
        found = kill_some(way, source, folder / "killed", wanted, seed, until)
        record.add(what, found.kills, note=f"one a run; {wanted} wanted")
        record.add("… corpora that were not the same", len(found.lines), floor="0")
        failures += _print(found)
    return failures


def _print(found: Kills) -> int:
    for line in found.lines:
        print(f"  {line}")
    return len(found.lines)


def run_long_tests(record: Record, seconds: float) -> int:
    """Runs the test modules that have a long form; says how many failed."""
    modules = [path for path in sorted(TESTS.glob("test_*.py")) if LONG in path.read_text()]
    failed = 0
    for module in modules:
        command = [sys.executable, "-m", "pytest", "--quiet", "--exitfirst", str(module)]
        try:
            code = subprocess.run(command, env=os.environ | {LONG: "1"}, timeout=seconds / len(modules)).returncode
        except subprocess.TimeoutExpired:
            code = -1
        ended = {0: "passed", -1: "not finished"}.get(code, "FAILED")
        record.add(f"long form of {module.name}", ended, floor="passed")
        failed += code > 0
    return failed


def break_files(record: Record, folder: Path, seed: int, until: float) -> int:
    """Tries cases of all kinds until the time is over; says how many failed."""
    found: dict[str, Tally] = defaultdict(Tally)
    turns, lock = _turns(seed), Lock()

    def work(number: int) -> None:
        with Guard(folder / f"guard-{number}") as guard:
            while time.monotonic() < until:
                with lock:
                    kind, base, numbers = next(turns)
                tally = sweep(guard, kind, base, numbers, until)
                with lock:
                    found[kind] += tally
                    for line in tally.lines:
                        print(f"  {kind}: {line}", flush=True)

    with ThreadPoolExecutor(PROCESSES) as pool:
        for done in [pool.submit(work, number) for number in range(PROCESSES)]:
            done.result()
    _record_tallies(record, found)
    return sum(tally.failed.total() for tally in found.values())


def _turns(seed: int) -> Iterator[tuple[str, int, range]]:
    """Which kind is next, the seed of the base and which cases of it. Each turn has other bases.

    A folder of everything takes as long as all others together, so there is but one case of it in a turn.
    """
    for turn in count(seed * 1000):
        for kind in KINDS:
            yield kind, turn, range(turn % BATCH, turn % BATCH + (1 if kind == MIXED else BATCH))


def _record_tallies(record: Record, found: dict[str, Tally]) -> None:
    whole = Tally()
    for kind in KINDS:
        tally = found[kind]
        whole += tally
        failed = ", ".join(f"{times} {sort}" for sort, times in sorted(tally.failed.items()))
        record.add(f"files broken: {kind}", tally.cases, note=failed)
    record.add("files broken", whole.cases, note="with one fault, or two in a quarter of them")
    for sort, meaning in FAILURES.items():
        record.add(f"… {sort}", whole.failed[sort], floor="0", note=meaning)
    for name, reason in EXCEPTIONS.items():
        record.add(f"… excused: {name}", whole.excused[name], note=reason)


if __name__ == "__main__":
    main()
