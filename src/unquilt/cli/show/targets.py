"""The evidence for one target: the page with its labelled chunks marked and, for each, where else it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unquilt.cli.show.choice import choose
from unquilt.cli.show.page import Pens, show_page
from unquilt.cli.show.table_views import Request, TableView
from unquilt.cli.terminal.output import WIDEST, count, cut, emit, json_line, printable, terminal_width
from unquilt.errors import ParameterError
from unquilt.results.labelled import Marked, find_labelled
from unquilt.tables import TARGETS


class TargetsView(TableView):
    """Targets: of one, the page itself."""

    one_is_rows = False

    def show_one(self, asked: Request) -> None:
        folder = asked.folder
        folder.table(TARGETS.name)  # an error if there is none
        number = choose(folder, TARGETS.name, asked.doc)
        target = next(iter(folder.about(TARGETS.name, number)), None)
        if target is None:
            raise ParameterError(f"document {number} is no target; {TARGETS.name} lists those that are")
        text, chunks = find_labelled(folder, number)
        pages = folder.pages(chunk.object["first"] for chunk in chunks)
        if asked.as_json:
            emit(json_line(target | {"labelled": [_describe_chunk(chunk, pages) for chunk in chunks]}))
            return
        for line in _show(target, text, chunks, pages, asked.few, full=asked.own["full"]):
            emit(line)


def _describe_chunk(chunk: Marked, pages: Mapping[int, Any]) -> dict[str, Any]:
    known = {name: chunk.object[name] for name in ("sha1", "occurrences", "documents", "sites", "first")}
    id_, url = pages.get(chunk.object["first"], (None, None))
    return {"begin": chunk.begin, "end": chunk.end} | known | {"first_id": id_, "first_url": url}


def _show(
    target: Mapping[str, Any],
    text: str | None,
    chunks: Sequence[Marked],
    pages: Mapping[int, Any],
    limit: int | None,
    *,
    full: bool,
) -> Iterator[str]:
    width = terminal_width() or WIDEST
    yield f"{printable(target['id'])} (document {target['doc']})"
    if target["url"]:
        yield cut(target["url"], width)
    whole = "the whole file is labelled; " if target["file"] else ""
    share = f"{target['matched']:,} of {count(target['chunks'], 'chunk')} labelled"
    yield f"{whole}{share} ({target['contains']:.1%}); {count(target['stop_chunks'], 'stop chunk')} left out"
    yield ""
    if text is None:
        yield "The corpus of this run is not found, so there is no text to show."
        return
    ranks = {sha1: rank for rank, sha1 in enumerate(dict.fromkeys(chunk.object["sha1"] for chunk in chunks), 1)}
    pens, known = Pens.choose(), {chunk.object["sha1"]: chunk.object for chunk in chunks}
    yield "Labelled chunks: in how many documents and on how many sites of this corpus, and where first"
    for sha1, rank in list(ranks.items())[:limit]:
        number = f"{rank:>3}"
        facts = f"  {known[sha1]['documents']:>6,} {known[sha1]['sites']:>5,}  "
        name = "here" if known[sha1]["first"] == target["doc"] else _name(known[sha1]["first"], pages)
        yield pens.draw(number, rank) + facts + cut(name, max(20, width - len(number) - len(facts)))
    if limit is not None and len(ranks) > limit:
        yield f"… and {len(ranks) - limit:,} more (--limit {len(ranks)} for all)"
    yield ""
    marks = [(chunk.begin, chunk.end, ranks[chunk.object["sha1"]]) for chunk in chunks]
    yield from show_page(text, marks, width, pens, full=full)


def _name(number: int, pages: Mapping[int, tuple[str, str | None]]) -> str:
    id_, url = pages.get(number, (f"document {number}", None))
    return url or id_
