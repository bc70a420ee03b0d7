"""Runs of copies, as they are shown: which sites have text of ours, and which pages have most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unquilt.cli.show.views import Facts, View, read_top
from unquilt.cli.terminal.output import count, printable
from unquilt.results import RunFolder
from unquilt.tables.copies import COPIES, COPYING_SITES

MOST_NAMED = 5
SAYS = {"paragraphs": "whole paragraphs", "words": "word for word", "reworded": "reworded"}
"""Strengths, as people are told of them."""
_LINKS = {"page": "; links to it", "site": "; links to us", "no": "; no link to us", None: ""}


class CopiesView(View):
    """A run of copies: who has most of ours."""

    def facts(self, folder: RunFolder) -> dict[str, Any]:
        copies = read_top(folder, COPIES.name, MOST_NAMED) or []
        pages = folder.pages({number for row in copies for number in (row["ours"], row["theirs"])})
        named = [row | {side: _name(row[side], pages) for side in ("ours", "theirs")} for row in copies]
        return {
            "first_copies": named,
            "first_numbers": [(row["ours"], row["theirs"]) for row in copies],
            "first_sites": read_top(folder, COPYING_SITES.name, MOST_NAMED) or [],
            "sums": folder.run.manifest.get("summary", {}),
        }

    def found(self, facts: Facts) -> Iterator[str]:
        sums = facts["sums"]
        number, sites = (facts["tables"][table.name]["rows"] for table in (COPIES, COPYING_SITES))
        ours = count(sums.get("our_documents", 0), "page")
        compared = f"{ours} of ours, compared with {count(sums.get('their_documents', 0), 'page')} of others"
        left = sums.get("documents_left_out", 0)
        yield f"{compared}; {count(left, 'page')} left out: of our sites, excepted, or for machines"
        if not number:
            least = facts["parameters"]["min_words"]
            yield f"Nobody has text of ours: no page of others has {least} words in a row of it, or reworded passages."
            return
        strengths = ((sums.get(f"with_{name}", 0), said) for name, said in SAYS.items())
        found = ", ".join(f"{said}: {each:,}" for each, said in strengths if each)
        yield f"{count(number, 'copy', 'copies')} on {count(sites, 'site')} ({found})"
        boilerplate = sums.get("templates", 0) + sums.get("notices", 0)
        if boilerplate:
            of = f"{sums.get('templates', 0):,} of templates of ours, {sums.get('notices', 0):,} notices"
            yield f"Left out as boilerplate: {count(boilerplate, 'passage')} ({of})"
        yield "Sites that have most of ours:"
        for row in facts["first_sites"]:
            pages = f"{count(row['words'], 'word')} of {count(row['our_pages'], 'page')} of ours"
            name = printable(row["site"]) if row["site"] else "pages without a URL"
            yield f"  {name}: {pages}, on {count(row['pages'], 'page')}"
        yield "Pages that have most of one of ours:"
        for row in facts["first_copies"]:
            shares = f"{row['share_ours']:.0%} of ours, {row['share_theirs']:.0%} of theirs"
            told = f"{count(row['words'], 'word')}, {shares}; {SAYS[row['strength']]}{_LINKS[row['linked']]}"
            yield f"  {row['theirs']} has {row['ours']}: {told}"

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        commands = super().commands(where, facts)
        if not facts["first_numbers"]:
            return commands
        ours, theirs = facts["first_numbers"][0]
        return commands | {
            f"unquilt show {where} passages --pair {ours} {theirs}": "two texts side by side, with what they share",
            f"unquilt export {where} copies -o copies.csv": "the list, for a spreadsheet",
        }


def _name(number: int, pages: dict[int, tuple[str, str | None]]) -> str:
    id_, url = pages.get(number, (f"document {number}", None))
    return printable(url or id_)
