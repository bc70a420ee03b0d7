"""The task graph of a web crawl: stages and sizes of a small web, times so many pages, cut by the real planner."""

from __future__ import annotations

from collections import Counter

import pytest
from quilting import run_quilts
from test_objects_faults import here

import unquilt
from unquilt.analyses.quilt_parameters import QuiltParameters
from unquilt.demo import write_jsonl
from unquilt.engines.objects import plan
from unquilt.engines.objects.plan import count_partitions, count_tasks
from unquilt.engines.tasks import Scale

pytestmark = pytest.mark.slow

PAGES = 300
Sizes = list[tuple[int, int]]


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> Sizes:
    """Of each stage of quilts of a small web: the bytes that it reads, and how many a task should read at most."""
    folder = tmp_path_factory.mktemp("web")
    write_jsonl(folder / "web.jsonl", PAGES, words=600)
    corpus = unquilt.ingest(folder / "web.jsonl", folder / "corpus")
    found: Sizes = []

    def count(size: int, at_most: int, slots: int) -> int:
        found.append((size, at_most))
        return count_tasks(size, at_most, slots)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "count_tasks", count)
        patch.setattr(plan, "WRITTEN_HERE", 0)
        run_quilts(corpus, folder / "run", here(corpus, Counter()), **QuiltParameters().to_dict())
    return found


@pytest.mark.parametrize("slots", [32, 4000])
@pytest.mark.parametrize("pages", [500_000_000, 3_000_000_000])
def test_tasks_and_objects_grow_with_pages_and_no_faster(pages: int, slots: int, sizes: Sizes) -> None:
    """Fewer than 200 objects for a million pages, none of the largest stages more than 30; a stage that is small beside
    the cluster has two tasks for each slot, none of less than 2 MiB. No task reads more than its share."""
    scaled = [(size * (pages // PAGES), at_most) for size, at_most in sizes]
    counts = [count_tasks(size, at_most, slots) for size, at_most in scaled]
    large = [tasks for tasks in counts if tasks > 2 * slots]
    millions = pages // 1_000_000
    assert 20 < len(counts) < 100, "stages"
    assert sum(large) < 200 * millions
    assert max(counts) < max(30 * millions, 2 * slots + 1)
    for (size, at_most), tasks in zip(scaled, counts, strict=True):
        assert size / tasks <= at_most
        assert tasks == 1 or size / tasks >= plan.LEAST / 2
    assert count_partitions(Scale(pages, 600 * pages)) < 13 * millions
