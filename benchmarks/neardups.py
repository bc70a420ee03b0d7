"""Near-duplicates of the medium Debian corpus: both methods in scans, and MinHash-LSH by rensa and datasketch.

All start from ingested text. The others shingle in Python, as their users do, in one process: their sketches are
compiled code (rensa, through its batch interface) or numpy (datasketch). Rivals and we must find all exact copies, or
they did not do the work.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

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
    for rival, flag in RIVALS.items():
        flagged: Flagged = set()
        taken[rival] = seconds(lambda flag=flag, flagged=flagged: flagged.update(flag(Shingled(corpus))))
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


@dataclass
class Shingled:
    """The shingles of all documents with words, one after the other; `seconds` of the processor went into them."""

    corpus: Run
    seconds: float = 0.0

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        for doc, text in texts(self.corpus):
            begin = time.process_time()
            found = shingle(text) if WORD.search(text) else None
            self.seconds += time.process_time() - begin
            if found is not None:
                yield doc, found


def by_rensa(found: Iterable[tuple[int, list[str]]], threshold: float = THRESHOLD, *, rho: bool = False) -> Flagged:
    """All sketches in one call, then all questions in one; `rho` samples places of shingles instead of using all."""
    from rensa import RMinHash, RMinHashLSH

    docs: list[int] = []
    sketch = RMinHash.digest_matrix_from_token_sets_rho if rho else RMinHash.digest_matrix_from_token_sets
    matrix = sketch((docs.append(doc) or shingles for doc, shingles in found), PERMUTATIONS, 42)
    index = RMinHashLSH(threshold=threshold, num_perm=PERMUTATIONS, num_bands=16)
    flags = index.query_duplicate_flags_matrix_one_shot(matrix)
    return {doc for doc, near in zip(docs, flags, strict=True) if near}


def by_datasketch(found: Iterable[tuple[int, list[str]]], threshold: float = THRESHOLD) -> Flagged:
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS)
    sketches = {}
    for doc, shingles in found:
        sketches[doc] = MinHash(num_perm=PERMUTATIONS)
        sketches[doc].update_batch([shingle.encode() for shingle in shingles])
        index.insert(doc, sketches[doc])
    return {doc for doc, minhash in sketches.items() if any(other != doc for other in index.query(minhash))}


RIVALS: dict[str, Callable[..., Flagged]] = {
    "rensa": by_rensa,
    "rensa, rho": partial(by_rensa, rho=True),
    "datasketch": by_datasketch,
}
