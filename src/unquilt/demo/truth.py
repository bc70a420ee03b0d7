"""What was planted: the quilts and copies of a demo web with the pages they were made of, to compare results with.

Only the planted pages are made, 150 of 1,024.
"""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.demo.layout import World, is_copy, role
from unquilt.demo.web import make_page


@dataclass(frozen=True, slots=True)
class Planted:
    """A page without its text: a quilt, scrap, slice, pool or network page with its sources; a mirror, twin, near-copy
    or reworded page with its original."""

    id: str
    url: str
    kind: str
    made_of: tuple[str, ...]


def planted(count: int, *, seed: int = 1, words: int = 500) -> list[Planted]:
    """All pages among the first `count` that were made from others, in their order; manuals and farms are not listed.

    >>> sorted({page.kind for page in planted(1024)})
    ['mirror', 'near-copy', 'quilt', 'reworded', 'scrap', 'slice']
    """
    world = World(seed, words)
    made = (make_page(world, number) for number in range(count) if is_copy(role(world, number).kind))
    return [Planted(page.id, page.url, page.kind, page.made_of) for page in made]
