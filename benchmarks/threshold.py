"""`neardups --threshold 0.8`: recall against all pairs on the small Debian corpus, and time on the medium one, beside
rensa and datasketch with the same threshold, and beside an earlier unquilt if `UNQUILT_EARLIER` names its command.

All pairs are found by prefix filtering (Bayardo et al., 2007), which loses none. Times are of the processor, over all
threads and processes: they depend less on what else the machine does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import ceil

import unquilt as uq
from benchmarks.earlier import earlier_commands
from benchmarks.medium import THREADS, corpus_of, fresh
from benchmarks.neardups import PERMUTATIONS, RIVALS, Shingled, exact_copies, texts
from benchmarks.record import Record, cost, processor_seconds, rounds
from unquilt.runs import Run

THRESHOLD = 0.8
SEEDS = 5
GRAM = 5


def measure(record: Record) -> None:
    _recall(record, corpus_of(record, "small"))
    corpus = corpus_of(record, "medium")
    _against_earlier(record, corpus)
    taken = rounds(
        {"ours": lambda: _run(corpus, pairs=False), "published": lambda: _run(corpus, threshold=None, pairs=False)},
        measure=processor_seconds,
    )
    run = _run(corpus)
    summary, copies = run.manifest["summary"], exact_copies(corpus)
    note = f"{summary['compared']:,} pairs compared exactly"
    record.add(f"neardups --threshold {THRESHOLD:g}", taken["ours"], "s", note=note)
    record.add("… exact copies found", f"{len(copies & set(run.clusters['doc'].to_pylist()))} of {len(copies)}")
    record.add("… without threshold", taken["published"], "s")
    for rival, flag in RIVALS.items():
        flagged: set[int] = set()
        pages = Shingled(corpus)
        spent = processor_seconds(
            lambda flag=flag, flagged=flagged, pages=pages: flagged.update(flag(pages, THRESHOLD))
        )
        record.add(f"{rival}, {PERMUTATIONS} permutations", spent, "s", note=f"{len(flagged):,} near-duplicates")
        record.add(f"… {rival}: exact copies found", f"{len(copies & flagged)} of {len(copies)}")
        record.add(f"… {rival} in ours", spent / taken["ours"], "×", floor="above 1")
        given = spent - pages.seconds
        record.add(f"… {rival}, shingles given", given, "s", note="ours shingles all the same")
        record.add(f"… {rival}, shingles given, in ours", given / taken["ours"], "×")


def _against_earlier(record: Record, corpus: Run) -> None:
    """The command, what is kept included, in turns with an earlier one."""
    commands = earlier_commands(corpus, "medium")
    least: dict[str, float] = {}
    for _ in range(SEEDS if len(commands) > 1 else 0):
        for name, (by, pages) in commands.items():
            asked = ("neardups", str(pages), "-o", str(fresh("threshold")), "--threshold", f"{THRESHOLD:g}", "-q")
            spent = cost(*asked, "--threads", str(THREADS), by=by).processor
            least[name] = min(spent, least.get(name, spent))
    for name, spent in least.items():
        record.add(f"the command, {name}", spent, "s", note=f"best of {SEEDS}")
    if least:
        record.add("… now in earlier", least["now"] / least["earlier"], "×", floor="at most 1.3")


def _run(corpus: Run, **asked: object) -> Run:
    options = uq.JobOptions(settings=uq.Settings(threads=THREADS))
    return uq.neardups(
        corpus.path, fresh("threshold"), options=options, **{"threshold": THRESHOLD, "pairs": True} | asked
    )


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
