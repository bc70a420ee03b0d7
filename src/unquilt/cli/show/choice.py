"""Which document is meant: `--doc` takes an id, a number or a URL.

Ids and URLs come from outside: they need not be unique, and ids may look like numbers. What can mean two documents is
refused, and `doc=12`, `id=12` or `url=…` says which is meant. A URL that no document has is looked for again without
regard to http or https, to the case of the host, and to a slash at the end.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from unquilt.cli.show.folders import Folder, find_rows, find_within
from unquilt.cli.terminal.output import LONGEST_CELL, cut
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.tables import DOCUMENTS

QUILTS = "quilts"
ABOUT = {"doc": DOCUMENTS.name, "quilt": QUILTS}
"""The first column of the tables that `--doc` works with, and the table that lists the documents they can have."""
MOST_COMPARED = 10_000
MOST_NAMED = 3


def choose(folder: Folder, table: str, given: str) -> int:
    """The number of the document that is meant, among those that `table` can have: all, or quilts."""
    given = given.encode(errors="replace").decode()  # what the shell passed on may be no text
    listed = QUILTS if table == QUILTS else ABOUT[folder.columns(table)[0]]
    if listed not in folder.tables:
        listed = DOCUMENTS.name
    if listed not in folder.tables:
        raise ParameterError(f"{folder.run.path} has neither quilts nor its corpus: --doc cannot be looked up")
    found = _readings(folder.tables[listed], given)
    if not found and table == QUILTS and DOCUMENTS.name in folder.tables:
        listed, found = DOCUMENTS.name, _readings(folder.tables[DOCUMENTS.name], given)  # it says why one is no quilt
    if len(found) > 1:
        numbers = ", ".join(map(str, found[:MOST_NAMED])) + (", …" if len(found) > MOST_NAMED else "")
        raise ParameterError(f"--doc {_quoted(given)} can be any of the documents {numbers}; say --doc doc={found[0]}")
    if found:
        return found[0]
    raise ParameterError(_explain_unknown(folder, listed, given))


def _readings(listed: Kept, given: str) -> list[int]:
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


def _explain_unknown(folder: Folder, listed: str, given: str) -> str:
    where = f"unquilt show {folder.run.path} {listed}"
    if listed == QUILTS and DOCUMENTS.name in folder.tables:
        for number in _readings(folder.tables[DOCUMENTS.name], given)[:1]:
            kept = next((row["cluster"] for row in folder.about("clusters", number)), number)
            if kept != number:
                return f"document {number} is a copy of document {kept}, which stands for both; say --doc {kept}"
            return f"document {number} is no quilt by the parameters of this run; {where} lists those that are"
    noun = "quilt" if listed == QUILTS else "document"
    close = _near_misses(folder.tables[listed], given)
    advice = f"did you mean {' or '.join(map(_quoted, close))}?" if close else f"{where} lists them"
    return f"there is no {noun} {_quoted(given)}; {advice}"


def _near_misses(listed: Kept, given: str) -> Sequence[str]:
    """Ids, or URLs, that contain what was given, whatever the case; else, among the first ids, those that are alike."""
    for column in ("id", "url") if given else ():
        if within := find_within(listed, column, given, MOST_NAMED):
            return within
    first = find_within(listed, "id", "", MOST_COMPARED)
    return difflib.get_close_matches(given, [id_[:LONGEST_CELL] for id_ in first], n=MOST_NAMED)


def _quoted(text: str) -> str:
    return f"'{cut(text, LONGEST_CELL // 2)}'"
