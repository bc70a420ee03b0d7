"""The evidence for one quilt: the page with its patches marked, and each patch beside the text it was taken from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unquilt.cli.show.choice import choose
from unquilt.cli.show.folders import Folder
from unquilt.cli.show.page import Pens, show_page
from unquilt.cli.show.table_views import Request, TableView
from unquilt.cli.show.tables import Row, spell
from unquilt.cli.terminal.output import WIDEST, count, cut, emit, json_line, printable, terminal_width

PATCHES = "patches"
LINKED = {"page": "linked", "domain": "site linked", None: "not linked"}


class PatchesView(TableView):
    """Patches: of one quilt, with the texts of both documents."""

    one_is_rows = False

    def show_one(self, asked: Request) -> None:
        show_patches(asked.folder, asked.doc, asked.few, as_json=asked.as_json, full=asked.own["full"])


class DocumentsView(TableView):
    """Documents: of one, all columns and the text."""

    one_is_rows = False

    def show_one(self, asked: Request) -> None:
        show_document(asked.folder, asked.doc, as_json=asked.as_json, full=asked.own["full"])


def show_evidence(folder: Folder, quilt: Row, limit: int | None, *, full: bool) -> None:
    """Print the sources of a quilt, and the page with its patches in the colours of the sources."""
    sources = folder.about("sources", quilt["doc"])
    shown, pens = sources[:limit], Pens.choose()
    for line in _list_sources(folder, quilt, shown, pens):
        emit(line)
    if len(sources) > len(shown):
        emit(f"… and {len(sources) - len(shown):,} more (--limit {len(sources)} for all)")
    emit()
    for line in _show_text(folder, quilt["doc"], sources, pens, full=full):
        emit(line)


def introduce(page: Row) -> Iterator[str]:
    """The names of a page, as far as they are known."""
    number = f"document {page['doc']}"
    yield number.capitalize() if page["id"] is None else f"{printable(page['id'])} ({number})"
    if page["url"]:
        yield cut(page["url"], _width())


def summarise(quilt: Row) -> Iterator[str]:
    """What was counted of a quilt, in a line."""
    grams = f"{quilt['patch_grams']:,} of {count(quilt['grams'], 'gram')}"
    yield f"patch fraction {quilt['patchfrac']:.3f} ({grams}), {count(quilt['sources'], 'source')}" + (
        "" if quilt.get("attributed") is None else f", {quilt['attributed']:.0%} attributed"
    )


def _list_sources(folder: Folder, quilt: Row, sources: Sequence[Row], pens: Pens) -> Iterator[str]:
    """The legend: numbers, shares of the patch grams, which are linked, names."""
    pages = folder.pages(row["source"] for row in sources)
    yield "Sources: share of the patch grams that each adds, and that it holds" + (
        "; whether the page links to it" if sources and "linked" in sources[0] else ""
    )
    for row in sources:
        new, all_ = (row[name] / max(1, quilt["patch_grams"]) for name in ("new_grams", "all_grams"))
        linked = f"  {LINKED.get(row['linked'], '?'):<11}" if "linked" in row else ""
        number = f"{row['rank']:>3}"
        facts = f"  {new:>6.1%} {all_:>6.1%}{linked}  "
        name = _name(row["source"], pages)
        yield pens.draw(number, row["rank"]) + facts + cut(name, max(20, _width() - len(number) - len(facts)))


def _name(number: int, pages: Mapping[int, tuple[str, str | None]]) -> str:
    if number not in pages:
        return f"document {number}"
    id_, url = pages[number]
    return f"{id_}  {url}" if url and url != id_ else id_


def _show_text(folder: Folder, number: int, sources: Sequence[Row], pens: Pens, *, full: bool) -> Iterator[str]:
    text = next((row["text"] for _, row in folder.documents([number], ["text"])), None)
    if text is None:
        yield "The corpus of this run is not found, so there is no text to show."
        return
    ranks = {row["source"]: row["rank"] for row in sources}
    found = folder.about(PATCHES, number)
    patches = [(row["begin"], row["end"], ranks.get(row["source"], len(ranks) + 1)) for row in found]
    if PATCHES not in folder.tables:
        yield "The patches are not marked: this run has no table patches (made with --no-patches, or not complete)."
        yield ""
    yield from show_page(text, patches, _width(), pens, full=full)


def show_patches(folder: Folder, given: str, limit: int | None, *, as_json: bool, full: bool) -> None:
    """Print the patches of a quilt with the texts that both documents have there."""
    folder.table(PATCHES)  # an error if there is none
    number = choose(folder, PATCHES, given)
    rows = folder.about(PATCHES, number)
    shown = read_texts(folder, rows[:limit])
    if as_json:
        for row in _name_pages(folder, shown):
            emit(json_line(row))
        return
    ranks = {row["source"]: row["rank"] for row in folder.about("sources", number)}
    pages = folder.pages(row["source"] for row in shown)
    emit(f"Document {number} has {count(len(rows), 'patch', 'patches')} of {count(len(ranks), 'source')}.")
    for row in shown:
        emit()
        for line in _describe(row, ranks, pages, full=full):
            emit(line)
    if len(rows) > len(shown):
        emit()
        emit(f"… and {len(rows) - len(shown):,} more (--limit {len(rows)} for all, --json for programs)")


def _name_pages(folder: Folder, rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Patches with ids and URLs beside the numbers of both documents, as in the whole table."""
    pages = folder.pages(row[side] for row in rows for side in ("quilt", "source"))
    for row in rows:
        named: dict[str, Any] = {}
        for column, value in row.items():
            named[column] = value
            if pages and column in ("quilt", "source"):
                named[f"{column}_id"], named[f"{column}_url"] = pages.get(value, (None, None))
        yield named


def _describe(row: Row, ranks: Mapping[int, int], pages: Mapping[int, Any], *, full: bool) -> Iterator[str]:
    name = cut(_name(row["source"], pages), _width() // 2)
    begin, end, there, until = (row[key] for key in ("begin", "end", "source_begin", "source_end"))
    rank = ranks.get(row["source"], "?")
    yield f"{begin}-{end}, {count(row['words'], 'word')}, from source {rank} at {there}-{until}: {name}"
    for which, text in (("here", row["text"]), ("there", row["source_text"])):
        if text is None:
            yield f"  {which:<5}  the corpus of this run is not found"
            continue
        on_one_line = " ".join(text.split())
        if full:
            yield from (f"  {which:<5}  {line}" for line in show_page(on_one_line, (), _width() - 9, Pens(), full=True))
        else:
            yield f"  {which:<5}  {cut(on_one_line, _width() - 9)}"


def read_texts(folder: Folder, patches: Sequence[Row]) -> list[dict[str, Any]]:
    """Rows of the table patches with `text` and `source_text`, None without the corpus.

    Documents are read one row group at a time, and of each only its patches are kept.
    """
    found = [dict(row) | {"text": None, "source_text": None} for row in patches]
    wanted: defaultdict[int, list[tuple[dict[str, Any], str]]] = defaultdict(list)
    for row in found:
        wanted[row["quilt"]].append((row, ""))
        wanted[row["source"]].append((row, "source_"))
    for number, page in folder.documents(wanted, ["text"]):
        for row, side in wanted[number]:
            row[f"{side}text"] = page["text"][row[f"{side}begin"] : row[f"{side}end"]]
    return found


def show_document(folder: Folder, given: str, *, as_json: bool, full: bool) -> None:
    """Print one document: its columns, then its text."""
    folder.table("documents")
    number = choose(folder, "documents", given)
    (row,) = folder.about("documents", number)
    if as_json:
        emit(json_line(row))
        return
    text = row.pop("text")
    width = max(map(len, row))
    for name, value in row.items():
        emit(f"{name:<{width}}  {cut(spell(value), max(20, _width() - width - 2))}")
    emit()
    for line in show_page(text, (), _width(), Pens(), full=full):
        emit(line)


def _width() -> int:
    return terminal_width() or WIDEST
