"""Runs of phrases, as they are shown: the candidate sites, and one site with its pages and phrases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unquilt.cli.options import usage_error
from unquilt.cli.show.table_views import FEW, Request, TableView
from unquilt.cli.show.tables import print_rows
from unquilt.cli.show.views import Facts, View, read_top
from unquilt.cli.terminal.output import count, cut, emit, json_line, printable
from unquilt.results import RunFolder
from unquilt.results.phrases import MOST_LOOKED_AT, SiteInView
from unquilt.results.rows import read_table

MOST_NAMED = 5
LONGEST = 100
"""Characters of a phrase in a summary."""
OTHERS = "also on other sites"
LITTLE = 0.2
"""A site that others contribute less to repeats itself: its template, its own catalogue."""


class PhraseView(View):
    """A run of phrases: which sites to look at, and why."""

    def facts(self, folder: RunFolder) -> dict[str, Any]:
        candidates = [row for row in read_top(folder, "hosts", MOST_NAMED) or () if row["candidate"]]
        number = folder.tables["hosts"].rows if "hosts" in folder.tables else 0
        all_ = sum(row["candidate"] for row in read_table(folder.table("hosts"), ["candidate"])) if number else 0
        return {
            "candidates": all_,
            "first_candidates": candidates,
            "phrases": read_top(folder, "phrases", MOST_NAMED) or [],
        }

    def found(self, facts: Facts) -> Iterator[str]:
        yield from super().found(facts)
        shared = [row for row in facts["phrases"] if row["sites"] > 1 and not row["notice"]]
        if shared:
            yield "Phrases that several sites share, those that say most first:"
        for row in shared:
            yield f"  on {count(row['sites'], 'site')}: {printable(cut(row['text'], LONGEST))}"
        asked = facts["parameters"]
        limits = (
            f"at least {asked['min_pages']} pages, {asked['min_mean']:g} popular shingles of 84 or more on average, "
            f"deviation below {asked['max_deviation']:g}"
        )
        if not facts["candidates"]:
            yield f"No {asked['group']} is a candidate ({limits})."
            return
        yield f"{count(facts['candidates'], 'candidate site')} ({limits}), the largest first:"
        for row in facts["first_candidates"]:
            far = row["foreign_contribution"]
            note = "; mostly its own template or text" if far < LITTLE else ""
            numbers = f"mean {row['mean']:.1f}, deviation {row['deviation']:.1f}, {far:.0%} of it {OTHERS}{note}"
            yield f"  {printable(row['site'])}: {count(row['pages'], 'page')}, {numbers}"

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        commands = super().commands(where, facts)
        first = facts["first_candidates"]
        name = printable(first[0]["site"]) if first else "SITE"
        return commands | {
            f"unquilt show {where} hosts {name}": "one site: its pages, and the phrases they share",
            f"unquilt show {where} covers --doc ID": "one page, its popular phrases marked",
        }


class HostsView(TableView):
    """Sites: of one, its pages and the phrases that they share."""

    def show_named(self, asked: Request, name: str) -> None:
        folder = asked.folder
        site = next((row for row in read_table(folder.table("hosts")) if row["site"] == name), None)
        if site is None:
            raise usage_error(f"hosts has no site {printable(name)!r}; unquilt show {folder.run.path} hosts lists them")
        seen = SiteInView(folder, name)
        if asked.as_json:
            for page in seen.pages[: asked.limit]:
                emit(json_line(page))
            return
        emit(
            f"{printable(name)}: {count(site['pages'], 'page')}, mean {site['mean']:.1f} popular shingles of 84, "
            f"deviation {site['deviation']:.1f}, {site['foreign_contribution']:.0%} of the covered ones {OTHERS}"
        )
        few = asked.limit or FEW // 2
        emit()
        emit("Pages with most popular phrases:")
        print_rows([{key: page[key] for key in ("doc", "of_84", "words", "url")} for page in seen.pages[:few]])
        emit()
        looked_at = min(MOST_LOOKED_AT, len(seen.pages))
        emit(
            f"Popular phrases on most of {'these' if looked_at == len(seen.pages) else f'the first {looked_at}'} pages:"
        )
        found = seen.phrases(few)
        if found:
            print_rows(found)
        else:
            emit("none")
