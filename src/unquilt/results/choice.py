"""Which document is meant by an id, a number or a URL.

Ids and URLs come from outside: they need not be unique, and ids may look like numbers; `doc=12`, `id=12` or `url=…`
says which is meant. A URL that no document has is looked for again without regard to http or https, to the case of the
host, and to a slash at the end.
"""

from __future__ import annotations

from unquilt.flow.kept import Kept
from unquilt.results.finding import find_rows

MOST_NAMED = 3


def find_meant(listed: Kept, given: str) -> list[int]:
    """The numbers of all documents that this can mean."""
    kind, equals, rest = given.partition("=")
    meant = {name: {given} for name in ("id", "doc", "url")}
    if equals and kind in meant:
        meant[kind].add(rest)
    found = _find(listed, "id", meant["id"]) | _find(listed, "url", meant["url"])
    for number in meant["doc"]:
        if number.isascii() and number.isdecimal() and len(number) < 19:  # fewer digits than 2^63 has
            found |= {row["doc"] for row in find_rows(listed, "doc", [int(number)], ["doc"], 1)}
    return sorted(found or _find(listed, "url", {other for url in meant["url"] for other in spell_otherwise(url)}))


def _find(listed: Kept, column: str, values: set[str]) -> set[int]:
    return {row["doc"] for row in find_rows(listed, column, sorted(values), ["doc"], MOST_NAMED + 1)}


def spell_otherwise(url: str) -> list[str]:
    """A URL with either scheme, with and without a slash at the end; none for what is surely no URL.

    >>> spell_otherwise("A.example/x")
    ['http://a.example/x', 'http://a.example/x/', 'https://a.example/x', 'https://a.example/x/']
    """
    rest = url.partition("://")[2] or url
    host, slash, path = rest.partition("/")
    if "." not in host and not slash and "://" not in url:
        return []
    stem = f"{host.lower()}{slash}{path}".rstrip("/")
    return [f"{scheme}://{stem}{end}" for scheme in ("http", "https") for end in ("", "/")]
