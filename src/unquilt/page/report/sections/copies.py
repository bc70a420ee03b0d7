"""Runs of copies: the sites that have text of ours, a list of all copies, and both texts of some side by side.

A report is sent to people who read all of it. So the list is complete, and of the texts there are a few: the largest
copy of each site, then the second largest of each, and so on, as many as are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from unquilt.page.report.excerpts import bar, excerpt
from unquilt.page.report.section import Content, Example, Line, Listed, has_texts, read_first
from unquilt.page.report.spelling import count, cut, share
from unquilt.results import RunFolder
from unquilt.results.marks import Passage
from unquilt.results.rows import TableRows
from unquilt.tables.copies import COPIES, COPYING_SITES
from unquilt.tables.passages import PASSAGES
from unquilt.tables.table import Table

MOST = 1_000
"""Copies that are listed; the report says so where there are more."""
SITES = 20
EXAMPLES = 10
"""Copies whose texts are shown, unless other numbers are asked for."""
SAYS = {
    "paragraphs": "whole paragraphs and passages, word for word",
    "words": "passages, word for word",
    "reworded": "reworded passages",
}
_LINKS = {"page": "to our page", "site": "to our site", "no": "none to us", None: "not known"}
_COLUMNS = ("theirs_url", "theirs_id", "ours_url", "ours_id")
Row = Mapping[str, Any]


def show_copies(folder: RunFolder) -> Content:
    """A run of copies."""
    total = folder.table(COPIES.name).rows
    return Content(
        _say(folder, total),
        tables=lambda: [
            *_list_sites(folder, read_first(folder, COPYING_SITES, limit=SITES)),
            *_list_copies(folder, _read(folder)),
        ],
        examples=lambda most: _make_examples(folder, choose(_read(folder), most)) if has_texts(folder) else [],
        usual_examples=EXAMPLES,
        examples_are="The largest copy of each site, then the second largest of each, and so on, by their numbers in "
        "the list of copies (--examples N shows N); a passage has the same number and colour on both sides",
    )


def _read(folder: RunFolder) -> list[Row]:
    """The first copies, with their numbers in the list."""
    rows = read_first(folder, COPIES, [*COPIES.schema.names, *_COLUMNS], limit=MOST)
    return [{**row, "number": number} for number, row in enumerate(rows, 1)]


def choose(rows: Sequence[Row], most: int) -> list[Row]:
    """The largest copy of each site, then the second largest of each, and so on; rows come with the largest first."""
    seen: Counter[str | None] = Counter()
    turns = []
    for row in rows:
        turns.append((seen[row["site"]], row["number"], row))
        seen[row["site"]] += 1
    return [row for _, _, row in sorted(turns, key=lambda turn: turn[:2])[:most]]


def _say(folder: RunFolder, total: int) -> list[str]:
    sums, asked = folder.run.manifest["summary"], folder.run.manifest["parameters"]
    sites = folder.table(COPYING_SITES.name).rows
    says = [
        f"{count(total, 'copy', 'copies')} of pages of {cut(asked['ours'], 200)}, on {count(sites, 'site')}: "
        f"{count(sums['with_paragraphs'])} of whole paragraphs, {count(sums['with_words'])} of passages word for word, "
        f"{count(sums['with_reworded'])} of reworded passages.",
        f"{count(sums['our_documents'], 'page')} of ours were compared with {count(sums['their_documents'], 'page')} "
        f"of others. {count(sums['documents_left_out'], 'page was', 'pages were')} left out: pages of our own sites, "
        "pages that were excepted, and files for machines.",
        f"A copy is at least {asked['min_words']} words in a row that are the same in both, or a reworded passage. "
        "Templates of ours and notices of copyright are left out. That two pages share text does not tell who wrote it "
        "first.",
    ]
    if asked["except_"]:
        says.append(f"Excepted were {cut(', '.join(asked['except_']), 500)}.")
    return says


def _list_sites(folder: RunFolder, rows: Sequence[Row]) -> list[Listed]:
    names = ("site", "words", "pages", "our_pages", "paragraphs", "equal", "reworded", "linking")
    return _list(
        folder, COPYING_SITES, "Sites that have text of ours", names, [[row[name] for name in names] for row in rows]
    )


def _list_copies(folder: RunFolder, rows: Sequence[Row]) -> list[Listed]:
    known = any(row["linked"] is not None for row in rows)
    names = ("number", "theirs", "ours", "strength", "words", "share_ours", "share_theirs", *(["linked"] * known))
    cells = [
        [
            *(row["number"], _name(row, "theirs"), _name(row, "ours"), row["strength"], row["words"]),
            *(share(row["share_ours"]), share(row["share_theirs"]), *([row["linked"]] * known)),
        ]
        for row in rows
    ]
    return _list(folder, COPIES, "Copies, those with the most words first", names, cells)


def _list(
    folder: RunFolder, table: Table, title: str, names: Sequence[str], cells: Sequence[Sequence[Any]]
) -> list[Listed]:
    return [Listed(table.name, title, names, cells, folder.table(table.name).rows)] if cells else []


def _make_examples(folder: RunFolder, copies: Sequence[Row]) -> list[Example]:
    numbers = {row[side] for row in copies for side in ("ours", "theirs")}
    texts = {number: row["text"] for number, row in folder.documents(numbers, ["text"])}
    passages: dict[tuple[int, int], list[Row]] = {(row["ours"], row["theirs"]): [] for row in copies}
    for row in TableRows(folder, PASSAGES.name, names=False).rows():
        if (row["a"], row["b"]) in passages:
            passages[row["a"], row["b"]].append(row)
    return [_make_example(row, passages[row["ours"], row["theirs"]], texts) for row in copies]


def _make_example(row: Row, passages: Sequence[Row], texts: Mapping[int, str]) -> Example:
    ours, theirs = (_mark(row, side, letter, passages, texts) for side, letter in (("ours", "a"), ("theirs", "b")))
    legend = [
        Line(
            number,
            f"ours {each['a_begin']:,} to {each['a_end']:,}, theirs {each['b_begin']:,} to {each['b_end']:,}",
            f"{count(each['words'], 'word')}, {'word for word' if each['score'] is None else 'reworded'}",
        )
        for number, each in enumerate(passages, 1)
    ]
    facts = [
        ("found as", SAYS[row["strength"]]),
        ("words of ours", count(row["words"])),
        ("share of our page", share(row["share_ours"])),
        ("share of theirs", share(row["share_theirs"])),
        ("links", _LINKS[row["linked"]]),
        *([("other pages of ours with the same", count(row["also"]))] if row["also"] else []),
    ]
    title = f"{_name(row, 'theirs')} has text of {_name(row, 'ours')}"
    return Example(
        *(ours.name, ours.url, facts, ours.text, legend, ours.bar),
        other=theirs,
        title=title,
        number=row["number"],
        own_facts=ours.facts,
    )


def _mark(row: Row, side: str, letter: str, passages: Sequence[Row], texts: Mapping[int, str]) -> Example:
    who = "our" if side == "ours" else "their"
    text = texts.get(row[side], "")
    marks = [Passage(each[f"{letter}_begin"], each[f"{letter}_end"], number) for number, each in enumerate(passages, 1)]
    id_, url = cut(row[f"{side}_id"]), row[f"{side}_url"]
    facts = [("SHA-1", row[f"{who}_sha1"]), ("fetched", row[f"{who}_date"] or "not known")]
    facts += [("id", id_)] if url else []
    head = "Our page" if side == "ours" else "Their page"
    return Example(
        head if url else f"{head}: {id_}",
        cut(url) if url else None,
        facts,
        excerpt(text, marks, whole=True),
        bar=bar(len(text), marks),
    )


def _name(row: Row, side: str) -> str:
    return cut(row[f"{side}_url"] or row[f"{side}_id"])
