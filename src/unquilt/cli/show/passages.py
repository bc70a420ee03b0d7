"""Runs of passages, as they are shown: who shares most with whom, and two texts side by side with what they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from rich.cells import cell_len

from unquilt import _native
from unquilt.cli.options import usage_error
from unquilt.cli.show.choice import choose
from unquilt.cli.show.page import Pens, show_page
from unquilt.cli.show.table_views import FEW, Request, TableView
from unquilt.cli.show.tables import Row, drop_sparse, print_rows
from unquilt.cli.show.views import Facts, View, read_top
from unquilt.cli.terminal.output import WIDEST, count, cut, emit, json_line, printable, terminal_width
from unquilt.errors import ParameterError
from unquilt.results import RunFolder
from unquilt.results.marks import Patch
from unquilt.results.rows import TableRows, arrange
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.passages import PASSAGE_PAIRS, PASSAGES

MOST_NAMED = 5
LN_10 = 2.302585
MOST_SITES = 1_000_000
"""Pairs whose sites are added up for a summary."""
FIRST = ("a", "b", "words", "documents")
"""What stands before the text."""
PLOT_WIDTH, PLOT_HEIGHT = 64, 20
SIDE_BY_SIDE = 100
"""Columns of a terminal from which on two texts stand beside each other."""
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The dots of a Braille character, by row and column."""


class PassageView(View):
    """A run of passages: which pairs of documents and of sites share most."""

    def facts(self, folder: RunFolder) -> dict[str, Any]:
        pairs = read_top(folder, PASSAGE_PAIRS.name, MOST_NAMED) or []
        pages = folder.pages({number for row in pairs for number in (row["a"], row["b"])})
        named = [row | {side: _name(row[side], pages) for side in ("a", "b")} for row in pairs]
        numbers = [(row["a"], row["b"]) for row in pairs]
        only_site = "" if named else _find_only_site(folder)
        return {"first_pairs": named, "first_numbers": numbers, "sites": _sites(folder), "only_site": only_site}

    def found(self, facts: Facts) -> Iterator[str]:
        yield from super().found(facts)
        yield from self.left_out(facts)
        if not facts["first_pairs"]:
            yield self.explain_nothing(facts)
            return
        yield "Pairs that share most:"
        for row in facts["first_pairs"]:
            shares = f"{row['share_a']:.0%} and {row['share_b']:.0%} of them"
            yield f"  {count(row['words'], 'word')}, {shares}: {row['a']} | {row['b']}"
        if facts["sites"]:
            yield "Sites that share most:"
            for words, pairs, one, other in facts["sites"][:MOST_NAMED]:
                yield f"  {count(words, 'word')} in {count(pairs, 'pair')} of pages: {one} | {other}"

    def explain_nothing(self, facts: Facts) -> str:
        """Why there are no passages: the option that left nothing to compare, if one did."""
        asked = facts["parameters"]
        foreign, between = asked["foreign"], asked["between"]
        if facts["only_site"] and not between:
            everything = f"All documents are on one {foreign}, {facts['only_site']}"
            return f"{everything}, so --site {foreign} left none to compare; --site none compares them."
        sides = f" on the two sides of --between {' '.join(map(printable, between))}" if between else ""
        where = "" if foreign == "none" or between else "; --site none compares pages of one site, too"
        if between and foreign != "none":
            where = f"; a page of both sides is not compared with its own {foreign} (--site none does)"
        return f"No two documents{sides} share {self.sought(asked)}{where}."

    def left_out(self, facts: Facts) -> Iterator[str]:  # noqa: ARG002
        """What was not compared."""
        yield from ()

    def sought(self, asked: Mapping[str, Any]) -> str:
        """The least that a passage is, in words."""
        return f"{asked['gamma']} {'words' if asked['signature'] == 'grams' else 'sentences'} in a row"

    def selections(self, where: str) -> dict[str, str]:  # noqa: ARG002
        """Selections of passages that are worth a look."""
        return {}

    def commands(self, where: str, facts: Facts) -> dict[str, str]:
        commands = super().commands(where, facts) | self.selections(where)
        a, b = facts["first_numbers"][0] if facts["first_numbers"] else ("A", "B")
        return commands | {
            f"unquilt show {where} passages --pair {a} {b}": "two texts side by side, with what they share",
            f"unquilt export {where} passages --evidence -o passages.jsonl": "passages with the texts of both sides",
        }


def _find_only_site(folder: RunFolder) -> str:
    """The host or domain, by `foreign`, that all documents are on; empty if they are on several, or not known."""
    foreign = folder.run.manifest["parameters"]["foreign"]
    if foreign not in ("host", "domain") or DOCUMENTS.name not in folder.tables:
        return ""
    names: set[str | None] = set()
    for split in folder.table(DOCUMENTS.name).splits():
        names.update(split.read([foreign])[foreign].unique().to_pylist())
        if len(names) > 1 or None in names:
            return ""
    return printable("".join(filter(None, names)))


def _sites(folder: RunFolder) -> list[tuple[int, int, str, str]]:
    """Pairs of sites with the words that their pages share (those of many documents count less) and the pairs of pages,
    most first."""
    if PASSAGE_PAIRS.name not in folder.tables or DOCUMENTS.name not in folder.tables:
        return []
    if folder.table(PASSAGE_PAIRS.name).rows > MOST_SITES:
        return []
    sites: dict[int, str] = {}
    for split in folder.table(DOCUMENTS.name).splits():
        part = split.read(["doc", "host"])
        found = zip(part["doc"].to_pylist(), part["host"].to_pylist(), strict=True)
        sites |= {doc: host for doc, host in found if host}
    sums: dict[tuple[str, str], list[float]] = {}
    for split in folder.table(PASSAGE_PAIRS.name).splits():
        for row in split.read(["a", "b", "weight"]).to_pylist():
            if row["a"] in sites and row["b"] in sites:
                one, other = sorted((sites[row["a"]], sites[row["b"]]))
                sum_ = sums.setdefault((one, other), [0.0, 0])
                sum_[0] += row["weight"]
                sum_[1] += 1
    rows = [(round(words), int(pairs), printable(a), printable(b)) for (a, b), (words, pairs) in sums.items()]
    return sorted(rows, key=lambda row: (-row[0], row))[:MOST_NAMED]


class PassagesView(TableView):
    """Passages: those that matter most with what they say, or two documents side by side."""

    def show_all(self, asked: Request) -> None:
        if asked.own.get("pair"):
            show_pair(asked)
        elif asked.as_json or asked.selection.columns or DOCUMENTS.name not in asked.folder.tables:
            super().show_all(asked)
        else:
            show_texts(asked)


def show_texts(asked: Request) -> None:
    """Print passages with what they say. Of a text that several pairs share, later rows name the first that has it."""
    limit = asked.limit or FEW
    wanted = arrange(asked.folder, PASSAGES.name, asked.selection)
    selection = replace(wanted, columns=[*wanted.columns, "a_text"], limit=limit + 1)  # is there one more?
    rows = TableRows(asked.folder, PASSAGES.name, selection)
    found = list(rows.rows())
    shown = []
    listed: dict[str, int] = {}
    for number, row in enumerate(found[:limit], start=1):
        text = " ".join(row["a_text"].split())
        first = listed.setdefault(text, number)
        said = text if first == number else f"(as in row {first})"
        leading = {name: row[name] for name in FIRST} | {"a_text": said}
        shown.append(leading | {name: value for name, value in row.items() if name not in leading})
    if not shown:
        emit(f"{PASSAGES.name} has no rows{'' if rows.total == 0 else ' that fit'}.")
        return
    print_rows(drop_sparse(PASSAGES.name, shown))
    if len(found) > limit:
        more = "" if rows.total is None else f"{rows.total - limit:,} "
        emit(f"… and {more}more (--limit N for N of them, --json for programs)")


def show_pair(asked: Request) -> None:
    """Print two texts with what they share marked, and a plot of it."""
    folder = asked.folder
    folder.table(PASSAGES.name)
    if DOCUMENTS.name not in folder.tables:
        raise ParameterError(f"the corpus of {folder.run.path} is not found, so there are no texts to show")
    one, other = (choose(folder, DOCUMENTS.name, name) for name in asked.own["pair"])
    if one == other:
        raise usage_error("--pair needs two different documents")
    rows = [row for a, b in ((one, other), (other, one)) for row in folder.about(PASSAGES.name, a) if row["b"] == b]
    if asked.as_json:
        for row in rows:
            emit(json_line(row))
        return
    if not rows:
        emit(f"Documents {one} and {other} share no passage.")
        return
    one, other = rows[0]["a"], rows[0]["b"]
    texts = {number: row["text"] for number, row in folder.documents([one, other], ["text"])}
    for line in _describe(folder, rows, [texts[one], texts[other]], full=bool(asked.own.get("full"))):
        emit(line)


def _describe(folder: RunFolder, rows: Sequence[Row], texts: Sequence[str], *, full: bool) -> Iterator[str]:
    numbers = rows[0]["a"], rows[0]["b"]
    pages = folder.pages(numbers)
    pair = next((row for row in folder.about(PASSAGE_PAIRS.name, numbers[0]) if row["b"] == numbers[1]), None)
    width, pens = terminal_width() or WIDEST, Pens.choose()
    for side, number in zip("ab", numbers, strict=True):
        share = f", {pair[f'share_{side}']:.0%} of it shared" if pair else ""
        yield cut(f"{side}  document {number}{share}: {_name(number, pages)}", width)
    yield f"{count(len(rows), 'passage')}, {count(sum(row['words'] for row in rows), 'word')}"
    yield ""
    yield from plot([_native.sentences(text) for text in texts], texts)
    yield ""
    ranked = sorted(rows, key=lambda row: -row["words"])
    yield from filter(None, (_explain(row, rank) for rank, row in enumerate(ranked, 1)))
    shared = [share_marks(row, texts, rank) for rank, row in enumerate(ranked, 1)]
    marks = [[patch for of_passage in shared for patch in of_passage[side]] for side in (0, 1)]
    if width < SIDE_BY_SIDE:
        for side, text, patches in zip("ab", texts, marks, strict=True):
            yield f"{side}:"
            yield from show_page(text, patches, width, pens, full=full)
            yield ""
        return
    half = (width - 3) // 2
    columns = [show_page(text, patches, half, pens, full=full) for text, patches in zip(texts, marks, strict=True)]
    for left, right in zip_longest(*columns, fillvalue=""):
        yield f"{left}{' ' * max(0, half - _cells(left))} │ {right}".rstrip()


def _explain(row: Row, rank: int) -> str:
    """What the score of a reworded passage says."""
    if row.get("score") is None:
        return ""
    odds = f"1 to 10^{row['score'] / LN_10:.0f}"
    taken = f"about {row['a_rate']:.0%} of the words of a and {row['b_rate']:.0%} of those of b were taken over"
    return f"{rank}: {taken}; that both share them by chance, {odds} (score {row['score']:.0f})"


def share_marks(row: Row, texts: Sequence[str], rank: int) -> tuple[list[Patch], list[Patch]]:
    """What is marked of a passage in both texts: all of it, or if it was reworded the words that both sides have."""
    spans = [(row[f"{side}_begin"], row[f"{side}_end"]) for side in "ab"]
    if row.get("score") is None:
        one, other = [(*span, rank) for span in spans]
        return [one], [other]
    pieces = [text[begin:end] for text, (begin, end) in zip(texts, spans, strict=True)]
    stems = [_native.stems(piece) for piece in pieces]
    both = set(stems[0]) & set(stems[1])
    found: tuple[list[Patch], list[Patch]] = [], []
    for patches, piece, own, (offset, _) in zip(found, pieces, stems, spans, strict=True):
        last = False
        for (_, begin, end), stem in zip(_native.words(piece), own, strict=True):
            if stem in both:
                first = patches.pop()[0] if last else offset + begin
                patches.append((first, offset + end, rank))
            last = stem in both
    return found


def _cells(line: str) -> int:
    """How wide a line is, without the escape codes that were written around its parts."""
    parts = line.split("\x1b[")
    return cell_len(parts[0]) + sum(cell_len(part.partition("m")[2]) for part in parts[1:])


def plot(sentences: Sequence[Sequence[tuple[int, int]]], texts: Sequence[str]) -> Iterator[str]:
    """The dot plot: a goes to the right, b downwards, and there is a dot where a sentence of both is the same."""
    words = [
        [tuple(word for word, _, _ in _native.words(text[begin:end])) for begin, end in each]
        for each, text in zip(sentences, texts, strict=True)
    ]
    size = [max(1, len(each)) for each in words]
    width, height = min(PLOT_WIDTH, size[0]), min(PLOT_HEIGHT, max(1, size[1]))
    wide, high = min(size[0], 2 * width), min(size[1], 4 * height)
    width, height = (wide + 1) // 2, (high + 3) // 4
    cells = [[0x2800] * width for _ in range(height)]
    places: dict[tuple[str, ...], list[int]] = {}
    for number, sentence in enumerate(words[1]):
        places.setdefault(sentence, []).append(number)
    for i, sentence in enumerate(words[0]):
        column = i * wide // size[0]
        for j in places.get(sentence, ())[: 4 * PLOT_HEIGHT]:
            row = j * high // size[1]
            cells[row // 4][column // 2] |= _DOTS[row % 4][column % 2]
    yield f"┌{'─' * width}┐ a: {count(size[0], 'sentence')}, to the right"
    for number, line in enumerate(cells):
        note = f" b: {count(size[1], 'sentence')}, downwards" if number == 0 else ""
        yield f"│{''.join(map(chr, line))}│{note}"
    yield f"└{'─' * width}┘"


def _name(number: int, pages: Mapping[int, tuple[str, str | None]]) -> str:
    id_, url = pages.get(number, (f"document {number}", None))
    return printable(url or id_)
