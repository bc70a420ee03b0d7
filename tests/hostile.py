"""What hostile input costs, measured in a process of its own.

Cost is processor time, which is (nearly) the same on a busy machine; whether it is too much is decided by how it grows.
A sweep tries very many inputs at a small size, and those that cost most are judged by how they grow.

Some inputs may hang what reads them. So this is a program (`python tests/hostile.py`), which says what it is about to
try and is ended by a signal that nobody handles when that has used up its time.
"""

from __future__ import annotations

import json
import random
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import patterns
from shapes import CASES, HEAD, KIB, MIB, SWEEPS, Case, Sweep, repeat, tell

TIMES = 16
MARGIN = 3
ENOUGH = 0.001
"""Seconds of processor time that are worth measuring: cases grow until they cost as much."""
FLOOR = 2 * ENOUGH
"""What costs less is taken for this: caches and the allocator make more of a difference. What is quadratic, and cost
enough, still costs 256 times as much at `TIMES` the size, of which `MARGIN` × `TIMES` × `FLOOR` are allowed.
"""
LEAST, MOST = 2 * KIB, 128 * KIB
CPU = 5
"""Seconds of processor time after which a step of a case has hung; in the long form, after fifty times as many."""

Note = Callable[[str], None]


def units(tokens: Sequence[Any]) -> Iterator[Any]:
    yield from tokens
    yield from (a + b for a, b in product(tokens, repeat=2) if a != b)


class TooDear(Exception):  # noqa: N818
    """What was measured."""


def cost(case: Case, size: int) -> float:
    data = case.store(case.make(size))
    begin = time.process_time()
    case.read(data)
    return time.process_time() - begin


def judge(case: Case, small: int, times: int = TIMES) -> None:
    """Raise if input of several times the size costs more than as many times as much, with a margin, a dozen times:
    what shares the cache with others passes sooner or later, what is not linear never does."""
    cheap = dear = 0.0
    for attempt in range(12):
        cheap = max(cheap, cost(case, small))
        once = cost(case, small * times)
        dear = min(dear, once) if attempt else once
        if dear <= MARGIN * times * max(cheap, FLOOR):
            return
    raise TooDear(f"{small} bytes cost {cheap:.4f} s, {times} times as many {dear:.4f} s")


def measurable(case: Case, size: int = LEAST) -> int:
    """The size from which on a case costs enough to be measured."""
    while size < MOST and cost(case, size) < ENOUGH:
        size *= 2
    return size


def judge_dearest(costs: list[tuple[float, int, Case, str]], size: int, note: Note) -> None:
    """Judge the three cases that cost most at a size."""
    for _, _, case, what in sorted(costs, reverse=True)[:3]:
        note(what)
        try:
            judge(case, measurable(case, size))
        except TooDear as error:
            raise TooDear(f"{what}: {error}") from error


def judge_sweep(sweep: Sweep, long: bool, note: Note) -> None:
    """Try all (in the short form, some: each alone, and pairs drawn by lot), and judge the three that cost most."""
    singles = len(sweep.tokens) * len(sweep.befores) * len(sweep.afters)
    tried = list(product(units(sweep.tokens), sweep.befores, sweep.afters))
    if not long and len(tried) > sweep.most:
        alone, pairs = tried[:singles], tried[singles:]
        lot = random.Random(0)
        alone = alone if len(alone) <= sweep.most // 2 else lot.sample(alone, sweep.most // 2)
        tried = alone + lot.sample(pairs, min(len(pairs), sweep.most - len(alone)))
    costs: list[tuple[float, int, Case, str]] = []
    for number, (unit, before, after) in enumerate(tried):
        what = f"{before!r} + {unit!r} * n + {after!r}"
        note(what)
        case = Case(sweep.read, repeat(unit, before, after), sweep.store)
        costs.append((cost(case, sweep.size), number, case, what))
    judge_dearest(costs, sweep.size, note)


def judge_pattern(name: str, long: bool, note: Note) -> None:
    """Judge a regular expression by strings made of what stands in it, see `patterns`."""
    judge_found(name, patterns.find()[name], long, note)


def judge_bad(bad: str, long: bool, note: Note) -> None:
    """Judge one that must not be."""
    judge_found("bad", patterns.Found(re.compile(bad.encode(), re.DOTALL), {"match"}), long, note)


def judge_found(name: str, found: patterns.Found, long: bool, note: Note) -> None:
    tried = list(patterns.attacks(found.pattern, None if long else 400))
    for method in sorted(found.methods):
        run = patterns.METHODS[method](found.pattern)
        costs = []
        for number, (before, unit, after) in enumerate(tried):
            what = f"{name}.{method}: {before!r} + {unit!r} * n + {after!r}"
            note(what)
            case = Case(run, lambda n, b=before, u=unit, a=after: b + u * (n // len(u)) + a)
            costs.append((cost(case, LEAST), number, case, what))
        judge_dearest(costs, LEAST, note)


def judge_case(name: str, long: bool, note: Note) -> None:
    case = CASES[name]
    note(name)
    judge(case, measurable(case))
    for times in (2, 4, 8) if long else ():
        judge(case, MIB, times)


def judge_tell(long: bool, note: Note) -> None:
    """What a file begins with decides what it is: in milliseconds, however it begins."""
    for name, case in CASES.items():
        data = case.make(HEAD)
        head = data.encode() if isinstance(data, str) else data
        note(f"to tell the kind of {name}")
        judge(Case(tell, lambda n, head=head: head[:n]), HEAD // TIMES)


JUDGES: dict[str, Callable[[str, bool, Note], None]] = {
    "case": judge_case,
    "sweep": lambda name, long, note: judge_sweep(SWEEPS[name], long, note),
    "pattern": judge_pattern,
    "bad": judge_bad,
    "tell": lambda name, long, note: judge_tell(long, note),
}


def say(**what: str) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Read requests as lines of JSON ([kind, name, long]); say what is tried, then the verdict ("" if it is good)."""

    def note(what: str) -> None:
        signal.setitimer(signal.ITIMER_PROF, limit)  # nobody handles its signal, so it ends even what hangs
        say(trying=what)

    for request in sys.stdin:
        kind, name, long = json.loads(request)
        limit = 0.5 if kind == "bad" else CPU * 50 if long else CPU
        verdict = ""
        try:
            JUDGES[kind](name, long, note)
        except TooDear as error:
            verdict = str(error)
        signal.setitimer(signal.ITIMER_PROF, 0)
        say(verdict=verdict)


if __name__ == "__main__":
    main()
