"""Runs of passages, reworded or not: how long passages are, how much of documents they are, and ten pairs, marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from unquilt.figures.axis import Axis
from unquilt.figures.chart import Chart
from unquilt.figures.figure import Figure
from unquilt.page.report.examples import mark_page
from unquilt.page.report.section import Content, Example, list_rows, name_page, read_examples, read_first
from unquilt.page.report.spelling import count, cut, share
from unquilt.results import RunFolder
from unquilt.results.marks import Passage
from unquilt.results.rows import read_table
from unquilt.tables.passages import PASSAGE_PAIRS, PASSAGES, STOP_RUNS

_SHARES = 20


def show_passages(folder: RunFolder) -> Content:
    """A run of `passages` or `reworded`."""
    largest = _largest_shares(folder)
    return Content(
        _say(folder, largest),
        lambda: [figure for figure in (_lengths(folder), _shares(folder, largest)) if figure is not None],
        lambda: [
            *list_rows(
                folder,
                PASSAGE_PAIRS,
                "Documents that share passages, those that matter most first",
                ["a_id", "a_url", "b_id", "b_url", "words", "share_a", "share_b", "passages"],
            ),
            *list_rows(folder, STOP_RUNS, "What very many documents share", ["documents", "sentences", "text"]),
        ],
        lambda most: [_example(folder, row) for row in read_examples(folder, PASSAGE_PAIRS, most)],
        "Pairs of documents, those that matter most first; a passage has the same number and colour in both",
    )


def _largest_shares(folder: RunFolder) -> pa.Array:
    """Of each document with passages the largest share of its words that it has in common with one other."""
    table = folder.table(PASSAGE_PAIRS.name)
    sides = [[side, f"share_{side}"] for side in "ab"]
    parts = [split.read(side).rename_columns(["doc", "share"]) for split in table.splits() for side in sides]
    if not parts:
        return pa.array([], pa.float64())
    return pa.concat_tables(parts).group_by("doc").aggregate([("share", "max")]).column("share_max").combine_chunks()


def _say(folder: RunFolder, largest: pa.Array) -> list[str]:
    summary = folder.run.manifest["summary"]
    passages, pairs = (folder.table(table.name).rows for table in (PASSAGES, PASSAGE_PAIRS))
    some = len(largest) / max(1, summary["documents"])
    says = [
        f"{count(len(largest), 'document')} of {summary['documents']:,} ({share(some)}) share passages: "
        f"{count(passages, 'passage')} in {count(pairs, 'pair')} of documents."
    ]
    if len(largest):
        half = pc.sum(pc.greater(largest, 0.5)).as_py()
        says.append(f"{count(half, 'document has', 'documents have')} more than half of the words from one other.")
    for row in read_first(folder, PASSAGE_PAIRS, limit=1):
        one, other = (name_page(folder, row[side])[0] for side in "ab")
        says.append(
            f"What matters most is what {cut(one, 80)} and {cut(other, 80)} share: {count(row['words'], 'word')}, "
            f"which is {share(row['share_a'])} of the first and {share(row['share_b'])} of the second."
        )
    return says


def _lengths(folder: RunFolder) -> Figure | None:
    """How many passages have how many words, in steps of a factor of two."""
    counted: Counter[int] = Counter()
    for row in read_table(folder.table(PASSAGES.name), ["words"]):
        counted[max(1, row["words"]).bit_length() - 1] += 1
    if not counted:
        return None
    steps = range(min(counted), max(counted) + 1)
    rows = [{"from": 1 << step, "to": (2 << step) - 1, "passages": counted[step]} for step in steps]
    chart = Chart(
        "Passages by length",
        Axis("words of a passage (logarithmic)", rows[0]["from"], rows[-1]["to"] + 1, log=True),
        Axis("passages", 0, max(counted.values())),
    )
    chart.bars([(row["from"], row["to"] + 1, row["passages"]) for row in rows])
    return Figure("passage-lengths", "Lengths of passages", "How many passages have how many words.", [chart], rows)


def _shares(folder: RunFolder, largest: pa.Array) -> Figure | None:
    """How many documents share how much of themselves with one other."""
    if not len(largest):
        return None
    counted = Counter(min(_SHARES - 1, int(each * _SHARES)) for each in largest.to_pylist())
    total = max(1, folder.run.manifest["summary"]["documents"])
    rows = [
        {"from": place / _SHARES, "to": (place + 1) / _SHARES, "documents": counted[place]} for place in range(_SHARES)
    ]
    chart = Chart(
        "Documents by the share of their words that is in passages",
        Axis("largest share of a document that is in passages with one other", 0, 1, percent=True),
        Axis("documents, of all", 0, max(counted.values()) / total, percent=True),
    )
    chart.bars([(row["from"], row["to"], row["documents"] / total) for row in rows])
    says = f"How much of documents stands in one other document, too; {count(total - len(largest))} share no passage."
    return Figure("passage-shares", "Shares of documents", says, [chart], rows)


def _example(folder: RunFolder, row: Mapping[str, Any]) -> Example:
    a, b = row["a"], row["b"]
    found = [each for each in folder.about(PASSAGES.name, a) if each["b"] == b]
    first, second = (
        [
            Passage(each[f"{side}_begin"], each[f"{side}_end"], number, f"similarity {each['similarity']:.2f}")
            for number, each in enumerate(found, 1)
        ]
        for side in "ab"
    )
    facts = [
        ("passages", count(row["passages"])),
        ("words", count(row["words"])),
        ("of the first", share(row["share_a"])),
        ("of the second", share(row["share_b"])),
    ]
    other = mark_page(folder, b, second, ())
    return replace(mark_page(folder, a, first, facts), other=other)
