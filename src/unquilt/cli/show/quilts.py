"""Runs of quilts, as they are shown: the sites they are on and draw on, and what to try where there are none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unquilt.analyses.sites import SITE_TABLES, name_sites
from unquilt.cli.show.folders import Folder
from unquilt.cli.show.views import Facts, View, name_copies, read_top, see
from unquilt.cli.terminal.output import count, printable

_MOST_SITES = 3


def sites_of(parameters: Facts) -> tuple[str, tuple[str, ...]]:
    """What sites are to a run, and the tables of those that quilts are on, and that they draw on."""
    by = name_sites(parameters["foreign"])
    return by, tuple(table.name for table in SITE_TABLES[by])


class QuiltView(View):
    """A run of quilts."""

    def facts(self, folder: Folder) -> dict[str, Any]:
        _, tables = sites_of(folder.run.manifest["parameters"])
        return {name: read_top(folder, name, _MOST_SITES) for name in tables if name in folder.tables}

    def found(self, facts: Facts) -> Iterator[str]:
        yield from super().found(facts)
        yield from sites(facts)
        if not facts["tables"]["quilts"]["rows"]:
            yield advise(facts)

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        commands = super().commands(where, facts)
        if facts["tables"]["quilts"]["rows"]:
            commands |= {f"unquilt show {where} quilts --doc ID": "one of them, with its patches marked"}
            evidence = "with their texts, sources and what was copied"
            commands |= {f"unquilt export {where} quilts --evidence -o quilts.jsonl": evidence}
            _, sites = sites_of(facts["parameters"])
            commands |= {f"unquilt show {where} {name}": see(name) for name in sites if name in facts["tables"]}
        return commands


def sites(facts: Facts) -> Iterator[str]:
    """The sites that most quilts are on, and those that most quilts draw on, in a line each."""
    by, tables = sites_of(facts["parameters"])
    quilting, feeding = (facts.get(name) for name in tables)
    if quilting:
        named = (f"{_site(row[by])} ({row['quilts']:,} of {count(row['documents'], 'document')})" for row in quilting)
        yield f"Most quilts are on {', '.join(named)}"
    if feeding:
        named = (f"{_site(row[by])} ({count(row['quilts'], 'quilt')})" for row in feeding)
        yield f"They draw most on {', '.join(named)}"


def _site(name: str | None) -> str:
    return printable(name) if name is not None else "pages without URL"


def advise(facts: Facts) -> str:
    """What to try where no quilts were found."""
    asked, pairs = facts["parameters"], facts["pairs"]
    if not facts["documents"]:
        return "There are no quilts, as the corpus has no documents."
    if facts["copies"] and facts["documents"] - facts["copies"] == 1:
        each = name_copies(facts)[1]
        return f"There are no quilts: all documents are {each} of one, into which they were collapsed (--collapse)."
    if not pairs["patch"] and not pairs["common"] and facts["copies"]:
        rest = (
            f"but for {name_copies(facts)[1]}, which were collapsed, no two documents share {asked['k']} words in a row"
        )
        return f"There are no quilts: {rest}. Try a smaller -k, or --collapse none."
    if not pairs["patch"] and not pairs["common"]:
        return f"There are no quilts: no two documents share {asked['k']} words in a row. Try a smaller -k."
    if not pairs["patch"]:
        return f"There are no quilts: all that is shared is in more than {asked['m']} documents. Try a larger -m."
    now = f"-c (now {asked['c']}) or --sigma (now {asked['sigma']:g}), or a larger -m (now {asked['m']})"
    foreign = "" if asked["foreign"] == "none" else f"; only sources on another {asked['foreign']} count (--foreign)"
    return f"No document is a quilt by these parameters. Try a smaller {now}{foreign}."
