"""All near-duplicates of a sample of documents, by exact cosine over sets of words.

All are found because two sets of n and m words with a cosine of at least t share at least ⌈t²·n⌉ words, and at least
⌈t²·m⌉. So, in any order of all words, one of the first n - ⌈t²·n⌉ + 1 words of the one is among the first
m - ⌈t²·m⌉ + 1 of the other. The order begins with the words that fewest of the documents have that are asked for, so
that few have to be looked at. Words are known by fingerprints of 64 bits. Memory: the words of the documents that are
asked for, and 8 bytes for each near-duplicate. Time: texts are read twice.
"""

from __future__ import annotations

import hashlib
import heapq
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa

from unquilt import _native
from unquilt.analyses.imatch_experiment import ImatchExperimentParameters
from unquilt.columns import buffers
from unquilt.engines.progress import Progress, Step
from unquilt.experiments.tables import keep_columns, read_rows
from unquilt.jobs.corpora import documents
from unquilt.runs import Run
from unquilt.tables.experiments import NEAR_DOCUMENTS

LEAST_WORDS = 5
"""Documents with fewer different words are ignored, as published."""
BITS = 4096
"""How many bits sum up the words of a document: most pairs that are not near are told by them alone."""
Terms = Sequence[int]
"""The different words of a document, as fingerprints."""


@dataclass(frozen=True)
class NearDuplicates:
    """Documents that are asked for, in order, and the documents near to each, in order."""

    queries: Sequence[int]
    found: Mapping[int, Sequence[int]]

    @property
    def documents(self) -> set[int]:
        """All documents that have near-duplicates, and these."""
        return {doc for query, docs in self.found.items() for doc in (query, *docs)}

    @property
    def pairs(self) -> int:
        """How many near-duplicates were found."""
        return sum(map(len, self.found.values()))


def know_near(run: Run, corpus: Run, given: ImatchExperimentParameters, progress: Progress) -> NearDuplicates:
    """The near-duplicates, found now or by the same experiment before it was interrupted."""
    if not run.done(NEAR_DOCUMENTS.name):
        keep_columns(run, NEAR_DOCUMENTS, lambda: _list_pairs(find_near(corpus, given, progress)))
    queries: list[int] = []
    found: defaultdict[int, array[int]] = defaultdict(_numbers)
    for row in read_rows(run, NEAR_DOCUMENTS, ["doc", "near"]):
        if row["near"] is None:
            queries.append(row["doc"])
        else:
            found[row["doc"]].append(row["near"])
    return NearDuplicates(queries, dict(found))


def _list_pairs(near: NearDuplicates) -> pa.Table:
    rows = [(doc, other) for doc in near.queries for other in (None, *near.found.get(doc, ()))]
    columns = [pa.array(column) for column in zip(*rows, strict=True)] or [pa.array([], pa.int64())] * 2
    return pa.table(columns, names=NEAR_DOCUMENTS.schema.names).cast(NEAR_DOCUMENTS.schema)


def find_near(corpus: Run, given: ImatchExperimentParameters, progress: Progress) -> NearDuplicates:
    """Draws documents, and finds all near-duplicates of these."""
    size = documents(corpus).rows
    with progress.stage("sample", size) as step:
        known = ((_draw(given.seed, doc), doc, terms) for doc, terms in _read_terms(corpus, given, step))
        drawn = heapq.nsmallest(given.queries, known)
    asked = {doc: terms for _, doc, terms in sorted(drawn, key=lambda each: each[1])}
    with progress.stage("near documents", size) as step:
        return NearDuplicates(list(asked), _compare(asked, _read_terms(corpus, given, step), given.cosine))


def _compare(
    asked: Mapping[int, Terms], there: Iterable[tuple[int, Terms]], cosine: float
) -> Mapping[int, Sequence[int]]:
    """The documents near to each that is asked for."""
    square = Fraction(str(cosine)) ** 2
    above, below = square.numerator, square.denominator

    def count_first(words: int, size: int) -> int:
        """How many of so many words are among the first that a document of this size may share."""
        return max(0, words + above * size // -below + 1)

    counts = Counter(term for terms in asked.values() for term in terms)
    ranks = {term: rank for rank, (term, _) in enumerate(sorted(counts.items(), key=lambda each: each[::-1]))}
    sets = {doc: frozenset(ranks[term] for term in terms) for doc, terms in asked.items()}
    marks = {doc: _sum_up(own) for doc, own in sets.items()}
    first: defaultdict[int, list[int]] = defaultdict(list)
    for query, own in sets.items():
        for term in sorted(own)[: count_first(len(own), len(own))]:
            first[term].append(query)
    found: defaultdict[int, array[int]] = defaultdict(_numbers)
    for doc, all_terms in there:
        size = len(all_terms)
        terms = sorted(ranks[term] for term in all_terms if term in ranks)
        beginning = terms[: count_first(len(terms), size)]  # words of no such document come before all others
        others = {query for term in beginning for query in first.get(term, ())} - {doc}
        lacking = ~_sum_up(terms) if others else 0
        for query in others:
            words = len(sets[query])
            most = words - (marks[query] & lacking).bit_count()
            if most * most * below >= above * words * size:
                common = len(sets[query].intersection(terms))
                if common * common * below >= above * words * size:
                    found[query].append(doc)
    return dict(found)


def _sum_up(ranks: Iterable[int]) -> int:
    """A set as bits. Each bit that one set has and another one lacks is at least one word that the other one lacks."""
    bits = 0
    for rank in ranks:
        bits |= 1 << rank % BITS
    return bits


def _numbers() -> array[int]:
    return array("Q")


def _draw(seed: int, doc: int) -> bytes:
    return hashlib.blake2b(f"{seed} {doc}".encode(), digest_size=8).digest()


def _read_terms(corpus: Run, given: ImatchExperimentParameters, step: Step) -> Iterator[tuple[int, Terms]]:
    """The words of each document that is not ignored."""
    seen = set[bytes]()
    for doc, terms in enumerate(_list_terms(corpus)):
        step(1)
        if len(terms) < LEAST_WORDS:
            continue
        if given.distinct:
            digest = hashlib.blake2b(array("Q", sorted(terms)), digest_size=16).digest()
            if digest in seen:
                continue
            seen.add(digest)
        yield doc, terms


def _list_terms(corpus: Run) -> Iterator[Terms]:
    for split in documents(corpus).splits():
        terms, counts = _native.term_columns(buffers(split.read(["text"], seen=True)["text"]))
        begin = 0
        for count in memoryview(counts).cast("Q"):
            end = begin + 8 * count
            yield array("Q", terms[begin:end])
            begin = end


def read_texts(corpus: Run, step: Step) -> Iterator[tuple[int, str]]:
    """The texts of all documents by number, as a reader sees them."""
    first = 0
    for split in documents(corpus).splits():
        part = split.read(["text"], seen=True)
        for doc, text in enumerate(part["text"].to_pylist(), first):
            yield doc, text
            step(1)
        first += part.num_rows
