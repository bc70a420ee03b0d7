"""Which page is what: the plan of the web, known without making any page.

The web is a row of blocks of 1,024 pages, all of the same composition, so that its statistics are the same at any
size. Within a block, pages take their ranks by a fixed shuffle that each block turns by its own amount; the rank says
what a page is. Both directions are look-ups, in constant time and memory.

**How the numbers below were tuned.** The mix should be like that of real documentation (k = 5, m = 50), of which
benchmarks/records/2026-11-15-medium.md has the counts: the shares of distinct (gram, document) pairs with df = 1, with
2 <= df <= 50 (patch) and with more (common); the sum of df² over the patch grams for each such pair; how many patch
grams share a posting list. Manuals in many versions make most of the patch grams, as they do there; site templates and
notices make the common ones. Counted with seed 1 and 500 words (`unquilt quilts --as-published`):

| pages         | df = 1 | patch | common | df² per pair | grams per list |
| ------------- | ------ | ----- | ------ | ------------ | -------------- |
| documentation | 38 %   | 55 %  | 7 %    | 4.5          | 11             |
| 3,000         | 31 %   | 59 %  | 10 %   | 4.1          | 15             |
| 30,000        | 31 %   | 58 %  | 12 %   | 3.9          | 14             |

The mix changes a little as a web grows: once a host has more than 50 pages, the grams of its template are common.
"""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.demo.dice import Dice

BLOCK = 1024
_FAMILIES = {2: 6, 3: 8, 4: 12, 5: 12, 6: 11, 7: 8, 8: 6, 9: 4, 10: 4, 12: 4, 16: 3, 24: 2, 40: 1}  # by versions
_COUNTS = {
    "quilt": 16,
    "scrap": 10,
    "mirror": 10,
    "near-copy": 14,
    "farm": 40,
    "listing": 16,
    "reworded": 8,
    "chinese": 10,
}
_SITES = {
    "original": 8,
    "network": 16,
    "pool": 20,
    "column": 8,
    "twin": 8,
}  # pages of sites that are known for what they are
_SLICES = 48  # pages of a slice-and-dice site; both are in place of articles: the last ranks of a block
_FIRST_COPIES = 64  # pages before this one have too little to copy from


@dataclass(frozen=True, slots=True)
class World:
    """What all pages of one web have in common."""

    seed: int = 1
    words: int = 500

    def __post_init__(self) -> None:
        if self.words < 50:
            raise ValueError(f"words must be at least 50 (the mean number of words of a page), got {self.words}")


@dataclass(frozen=True, slots=True)
class Role:
    """What the page of one rank is; a manual also knows its family and the ranks of all its versions, and a page of a
    site that is known for what it is its number among those of its block (`family`, too)."""

    kind: str
    family: int = 0
    ranks: range = range(0)


def _roles() -> tuple[Role, ...]:
    roles = [Role(kind) for kind, count in _COUNTS.items() for _ in range(count)]
    sizes = [size for size, count in _FAMILIES.items() for _ in range(count)]
    for family, size in enumerate(sizes):
        roles += [Role("manual", family, range(len(roles), len(roles) + size))] * size
    sites = [Role(kind, which) for kind, count in _SITES.items() for which in range(count)]
    articles = BLOCK - len(roles) - len(sites) - _SLICES
    return (*roles, *[Role("article")] * articles, *sites, *[Role("slice")] * _SLICES)


_ROLES = _roles()
_KEYS = Dice("layout").shorts(BLOCK)
_RANKS = tuple(sorted(range(BLOCK), key=lambda rank: (_KEYS[rank], rank)))
_PLACES = tuple(sorted(range(BLOCK), key=_RANKS.__getitem__))
_TAKEN_FROM_BLOCK_BEFORE = frozenset({"network", "pool", "twin"})
_COPIES = _TAKEN_FROM_BLOCK_BEFORE | {"quilt", "scrap", "mirror", "near-copy", "reworded", "slice"}


def _turn(world: World, block: int) -> int:
    return block * 389 + world.seed * 577


def role(world: World, number: int) -> Role:
    """What page `number` is."""
    block, place = divmod(number, BLOCK)
    found = _ROLES[_RANKS[(place + _turn(world, block)) % BLOCK]]
    too_early = number < _FIRST_COPIES or (block == 0 and found.kind in _TAKEN_FROM_BLOCK_BEFORE)
    return Role("article") if too_early and found.kind in _COPIES else found


def find_pages(world: World, block: int, kind: str) -> list[int]:
    """The pages of a block of one of the kinds with sites of their own, in the order of their numbers there."""
    turn = _turn(world, block)
    ranks = (rank for rank, part in enumerate(_ROLES) if part.kind == kind)
    return [block * BLOCK + (_PLACES[rank] - turn) % BLOCK for rank in ranks]


def versions(world: World, block: int, family: Role) -> list[int]:
    """The pages of a family of manuals, oldest version first, which is also the order of the pages."""
    turn = _turn(world, block)
    return sorted(block * BLOCK + (_PLACES[rank] - turn) % BLOCK for rank in family.ranks)


def is_copy(kind: str) -> bool:
    """Whether pages of this kind are made from other pages."""
    return kind in _COPIES
