"""docs/faults.md 41, 42, 44: files of every kind with faults of every sort (`fault_bench`). Nothing is lost in silence,
and nothing that is intact.

A few hundred cases, always the same; `make fuzz` has tens of thousands, and others each time it is given another seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from fault_bench.bases import ALONE, KINDS, MIXED, collapse
from fault_bench.cases import Case, base, draw_case, judge_case, shrink, write_case
from fault_bench.guard import Guard
from fault_bench.kills import Way, kill_some, write_inputs
from fault_bench.patchwork import OPERATIONS, Fault, Patchwork, draw
from fault_bench.sweep import sweep
from fault_bench.verdicts import EXCUSED, Row, Seen, has_footer, judge
from faulty import Tables, begins, execute, peruse, tables, write

pytestmark = pytest.mark.slow

SEED = 1
CASES = 14
FEW = 5
"""Cases of a folder of everything, of which each takes as long as thirty others."""


@pytest.fixture(scope="module")
def guard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    with Guard(tmp_path_factory.mktemp("guard")) as guard:
        yield guard


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_broken_is_read_as_it_is(kind: str, tmp_path: Path) -> None:
    """Else the bench would measure nothing."""
    samples = base(kind, SEED).samples
    for name, sample in samples.items():
        write(tmp_path / name, sample.data)
    found = peruse(tmp_path)
    expected = [(name, record.text) for name, sample in samples.items() for record in sample.records]
    assert [(Path(row["file"]).name, collapse(row["text"])) for row in found.documents] == expected
    assert found.rejects == []


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_in_silence_and_no_neighbour(kind: str, guard: Guard) -> None:
    tally = sweep(guard, kind, SEED, range(FEW if kind == MIXED else CASES))
    assert tally.cases > 0
    assert not tally.lines, "\n".join(["", *tally.lines])


# What chance finds seldom.


def check(guard: Guard, kind: str, faults: Iterable[Fault]) -> None:
    cases = [Case(kind, SEED, ALONE[kind][0], (fault,)) for fault in faults]
    found = [(str(case), finding) for case in cases for finding in guard.try_case(case)]
    assert not [(case, finding) for case, finding in found if finding.sort != EXCUSED]


def stored(kind: str) -> list[tuple[int, int]]:
    """Where the members, frames or records of a file begin and end."""
    return list(pairwise(sorted(base(kind, SEED).samples[ALONE[kind][0]].borders)))


@pytest.mark.parametrize("kind", ["warc.gz", "wet.gz", "arc.gz", "warc.zst", "jsonl.gz", "jsonl.zst", "mbox.gz"])
@pytest.mark.parametrize("short", [1, 8, 9, 12])
def test_what_has_lost_its_end_hides_no_neighbour(kind: str, short: int, guard: Guard) -> None:
    """The decoder goes on in what is left of the next one, and may end in the one after that."""
    places = pairwise(stored(kind))
    check(guard, kind, [Fault("delete", end - short, last - 20) for (_, end), (_, last) in places])


@pytest.mark.parametrize("kind", ["warc", "wet", "arc"])
@pytest.mark.parametrize("into", [1, 20, 40])
def test_a_header_does_not_go_on_behind_a_hole(kind: str, into: int, guard: Guard) -> None:
    places = stored(kind)
    holes = zip(places, places[3:], strict=False)
    check(guard, kind, [Fault("zero", begin + into, end) for (begin, _), (end, _) in holes])


@pytest.mark.parametrize("kind", sorted(ALONE))
def test_each_bit_of_the_first_bytes(kind: str, guard: Guard) -> None:
    """By which a file is known: it is found out by its name what it should be, and where it goes on."""
    check(guard, kind, [Fault("flip", at, c=bit) for at in range(4) for bit in (0, 3, 6)])


def test_the_command_line_is_held_to_the_same(tmp_path: Path) -> None:
    """Some more cases, all in one folder: of the inputs, only Parquet without its footer would be refused."""
    cases = [draw_case(kind, SEED, number) for kind in KINDS if kind != MIXED for number in range(CASES, CASES + 4)]
    samples = [base(case.kind, case.seed).samples[case.file] for case in cases]
    cases = [
        case
        for case, sample in zip(cases, samples, strict=True)
        if sample.footer is None or has_footer(sample, case.broken())
    ]
    for number, case in enumerate(cases):
        write_case(case, tmp_path / "in" / str(number))
    ended = execute("ingest", tmp_path / "in", "-o", tmp_path / "out")
    assert ended.code == 0, ended.err
    found = tables(tmp_path / "out")
    wrong = []
    for number, case in enumerate(cases):
        here = str(tmp_path / "in" / str(number))
        rows = [[row for row in table if row["file"].startswith(f"{here}/")] for table in found[:2]]
        judged = judge_case(case, Tables(*rows, [], found.skipped))
        wrong += [f"{finding.sort}: {finding.what}\n    {case}" for finding in judged if finding.sort != EXCUSED]
    assert len(cases) > 100
    assert not wrong, "\n".join(["", *wrong])


def test_killed_readers_change_nothing(tmp_path: Path) -> None:
    """docs/faults.md 41, at a few moments of a run; `make fuzz` has fifty of them, and Spark."""
    source = write_inputs(tmp_path / "in", records=40)
    found = kill_some(Way(), source, tmp_path / "out", wanted=2, seed=SEED)
    assert found.kills > 0
    assert not found.lines, "\n".join(["", *found.lines])


# The bench itself.


def plainly(data: bytes, fault: Fault) -> bytes:
    """What a fault does, without a thought about where bytes come from."""
    _, a, b, c, d, junk = fault
    match fault.operation:
        case "flip":
            return data[:a] + bytes([data[a] ^ 1 << c]) + data[a + 1 :]
        case "cut":
            return data[:a]
        case "zero":
            return data[:a] + bytes(b - a) + data[b:]
        case "delete":
            return data[:a] + data[b:]
        case "insert":
            return data[:a] + junk + data[a:]
        case "append":
            return data + junk
        case "prepend":
            return junk + data
        case "duplicate":
            return data[:c] + data[a:b] + data[c:]
        case _:
            return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def test_broken_bytes_know_where_they_come_from() -> None:
    rng = Random(SEED)
    for number in range(300):
        data = rng.randbytes(rng.randrange(1, 400))
        first = draw(rng, len(data), [(0, len(data) // 2), (len(data) // 2, len(data))], OPERATIONS[number % 9])
        broken = first.apply(Patchwork.of(data))
        assert broken.data == plainly(data, first)
        second = draw(rng, len(broken), [(0, len(data))])
        broken = second.apply(broken)
        assert broken.data == plainly(plainly(data, first), second)
        assert Fault.parse(str(second)) == second
        for at, part in broken.placed():
            assert broken.data[at : at + len(part.data)] == part.data
            assert part.origin is None or data[part.origin : part.origin + len(part.data)] == part.data
        begin = rng.randrange(len(data))
        end = rng.randint(begin + 1, len(data))
        assert all(broken.data[at : at + end - begin] == data[begin:end] for at in broken.copies(begin, end))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind in ALONE])
def test_a_reader_that_loses_what_is_intact_is_found_out(kind: str) -> None:
    (sample,) = base(kind, SEED).samples.values()
    offsets = [at for at, _ in _lines_of(sample.data)] if kind == "jsonl" else range(len(sample.records))
    rows = [Row(offset, record.text) for offset, record in zip(offsets, sample.records, strict=True)]
    whole = Patchwork.of(sample.data)
    assert judge(sample, whole, Seen(rows, [])) == []
    for lost in (0, 7, len(rows) - 1):
        for left in ([*rows[:lost], *rows[lost + 1 :]], [*rows[:lost], Row(rows[lost].offset, "x"), *rows[lost + 1 :]]):
            assert "neighbour" in {finding.sort for finding in judge(sample, whole, Seen(left, []))}


def _lines_of(data: bytes) -> list[tuple[int, bytes]]:
    lines = data.splitlines(keepends=True)
    return list(zip(begins(lines), lines, strict=False))


@pytest.mark.parametrize("kind", [kind for kind in ALONE if base(kind, SEED).samples[ALONE[kind][0]].rules.checked])
def test_a_reader_that_says_nothing_is_found_out(kind: str) -> None:
    """All that is in a broken member, frame or row group is lost, and there is no reject, or there is one elsewhere."""
    (sample,) = base(kind, SEED).samples.values()
    record = sample.records[7]
    broken = Fault("zero", record.begin + 5, record.end - 5).apply(Patchwork.of(sample.data))
    kept = [
        Row(number, each.text)
        for number, each in enumerate(sample.records)
        if each.end <= record.begin + 5 or each.begin >= record.end - 5
    ]
    assert "silent" in {finding.sort for finding in judge(sample, broken, Seen(kept, []))}
    phantom = Seen([*kept[:7], Row(7, "\0\1\2"), *kept[7:]], [])
    if sample.footer is None:
        assert {"silent", "phantom"} <= {finding.sort for finding in judge(sample, broken, phantom)}
    if kept:
        elsewhere = Seen(kept, [Row(0, "corrupt")])
        assert "silent" in {finding.sort for finding in judge(sample, broken, elsewhere)}


def test_a_failure_becomes_small() -> None:
    case = Case("jsonl", SEED, "a.jsonl", (Fault("zero", 100, 900), Fault("append", junk=b"x" * 100)))
    assert shrink(case, lambda each: b"\0\0" in each.broken().data).faults[0].b == 102
    assert len(shrink(case, lambda each: each.broken().data.endswith(b"x")).faults) == 1
    assert Case.parse(str(case)) == case
