"""How good the passages of a run are, by known ones: `unquilt score` and `unquilt.score`.

Pairs that the labels name are compared: what was found in other pairs is counted, and held against precision only if
that is asked for, since labels of a corpus are seldom complete. Memory: the labels, and what was found in their pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from unquilt import _native
from unquilt.errors import ParameterError
from unquilt.results.folders import RunFolder
from unquilt.results.measures import Case, Measures, PassageSpans, in_sentences, measure_by
from unquilt.results.passage_labels import PLACES, Label
from unquilt.tables.corpus import DOCUMENTS
from unquilt.tables.passages import PASSAGES

ELSEWHERE = "other pairs"
"""The category of what was found in pairs that no label names."""

Pair = tuple[int, int]


@dataclass(frozen=True)
class Score:
    """The measures of a run by category (the last of several is `all`), and how many passages it found elsewhere."""

    characters: dict[str, Measures]
    sentences: dict[str, Measures]
    """The same in sentences, as far as the corpus is there: those of which at least half lies in a passage."""
    elsewhere: int
    unknown: tuple[str, ...]
    """Documents that labels name, and that the run does not have; their labels are left out."""


def score_run(folder: RunFolder, labels: Iterable[Label], *, all_pairs: bool = False) -> Score:
    """Compare the passages of a run with labels; with `all_pairs`, those in pairs without labels are false."""
    if PASSAGES.name not in folder.tables:
        raise ParameterError(f"{folder.run.path} has no passages; score is for runs of passages")
    given = list(labels)
    names, unknown = find_documents(folder, {name for label in given for name in (label.a, label.b)})
    known: defaultdict[str, defaultdict[Pair, list[PassageSpans]]] = defaultdict(lambda: defaultdict(list))
    labelled: set[Pair] = set()
    for label in given:
        if label.a in names and label.b in names:
            pair, turned = _ordered(names[label.a], names[label.b])
            passages = known[label.category][pair]
            labelled.add(pair)
            if label.passage is not None:
                passages.append(_turn(label.passage) if turned else label.passage)
    if not labelled:
        raise ParameterError(
            f"no label names two documents of {folder.run.path}; labels name documents by id, URL or file name"
        )
    found: defaultdict[Pair, list[PassageSpans]] = defaultdict(list)
    elsewhere = 0
    for a, b, passage in read_passages(folder):
        pair, turned = _ordered(a, b)
        if pair in labelled or all_pairs:
            found[pair].append(_turn(passage) if turned else passage)
        elsewhere += pair not in labelled
    cases = {
        category: [(pair, Case(passages, found[pair])) for pair, passages in pairs.items()]
        for category, pairs in known.items()
    }
    others = [(pair, Case([], passages)) for pair, passages in found.items() if pair not in labelled]
    cases |= {ELSEWHERE: others} if others else {}
    characters = measure_by({name: [case for _, case in each] for name, each in cases.items()})
    return Score(characters, measure_by(_cut(folder, cases)), elsewhere, tuple(unknown))


def _cut(folder: RunFolder, cases: Mapping[str, Sequence[tuple[Pair, Case]]]) -> dict[str, list[Case]]:
    """The cases in sentences; spans without half of a sentence are left out."""
    needed = {doc for each in cases.values() for pair, case in each if case.known or case.found for doc in pair}
    sentences = {
        doc: _native.sentences(row["text"], [(chunk["begin"], chunk["end"]) for chunk in row["chunks"]])
        for doc, row in folder.documents(needed, ["text", "chunks"])
    }

    def cut(pair: Pair, passages: Sequence[PassageSpans]) -> list[PassageSpans]:
        found = [in_sentences(passage, sentences[pair[0]], sentences[pair[1]]) for passage in passages]
        return [each for each in found if each.a_begin < each.a_end and each.b_begin < each.b_end]

    return {
        name: [Case(cut(pair, case.known), cut(pair, case.found)) for pair, case in each]
        for name, each in cases.items()
    }


def read_passages(folder: RunFolder) -> Iterator[tuple[int, int, PassageSpans]]:
    """The passages of a run: both documents, and where."""
    columns = ["a", "b", *PLACES]
    for split in folder.table(PASSAGES.name).splits():
        part = split.read(columns)
        for a, b, *places in zip(*(part.column(name).to_pylist() for name in columns), strict=True):
            yield a, b, PassageSpans(*places)


def find_documents(folder: RunFolder, names: set[str]) -> tuple[dict[str, int], list[str]]:
    """The numbers of documents that are named by id, URL, the file name of the id, or number; and names without one.

    An id goes before a URL, that before a file name, that before a number; a name that fits several of the best kind
    is refused.
    """
    documents = folder.table(DOCUMENTS.name)
    found: dict[str, tuple[int, int]] = {}  # name → how well it fits, document
    twice: set[str] = set()
    first = 0
    for split in documents.splits():
        part = split.read(["id", "url"])
        for at, (id_, url) in enumerate(zip(*(part.column(name).to_pylist() for name in ("id", "url")), strict=True)):
            number = first + at
            for kind, name in enumerate((id_, url, PurePath(id_).name, str(number))):
                if name not in names:
                    continue
                before = found.get(name)
                if before is None or kind < before[0]:
                    found[name] = (kind, number)
                    twice.discard(name)
                elif kind == before[0] and number != before[1]:
                    twice.add(name)
        first += split.rows
    if twice:
        raise ParameterError(f"{sorted(twice)[0]!r} is the name of several documents of {folder.run.path}; use ids")
    return {name: number for name, (_, number) in found.items()}, sorted(names - found.keys())


def _ordered(a: int, b: int) -> tuple[Pair, bool]:
    return ((b, a), True) if b < a else ((a, b), False)


def _turn(passage: PassageSpans) -> PassageSpans:
    return PassageSpans(passage.b_begin, passage.b_end, passage.a_begin, passage.a_end)
