"""All near-duplicates of a sample of documents, by exact cosine over sets of words.

All are found because a document with a cosine of at least t to one of n words shares at least ⌈t²·n⌉ of its words, so
one of its n - ⌈t²·n⌉ + 1 rarest; these are looked up. Memory: the words of the corpus and of the documents that are
asked for. Time: texts are read twice, and once more for the lexicon of all words.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from unquilt import _native
from unquilt.analyses.imatch_experiment import ImatchExperimentParameters
from unquilt.analyses.lexicon import LexiconParameters
from unquilt.engines.progress import Step
from unquilt.experiments.tables import Row, keep_rows, read_rows
from unquilt.jobs.corpora import documents, has_plain_words
from unquilt.jobs.options import JobOptions
from unquilt.jobs.work import build_lexicon
from unquilt.runs import Run
from unquilt.tables.experiments import NEAR_DOCUMENTS

LEAST_WORDS = 5
"""Documents with fewer different words are ignored, as published."""


@dataclass(frozen=True)
class NearDuplicates:
    """Documents that are asked for, the documents near to each, and the texts of all of these."""

    queries: Sequence[int]
    found: Mapping[int, Sequence[int]]
    texts: Mapping[int, str]


def know_near(run: Run, corpus: Run, given: ImatchExperimentParameters, options: JobOptions) -> NearDuplicates:
    """The near-duplicates, found now or by the same experiment before it was interrupted."""
    if not run.done(NEAR_DOCUMENTS.name):
        keep_rows(run, NEAR_DOCUMENTS, find_near(corpus, given, options))
    found: defaultdict[int, list[int]] = defaultdict(list)
    queries = []
    for row in read_rows(run, NEAR_DOCUMENTS, ["doc", "near"]):
        if row["near"] is None:
            queries.append(row["doc"])
        else:
            found[row["doc"]].append(row["near"])
    wanted = {*queries, *(doc for docs in found.values() for doc in docs)}
    with options.progress.stage("texts", documents(corpus).rows) as step:
        texts = {doc: text for doc, text in read_texts(corpus, step) if doc in wanted}
    return NearDuplicates(queries, dict(found), texts)


def find_near(corpus: Run, given: ImatchExperimentParameters, options: JobOptions) -> list[Row]:
    """A row for each document of the sample, and one for each near-duplicate of it."""
    quiet = replace(options, overwrite=False)
    everything, _ = build_lexicon(LexiconParameters((0.0, 1.0)), corpus.path, None, quiet)
    columns = (everything.words[name].to_pylist() for name in ("word", "df"))
    order = sorted(zip(*columns, strict=True), key=lambda each: (each[1], each[0]))
    ranks = {word: rank for rank, (word, _) in enumerate(order)}  # the rarest first
    plain = has_plain_words(corpus)
    size = documents(corpus).rows

    def read(step: Step) -> Iterator[tuple[int, list[int]]]:
        seen = set[bytes]()
        for doc, text in read_texts(corpus, step):
            terms = sorted({ranks[word] for word, _, _ in _native.words(text, plain=plain) if word in ranks})
            if len(terms) < LEAST_WORDS:
                continue
            if given.distinct:
                digest = hashlib.blake2b(repr(terms).encode(), digest_size=16).digest()
                if digest in seen:
                    continue
                seen.add(digest)
            yield doc, terms

    with options.progress.stage("sample", size) as step:
        drawn = heapq.nsmallest(given.queries, ((_draw(given.seed, doc), doc, terms) for doc, terms in read(step)))
    with options.progress.stage("near documents", size) as step:
        return _compare({doc: terms for _, doc, terms in drawn}, lambda: read(step), given.cosine)


def _compare(
    asked: Mapping[int, Sequence[int]], read: Callable[[], Iterator[tuple[int, list[int]]]], cosine: float
) -> list[Row]:
    square = Fraction(str(cosine)) ** 2
    sets = {doc: frozenset(terms) for doc, terms in asked.items()}
    rarest: defaultdict[int, list[int]] = defaultdict(list)
    for doc, terms in asked.items():
        for term in terms[: len(terms) - ceil(square * len(terms)) + 1]:
            rarest[term].append(doc)
    rows: list[Row] = [{"doc": doc, "near": None} for doc in asked]
    for doc, terms in read():
        for query in {query for term in terms for query in rarest.get(term, ())} - {doc}:
            words = len(sets[query])
            if not square * len(terms) <= words or not square * words <= len(terms):
                continue  # documents of such different lengths cannot be near
            common = len(sets[query].intersection(terms))
            if common * common >= square * words * len(terms):
                rows.append({"doc": query, "near": doc})
    return sorted(rows, key=lambda row: (row["doc"], -1 if row["near"] is None else row["near"]))


def _draw(seed: int, doc: int) -> bytes:
    return hashlib.blake2b(f"{seed} {doc}".encode(), digest_size=8).digest()


def read_texts(corpus: Run, step: Step) -> Iterator[tuple[int, str]]:
    """The texts of all documents by number, as a reader sees them."""
    first = 0
    for split in documents(corpus).splits():
        part = split.read(["text"], seen=True)
        for doc, text in enumerate(part["text"].to_pylist(), first):
            yield doc, text
            step(1)
        first += part.num_rows
