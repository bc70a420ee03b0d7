"""`neardups --threshold 0.8`: recall against all pairs on the small Debian corpus, and time beside rensa and datasketch
on the medium one, with the same threshold.

All pairs are found by prefix filtering (Bayardo et al., 2007), which loses none. Times are of the processor, over all
threads and processes: they depend less on what else the machine does.
"""

from __future__ import annotations

import resource
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import ceil

import unquilt as uq
from benchmarks.medium import THREADS, corpus_of, fresh
from benchmarks.neardups import PERMUTATIONS, by_datasketch, by_rensa, exact_copies, texts
from benchmarks.record import Record
from unquilt.runs import Run

THRESHOLD = 0.8
SEEDS = 5
GRAM = 5


def measure(record: Record) -> None:
    _recall(record, corpus_of(record, "small"))
    corpus = corpus_of(record, "medium")
    ours = _processor(lambda: _run(corpus))
    run = _run(corpus)
    summary, copies = run.manifest["summary"], exact_copies(corpus)
    record.add(f"neardups --threshold {THRESHOLD:g}", ours, "s", note=f"{summary['compared']:,} pairs compared exactly")
    record.add("… exact copies found", f"{len(copies & set(run.clusters['doc'].to_pylist()))} of {len(copies)}")
    record.add("… without threshold", _processor(lambda: _run(corpus, threshold=None)), "s")
    for rival, flag in {"rensa": by_rensa, "datasketch": by_datasketch}.items():
        flagged: set[int] = set()
        taken = _processor(lambda flag=flag, flagged=flagged: flagged.update(flag(texts(corpus), THRESHOLD)))
        record.add(f"{rival}, {PERMUTATIONS} permutations", taken, "s", note=f"{len(flagged):,} near-duplicates")
        record.add(f"… {rival} in ours", taken / ours, "×", floor="above 1")


def _run(corpus: Run, **asked: object) -> Run:
    options = uq.JobOptions(settings=uq.Settings(threads=THREADS))
    return uq.neardups(
        corpus.path, fresh("threshold"), options=options, **{"threshold": THRESHOLD, "pairs": True} | asked
    )


def _processor(task: Callable[[], object]) -> float:
    def used() -> float:
        both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in both)

    before = used()
    task()
    return used() - before


def _recall(record: Record, corpus: Run) -> None:
    """Pairs that are in one cluster, of those that reach the threshold; and pairs that do not, but are reported."""
    near = set(all_pairs([grams(text) for _, text in texts(corpus)], THRESHOLD))
    found, wrong = 0, 0
    for seed in range(SEEDS):
        run = _run(corpus, seed=seed)
        cluster_of = dict(zip(*(run.clusters[name].to_pylist() for name in ("doc", "cluster")), strict=True))
        found += sum(cluster_of.get(a, -1) == cluster_of.get(b, -2) for a, b in near)
        pairs = zip(*(run.pairs[name].to_pylist() for name in ("doc", "other")), strict=True)
        wrong += sum(pair not in near for pair in pairs)
    note = f"{len(near):,} pairs, {SEEDS} seeds"
    record.add(f"recall of pairs of J >= {THRESHOLD:g}, small", found / (SEEDS * len(near)), floor="0.99", note=note)
    record.add("… pairs reported that do not reach it", wrong, floor="0")


def grams(text: str) -> frozenset[int]:
    """The circular grams of a text, by Python's hashes."""
    words = [word for word, _, _ in uq.words(text)]
    circle = [words[place % len(words)] for place in range(len(words) + GRAM - 1)] if words else []
    return frozenset(map(hash, zip(*(circle[place:] for place in range(GRAM)), strict=False)))


def all_pairs(sets: Sequence[frozenset[int]], threshold: float) -> Iterator[tuple[int, int]]:
    """All pairs that reach the threshold, the lower second. With grams in one order, the rarest first, two sets of that
    coefficient share one of the first |d| - ⌈t·|d|⌉ + 1."""
    df = Counter(gram for each in sets for gram in each)
    index: defaultdict[int, list[int]] = defaultdict(list)
    for doc, own in enumerate(sets):
        ranked = sorted(own, key=lambda gram: (df[gram], gram))
        prefix = ranked[: len(ranked) - ceil(threshold * len(ranked) - 1e-9) + 1]
        for other in {other for gram in prefix for other in index[gram]}:
            a, b = len(own), len(sets[other])
            if min(a, b) >= threshold * max(a, b) - 1e-9:
                common = len(own & sets[other])
                if common / (a + b - common) >= threshold:
                    yield doc, other
        for gram in prefix:
            index[gram].append(doc)
