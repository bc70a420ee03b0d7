"""Which pages a name means: those of a site, of a folder, of a list of URLs, or with URLs that begin in some way."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from unquilt.corpus.find.inputs import named
from unquilt.errors import InputError
from unquilt.jobs.corpora import documents
from unquilt.jobs.named import Inputs, list_corpora, name_paths
from unquilt.runs.storage import shown
from unquilt.site_names import strip_scheme
from unquilt.stores.labels import LabelSet, is_set

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
_LONGEST_LIST = 1 << 30
"""Bytes of a file that may be a list."""


@dataclass(frozen=True)
class Pages:
    """Pages by name: of sites, with URLs that begin in some way, with just these URLs, or in files."""

    sites: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()
    urls: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()

    @classmethod
    def named(cls, names: Iterable[str]) -> Pages:
        """Sites (`example.org`, `news.example.org`), or beginnings of URLs (`http://example.org/blog/`)."""
        sites, beginnings = set(), []
        for name in names:
            if "://" in name or "/" in name.rstrip("/"):
                beginnings.append(strip_scheme(name))
            else:
                sites.add(name.rstrip("/").lower())
        return cls(frozenset(sites), tuple(beginnings))

    @property
    def digest(self) -> str:
        """The same for the same pages: a run with another list is another run."""
        parts = (sorted(self.sites), self.beginnings, sorted(self.urls), self.files)
        return hashlib.sha256(repr(parts).encode(errors="surrogatepass")).hexdigest()

    def has(self, page: Mapping[str, Any]) -> bool:
        """Whether a document is among them."""
        url, host = page["url"], page["host"]
        if self.files and page["file"].startswith(self.files):
            return True
        if self.sites and host and (page["domain"] in self.sites or not self.sites.isdisjoint(_parents(host))):
            return True
        if not url or not (self.beginnings or self.urls):
            return False
        plain = strip_scheme(url)
        return plain.startswith(self.beginnings) or name_page(url) in self.urls


def _parents(host: str) -> Iterator[str]:
    """A host, and the names that it is below."""
    while host:
        yield host
        host = host.partition(".")[2]


def name_page(url: str) -> str:
    """A URL as it names a page: without its scheme, what follows `#`, and a slash at the end.

    >>> name_page("https://WWW.example.org/a/#top") == name_page("http://www.example.org/a")
    True
    """
    return strip_scheme(url).partition("#")[0].rstrip("/")


def choose_ours(ours: str | Path) -> tuple[Pages, list[str | Path]]:
    """The pages that a name means, and the inputs that have them, if they are not in the corpus.

    A name is that of a file with a list of URLs, of a set of labels that knows its pages, of other files or folders,
    of a site, or how URLs begin.
    """
    name = str(ours)
    if is_set(name):
        return _read_labels(LabelSet.read(name)), []
    with suppress(OSError):
        if Path(name).is_file():
            if not Path(name).stat().st_size:
                raise InputError(f"{shown(name)} is empty: it names no page")
            if urls := _read_list(Path(name)):
                return Pages(urls=frozenset(map(name_page, urls))), []
    if not _URL.match(name):
        paths: list[str | Path] = []
        with suppress(InputError):
            paths = [*named([name])]
        if paths and all(Path(path).exists() for path in paths):
            folders = tuple(f"{str(path).rstrip('/')}/" if Path(path).is_dir() else str(path) for path in paths)
            return Pages(files=folders), paths
        if "." not in name and name != "localhost":
            raise InputError(f"{name[:200]!a} is neither a file or folder nor a site, such as www.example.org")
    return Pages.named([name]), []


def _read_labels(labels: LabelSet) -> Pages:
    """The pages that a set of labels was made of; they are looked for in the corpus by URL."""
    if labels.pages is None:
        texts = "does not know which pages its labels are from; make it anew, or name the site, the folder or the URLs"
        raise InputError(f"{shown(labels.path)} is a set of labels that {texts}")
    urls = frozenset(name_page(url) for _, url in labels.name_pages() if url)
    if not urls:
        raise InputError(f"{shown(labels.path)} was made of pages without URLs; name the folder that it was made of")
    return Pages(urls=urls)


def _read_list(path: Path) -> list[str]:
    """The URLs of a file that has nothing else, one on a line; none if it has."""
    if path.stat().st_size > _LONGEST_LIST:
        return []
    found = []
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for line in lines:
            text = line.strip()
            if text and not text.startswith("#"):
                if not _URL.fullmatch(text):
                    return []
                found.append(text)
    return found


def join_ours(ours: str | Path, chosen: Pages, files: list[str | Path], inputs: Inputs) -> Inputs:
    """Inputs that have our files: these come before the others, unless one of these is a corpus that has them."""
    for path in name_paths(inputs):
        if Path(path).exists() and Path(ours).exists() and Path(path).samefile(ours):
            both = f"{shown(path)} is both OURS and INPUT"
            raise InputError(
                f"{both}; say what of it is ours: a site, how our URLs begin, or a file with a list of URLs"
            )
    corpora = [documents(part.corpus) for part in list_corpora(inputs)]
    parts = (split.read(["file"]).column("file") for corpus in corpora for split in corpus.splits())
    if any(pc.any(pc.starts_with(part, each)).as_py() for part in parts for each in chosen.files):
        return inputs
    return [*files, *name_paths(inputs)]
