"""Pages whose chunks are added, deleted and changed, and what detection still sees of them (ISI-TR-692, 5.3 and 5.4).

A page is what detection knows of it: of each of its chunks, without stop chunks, whether it is labelled. To each page
the same number n of mutations is applied:

    added      n chunks that nobody has labelled
    deleted    n chunks at random; a page without chunks is no more
    changed    n times a chunk at random, with replacement: a chunk that was changed is labelled no more
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from statistics import fmean, pstdev
from typing import NamedTuple

Flags = Sequence[bool]
"""Of each chunk of a page, whether it is labelled."""


class Left(NamedTuple):
    """What there is of a page after some mutations: labelled chunks, and all chunks."""

    matched: int
    chunks: int

    @property
    def contains(self) -> float:
        return self.matched / self.chunks if self.chunks else 0.0


class Point(NamedTuple):
    """The mean of all runs after `mutations` of each page; `error` is its standard error."""

    mutations: int
    pages: float
    contains: float
    error: float
    ratio: float
    targets: float


def add(page: Flags, steps: Sequence[int], _: Random) -> list[Left]:
    """What is left after so many chunks were added, for each of the steps."""
    return [Left(sum(page), len(page) + step) for step in steps]


def delete(page: Flags, steps: Sequence[int], random: Random) -> list[Left]:
    """The same for chunks that are deleted."""
    order = list(page)
    random.shuffle(order)
    return [Left(sum(order[step:]), max(0, len(order) - step)) for step in steps]


def change(page: Flags, steps: Sequence[int], random: Random) -> list[Left]:
    """The same for chunks that are changed, the steps in rising order."""
    changed, found, done = set[int](), [], 0
    for step in steps:
        while done < step and len(changed) < len(page):
            changed.add(random.randrange(len(page)))
            done += 1
        found.append(Left(sum(flag for place, flag in enumerate(page) if place not in changed), len(page)))
    return found


OPERATIONS: dict[str, Callable[[Flags, Sequence[int], Random], list[Left]]] = {
    "added": add,
    "deleted": delete,
    "changed": change,
}


def mutate(
    pages: Sequence[Flags], operation: str, steps: Sequence[int], threshold: float, runs: int, seed: int
) -> list[Point]:
    """What detection sees after each number of mutations, in the mean of all runs: of the pages that still have chunks
    the mean share of labelled ones, the share of labelled chunks among all, and of all pages the share of those above
    the threshold.

    >>> [round(point.contains, 2) for point in mutate([[True, True]], "added", [0, 2, 6], 0.1, 1, 0)]
    [1.0, 0.5, 0.25]
    """
    means: list[list[tuple[float, float, float, float]]] = []
    for run in range(runs):
        random = Random(f"{seed} {operation} {run}")  # noqa: S311 - the same every time, and no secret
        left = [OPERATIONS[operation](page, steps, random) for page in pages]
        means.append([_measure([page[at] for page in left], threshold) for at in range(len(steps))])
    points = []
    for at, step in enumerate(steps):
        alive, contains, ratio, targets = zip(*(run[at] for run in means), strict=True)
        error = pstdev(contains) / len(contains) ** 0.5
        points.append(Point(step, fmean(alive), fmean(contains), error, fmean(ratio), fmean(targets)))
    return points


def _measure(pages: Sequence[Left], threshold: float) -> tuple[float, float, float, float]:
    alive = [page for page in pages if page.chunks]
    chunks = sum(page.chunks for page in alive)
    contains = fmean(page.contains for page in alive) if alive else 0.0
    ratio = sum(page.matched for page in alive) / chunks if chunks else 0.0
    return len(alive), contains, ratio, sum(page.contains > threshold for page in alive) / max(1, len(pages))


def tolerate(points: Sequence[Point], values: Sequence[float], threshold: float) -> tuple[int | None, bool]:
    """The most mutations up to which a value is above the threshold all the way, None if it never is; and whether it is
    so to the end."""
    last, always = None, True
    for point, value in zip(points, values, strict=True):
        if not value > threshold:
            always = False
            break
        last = point.mutations
    return last, always
