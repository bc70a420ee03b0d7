"""What a site is: one notion for all analyses, tables and commands (docs/definitions.md 2.3).

host      the host of a URL
domain    its registered domain, by the ICANN part of the Public Suffix List
suffix    its registered name by the whole list, private suffixes such as github.io included, and folders of users
ip        the address that a page came from; without one, its domain
path:N    the host and the first N folders of the path
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

SITES = ("host", "domain", "suffix", "ip", "path:N")
FOREIGN = ("none", *SITES)
"""What makes a page foreign to another: that it is on another site; with `none`, that it is another page."""


def name_sites(foreign: str) -> str:
    """What sites are where sources count by `foreign`: hosts if these are told apart, else domains."""
    return "host" if foreign == "host" else "domain"


def name_site(by: str, url: str | None, host: str | None, domain: str | None, ip: str | None) -> str | None:
    """The site of a document, by what a site is; None without a host.

    >>> name_site("suffix", "https://jane.github.io/a/b", "jane.github.io", "github.io", None)
    'jane.github.io'
    >>> name_site("suffix", "http://www.cs.example.edu/~jane/cv", "www.cs.example.edu", "example.edu", None)
    'example.edu/~jane'
    >>> name_site("path:1", "http://www.example.edu/a/b/c", "www.example.edu", "example.edu", None)
    'www.example.edu/a'
    """
    if host is None or domain is None or by in ("host", "domain"):
        return host if by == "host" else domain
    if by == "ip":
        return ip or domain
    try:
        *folders, last = urlsplit(url or "").path.replace("%7E", "~").replace("%7e", "~").split("/")
    except ValueError:  # of a URL that browsers can read and Python cannot
        folders, last = [], ""
    folders = [each for each in folders if each]
    if by == "suffix":
        user = [*folders, last][0]
        return f"{_registered_name(host)}/{user}" if user.startswith("~") else _registered_name(host)
    return "/".join([host, *folders[: int(by.partition(":")[2])]])


@lru_cache(maxsize=1 << 16)
def _registered_name(host: str) -> str:
    """The name below the longest suffix, also a private one; an address is its own."""
    is_address = ":" in host or host.rpartition(".")[2].isdigit()
    return host if is_address else _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # takes a while, and options are made of this module

    return PublicSuffixList()


def strip_scheme(url: str) -> str:
    """A URL from its host on, which is in lower case.

    >>> strip_scheme("https://WWW.example.org/A")
    'www.example.org/A'
    """
    host, slash, path = url.partition("://")[2].partition("/") if "://" in url else url.partition("/")
    return host.lower() + slash + path
