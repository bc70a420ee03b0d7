"""What the defaults of `quilts` are worth on sites whose making is known: thieves are found, victims are not. Floors.

How they were chosen, and the figures: docs/quilts.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from judged_set import write
from planted_sites import INNOCENTS, THIEVES, plant_sites
from real_pages import FILES, Page, read_debian, read_pan, read_wiki

import unquilt

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(path.exists() for path in FILES), reason="the shared data is not here"),
]
FEWER = {"network-alone": 0.9, "blog-scraper": 0.85, "short": 0.9, "network": 0.93, "padded": 0.9}
"""Kinds of thieves of which fewer are found than nineteen in twenty: see docs/quilts.md."""
MOST_PAGES = 2400


def pan() -> list[Page]:
    return [page for page in read_pan() if not page.stitched]


def judge(pages: list[Page], folder: Path) -> tuple[unquilt.Run, dict[str, Counter[str]], Counter[str]]:
    """A run, how often each verdict was passed on each kind of page, and how many of these are quilts."""
    write(pages, folder / "pages.jsonl")
    run = unquilt.quilts(folder / "pages.jsonl", folder / "run")
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in run.verdicts.select(["doc", "verdict"]).to_pylist():
        verdicts[pages[row["doc"]].kind][row["verdict"]] += 1
    return run, verdicts, Counter({kind: counts["quilt"] + counts["in part"] for kind, counts in verdicts.items()})


@pytest.mark.parametrize(
    ("name", "read", "seed"), [("pan", pan, 1), ("wiki", read_wiki, 1), ("debian", read_debian, 1)]
)
def test_thieves_are_found_and_victims_are_not(
    name: str, read: Callable[[], list[Page]], seed: int, tmp_path: Path
) -> None:
    base = read()
    if len(base) > MOST_PAGES:
        base = Random(seed).sample(base, MOST_PAGES)
    pages = plant_sites(name, base, seed)
    run, verdicts, found = judge(pages, tmp_path)
    surest = run.quilts.sort_by([("evidence", "descending")])["doc"].to_pylist()
    assert all(pages[doc].kind in THIEVES for doc in surest[:100])
    for kind in THIEVES:
        assert found[kind] >= FEWER.get(kind, 0.95) * verdicts[kind].total(), (kind, verdicts[kind])
    victims = sum(verdicts[kind].total() for kind in ("original-many", "original-one", "post"))
    assert sum(found[kind] for kind in ("original-many", "original-one", "post")) <= victims / 100
    innocent = sum(verdicts[kind].total() for kind in INNOCENTS)
    assert sum(found[kind] for kind in INNOCENTS) <= innocent / 200 + 1, verdicts
    assert found["standing"] <= 0.01 * verdicts["standing"].total()
    originals = verdicts["original-many"]["original"] + verdicts["original-one"]["original"]
    assert originals >= 0.6 * (verdicts["original-many"].total() + verdicts["original-one"].total())


def test_lists_of_short_items_that_only_thieves_have_are_originals(tmp_path: Path) -> None:
    """Release notes: little of them reads on, and all who have their text are stitched together."""
    _, verdicts, found = judge(plant_sites("debian", read_debian(), 4), tmp_path)
    assert found["standing"] <= 0.01 * verdicts["standing"].total()


def test_long_paragraphs_of_a_pool_excuse_no_farm(tmp_path: Path) -> None:
    """Pages of this farm with more than half from one source are no quilts, and have the text of the others."""
    _, verdicts, found = judge(plant_sites("pan", pan(), 3), tmp_path)
    assert found["pool-tight"] >= 0.9 * verdicts["pool-tight"].total()
