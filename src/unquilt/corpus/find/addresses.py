"""URLs for pages that are files of their own: a crawl on disk, a mirror, a tree of documentation.

    --base-url http://host/docs/    the base, then the path of the file in the input folder
    --base-url http://              the first folders of that path are hosts, as `wget -m` and httrack leave them
    --base-url auto                 the same, but only where all of these folders are surely hosts (`is_host`)
    --base-url none                 no URLs

A path becomes a URL as crawlers make a path of one, backwards: what is not allowed in URLs is percent-encoded, escapes
that are there stay, and what follows a `?` in the name of a file (or an `@`, as wget writes it for Windows, if a
`key=value` follows) is the query. `index.html` stays, since that is how pages of a mirror with converted links call it.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from publicsuffixlist import PublicSuffixList

from unquilt import _native
from unquilt.corpus.options import AUTO, NO_URLS, SCHEMES
from unquilt.corpus.readers.compression import CODECS
from unquilt.corpus.sources import Source
from unquilt.errors import InputError
from unquilt.remote.folders import FOLDER, tell
from unquilt.remote.names import is_url, last_name, parent

PAGES = ("html", "text")
"""Kinds of files that are one page each."""
_BUCKET = 2
"""How many components of a URL are no bucket yet."""
NO_HOSTS = ("hts-cache",)
"""Folders that httrack puts beside those of hosts."""

_SAFE = "!$&'()*+,;=:@~"
_PLAIN = re.compile(r"[A-Za-z0-9_.~-]*")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_QUERY = re.compile(r"([^?]+)\?(.*)|([^@]+)@([^@=]+=.*)", re.DOTALL)
_NOT_IN_HOSTS = re.compile(r"[\s/?#@:%\\]")
_PORT = re.compile(r"(.+)[:+]([0-9]{1,5})", re.DOTALL)


class Whereabouts(NamedTuple):
    """Where a file was found: in an input folder, or beside a named file (`root`)."""

    root: str
    path: str

    @property
    def parts(self) -> tuple[str, ...]:
        begin = begin_paths(self.root)
        parts = tuple(self.path[len(begin) :].split("/"))
        if self.path.startswith(begin) and "" not in parts and "." not in parts:
            return parts
        return Path(self.path).relative_to(self.root).parts


@lru_cache(maxsize=1 << 12)
def begin_paths(folder: str) -> str:
    """What the paths of files in a folder begin with, as pathlib spells them; making a `Path` of each of many files
    takes long.

    >>> begin_paths("./a//b/"), begin_paths("."), begin_paths("/")
    ('a/b/', '', '/')
    """
    if is_url(folder):
        return f"{folder.rstrip('/')}/"
    plain = str(Path(folder))
    return "" if plain == "." else plain if plain.endswith("/") else f"{plain}/"


def find_root(inputs: Sequence[str]) -> str:
    """The folder that paths are taken from: the input, if that is a folder, else the one that holds all inputs."""
    if any(map(is_url, inputs)):
        return _find_root_url(inputs)
    if len(inputs) == 1 and Path(inputs[0]).is_dir():
        return inputs[0]
    parents = [_fixed(Path(item)) if not os.path.lexists(item) else Path(item).parent for item in inputs]
    return os.path.commonpath([parent.absolute() for parent in parents]) if parents else ""


def _find_root_url(inputs: Sequence[str]) -> str:
    """The same of URLs; "" if there is no such folder, as of files here and files at a store."""
    folders = [item.rstrip("/") if is_url(item) and _is_folder(item) else find_parent(item) for item in inputs]
    if not all(map(is_url, folders)):
        return ""
    parts = [folder.split("/") for folder in folders]
    same = list(takewhile(lambda each: len({*each}) == 1, zip(*parts, strict=False)))
    root = "/".join(each[0] for each in same)
    return root if len(same) > _BUCKET else ""


def _is_folder(url: str) -> bool:
    return not glob.has_magic(url) and tell(url) == FOLDER


def find_parent(path: str) -> str:
    """The folder that a file lies in."""
    return parent(path) if is_url(path) else str(Path(path).parent)


def _fixed(pattern: Path) -> Path:
    """The folder that a glob begins in."""
    fixed = next((i for i, part in enumerate(pattern.parts) if glob.has_magic(part)), len(pattern.parts))
    return Path(*pattern.parts[:fixed])


def give_urls(
    sources: Sequence[Source], places: Sequence[Whereabouts], root: str, base: str, pages: Collection[str] = PAGES
) -> list[Source]:
    """The sources; those of the kinds of `pages` with their URLs. `places` says where each was found."""
    if base == NO_URLS:
        return list(sources)
    recognised = _recognised(places) if base == AUTO else frozenset[str]()
    own = {folder: _own_name(folder) for folder in {place.root for place in places}}
    absolute, cwd = root if is_url(root) else str(Path(root).absolute()), begin_paths(str(Path.cwd()))
    if base != AUTO and not root and any(is_url(place.path) for place in places):
        raise InputError("base_url needs inputs that have a folder in common")
    begin = base if base.endswith("/") else f"{base}/"
    given: list[Source] = []
    for source, place in zip(sources, places, strict=True):
        if source.kind not in pages or source.alias:
            url = ""
        elif base == AUTO:
            url = _join(SCHEMES[0], _split_host(place, own[place.root], recognised), source)
        else:
            path = place.path if place.path.startswith("/") or is_url(place.path) else f"{cwd}{place.path}"
            parts = Whereabouts(absolute, path).parts
            split = _first_folder(place, own[place.root], parts)
            url = _join(base, split, source) if base in SCHEMES else _spell(begin, parts, source)
        given.append(replace(source, url=url) if url else source)
    if base in SCHEMES and not any(source.url for source in given):
        raise InputError(f"{root}: there are no pages in folders that could be hosts, as base_url {base} says")
    return given


def _own_name(folder: str) -> str:
    return last_name(folder) if is_url(folder) else Path(folder).absolute().name


def describe_urls(sources: Sequence[Source], base: str) -> str:
    """How URLs were made, in a sentence; "" if there are none."""
    made = [source.url for source in sources if source.url]
    if not made:
        return ""
    how = "from their paths" if base not in (AUTO, *SCHEMES) else "from their paths, whose first folders are hosts"
    if len(made) == 1:
        return f"The URL of 1 file was made {how.replace('their paths', 'its path')}: {made[0][:200]}"
    return f"The URLs of {len(made):,} files were made {how}, such as {made[0][:200]}"


def _recognised(places: Sequence[Whereabouts]) -> frozenset[str]:
    """The roots in which each folder is surely a host."""
    first: dict[str, set[str]] = {}
    for place in places:
        parts = place.parts
        if len(parts) > 1 and parts[0] not in NO_HOSTS:
            first.setdefault(place.root, set()).add(parts[0])
    return frozenset(root for root, names in first.items() if all(map(is_host, names)))


def _first_folder(place: Whereabouts, own: str, parts: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The first folder as the host, whatever its name; but the input folder itself, by its own name, if that is surely
    one."""
    return (own, place.parts) if is_host(own) else (parts[0], parts[1:])


def _split_host(place: Whereabouts, own: str, recognised: frozenset[str]) -> tuple[str, tuple[str, ...]]:
    """The host of a file, and its path there; no host, if none is recognised."""
    parts = place.parts
    if is_host(own):
        return own, parts
    known = place.root in recognised and len(parts) > 1 and parts[0] not in NO_HOSTS
    return (parts[0], parts[1:]) if known else ("", ())


@lru_cache(maxsize=1 << 12)
def is_host(name: str) -> bool:
    """Whether the name of a folder is surely that of a host: below a suffix of the Public Suffix List's ICANN part, and
    no suffix itself. A port may follow.

    >>> is_host("www.example.org"), is_host("www.example.org:8080"), is_host("v1.2"), is_host("co.uk")
    (True, True, False, False)
    """
    host = _host(name)
    return host is not None and _known_suffixes().privatesuffix(host) is not None


@cache
def _known_suffixes() -> PublicSuffixList:
    return PublicSuffixList(only_icann=True, accept_unknown=False)


@lru_cache(maxsize=1 << 12)
def _host(name: str) -> str | None:
    """The host that the name of a folder says, as it is in URLs; None if it cannot be one."""
    port = _PORT.fullmatch(name)
    host = port[1] if port else name
    if not host.isprintable() or _NOT_IN_HOSTS.search(host):
        return None
    found: str | None = _native.locate(f"http://{host}/")[0]
    return found


def _join(scheme: str, split: tuple[str, tuple[str, ...]], source: Source) -> str:
    """The URL of a file on a host."""
    name, parts = split
    host, port = _host(name) if name and parts else None, _PORT.fullmatch(name)
    return _spell(f"{scheme}{host}{f':{port[2]}' if port else ''}/", parts, source) if host else ""


def _spell(begin: str, parts: Sequence[str], source: Source) -> str:
    """A URL of its beginning and a path.

    >>> _spell("http://a.org/", ["b c", "d.php?id=1&t=%41"], Source("x", 1, "html"))
    'http://a.org/b%20c/d.php?id=1&t=%41'
    """
    *folders, name = parts
    if source.compression and name.lower().endswith(CODECS[source.compression].suffix):
        name = name[: -len(CODECS[source.compression].suffix)]
    split = _QUERY.fullmatch(name)
    path, query = (split[1] or split[3], split[2] if split[1] else split[4]) if split else (name, None)
    written = "/".join(_escape(part, _SAFE) for part in (*folders, path))
    return f"{begin}{written}" + (f"?{_escape(query, _SAFE + '/?')}" if query is not None else "")


def _escape(text: str, safe: str) -> str:
    if _PLAIN.fullmatch(text):  # nearly always, and much quicker
        return text
    return quote(os.fsencode(_LONE_PERCENT.sub("%25", text)), safe=f"{safe}%")
