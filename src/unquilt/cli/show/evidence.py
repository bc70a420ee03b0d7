"""The evidence of one row, as `results.evidence` finds it: the page with its passages marked. Also each patch of a
quilt beside the text it was taken from, and a document with all of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unquilt.analyses.catalogue import find_function, find_table
from unquilt.cli.show.choice import choose
from unquilt.cli.show.page import Pens, show_page
from unquilt.cli.show.table_views import Request, TableView
from unquilt.cli.show.tables import Row, is_place, spell
from unquilt.cli.terminal.output import WIDEST, count, cut, emit, json_line, printable, terminal_width
from unquilt.errors import ParameterError
from unquilt.results import RunFolder, Selection, TableRows
from unquilt.results.evidence import Evidence, read_reworded, say_reworded
from unquilt.results.sites import judge_site_of, say_site_of
from unquilt.results.texts import say_disguise
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.quilts import PATCHES, SOURCES


class EvidenceView(TableView):
    """A table whose rows have evidence in texts: of one document, its text with passages marked."""

    one_is_rows = False

    def show_one(self, asked: Request) -> None:
        folder, known = asked.folder, find_table(asked.table)
        assert known is not None
        assert known.page is not None
        folder.table(asked.table)  # an error if there is none
        number = choose(folder, asked.table, asked.doc)
        evidence: Evidence = find_function(known.page.evidence)(folder, number)
        row = next(iter(folder.about(asked.table, number)), None)
        if row is None:
            raise ParameterError(f"document {number} is not a {known.row[0]}; see the table {asked.table}")
        sites = judge_site_of(folder, number)
        if asked.as_json:
            emit(json_line({**row, **evidence.rows} | ({"judged_sites": sites} if sites else {})))
            return
        id_, url = folder.pages([number]).get(number, (None, None))
        for line in introduce({"doc": number, "id": id_, "url": url}):
            emit(line)
        emit(evidence.says)
        emit_sites(sites)
        emit()
        show_evidence(folder, evidence, asked.few, full=bool(asked.own.get("full")))


class PatchesView(TableView):
    """Patches: of one quilt, with the texts of both documents."""

    one_is_rows = False

    def show_one(self, asked: Request) -> None:
        folder = asked.folder
        folder.table(PATCHES.name)  # an error if there is none
        show_patches(asked, choose(folder, PATCHES.name, asked.doc))


class DocumentsView(TableView):
    """Documents: of one, all columns and the text."""

    one_is_rows = False

    def show_one(self, asked: Request) -> None:
        show_document(asked.folder, asked.doc, as_json=asked.as_json, full=asked.own["full"])


def show_evidence(folder: RunFolder, evidence: Evidence, limit: int | None, *, full: bool) -> None:
    """Print the legend of other pages, and the page with its passages in their colours."""
    pens = Pens.choose()
    if disguise := say_disguise(folder, evidence.doc):
        emit(disguise)
    sources = evidence.legend(evidence.all_sources if limit is None else limit)
    emit(f"{evidence.sources_are}: {evidence.facts_are}")
    for each in sources:
        number = f"{each.number:>3}"
        facts = f"  {' '.join(map(_spell_fact, each.facts.values()))}  "
        name = "here" if each.doc == evidence.doc else _name(each.doc, {each.doc: (each.id, each.url)})
        room = max(20, _width() - len(number) - len(facts))
        emit(pens.draw(number, each.number) + facts + cut(name, room))
    if evidence.all_sources > len(sources):
        more = evidence.all_sources - len(sources)
        emit(f"… and {more:,} more (--limit {evidence.all_sources} for all)")
    emit()
    text = next((row["text"] for _, row in folder.documents([evidence.doc], ["text"])), None)
    if text is None:
        emit("The corpus of this run is not found, so there is no text to show.")
        return
    if evidence.note:
        emit(evidence.note)
        emit()
    marks = [(each.begin, each.end, each.number or evidence.all_sources + 1) for each in evidence.passages]
    for line in show_page(text, marks, _width(), pens, full=full):
        emit(line)
    if evidence.reworded:
        emit()
        emit("Reworded passages, and what their sources say:")
    for passage, here, there in read_reworded(folder, evidence):
        emit(f"{pens.draw(f'{passage.number:>3}', passage.number)}  {passage.title}")
        for which, text in (("here", here), ("there", there)):
            for line in _show_side(which, text, full=full):
                emit(line)


def _spell_fact(value: Any) -> str:
    """A fact of the legend, as wide as the others of its kind: floats are shares."""
    match value:
        case float():
            return f"{value:>6.1%}"
        case int():
            return f"{value:>6,}"
    return f" {value:<11}"


def introduce(page: Row) -> Iterator[str]:
    """The names of a page, as far as they are known."""
    number = f"document {page['doc']}"
    names = [page["id"], page["url"]] if not (page["url"] and is_place(page["id"])) else [page["url"], page["id"]]
    yield number.capitalize() if names[0] is None else f"{printable(names[0])} ({number})"
    if names[1]:
        yield cut(names[1], _width())


def summarise(quilt: Row) -> Iterator[str]:
    """What was counted of a quilt, in a line."""
    grams = f"{quilt['patch_grams']:,} of {count(quilt['grams'], 'gram')}"
    yield f"patch fraction {quilt['patchfrac']:.3f} ({grams}), {count(quilt['sources'], 'source')}" + (
        "" if quilt.get("attributed") is None else f", {quilt['attributed']:.0%} attributed"
    )


def _name(number: int, pages: Mapping[int, tuple[str | None, str | None]]) -> str:
    id_, url = pages.get(number, (None, None))
    if id_ and url and url != id_ and not is_place(id_):
        return f"{id_}  {url}"
    return url or id_ or f"document {number}"


def show_patches(asked: Request, number: int) -> None:
    """Print the patches of a quilt with the texts that both documents have there."""
    folder = asked.folder
    there = TableRows(folder, PATCHES.name)
    rows = TableRows(folder, PATCHES.name, Selection(list(there.columns), limit=asked.few), about=number)
    shown, total = list(rows.rows()), rows.count()
    if asked.as_json:
        unasked = {"host", "domain"}
        for row in shown:
            known = {name: value for name, value in row.items() if name.rpartition("_")[2] not in unasked}
            emit(json_line(dict.fromkeys([*known, *PATCHES.texts]) | known))
        return
    ranks = {row["source"]: row["rank"] for row in folder.about(SOURCES.name, number)}
    emit(f"Document {number} has {count(total, 'patch', 'patches')} of {count(len(ranks), 'source')}.")
    for row in shown:
        emit()
        for line in _describe(row, ranks, full=asked.own["full"]):
            emit(line)
    if total > len(shown):
        emit()
        emit(f"… and {total - len(shown):,} more (--limit {total} for all, --json for programs)")


def _describe(row: Row, ranks: Mapping[int, int], *, full: bool) -> Iterator[str]:
    known = {row["source"]: (row.get("source_id"), row.get("source_url"))}
    name = cut(_name(row["source"], known), _width() // 2)
    begin, end, there, until = (row[key] for key in ("begin", "end", "source_begin", "source_end"))
    rank = ranks.get(row["source"], "?")
    words = f"{count(row['words'], 'word')}{say_reworded(row)}"
    yield f"{begin}-{end}, {words}, from source {rank} at {there}-{until}: {name}"
    for which, text in (("here", row.get("text")), ("there", row.get("source_text"))):
        if text is None:
            yield f"  {which:<5}  the corpus of this run is not found"
            continue
        yield from _show_side(which, text, full=full)


def _show_side(which: str, text: str, *, full: bool) -> Iterator[str]:
    """The text of one side of a passage: its beginning, or all of it."""
    on_one_line = " ".join(text.split())
    if full:
        yield from (f"  {which:<5}  {line}" for line in show_page(on_one_line, (), _width() - 9, Pens(), full=True))
    else:
        yield f"  {which:<5}  {cut(on_one_line, _width() - 9)}"


def show_document(folder: RunFolder, given: str, *, as_json: bool, full: bool) -> None:
    """Print one document: its columns, then its text."""
    folder.table(DOCUMENTS.name)
    number = choose(folder, DOCUMENTS.name, given)
    (row,) = folder.about(DOCUMENTS.name, number)
    if as_json:
        emit(json_line(row))
        return
    text = row.pop("text")
    row.pop("seen", None)
    width = max(map(len, row))
    for name, value in row.items():
        emit(f"{name:<{width}}  {cut(spell(value), max(20, _width() - width - 2))}")
    if disguise := say_disguise(folder, number):
        emit(disguise)
    emit_sites(judge_site_of(folder, number))
    emit()
    for line in show_page(text, (), _width(), Pens(), full=full):
        emit(line)


def emit_sites(sites: Sequence[Row]) -> None:
    """The verdicts on the site of a page, by runs of sites beside the run."""
    for each in sites:
        emit(printable(say_site_of(each)))


def _width() -> int:
    return terminal_width() or WIDEST
