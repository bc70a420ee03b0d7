"""What the defaults of `quilts` are worth on pages whose truth is known. Pinned floors.

How they were chosen, and the figures for other limits: docs/quilts.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from campus_pages import crawl_campus, crawl_campus_at_home
from judged_set import CHOSEN_ON, gather, judge, part_of, read_labels, write
from law_pages import crawl_laws
from planted_pages import NOT_STITCHED, STITCHED
from real_pages import FILES, Page

import unquilt
from unquilt.tables.quilts import QUILTS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(path.exists() for path in FILES),
        reason="the shared data or the small Debian corpus (python -m benchmarks.debian small) is not here",
    ),
]


class Verdicts(NamedTuple):
    """The judged pages, and the quilts that the defaults find, in the order in which people see them."""

    pages: Sequence[Page]
    quilts: list[str]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    folder = tmp_path_factory.mktemp("judged")
    pages = gather()
    write(pages, folder / "pages.jsonl")
    return Verdicts(pages, find_quilts(folder / "pages.jsonl", folder / "run"))


@cache
def crawled(crawl: Callable[[int], list[Page]], seed: int, folder: Path) -> tuple[list[Page], Path]:
    """The pages of a crawl, and the corpus of them."""
    pages, name = crawl(seed), f"{crawl.__name__}-{seed}"
    write(pages, folder / f"{name}.jsonl")
    return pages, unquilt.ingest(folder / f"{name}.jsonl", folder / name).path


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("crawls")


def find_quilts(pages: Path, run: Path, **asked: Any) -> list[str]:
    """The ids of quilts by the defaults, the surest first."""
    quilts = unquilt.quilts(pages, run, **asked).quilts
    # As `--sort` has them: with a minus, largest first.
    order = [(by.removeprefix("-"), "descending" if by.startswith("-") else "ascending") for by in QUILTS.order]
    return [str(name) for name in quilts.sort_by([*order, ("doc", "ascending")])["id"].to_pylist()]


def test_the_judged_set_has_what_it_is_for() -> None:
    kinds = Counter(stitched for stitched, _ in read_labels().values())
    assert kinds[False] >= 150


def test_quilts_are_what_people_call_stitched_together(verdicts: Verdicts) -> None:
    found = set(verdicts.quilts)
    chosen_on = judge([page for page in verdicts.pages if part_of(page) in CHOSEN_ON], found)
    held_back = judge([page for page in verdicts.pages if part_of(page) not in CHOSEN_ON], found)
    assert chosen_on.precision >= 0.98, chosen_on
    assert held_back.precision >= 0.96, held_back
    assert chosen_on.recall >= 0.90, chosen_on
    assert held_back.recall >= 0.83, held_back


def test_of_the_first_hundred_at_least_ninety_are_right(verdicts: Verdicts) -> None:
    known: dict[str, Any] = {page.id: page.stitched for page in verdicts.pages if page.stitched is not None}
    first = [known[quilt] for quilt in verdicts.quilts if quilt in known][:100]
    assert sum(first) >= 97


def test_quilts_of_each_kind_are_found_and_others_are_not(verdicts: Verdicts) -> None:
    """Nearly all of each kind of quilt is found but those of three sources; of the others, hardly any."""
    planted = [page for page in verdicts.pages if page.id.startswith("in-")]
    found = Counter(page.kind for page in planted if page.id in set(verdicts.quilts))
    all_of = Counter(page.kind for page in planted)
    assert all(found[kind] >= 0.85 * all_of[kind] for kind in STITCHED if kind != "three"), found
    assert sum(found[kind] for kind in NOT_STITCHED) <= 4, found


@pytest.mark.parametrize(
    ("crawl", "foreign", "precision", "recall", "wrong"),
    [
        (crawl_campus, "domain", 0.95, 0.88, 3),
        (crawl_campus, "host", 0.92, 0.82, 5),
        (crawl_campus, "none", 0.83, 0.93, 11),
        (crawl_campus_at_home, "host", 0.87, 0.50, 9),  # of the rest, their own organisation has the text, too
        (crawl_campus_at_home, "none", 0.72, 0.48, 23),
        (crawl_laws, "domain", 0.86, 0.95, 7),
        (crawl_laws, "host", 0.85, 0.92, 7),
        (crawl_laws, "none", 0.72, 0.95, 7),
    ],
)
def test_generated_crawls(
    crawl: Callable[[int], list[Page]],
    foreign: str,
    precision: float,
    recall: float,
    wrong: int,
    crawls: Path,
    tmp_path: Path,
) -> None:
    """Sites that repeat themselves: a university and a code of law, and those around them."""
    pages, corpus = crawled(crawl, 1, crawls)
    quilts = find_quilts(corpus, tmp_path / "run", foreign=foreign)
    judged = judge(pages, set(quilts))
    assert judged.precision >= precision, judged
    assert judged.recall >= recall, judged
    known = {page.id: page.stitched for page in pages}
    assert sum(known[quilt] is False for quilt in quilts[:100]) <= wrong
