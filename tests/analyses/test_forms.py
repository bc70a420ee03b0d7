"""Versions of a form, put together from the same clauses in one order, and pages of a pool, which have no order."""

from __future__ import annotations

from random import Random

import pytest
import twin
from drawn import as_table
from quilting import read_found
from twin import Document

import unquilt


def draw_pages(random: Random, *, ordered: bool) -> list[Document]:
    """Pages of ten sites, each of fourteen clauses of forty."""
    clauses = [" ".join(f"w{random.randrange(10**6)}" for _ in range(16)) for _ in range(40)]
    pages = []
    for number in range(40):
        chosen = random.sample(range(40), 14)
        text = " ".join(clauses[at] for at in (sorted(chosen) if ordered else chosen))
        host = f"www.site{number % 10}.com"
        pages.append(Document(f"{number}", f"http://{host}/{number}", host, host[4:], None, f"own{number} {text}"))
    return pages


@pytest.mark.parametrize("ordered", [True, False])
def test_versions_of_a_form_are_told_by_their_order(ordered: bool) -> None:
    pages = draw_pages(Random(4), ordered=ordered)
    run = unquilt.quilts(as_table(pages), collapse="none")
    verdicts = run.verdicts.to_pylist()
    told = [row for row in verdicts if "max_in_order" in (row["why"] or "")]
    assert all(row["in_order"] > 0.5 for row in told)
    if ordered:
        assert sum(row["quilt"] for row in verdicts) <= 12
        assert len(told) >= 20
    else:
        assert sum(row["quilt"] for row in verdicts) >= 36
        assert len(told) <= 2
    assert read_found(run) == twin.quilts(pages, collapse="none")
