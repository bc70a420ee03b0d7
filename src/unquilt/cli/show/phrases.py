"""Runs of phrases, as they are shown: the candidate sites with their evidence, a page with its popular phrases marked,
and one site with its pages and phrases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unquilt.cli.options import usage_error
from unquilt.cli.show.choice import choose
from unquilt.cli.show.folders import Folder
from unquilt.cli.show.page import Pens, show_page
from unquilt.cli.show.table_views import FEW, Request, TableView
from unquilt.cli.show.tables import Row, print_rows
from unquilt.cli.show.views import Facts, View, read_top
from unquilt.cli.terminal.output import WIDEST, count, cut, emit, json_line, printable, terminal_width
from unquilt.results.phrases import MOST_LOOKED_AT, SiteInView, find_covered, read_rows

MOST_NAMED = 5
LITTLE = 0.2
"""A site that others contribute less to repeats itself: its template, its own catalogue."""


class PhraseView(View):
    """A run of phrases: which sites to look at, and why."""

    def facts(self, folder: Folder) -> dict[str, Any]:
        candidates = [row for row in read_top(folder, "hosts", MOST_NAMED) or () if row["candidate"]]
        number = folder.tables["hosts"].rows if "hosts" in folder.tables else 0
        all_ = sum(row["candidate"] for row in read_rows(folder.table("hosts"), ["candidate"])) if number else 0
        return {"candidates": all_, "first_candidates": candidates, "phrases": read_top(folder, "popular", MOST_NAMED)}

    def found(self, facts: Facts) -> Iterator[str]:
        yield from super().found(facts)
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
            numbers = f"mean {row['mean']:.1f}, deviation {row['deviation']:.1f}, {far:.0%} of it also elsewhere{note}"
            yield f"  {printable(row['site'])}: {count(row['pages'], 'page')}, {numbers}"

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        commands = super().commands(where, facts)
        first = facts["first_candidates"]
        name = printable(first[0]["site"]) if first else "SITE"
        return commands | {
            f"unquilt show {where} hosts {name}": "one site: its pages, and the phrases they share",
            f"unquilt show {where} covers --doc ID": "one page, its popular phrases marked",
        }


class CoversView(TableView):
    """Covering sets: of one page, its text with the popular phrases in the colours of the pages that cover them."""

    one_is_rows = False

    def show_one(self, asked: Request) -> None:
        folder = asked.folder
        folder.table("covers")  # an error if there is none
        number = choose(folder, "covers", asked.doc)
        cover = next(iter(folder.about("covers", number)), None)
        if asked.as_json:
            if cover is not None:
                emit(json_line(cover | {"cover_sources": folder.about("cover_sources", number)}))
            return
        if cover is None:
            emit(self._explain(folder, number))
            return
        for line in self._describe(folder, cover, asked):
            emit(line)

    @staticmethod
    def _explain(folder: Folder, number: int) -> str:
        counted = next(iter(folder.about("document_phrases", number)), None)
        kept = next((row["cluster"] for row in folder.about("clusters", number)), number)
        if counted is None and kept != number:
            return f"Document {number} was left out as a near-duplicate of document {kept}; say --doc {kept}."
        if counted is None or not counted["shingles"]:
            return f"Document {number} has no words."
        if not counted["popular"]:
            return f"None of the {counted['shingles']} shingles of document {number} is popular."
        return (
            f"Document {number} has {counted['popular']} popular shingles, but is not in the sample that was covered."
        )

    @staticmethod
    def _describe(folder: Folder, cover: Row, asked: Request) -> Iterator[str]:
        number, width, pens = cover["doc"], terminal_width() or WIDEST, Pens.choose()
        sources = folder.about("cover_sources", number)
        pages = folder.pages([number, *(row["source"] for row in sources)])
        yield _name(number, pages)
        yield (
            f"{count(cover['popular'], 'popular shingle')}; {count(cover['sources'], 'source')} cover "
            f"{cover['covered']}, of which {cover['foreign_contribution']} are on pages with no common address"
            + (f"; {cover['common']} are too common to be covered" if cover["common"] else "")
        )
        yield ""
        yield "Sources: shingles that each adds, and that it has; whether it is on another site"
        for row in sources[: asked.few]:
            facts = f"  {row['new_shingles']:>3} {row['all_shingles']:>3}  {'other' if row['foreign'] else 'same':<5}  "
            name = cut(_name(row["source"], pages), max(20, width - 5 - len(facts)))
            yield pens.draw(f"{row['rank']:>3}", row["rank"]) + facts + name
        yield ""
        text, patches = find_covered(folder, number, sources)
        if text is None:
            yield "The corpus of this run is not found, so there is no text to show."
            return
        yield from show_page(text, patches, width, pens, full=asked.own["full"])


class HostsView(TableView):
    """Sites: of one, its pages and the phrases that they share."""

    def show_named(self, asked: Request, name: str) -> None:
        folder = asked.folder
        site = next((row for row in read_rows(folder.table("hosts")) if row["site"] == name), None)
        if site is None:
            raise usage_error(f"hosts has no site {printable(name)!r}; unquilt show {folder.run.path} hosts lists them")
        seen = SiteInView(folder, name)
        if asked.as_json:
            for page in seen.pages[: asked.limit]:
                emit(json_line(page))
            return
        emit(
            f"{printable(name)}: {count(site['pages'], 'page')}, mean {site['mean']:.1f} popular shingles of 84, "
            f"deviation {site['deviation']:.1f}, {site['foreign_contribution']:.0%} of the covered ones also elsewhere"
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


def _name(number: int, pages: Mapping[int, tuple[str, str | None]]) -> str:
    id_, url = pages.get(number, (f"document {number}", None))
    return printable(url or id_)
