"""What is taken out, recomputed by other means: near-duplicates that are dropped, and repeated runs of words.

`similarity` of each dropped document is computed again from sets of word tuples in Python, and what is kept is compared
with the sequential rule over all pairs, where these can be listed. The repeats of the medium corpus are found again by
sorting all suffixes of its words, as far as 50 words, by prefix doubling (Manber and Myers).
"""

from __future__ import annotations

import random
import tarfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

import unquilt as uq
from benchmarks.debian import SHARED
from benchmarks.medium import THREADS, corpus_of, fresh, scan_all
from benchmarks.neardups import texts
from benchmarks.record import WORK, Record, cost, processor_seconds, rounds
from benchmarks.threshold import THRESHOLD, all_pairs, grams
from unquilt.jobs.corpora import documents
from unquilt.runs import Run

STEPS, CHAINS = 60, 50
BOOKS, PAGES = 400, 100_000
TEMPLATE, SHORTEST, LONGEST = 300, 5, 80
"""Words that all pages of the template have, and the fewest and most of their own."""
RUN = 50


def measure(record: Record) -> None:
    made = {
        f"{CHAINS} chains of {STEPS} steps": _made("chains", _draw_chains()),
        f"{BOOKS} unrelated books": _made("books", _draw_books()),
        "2,500 news articles": _made("articles", _read_articles()),
        "Kafka, four versions": _unpacked("kafka-docs"),
        "Debian, small": corpus_of(record, "small"),
    }
    for name, corpus in made.items():
        run = _check_drops(record, name, corpus)
        pairs = all_pairs([grams(text) for _, text in texts(corpus)], THRESHOLD)
        _compare_kept(record, run, follow_rule(pairs))
    _check_drops(record, "Debian, medium", corpus_of(record, "medium"))
    own = [length for _, length in _draw_lengths()]
    run = _check_drops(record, f"{PAGES:,} pages of one template", _made("template", _draw_template()))
    _compare_kept(record, run, follow_rule_of_template(own))


def _compare_kept(record: Record, run: Run, expected: set[int]) -> None:
    """Documents that are dropped, against the rule over all pairs."""
    gone = {row["doc"] for row in run.kept.to_pylist() if not row["keep"]}
    note = f"of {len(expected):,} that the rule drops over all pairs; {len(gone - expected):,} beyond these"
    record.add("… kept, though the rule drops them", len(expected - gone), note=note)


def follow_rule(pairs: Iterable[tuple[int, int]]) -> set[int]:
    """What the sequential rule drops: a document goes if a lower one that stays is near to it."""
    lower = defaultdict(list)
    for doc, other in pairs:
        lower[doc].append(other)
    gone: set[int] = set()
    for doc in sorted(lower):
        if any(other not in gone for other in lower[doc]):
            gone.add(doc)
    return gone


def follow_rule_of_template(own: list[int]) -> set[int]:
    """The same for pages of one template: what two have in common does not depend on which they are, so the page that
    stays with the fewest words of its own decides."""
    common, gone, least = TEMPLATE - 4, set(), None
    for doc, length in enumerate(own):
        if least is not None and common / (2 * TEMPLATE + length + least - common) >= THRESHOLD:
            gone.add(doc)
        else:
            least = length if least is None else min(least, length)
    return gone


def measure_repeats(record: Record) -> None:
    """The words that go, against a sorted list of suffixes."""
    check_repeats(record, corpus_of(record, "medium"))


def _made(name: str, rows: Iterator[dict[str, str]]) -> Run:
    folder = WORK / f"corpus-{name}"
    if not folder.exists():
        uq.ingest(rows, folder)
    return uq.read(folder)


def _unpacked(name: str) -> Run:
    folder = WORK / f"corpus-{name}"
    if not folder.exists():
        with tarfile.open(SHARED / f"{name}.tar.xz") as tar:
            tar.extractall(WORK / name, filter="data")
        uq.ingest(WORK / name, folder)
    return uq.read(folder)


def _read_articles() -> Iterator[dict[str, str]]:
    with tarfile.open(SHARED / "minhash-articles.tar.xz") as tar:
        (name,) = (each for each in tar.getnames() if each.endswith("2500.train"))
        file = tar.extractfile(name)
        assert file is not None
        for line in file.read().decode().splitlines():
            number, _, text = line.partition(" ")
            yield {"id": number, "text": text}


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


def _draw_lengths() -> Iterator[tuple[int, int]]:
    """How many words of its own each page of the template has, so that pairs are above the threshold and below."""
    rng = random.Random(3)
    yield from ((page, rng.randint(SHORTEST, LONGEST)) for page in range(PAGES))


def _draw_template() -> Iterator[dict[str, str]]:
    template = [f"t{number}" for number in range(TEMPLATE)]
    for page, length in _draw_lengths():
        yield {"id": str(page), "text": " ".join([*template, *(f"p{page}w{number}" for number in range(length))])}


def _check_drops(record: Record, name: str, corpus: Run) -> Run:
    options = uq.JobOptions(settings=uq.Settings(threads=THREADS))
    run = uq.neardups(corpus.path, fresh("evidence"), options=options, threshold=THRESHOLD)
    checked, wrong, loosest = check_drops(run)
    summary = run.manifest["summary"]
    note = f"of {checked:,} dropped, the least at {loosest:.3f}; {summary['documents']:,} documents"
    note += f", {summary['chained']:,} chained"
    record.add(f"{name}: drops below {THRESHOLD:g}, or with another similarity", wrong, floor="0", note=note)
    return run


def check_drops(run: Run) -> tuple[int, int, float]:
    """How many documents were dropped; how many of them wrongly, or with a similarity that is not theirs; and the least
    similarity."""
    rows = {row["doc"]: row for row in run.kept.to_pylist()}
    gone = {doc: row for doc, row in rows.items() if not row["keep"]}
    stay = {row["kept_instead"] for row in gone.values()}
    sets = {doc: grams(text) for doc, text in texts(run.corpus) if doc in stay}
    wrong, loosest = 0, 1.0
    for doc, text in texts(run.corpus):
        if doc in gone:
            own, other = grams(text), sets[gone[doc]["kept_instead"]]
            common = len(own & other)
            found = common / (len(own) + len(other) - common)
            loosest = min(loosest, found)
            evident = rows[gone[doc]["kept_instead"]]["keep"] and found >= THRESHOLD
            wrong += not evident or abs(found - gone[doc]["similarity"]) > 1e-9
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
    scan = rounds({"scan": lambda: scan_all(documents(corpus))}, measure=processor_seconds)["scan"]
    record.add("scan, processor time", scan, "s")
    record.add("repeats, processor time", spent.processor, "s")
    record.add("… in scans", spent.processor / scan, "×", floor="at most 6")
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
