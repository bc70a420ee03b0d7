"""Runs of phrases, as they are shown: the candidate sites with their evidence, a page with its popular phrases marked,
and one site with its pages and phrases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt import _native
from unquilt.cli.options import usage_error
from unquilt.cli.show.choice import choose
from unquilt.cli.show.folders import Folder
from unquilt.cli.show.page import Patch, Pens, show_page
from unquilt.cli.show.table_views import FEW, Request, TableView
from unquilt.cli.show.tables import Row, print_rows
from unquilt.cli.show.views import Facts, View, read_top
from unquilt.cli.terminal.output import WIDEST, count, cut, emit, json_line, printable, terminal_width
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept

MOST_NAMED = 5
MOST_LOOKED_AT = 500
"""Pages of a site whose phrases are counted for people: the first ones of those with most popular phrases."""
LITTLE = 0.2
"""A site that others contribute less to repeats itself: its template, its own catalogue."""


class PhraseView(View):
    """A run of phrases: which sites to look at, and why."""

    def facts(self, folder: Folder) -> dict[str, Any]:
        candidates = [row for row in read_top(folder, "hosts", MOST_NAMED) or () if row["candidate"]]
        number = folder.tables["hosts"].rows if "hosts" in folder.tables else 0
        all_ = sum(row["candidate"] for row in _rows(folder.table("hosts"), ["candidate"])) if number else 0
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


class Sampler:
    """The shingles of texts as the run took them, for looking at single documents again."""

    def __init__(self, folder: Folder) -> None:
        asked = folder.run.manifest["parameters"]
        if asked.get("key"):
            raise ParameterError("of the key of this run only a digest is kept: phrases cannot be found again in texts")
        self.k, self.seed, self.exact = asked["k"], asked["seed"], asked["exact"]

    def shingles(self, text: str) -> set[tuple[int, int]]:
        """Pairs of a function and a gram; one function, if all grams are taken."""
        if self.exact:
            return {(0, gram) for gram in _native.grams(text, self.k, circular=True)}
        return set(enumerate(_native.sample(text, self.seed, self.k) or ()))

    def places(self, text: str, ranks: Mapping[int, int]) -> Iterator[Patch]:
        """Where grams stand in a text, each with its rank. One that goes round the end of the text is not marked."""
        words = _native.words(text)
        for begin, gram in enumerate(_native.gram_sequence(text, self.k)):
            if gram in ranks and begin + self.k <= len(words):
                yield words[begin][1], words[begin + self.k - 1][2], ranks[gram]


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
        texts = dict(folder.documents([number, *(row["source"] for row in sources)], ["text"]))
        if number not in texts:
            yield "The corpus of this run is not found, so there is no text to show."
            return
        sampler = Sampler(folder)
        mine = sampler.shingles(texts[number]["text"])
        ranks: dict[int, int] = {}
        for row in sources:
            for _, gram in mine & sampler.shingles(texts[row["source"]]["text"]):
                ranks.setdefault(gram, row["rank"])
        text = texts[number]["text"]
        yield from show_page(text, [*sampler.places(text, ranks)], width, pens, full=asked.own["full"])


class HostsView(TableView):
    """Sites: of one, its pages and the phrases that they share."""

    def show_named(self, asked: Request, name: str) -> None:
        folder = asked.folder
        site = next((row for row in _rows(folder.table("hosts")) if row["site"] == name), None)
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


class SiteInView:
    """One site of a run: its pages that are kept, and the popular phrases on them."""

    def __init__(self, folder: Folder, name: str) -> None:
        self.folder, self.name = folder, name
        self.by = folder.run.manifest["parameters"]["group"]

    @cached_property
    def pages(self) -> list[dict[str, Any]]:
        """Its pages with what is counted of them, those with most popular phrases first."""
        found: dict[int, Any] = {}
        for split in self.folder.table("documents").splits():
            part = split.read(["doc", "url", self.by])
            for row in part.filter(pc.equal(part.column(self.by), pa.scalar(self.name))).to_pylist():
                found[row["doc"]] = row["url"]
        counted = _rows(self.folder.table("document_phrases"))
        pages = [row | {"url": found[row["doc"]]} for row in counted if row["doc"] in found]
        return sorted(pages, key=lambda row: (-row["of_84"], row["doc"]))

    def phrases(self, limit: int) -> list[dict[str, Any]]:
        """The popular phrases on most of its pages: on how many of them, on how many of all, and what they say."""
        sampler, pages = Sampler(self.folder), Counter[int]()
        docs = [row["doc"] for row in self.pages[:MOST_LOOKED_AT]]
        for _, document in self.folder.documents(docs, ["text"]):
            pages.update({gram for _, gram in sampler.shingles(document["text"])})
        found: list[dict[str, Any]] = []
        wanted = pa.array(list(pages), pa.int64())
        for split in self.folder.table("popular").splits():
            part = split.read(["phrase", "documents", "text"])
            there = part.filter(pc.is_in(part.column("phrase"), wanted)).to_pylist()
            found += [{"pages": pages[row.pop("phrase")]} | row for row in there]
        return sorted(found, key=lambda row: (-row["pages"], -row["documents"], row["text"]))[:limit]


def _rows(table: Kept, columns: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """The rows of a table, one row group in memory at a time."""
    for split in table.splits():
        yield from split.read(list(columns) or table.columns).to_pylist()


def _name(number: int, pages: Mapping[int, tuple[str, str | None]]) -> str:
    id_, url = pages.get(number, (f"document {number}", None))
    return printable(url or id_)
