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
from statistics import fmean, stdev
from typing import NamedTuple

Flags = Sequence[bool]
"""Of each chunk of a page, whether it is labelled."""


class Left(NamedTuple):
    """What there is of a page after some mutations: labelled chunks, and all chunks."""

    matched: int
    chunks: int

    @property
    def contains(self) -> float:
        """The share of labelled chunks of a page that has chunks."""
        return self.matched / self.chunks


class Point(NamedTuple):
    """The mean of all runs after `mutations` of each page, and its standard error. Where no page has chunks any more,
    shares of chunks are not defined: None. Runs without pages do not count for these."""

    mutations: int
    pages: float
    targets: float
    targets_error: float
    contains: float | None = None
    error: float | None = None
    ratio: float | None = None
    ratio_error: float | None = None
    mean_chunks: float | None = None


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
    the mean share of labelled ones, the share of labelled chunks among all; and of all pages the share of those above
    the threshold.

    >>> [round(point.contains, 2) for point in mutate([[True, True]], "added", [0, 2, 6], 0.1, 1, 0)]
    [1.0, 0.5, 0.25]
    >>> [point.contains for point in mutate([[True, True]], "deleted", [0, 1, 2], 0.1, 1, 0)]
    [1.0, 1.0, None]
    """
    seen: list[list[_Seen]] = []
    for run in range(runs):
        random = Random(f"{seed} {operation} {run}")  # noqa: S311 - the same every time, and no secret
        left = [OPERATIONS[operation](page, steps, random) for page in pages]
        seen.append([_measure([page[at] for page in left], threshold) for at in range(len(steps))])
    return [_average(step, [run[at] for run in seen]) for at, step in enumerate(steps)]


class _Seen(NamedTuple):
    """What one run has after some mutations."""

    pages: int
    contains: float
    ratio: float
    targets: float
    mean_chunks: float


_NONE_LEFT = _Seen(0, 0.0, 0.0, 0.0, 0.0)


def _measure(pages: Sequence[Left], threshold: float) -> _Seen:
    alive = [page for page in pages if page.chunks]
    if not alive:
        return _NONE_LEFT
    chunks = sum(page.chunks for page in alive)
    ratio = sum(page.matched for page in alive) / chunks
    found = sum(page.contains > threshold for page in alive)
    contains = fmean(page.contains for page in alive)
    return _Seen(len(alive), contains, ratio, found / len(pages), chunks / len(alive))


def _average(step: int, runs: Sequence[_Seen]) -> Point:
    pages = fmean(run.pages for run in runs)
    targets, targets_error = _take_mean([run.targets for run in runs])
    there = [run for run in runs if run.pages]
    if not there:
        return Point(step, pages, targets, targets_error)
    contains, error = _take_mean([run.contains for run in there])
    ratio, ratio_error = _take_mean([run.ratio for run in there])
    chunks = fmean(run.mean_chunks for run in there)
    return Point(step, pages, targets, targets_error, contains, error, ratio, ratio_error, chunks)


def _take_mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and its standard error; that of a single value is taken for 0."""
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return fmean(values), error


def tolerate(points: Sequence[Point], values: Sequence[float | None], threshold: float) -> tuple[int | None, bool]:
    """The most mutations up to which a value is above the threshold all the way, None if it never is; and whether it is
    so to the end. A value that is not defined is not below the threshold: there is no page that could escape."""
    last, always = None, True
    for point, value in zip(points, values, strict=True):
        if value is not None and not value > threshold:
            always = False
            break
        last = point.mutations if value is not None else last
    return last, always
