"""What is taken out, recomputed by other means: near-duplicates that are dropped, and repeated runs of words.

`similarity` of each dropped document is computed again from sets of word tuples in Python. The repeats of the medium
corpus are found again by sorting all suffixes of its words, as far as 50 words, by prefix doubling (Manber and Myers).
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator

import numpy as np

import unquilt as uq
from benchmarks.medium import THREADS, corpus_of, fresh
from benchmarks.neardups import texts
from benchmarks.record import WORK, Record, cost
from benchmarks.template import corpus as template
from benchmarks.threshold import THRESHOLD, grams
from unquilt.runs import Run

STEPS, CHAINS = 60, 50
BOOKS, PAGES = 400, 100_000
RUN = 50


def measure(record: Record) -> None:
    _check_drops(record, f"{CHAINS} chains of {STEPS} steps", _made("chains", _draw_chains()))
    _check_drops(record, f"{BOOKS} unrelated books", _made("books", _draw_books()))
    for tier in ("small", "medium"):
        _check_drops(record, f"Debian, {tier}", corpus_of(record, tier))


def measure_template(record: Record) -> None:
    """Pages that have most of their words in common."""
    _check_drops(record, f"{PAGES:,} pages of one template", uq.read(template(PAGES)))


def measure_repeats(record: Record) -> None:
    """The words that go, against a sorted list of suffixes."""
    check_repeats(record, corpus_of(record, "medium"))


def _made(name: str, rows: Iterator[dict[str, str]]) -> Run:
    folder = WORK / f"corpus-{name}"
    if not folder.exists():
        WORK.mkdir(exist_ok=True)
        path = WORK / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        uq.ingest(path, folder)
    return uq.read(folder)


def _draw_chains() -> Iterator[dict[str, str]]:
    """Versions of pages of 400 words, each with some words changed since the one before, about J = 0.86 to it."""
    rng = random.Random(1)
    for chain in range(CHAINS):
        words = [f"w{rng.randrange(30_000)}" for _ in range(400)]
        for step in range(STEPS):
            yield {"id": f"{chain}-{step}", "text": " ".join(words)}
            for at in rng.sample(range(400), 6):
                words[at] = f"w{rng.randrange(30_000)}"


def _draw_books() -> Iterator[dict[str, str]]:
    rng = random.Random(2)
    vocabulary = [f"w{number}" for number in range(20_000)]
    weights = [1 / (number + 1) for number in range(20_000)]
    for book in range(BOOKS):
        yield {"id": str(book), "text": " ".join(rng.choices(vocabulary, weights, k=20_000))}


def _check_drops(record: Record, name: str, corpus: Run) -> None:
    options = uq.JobOptions(settings=uq.Settings(threads=THREADS))
    run = uq.neardups(corpus.path, fresh("evidence"), options=options, threshold=THRESHOLD)
    checked, wrong, loosest = check_drops(run)
    summary = run.manifest["summary"]
    note = f"of {checked:,} dropped, the least at {loosest:.3f}; {summary['documents']:,} documents"
    note += f", {summary['chained']:,} chained"
    record.add(f"{name}: drops below {THRESHOLD:g}, or with another similarity", wrong, floor="0", note=note)


def check_drops(run: uq.Run) -> tuple[int, int, float]:
    """How many documents were dropped; how many of them wrongly, or with a similarity that is not theirs; and the least
    similarity."""
    rows = run.kept.to_pylist()
    keep = {row["doc"]: row["keep"] for row in rows}
    gone = [row for row in rows if not row["keep"]]
    wanted = {doc for row in gone for doc in (row["doc"], row["kept_instead"])}
    sets = {doc: grams(text) for doc, text in texts(run.corpus) if doc in wanted}
    wrong, loosest = 0, 1.0
    for row in gone:
        own, other = sets[row["doc"]], sets[row["kept_instead"]]
        common = len(own & other)
        found = common / (len(own) + len(other) - common)
        loosest = min(loosest, found)
        wrong += found < THRESHOLD or abs(found - row["similarity"]) > 1e-9 or not keep[row["kept_instead"]]
    return len(gone), wrong, loosest


def check_repeats(record: Record, corpus: Run) -> None:
    place = fresh("repeats")
    spent = cost("repeats", str(corpus.path), "-o", str(place), "--memory", "2GB", "--threads", str(THREADS), "--quiet")
    run = uq.read(place)
    begin = time.process_time()
    words, docs, starts = list_words(corpus)
    expected = find_repeated(words, docs, RUN)
    rival = time.process_time() - begin
    found = mark_removed(run, corpus, len(words), starts)
    note = f"{int(expected.sum()):,} of {len(words):,} words"
    record.add("words in repeated runs, by a sorted list of suffixes", int(expected.sum()), note=note)
    record.add("… of them not known to repeats", int((expected & ~found).sum()), floor="0")
    record.add("… that repeats takes out beyond them", int((found & ~expected).sum()), floor="0")
    record.add("repeats, processor time", spent.processor, "s")
    record.add("repeats, peak memory with --memory 2GB", spent.memory / 1e9, "GB", floor="2")
    record.add("sorted suffixes, processor time", rival, "s", note="words given, in memory")


def list_words(corpus: Run) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """All words of a corpus as numbers, the document of each, and where each document begins."""
    known: dict[str, int] = {}
    parts, docs, starts, total = [], [], [], 0
    for doc, text in texts(corpus):
        own = np.fromiter((known.setdefault(word, len(known)) for word, _, _ in uq.words(text)), np.int64)
        starts.append(total)
        parts.append(own)
        docs.append(np.full(len(own), doc, np.int64))
        total += len(own)
    return np.concatenate(parts), np.concatenate(docs), starts


def find_repeated(words: np.ndarray, docs: np.ndarray, n: int) -> np.ndarray:
    """Which words go: those in a run of n that stands earlier, too. Ranks of runs give those of runs twice as long."""
    ranks, length = words, 1
    while length < n:
        step = min(length, n - length)
        pairs = ranks[:-step] * (int(ranks.max()) + 1) + ranks[step:]
        _, ranks = np.unique(pairs, return_inverse=True)
        length += step
    whole = docs[: len(ranks)] == docs[n - 1 : n - 1 + len(ranks)]
    places = np.flatnonzero(whole)
    _, first = np.unique(ranks[places], return_index=True)
    again = np.ones(len(places), bool)
    again[first] = False
    begins = np.zeros(len(words) + 1, np.int64)
    np.add.at(begins, places[again], 1)
    np.add.at(begins, places[again] + n, -1)
    return np.cumsum(begins)[:-1] > 0


def mark_removed(run: Run, corpus: Run, total: int, starts: list[int]) -> np.ndarray:
    """The words that a run of repeats takes out."""
    found = np.zeros(total, bool)
    removed: dict[int, list[tuple[int, int]]] = {}
    for row in run.removed.select(["doc", "begin", "end"]).to_pylist():
        removed.setdefault(row["doc"], []).append((row["begin"], row["end"]))
    for doc, text in texts(corpus):
        if doc in removed:
            begins = np.array([begin for _, begin, _ in uq.words(text)])
            for begin, end in removed[doc]:
                first, last = np.searchsorted(begins, (begin, end))
                found[starts[doc] + first : starts[doc] + last] = True
    return found
