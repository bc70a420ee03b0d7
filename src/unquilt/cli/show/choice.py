"""Which document is meant: `--doc` takes an id, a number or a URL.

What can mean two documents (see `results.choice`) is refused, and what can mean none is answered with what is near.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from unquilt.analyses.catalogue import find_table
from unquilt.cli.terminal.output import LONGEST_CELL, cut
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.results import RunFolder
from unquilt.results.finding import MOST_NAMED, find_meant, find_within
from unquilt.tables.corpus import DOCUMENTS

QUILTS = "quilts"
MOST_COMPARED = 10_000


def choose(folder: RunFolder, table: str, given: str) -> int:
    """The number of the document that is meant, among those that `table` can have: all, or quilts."""
    given = given.encode(errors="replace").decode()  # what the shell passed on may be no text
    known = find_table(table)
    listed = known.about if known else DOCUMENTS.name
    if listed not in folder.tables:
        listed = DOCUMENTS.name
    if listed not in folder.tables:
        raise ParameterError(f"{folder.run.path} has neither quilts nor its corpus: --doc cannot be looked up")
    found = find_meant(folder.tables[listed], given)
    if not found and table == QUILTS and DOCUMENTS.name in folder.tables:
        listed, found = DOCUMENTS.name, find_meant(folder.tables[DOCUMENTS.name], given)  # it says why one is no quilt
    if len(found) > 1:
        numbers = ", ".join(map(str, found[:MOST_NAMED])) + (", …" if len(found) > MOST_NAMED else "")
        raise ParameterError(f"--doc {_quoted(given)} can be any of the documents {numbers}; say --doc doc={found[0]}")
    if found:
        return found[0]
    raise ParameterError(_explain_unknown(folder, listed, given))


def _explain_unknown(folder: RunFolder, listed: str, given: str) -> str:
    where = f"unquilt show {folder.run.path} {listed}"
    if listed == QUILTS and DOCUMENTS.name in folder.tables:
        for number in find_meant(folder.tables[DOCUMENTS.name], given)[:1]:
            kept = next((row["cluster"] for row in folder.about("clusters", number)), number)
            if kept != number:
                return f"document {number} is a copy of document {kept}, which stands for both; say --doc {kept}"
            return f"document {number} is not a quilt by the parameters of this run; {where} lists those that are"
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
