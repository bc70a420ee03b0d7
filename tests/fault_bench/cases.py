"""One broken file, from its number to what is wrong with how it was read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from faulty import Tables, peruse, write

from fault_bench import bases
from fault_bench.bases import Base, collapse
from fault_bench.patchwork import OPERATIONS, Fault, Patchwork, draw
from fault_bench.verdicts import Finding, Row, Seen, judge, refused
from unquilt.errors import InputError

PAIRS = 0.25
"""The share of files that have two faults."""

base = lru_cache(maxsize=64)(bases.make)


class Case(NamedTuple):
    """A file of a base, and what is done to it. Its text names it, and can be parsed again."""

    kind: str
    seed: int
    file: str
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.seed} {self.file}: {'; '.join(map(str, self.faults))}"

    @classmethod
    def parse(cls, said: str) -> Case:
        what, _, faults = said.partition(": ")
        kind, seed, file = what.split()
        return cls(kind, int(seed), file, tuple(map(Fault.parse, faults.split("; "))))

    def broken(self) -> Patchwork:
        """The file as the faults leave it."""
        made = Patchwork.of(base(self.kind, self.seed).samples[self.file].data)
        for fault in self.faults:
            made = fault.apply(made)
        return made


def draw_case(kind: str, seed: int, number: int) -> Case:
    """The case of this number. All sorts of faults have their turn."""
    rng = Random(f"{kind} {seed} {number}")
    samples = base(kind, seed).samples
    file = rng.choice(list(samples))
    sample = samples[file]
    extents = [(record.begin, record.end) for record in sample.records]
    if sample.footer is not None:
        extents += [(sample.footer, len(sample.data))] * 2
    faults = [draw(rng, len(sample.data), extents, OPERATIONS[number % len(OPERATIONS)])]
    size = len(faults[0].apply(Patchwork.of(sample.data)))
    if rng.random() < PAIRS:
        faults.append(draw(rng, size, extents))
    return Case(kind, seed, file, tuple(faults))


def write_case(case: Case, folder: Path) -> Path:
    """Writes the files of a case; what to read is the folder, or the file if it is alone."""
    samples = base(case.kind, case.seed).samples
    for name, sample in samples.items():
        write(folder / name, case.broken().data if name == case.file else sample.data)
    return folder if len(samples) > 1 else folder / case.file


def try_case(case: Case, folder: Path) -> list[Finding]:
    """What is wrong with how the files of a case are read."""
    given = write_case(case, folder)
    whole = base(case.kind, case.seed)
    try:
        found = peruse(given)
    except InputError as error:
        return _judge_refusal(whole, case, str(error))
    return judge_case(case, found)


def judge_case(case: Case, found: Tables) -> list[Finding]:
    """What is wrong with what was read of the files of a case."""
    judged = []
    skipped = sum(count for what, count in found.skipped.items() if what != "warcinfo record")  # the first of each file
    for name, sample in base(case.kind, case.seed).samples.items():
        documents = [Row(row["offset"], collapse(row["text"])) for row in found.documents if _is_in(row["file"], name)]
        rejects = [Row(row["offset"], row["reason"]) for row in found.rejects if _is_in(row["file"], name)]
        if name == case.file:
            judged += judge(sample, case.broken(), Seen(documents, rejects, skipped))
        else:
            judged += judge(sample, Patchwork.of(sample.data), Seen(documents, rejects))
    return judged


def _is_in(path: str, name: str) -> bool:
    return Path(path).name == name


def _judge_refusal(whole: Base, case: Case, why: str) -> list[Finding]:
    found = refused(whole.samples[case.file], case.broken(), why)
    others = len(whole.samples) - 1
    if others and whole.samples[case.file].footer is None:
        found.append(Finding("neighbour", f"refused with {others} other files: {why}"))
    return found


def shrink(case: Case, fails: Callable[[Case], bool], patience: int = 200) -> Case:
    """A case that does less, and still fails."""
    for _ in range(patience):
        smaller = next(filter(fails, _smaller(case)), None)
        if smaller is None:
            break
        case = smaller
    return case


def _smaller(case: Case) -> Sequence[Case]:
    alone = [(fault,) for fault in case.faults if len(case.faults) > 1]
    less = [
        (*case.faults[:i], fewer, *case.faults[i + 1 :])
        for i, fault in enumerate(case.faults)
        for fewer in fault.smaller()
    ]
    return [case._replace(faults=faults) for faults in (*alone, *less)]
