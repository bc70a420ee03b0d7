"""Files of every kind with faults of every sort: nothing is lost in silence, nothing that is intact (`fault_bench`).

A few hundred cases, always the same; `make fuzz` has tens of thousands, and others each time it is given another seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_bench.bases import KINDS, collapse
from fault_bench.cases import base
from fault_bench.guard import Guard
from fault_bench.kills import Way, kill_some, write_inputs
from fault_bench.sweep import sweep
from faulty import peruse, write

SEED = 1
CASES = 14


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
    tally = sweep(guard, kind, SEED, range(CASES))
    assert tally.cases == CASES
    assert not tally.lines, "\n".join(["", *tally.lines])


def test_killed_readers_change_nothing(tmp_path: Path) -> None:
    """FAULTS 41, at a few moments of a run; `make fuzz` has fifty of them, and Spark."""
    source = write_inputs(tmp_path / "in", records=60)
    found = kill_some(Way(), source, tmp_path / "out", wanted=4, seed=SEED)
    assert found.kills > 0
    assert not found.lines, "\n".join(["", *found.lines])
