"""Near-duplicates of the medium Debian corpus: both methods in scans, and MinHash-LSH by rensa and datasketch.

All start from ingested text. The others shingle in Python, as their users do, in one process: their sketches are
compiled code (rensa) or numpy (datasketch). Both rivals and we must find all exact copies, or they did not do the work.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import unquilt as uq
from benchmarks.medium import THREADS, corpus_of, fresh, scan_all
from benchmarks.record import WORK, Record, rounds, seconds
from unquilt.jobs.corpora import documents
from unquilt.runs import Run

PERMUTATIONS = 128
THRESHOLD = 0.9
WORD = re.compile(r"[^\W_]+")

Flagged = set[int]
"""Documents that are near-duplicates of another."""


def measure(record: Record, tier: str = "medium") -> None:
    corpus = corpus_of(record, tier)
    options = uq.JobOptions(settings=uq.Settings(threads=THREADS))

    def ours(**asked: object) -> Run:
        return uq.neardups(corpus.path, fresh("neardups"), options=options, **asked)

    lexicon = WORK / "lexicon"
    uq.build_lexicon(corpus.path, lexicon, options=replace(options, overwrite=True))
    tasks = {
        "scan": lambda: scan_all(documents(corpus)),
        "shingles": lambda: ours(similarity=False),
        "shingles, with similarity": ours,
        "shingles, --family rabin": lambda: ours(similarity=False, family="rabin"),
        "I-Match, K = 10": lambda: ours(similarity=False, method="imatch", lexicon=str(lexicon)),
        "I-Match, K = 10, and its lexicon": lambda: ours(similarity=False, method="imatch"),
    }
    taken = rounds(tasks)
    for name in tasks:
        floor = "at most 3" if name in ("shingles", "I-Match, K = 10") else ""
        record.add(name, taken[name], "s")
        if name != "scan":
            record.add(f"… {name} in scans", taken[name] / taken["scan"], "×", floor=floor)
    run = ours()
    summary, clusters = run.manifest["summary"], run.clusters.to_pydict()
    found = set(clusters["doc"])
    record.add("near-duplicates", summary["near_duplicates"], note=f"of {summary['documents']:,} documents")
    copies = exact_copies(corpus)
    record.add("exact copies found", f"{len(copies & found)} of {len(copies)}")
    for rival, flag in {"rensa": by_rensa, "datasketch": by_datasketch}.items():
        flagged: Flagged = set()
        taken[rival] = seconds(lambda flag=flag, flagged=flagged: flagged.update(flag(texts(corpus))))
        record.add(f"{rival}, {PERMUTATIONS} permutations", taken[rival], "s", note=f"{len(flagged):,} near-duplicates")
        record.add(f"… {rival}: exact copies found", f"{len(copies & flagged)} of {len(copies)}")
        record.add(f"… {rival} in ours", taken[rival] / taken["shingles"], "×", floor="above 1")


def exact_copies(corpus: Run) -> Flagged:
    """Documents that have the same words in the same order as another."""
    by_words = defaultdict(list)
    for split in documents(corpus).splits():
        for doc, sequence, words in zip(*split.read(("doc", "sequence", "words")).to_pydict().values(), strict=True):
            if words:
                by_words[sequence].append(doc)
    return {doc for group in by_words.values() if len(group) > 1 for doc in group}


def texts(corpus: Run) -> Iterator[tuple[int, str]]:
    for split in documents(corpus).splits():
        yield from zip(*split.read(("doc", "text")).to_pydict().values(), strict=True)


def shingle(text: str) -> list[str]:
    words = WORD.findall(text.casefold())
    return list({" ".join(words[at : at + 5]) for at in range(len(words) - 4)}) or [" ".join(words)]


def by_rensa(found: Iterable[tuple[int, str]], threshold: float = THRESHOLD) -> Flagged:
    from rensa import RMinHash, RMinHashLSH

    def sketch(shingles: list[str]) -> RMinHash:
        minhash = RMinHash(num_perm=PERMUTATIONS, seed=42)
        minhash.update(shingles)
        return minhash

    index = RMinHashLSH(threshold=threshold, num_perm=PERMUTATIONS, num_bands=16)
    return _flag(found, sketch, index.insert, index.query)


def by_datasketch(found: Iterable[tuple[int, str]], threshold: float = THRESHOLD) -> Flagged:
    from datasketch import MinHash, MinHashLSH

    def sketch(shingles: list[str]) -> MinHash:
        minhash = MinHash(num_perm=PERMUTATIONS)
        minhash.update_batch([shingle.encode() for shingle in shingles])
        return minhash

    index = MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS)
    return _flag(found, sketch, index.insert, index.query)


def _flag(
    found: Iterable[tuple[int, str]],
    sketch: Callable[[list[str]], object],
    insert: Callable[[int, object], object],
    query: Callable[[object], Iterable[int]],
) -> Flagged:
    """Both work alike: sketch, insert, then ask for each document."""
    sketches = {doc: sketch(shingle(text)) for doc, text in found if WORD.search(text)}
    for doc, minhash in sketches.items():
        insert(doc, minhash)
    return {doc for doc, minhash in sketches.items() if any(other != doc for other in query(minhash))}
