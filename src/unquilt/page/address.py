"""Addresses on the page."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote as quote_part
from urllib.parse import urlencode


def address(*parts: object, **asked: object) -> str:
    """An address on this page: parts of a path, quoted, and what is asked for.

    >>> address("runs", "a b", "sites", name="x&y")
    '/runs/a%20b/sites?name=x%26y'
    """
    path = "/" + "/".join(quote_part(str(part), safe="") for part in parts)
    given = {name: value for name, value in asked.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def change(path: str, asked: Mapping[str, str], **changes: object) -> str:
    """The same address with something else asked for."""
    given = {name: value for name, value in (dict(asked) | changes).items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path
