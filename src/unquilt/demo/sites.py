"""Hosts, domains, addresses and what all pages of a host share.

After n pages there are about 0.2 · n^(3/4) hosts (a hundred for 3,000 pages, 6,600 for a million), old ones much larger
than young ones. Every sixth host is the blog of its predecessor's domain; every seventh domain shares the address of
another one. A link farm has a ring of five domains on two addresses; rings grow with the square root of the farms. A
slice-and-dice site has a domain for every other page, all of them at one address. Sites that are known for what they
are have a domain and an address each: those of original stories, those of the network that takes these apart, a farm
with one pool, and a site with its mirror.

Templates (navigation, notices, copyright) are made once per host and kept for the 8,192 hosts used last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

from unquilt.demo.dice import Dice
from unquilt.demo.language import draw_headings, draw_sentences
from unquilt.demo.layout import BLOCK, World

_FIRST_NAMES = """
garden river stone market village harbour forest meadow castle copper silver winter summer autumn morning evening
northern southern eastern western little great old new quiet bright open hidden golden green blue red white black
amber cedar maple willow oak pine apple cherry lemon honey pepper salt bread coffee paper cotton wool iron glass cloud
rain snow wind sun moon star planet ocean
"""
_SECOND_NAMES = """
news journal times letters notes review gazette library archive guide kitchen workshop school museum travel health
sports music film books science history nature weather design photo radio forum club almanac tools maps
"""
_FIRST, _SECOND = _FIRST_NAMES.split(), _SECOND_NAMES.split()
_NOTICES = (
    "This site uses cookies to give you the best experience.",
    "By continuing to browse this site you agree to our use of cookies.",
    "Please read our privacy policy and our terms of use before you go on.",
    "Subscribe to our newsletter and never miss a story again.",
    "Share this page with your friends or send it by mail.",
    "No part of this page may be reproduced without written permission of the publisher.",
    "Your browser does not support this feature, please switch to a newer one.",
    "Skip to main content or go back to the top of the page.",
)
_RING = 5
_OPERATED = 4  # blocks of the first slice-and-dice site; later ones have more
_KNOWN = {
    "original": ("essays", 4),
    "network": ("daily", 4),
    "pool": ("offers", 1),
    "column": ("columns", 1),
    "twin": ("mirror", 1),
}


@dataclass(frozen=True, slots=True)
class Site:
    """One host; farms have numbers below zero."""

    number: int
    host: str
    domain: str
    ip: str


def choose_site(dice: Dice, block: int) -> Site:
    """A host for a page of this block: host h with probability proportional to 1/√h."""
    pages = (block + 1) * BLOCK
    born = isqrt(pages * isqrt(pages)) * 21 // 100
    draw = dice.below(1 << 32)
    return site((born * draw * draw) >> 64)


@lru_cache(maxsize=8192)
def site(number: int) -> Site:
    """Host `number`."""
    owner = _owner(number)
    domain = _domain(owner)
    prefix = "blog." if owner != number else "www." if number % 6 in (0, 2, 4) else ""
    address = _owner(owner - 1) if owner % 7 == 3 else owner
    ip = f"198.{18 + (address >> 16 & 1)}.{address >> 8 & 255}.{address & 255}"
    return Site(number, prefix + domain, domain, ip)


def _owner(number: int) -> int:
    """The host whose domain this host is on."""
    return number - 1 if number % 6 == 5 else number


def _domain(number: int) -> str:
    era, rest = divmod(number, len(_FIRST) * len(_SECOND))
    second, first = divmod(rest, len(_FIRST))
    name = f"{_FIRST[first]}-{_SECOND[(first + second) % len(_SECOND)]}"
    return f"{name}-{era + 1}.example" if era else f"{name}.example"


def farm_site(dice: Dice, block: int) -> Site:
    """One of the five domains of the ring that the farm of this block is on."""
    ring, member = isqrt(block), dice.below(_RING)
    domain = f"best-{_SECOND[ring % len(_SECOND)]}-{ring * _RING + member + 1}.example"
    return Site(-1 - ring * _RING - member, domain, domain, f"203.0.113.{(2 * ring + member % 2) % 254 + 1}")


def operator(block: int) -> int:
    """Who makes the sliced pages of a block: the more there are, the more pages each of them has."""
    return isqrt(block // _OPERATED)


def slice_site(dice: Dice, block: int) -> Site:
    """One of the many domains of an operator, who has a single address."""
    who = operator(block)
    member = dice.below(24 * _OPERATED * (2 * who + 1))
    domain = f"{_FIRST[member % len(_FIRST)]}{_SECOND[member % len(_SECOND)]}{who * 100_000 + member}.example"
    return Site(-1_000_000 * (who + 1) - member, domain, domain, f"198.51.100.{who % 254 + 1}")


def known_site(kind: str, which: int, block: int) -> Site:
    """The site of page `which` among those of a kind in a block; later ones have more pages, as those of slices do."""
    what, domains = _KNOWN[kind]
    member = operator(block) * domains + which % domains
    place = list(_KNOWN).index(kind)
    domain = f"{_FIRST[(7 * place + member) % len(_FIRST)]}-{what}-{member + 1}.example"
    return Site(-100_000 * (place + 1) - member, domain, domain, f"192.0.2.{(place + 5 * member) % 254 + 1}")


@lru_cache(maxsize=8192)
def template(world: World, number: int) -> tuple[str, str]:
    """What stands above and below the text of every page of a host: about a tenth of a page."""
    dice = Dice(world.seed, "template", number)
    size = max(10, world.words * dice.between(3, 9) // 100)
    header = " | ".join(draw_headings(dice, size // 2))
    notices = {dice.below(len(_NOTICES)) for _ in range(max(1, world.words // 250))}
    lines = [_NOTICES[notice] for notice in sorted(notices)]
    lines.append(f"© {1998 + number % 27} All rights reserved.")
    return header, " ".join(draw_sentences(dice, size - size // 2)) + "\n\n" + " ".join(lines)


def wrap_page(world: World, where: Site, title: str, body: str) -> str:
    """A whole page: the template of its host around its own text."""
    header, footer = template(world, where.number)
    return f"{header}\n\n{title}\n\n{body}\n\n{footer}"
