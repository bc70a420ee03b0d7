"""Where a document lives: host, registered domain and IP address.

URLs are parsed as browsers do (WHATWG, by the core), so `HTTP://Bücher.DE:80/` and `http://xn--bcher-kva.de/` are one
host. The registered domain is decided by the ICANN part of the Public Suffix List that comes with publicsuffixlist:
offline, and dated (`list_date`). Hosts are remembered, so that the next URL of a host costs little.
"""

from __future__ import annotations

import ipaddress
import re
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from publicsuffixlist import PSLFILE, PublicSuffixList

from unquilt import _native

LONGEST_HOST = 253
"""Characters of the longest name that DNS can hold."""
LONGEST_ADDRESS = 253
"""Anything longer is no address: an address has 45 characters at most, and the name of an interface (`%eth0`) some."""

_MACHINE = re.compile(
    r"(?:^|/)(?:wlwmanifest|opensearch|osd|sitemap[^/]*|browserconfig|crossdomain|clientaccesspolicy|robots|ads|humans"
    r"|manifest|asset-manifest|site)\.(?:xml|txt|json|webmanifest)$|\.(?:js|mjs|css|map|xsl|xslt|xsd|dtd|webmanifest)$",
    re.IGNORECASE,
)


class Location(NamedTuple):
    """The host of a URL and its registered domain, both None where there is no host; the components of its path, and
    how many times the most frequent of them occurs.
    """

    host: str | None
    domain: str | None
    components: int = 0
    repeats: int = 0


NOWHERE = Location(None, None)
MOST_COMPONENTS = 96


def locate_url(url: str | None) -> Location:
    """Host and registered domain of a URL, and what its path looks like.

    The host is in lower case and punycode, without user, port, brackets and trailing dots. The domain of an IP address
    is the address; that of a public suffix (`co.uk`) or a single label (`localhost`) is the host itself. A URL that
    is empty, cannot be parsed (relative ones cannot) or has no host (`javascript:`, `mailto:`, `file:///x`), or a host
    longer than DNS allows, is nowhere.

    >>> locate_url("https://user:secret@News.BBC.co.uk.:8443/world/a/world")
    Location(host='news.bbc.co.uk', domain='bbc.co.uk', components=3, repeats=2)
    >>> locate_url("javascript:void(0)")
    Location(host=None, domain=None, components=0, repeats=0)
    """
    host, components, repeats = _native.locate(url) if url else (None, 0, 0)
    host = (host or "").rstrip(".")
    if not 0 < len(host) <= LONGEST_HOST:
        return NOWHERE
    return Location(*_place(host), components, repeats)


def is_recursive(place: Location, max_repeats: int) -> bool:
    """Whether a URL comes from a crawler that went round in circles: its path has more than 96 components, or one of
    them more than `max_repeats` times.
    """
    return place.components > MOST_COMPONENTS or place.repeats > max_repeats


@lru_cache(maxsize=1 << 16)
def _place(host: str) -> tuple[str, str]:
    host = host.lower()  # of schemes that WHATWG does not know, hosts come as written
    ip = address(host.strip("[]"))
    if ip is not None:
        return ip, ip
    return host, _suffixes().privatesuffix(host) or host


def is_for_machines(url: str | None) -> bool:
    """Whether a URL is that of a file that no person reads: scripts, manifests, lists for crawlers.

    >>> is_for_machines("http://blog.example/wp-includes/wlwmanifest.xml"), is_for_machines("http://blog.example/map")
    (True, False)
    """
    if not url:
        return False
    try:
        path = urlsplit(url).path
    except ValueError:  # of a URL that browsers can read and Python cannot
        return False
    return _MACHINE.search(path[-256:]) is not None


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(only_icann=True)


def address(text: str) -> str | None:
    """An IP address in its one canonical spelling, None if it is none; IPv4 inside IPv6 becomes IPv4.

    >>> address("2001:DB8:0::1"), address("::ffff:192.0.2.1"), address("192.0.2.256")
    ('2001:db8::1', '192.0.2.1', None)
    """
    return _address(text) if len(text) <= LONGEST_ADDRESS else None  # nothing long is remembered


@lru_cache(maxsize=1 << 16)
def _address(text: str) -> str | None:
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return str(mapped or ip)


@cache
def list_date() -> str:
    """The day of the Public Suffix List in use, such as 2026-10-22: of the list, or where an old one does not say, of
    the package that it came in."""
    with Path(PSLFILE).open(encoding="utf-8") as lines:
        found = re.search(r"VERSION: (\d{4})-(\d\d)-(\d\d)", lines.read(4096))
    found = found or re.search(r"\.(\d{4})(\d\d)(\d\d)$", version("publicsuffixlist"))
    return "-".join(found.groups()) if found else "unknown"
