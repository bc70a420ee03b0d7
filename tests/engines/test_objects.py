"""Objects and the plan of tasks: any damage is noticed, ranges are what was put there, and tasks stay small."""

from __future__ import annotations

import pickle
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unquilt.engines.objects.blocks_file import Object, add_up, find_ranges, read_blocks, write_object
from unquilt.engines.objects.making import Task
from unquilt.engines.objects.plan import (
    GROUP_BYTES,
    LEAST,
    RowGroups,
    _gather,
    count_partitions,
    count_tasks,
    cut_partitions,
)
from unquilt.engines.tasks import Scale
from unquilt.errors import RunError

Blocks = dict[tuple[int, int], list[bytes]]


def write(path: Path, blocks: Blocks, ports: int, partitions: int) -> tuple[Object, list[list[int]]]:
    with path.open("wb") as file:
        sizes = write_object(file, ports, partitions, lambda *place: iter(blocks.get(place, [])))
    return Object(path, path.stat().st_size, ports, partitions), sizes


def read(made: Object, port: int, first: int, last: int) -> Blocks:
    found: Blocks = {}
    for number, block in read_blocks(find_ranges(made, port, first, last), 0, last - first):
        found.setdefault((port, first + number), []).append(block)
    return found


def read_all(made: Object) -> Blocks:
    return {place: each for port in range(made.ports) for place, each in read(made, port, 0, made.partitions).items()}


PLACES = st.tuples(st.integers(0, 2), st.integers(0, 4))


@given(st.dictionaries(PLACES, st.lists(st.binary(max_size=9), min_size=1, max_size=3)), st.data())
def test_ranges_are_what_was_put_there(tmp_path: Path, blocks: Blocks, data: st.DataObject) -> None:
    made, sizes = write(tmp_path / "object", blocks, 3, 5)
    port = data.draw(st.integers(0, 2))
    first = data.draw(st.integers(0, 4))
    last = data.draw(st.integers(first + 1, 5))
    wanted = {place: each for place, each in blocks.items() if place[0] == port and first <= place[1] < last}
    assert read(made, port, first, last) == wanted
    assert sum(map(sum, sizes)) == sum(12 + len(block) for each in blocks.values() for block in each)


def test_any_damage_is_noticed(tmp_path: Path) -> None:
    """docs/faults.md 49: every byte behind the first four, changed; and the object cut off anywhere."""
    blocks = {(port, partition): [b"%d %d" % (port, partition), b"more"] for port in range(2) for partition in (0, 2)}
    made, _ = write(tmp_path / "object", blocks, 2, 3)
    whole = made.path.read_bytes()
    for at in range(4, len(whole)):
        made.path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(RunError, match=r"object is damaged: .*; remove it and run again"):
            read_all(made)
    for size in range(len(whole)):
        made.path.write_bytes(whole[:size])
        with pytest.raises(RunError, match="is damaged"):
            read(made, 1, 0, 3)
    made.path.unlink()
    with pytest.raises(RunError, match=r"object is missing; run again: what it was made of is made anew"):
        read(made, 0, 0, 1)


def test_sizes_are_added_up_over_neighbours() -> None:
    assert add_up([1, 2, 3], 10) == [1, 2, 3]
    assert add_up([1] * 10, 4) == [2, 3, 2, 3]


@given(st.lists(st.integers(0, 5 << 30), min_size=1, max_size=40), st.integers(1, 200), st.integers(1, 9))
def test_ranges_of_partitions_follow_each_other(sizes: list[int], partitions: int, slots: int) -> None:
    sums = add_up((sizes * 200)[:partitions], len(sizes))
    cut = cut_partitions(sums, partitions, slots)
    assert [first for first, _ in cut] == [0, *(last for _, last in cut[:-1])]
    assert cut[-1][1] == partitions
    assert len(cut) <= count_tasks(sum(sums), GROUP_BYTES, slots)


@given(st.lists(st.lists(st.integers(1, 100), max_size=5), max_size=8), st.integers(1, 300))
def test_each_row_group_is_in_one_task(sizes: list[list[int]], wanted: int) -> None:
    tasks = list(_gather([(str(number), each) for number, each in enumerate(sizes)], wanted))
    found = [(piece.path, number) for task in tasks for piece in task for number in range(piece.first, piece.last)]
    assert found == [(str(path), number) for path, each in enumerate(sizes) for number in range(len(each))]
    assert all(tasks)
    assert len(tasks) <= sum(map(sum, sizes)) / wanted + 2


@pytest.mark.parametrize("pages", [500_000_000, 3_000_000_000])
def test_the_plan_of_a_web_crawl(pages: int) -> None:
    """Pages of 5.5 kB and 700 words, in files of 512 MB with row groups of 8 MB, on 4,000 cores: a few thousand tasks
    with reads of more than 100 kB, and none larger than a few kilobytes however many there are."""
    scale = Scale(pages, pages * 700)
    files = pages * 5500 // (512 << 20)
    tasks = list(_gather([(f"part-{number}", [8 << 20] * 64) for number in range(files)], float(512 << 20)))
    random = Random(3)
    partitions = count_partitions(scale)
    sums = [random.randrange(90, 110) * pages * 11_040 // 102_400 for _ in range(1024)]
    ranges = cut_partitions(sums, partitions, 4000)
    per_million = pages // 1_000_000
    assert len(tasks) <= 11 * per_million
    assert len(ranges) <= max(8000, 11 * per_million)
    assert sum(sums) / len(tasks) / len(ranges) > 100_000 * 500e6 / pages
    assert partitions <= 15 * per_million
    assert (8 << 20) // partitions > 1000 * 500e6 / pages, "bytes of a block"
    assert max(len(pickle.dumps(Task(Path("/shared/run/.pieces/0123"), 7, tuple(task)))) for task in tasks) < 2000


def test_small_stages_are_few_tasks() -> None:
    assert count_tasks(0, GROUP_BYTES, 64) == 1
    assert count_tasks(3 * LEAST, GROUP_BYTES, 64) == 3
    assert count_tasks(1 << 30, GROUP_BYTES, 4) == 8
    assert list(_gather([("a", [1, 1]), ("b", [1])], 10.0)) == [[RowGroups("a", 0, 2), RowGroups("b", 0, 1)]]
