"""Which names are URLs, and their parts. Light: this is asked of every path."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from unquilt.errors import ParameterError

SCHEMES = ("s3", "gs", "hdfs", "hf")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_ALMOST = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "huggingface": "hf"}
"""What other programs call a scheme of ours."""


class Parts(NamedTuple):
    """A URL: its scheme, what comes before the next slash (a bucket, a host), and the rest as it was written: a key may
    hold any character, `?`, `#` and `%` included."""

    scheme: str
    authority: str
    key: str


def is_url(name: object) -> bool:
    """Whether a name is a URL, of whatever scheme.

    >>> is_url("s3://bucket/a"), is_url("s3:/bucket/a"), is_url("a/b")
    (True, False, False)
    """
    text = str(name)
    return "://" in text and _URL.fullmatch(text) is not None


def is_store(name: object) -> bool:
    """Whether a name is a URL that can be read, not that of a web page or of something else.

    >>> is_store("s3://bucket/a"), is_store("https://example.org/")
    (True, False)
    """
    return is_url(name) and str(name).partition("://")[0].lower() in SCHEMES


def split(url: str) -> Parts:
    """The parts of a URL; ParameterError if its scheme is not one that can be read.

    >>> split("s3://bucket/a b/c?d")
    Parts(scheme='s3', authority='bucket', key='a b/c?d')
    """
    found = _URL.fullmatch(url)
    scheme = found[1].lower() if found else ""
    if found is None or scheme not in SCHEMES:
        known = ", ".join(f"{each}://" for each in SCHEMES)
        advice = f"write {_ALMOST[scheme]}://" if scheme in _ALMOST else "download or mount it first"
        raise ParameterError(f"{_short(url)}: {scheme}:// is none of {known} and files of this machine; {advice}")
    authority, _, key = found[2].partition("/")
    if not authority and scheme != "hdfs":
        raise ParameterError(f"{_short(url)}: there is no name behind {scheme}://")
    return Parts(scheme, authority, key)


def localise(name: str | Path) -> str | Path:
    """The path of a `file://` URL; any other name as it is.

    >>> localise("file:///a%20b"), localise("s3://bucket/a")
    ('/a b', 's3://bucket/a')
    """
    if not str(name).lower().startswith("file://"):
        return name
    parts = urlsplit(str(name))
    if parts.netloc not in ("", "localhost"):
        raise ParameterError(f"{_short(str(name))}: a file of this machine begins with file:///")
    return unquote(parts.path)


def refuse_url(name: str | Path, what: str) -> None:
    """Raise ParameterError if a name is a URL: a folder called `s3:` would be made of it."""
    if is_url(name):
        raise ParameterError(f"{what} folders of this machine, or folders that it has mounted, not {str(name)[:80]}")


def parent(url: str) -> str:
    """The folder that a URL lies in.

    >>> parent("s3://bucket/a/b"), parent("s3://bucket/a"), parent("s3://bucket")
    ('s3://bucket/a', 's3://bucket', 's3://bucket')
    """
    scheme, authority, key = split(url)
    above = key.rstrip("/").rpartition("/")[0]
    return f"{scheme}://{authority}/{above}" if above else f"{scheme}://{authority}"


def last_name(url: str) -> str:
    """What a URL is called in its folder.

    >>> last_name("s3://bucket/a/b.txt"), last_name("s3://bucket")
    ('b.txt', 'bucket')
    """
    parts = split(url)
    return parts.key.rstrip("/").rpartition("/")[2] or parts.authority


def _short(url: str) -> str:
    text = url if url.isprintable() else ascii(url)
    return text[:200]
