"""What the defaults of `quilts` are worth on pages whose truth is known. Pinned floors.

How they were chosen, and the figures for other limits: docs/quilts.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from judged_set import CHOSEN_ON, gather, judge, part_of, read_labels, write
from planted_pages import NOT_STITCHED, STITCHED
from real_pages import FILES, Page

import unquilt
from unquilt.tables import QUILTS

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
    run = unquilt.quilts(folder / "pages.jsonl", folder / "run")
    order = [(by.removeprefix("-"), "ascending" if by.startswith("-") else "descending") for by in QUILTS.order]
    return Verdicts(pages, run.quilts.sort_by([*order, ("doc", "ascending")])["id"].to_pylist())


def test_the_judged_set_has_what_it_is_for() -> None:
    kinds = Counter(stitched for stitched, _ in read_labels().values())
    assert kinds[False] >= 150


def test_quilts_are_what_people_call_stitched_together(verdicts: Verdicts) -> None:
    found = set(verdicts.quilts)
    chosen_on = judge([page for page in verdicts.pages if part_of(page) in CHOSEN_ON], found)
    held_back = judge([page for page in verdicts.pages if part_of(page) not in CHOSEN_ON], found)
    assert chosen_on.precision >= 0.92, chosen_on
    assert held_back.precision >= 0.96, held_back
    assert chosen_on.recall >= 0.90, chosen_on
    assert held_back.recall >= 0.85, held_back


def test_of_the_first_hundred_at_least_ninety_are_right(verdicts: Verdicts) -> None:
    known: dict[str, Any] = {page.id: page.stitched for page in verdicts.pages if page.stitched is not None}
    first = [known[quilt] for quilt in verdicts.quilts if quilt in known][:100]
    assert sum(first) >= 97


def test_kinds(verdicts: Verdicts) -> None:
    """Nearly all of each kind of quilt is found but those of three sources; of the others, hardly any."""
    planted = [page for page in verdicts.pages if page.id.startswith("in-")]
    found = Counter(page.kind for page in planted if page.id in set(verdicts.quilts))
    all_of = Counter(page.kind for page in planted)
    assert all(found[kind] >= 0.85 * all_of[kind] for kind in STITCHED if kind != "three"), found
    assert sum(found[kind] for kind in NOT_STITCHED) <= 2, found
