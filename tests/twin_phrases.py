"""The twin of phrases: what docs/definitions.md 3.3 defines, said in Python as plainly as can be.

The samples of documents (which gram each of 84 functions puts first) are those of the package, told by fingerprint;
which gram of words each is, and all that follows from it, is worked out here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from twin import Document, circular, gather_copies, pool_addresses, sequence

from unquilt import _native

FUNCTIONS = 84
UNIT = 1 << 20
Shingle = tuple[int, tuple[str, ...]]


class FoundPhrases(NamedTuple):
    """The tables:

    popular (words of the phrase, documents, sampled, functions, example),
    document_phrases (doc, words, shingles, popular),
    covers (doc, popular, common, covered, sources, foreign_contribution),
    cover_sources (doc, rank, source, new_shingles, all_shingles, foreign), histogram (documents → shingles),
    hosts (site → pages, mean, deviation, foreign_contribution, candidate)
    """

    popular: set[tuple[tuple[str, ...], int, int, int, int]]
    document_phrases: list[tuple[int, int, int, int]]
    covers: list[tuple[int, int, int, int, int, int]]
    cover_sources: list[tuple[int, int, int, int, int, bool]]
    histogram: dict[int, int]
    hosts: dict[str, tuple[int, float, float, float, bool]]


def shingles(text: str, k: int, seed: int, *, exact: bool, family: str = "fast") -> set[Shingle]:
    """Pairs of a function and a gram; if all grams are taken, there is one function."""
    grams = list(dict.fromkeys(circular(sequence(text), k)))
    if exact:
        return {(0, gram) for gram in grams}
    by_print = dict(zip(_native.grams(text, k, circular=True), grams, strict=True))
    return {(i, by_print[print_]) for i, print_ in enumerate(_native.sample(text, seed, k, family=family) or ())}


def name_site(document: Document, by: str) -> str | None:
    return (document.ip or document.domain) if by == "ip" else getattr(document, by)


def is_near(a: Document, b: Document, pooled: Mapping[str | None, set[str]], by: str) -> tuple[bool, bool]:
    """Whether two documents are on one site; by address: on one domain, or with an address in common, and whether by
    address alone."""
    if a.host is None or b.host is None:
        return False, False
    if by != "ip":
        return (name_site(a, by) == name_site(b, by),) * 2
    meet = not pooled[a.host].isdisjoint(pooled[b.host])
    by_address = meet if pooled[a.host] and pooled[b.host] else a.domain == b.domain
    return a.domain == b.domain or meet, by_address


def cover(
    own: set[Shingle], candidates: Mapping[int, set[Shingle]], foreign: Mapping[int, bool], preferred: set[int]
) -> list[tuple[int, int, int]]:
    """(source, new, all), foreign ones first, and of these, as of the others, preferred ones, as long as any covers
    something."""
    picks: list[tuple[int, int, int]] = []
    left = set(own)
    while True:
        useful = [
            (foreign[g], g in preferred, len(left & has), len(has), -g) for g, has in candidates.items() if left & has
        ]
        if not useful:
            return picks
        *_, new, all_, minus = max(useful)
        picks.append((-minus, new, all_))
        left -= candidates[-minus]


def prune(picks: list[tuple[int, int, int]], candidates: Mapping[int, set[Shingle]]) -> list[int]:
    """The ranks that are left when, in their order, sources go whose shingles others that are still there have."""
    there = list(range(len(picks)))
    for rank in range(len(picks)):
        others = set().union(*(candidates[picks[other][0]] for other in there if other != rank))
        if candidates[picks[rank][0]] <= others:
            there.remove(rank)
    return there


def phrases(
    documents: Sequence[Document],
    *,
    k: int = 5,
    popular: int = 5,
    exact: bool = False,
    collapse: str = "near",
    max_df: int = 1000,
    pruned: bool = False,
    group: str = "domain",
    min_pages: int = 10,
    min_mean: float = 30.0,
    max_deviation: float = 15.0,
    seed: int = 0,
    family: str = "fast",
    sampled: set[int] | None = None,
    sources: set[int] | None = None,
    preferred: set[int] = frozenset(),  # type: ignore[assignment]
) -> FoundPhrases:
    """docs/definitions.md 3.3; with `sampled`, only these documents are covered, and with `sources`, by these alone."""
    kept = sorted(gather_copies([document.text for document in documents], collapse))
    pooled = pool_addresses(documents)
    own = {doc: shingles(documents[doc].text, k, seed, exact=exact, family=family) for doc in kept}
    df = Counter(shingle for doc in kept for shingle in own[doc])
    found = FoundPhrases(set(), [], [], [], dict(Counter(df.values())), {})

    by_gram: defaultdict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for doc in kept:
        for i, gram in own[doc]:
            by_gram[gram].append((i, doc))
    for gram, pairs in by_gram.items():
        functions = sum(df[i, gram] >= popular for i in {i for i, _ in pairs})
        docs = {doc for _, doc in pairs}
        if functions:
            found.popular.add((gram, len(docs), len(pairs), functions, min(docs)))

    counts: dict[int, int] = {}
    foreign_share: dict[int, tuple[int, int]] = {}
    for doc in kept:
        mine = {shingle for shingle in own[doc] if df[shingle] >= popular}
        counts[doc] = len(mine) * FUNCTIONS * UNIT // max(1, len(own[doc]))
        found.document_phrases.append((doc, len(sequence(documents[doc].text)), len(own[doc]), len(mine)))
        if not mine or (sampled is not None and doc not in sampled):
            continue
        to_cover = {shingle for shingle in mine if df[shingle] <= max_df}
        sites = {other: is_near(documents[doc], documents[other], pooled, group) for other in kept if other != doc}
        candidates = {other: to_cover & own[other] for other in sites if sources is None or other in sources}
        picks = cover(to_cover, candidates, {other: not near for other, (near, _) in sites.items()}, preferred)
        ranks = prune(picks, candidates) if pruned else range(len(picks))
        for rank in ranks:
            source, new, all_ = picks[rank]
            found.cover_sources.append((doc, rank + 1, source, new, all_, not sites[source][0]))
        picked = [picks[rank][0] for rank in ranks]
        covered = set().union(*(candidates[source] for source in picked))
        far = set().union(*(candidates[source] for source in picked if not sites[source][1]))
        found.covers.append((doc, len(mine), len(mine - to_cover), len(covered), len(picked), len(far)))
        foreign_share[doc] = len(covered), len(far)

    pages: defaultdict[str, list[int]] = defaultdict(list)
    for doc in kept:
        site = name_site(documents[doc], group)
        if site is not None and documents[doc].host is not None:
            pages[site].append(doc)
    for site, docs in pages.items():
        if len(docs) >= min_pages:
            numbers = [counts[doc] for doc in docs]
            mean = sum(numbers) / len(docs) / UNIT
            variance = len(docs) * sum(n * n for n in numbers) - sum(numbers) ** 2
            deviation = sqrt(variance) / len(docs) / UNIT
            mine, far = (sum(foreign_share.get(doc, (0, 0))[which] for doc in docs) for which in (0, 1))
            candidate = mean >= min_mean and deviation < max_deviation
            found.hosts[site] = (len(docs), mean, deviation, far / mine if mine else 0.0, candidate)
    return found


def whole_phrases(
    texts: list[list[str]], sites: list[object], k: int, popular: int
) -> set[tuple[tuple[str, ...], int, int]]:
    """Phrases of texts without sentences: their words, and how many documents and sites have them."""
    having: dict[tuple[str, ...], list[int]] = {}
    for number, words in enumerate(texts):
        for gram in {tuple(words[at : at + k]) for at in range(len(words) - k + 1)}:
            having.setdefault(gram, []).append(number)
    counted = {gram: (docs, len({sites[doc] for doc in docs})) for gram, docs in having.items()}
    asked = {gram: each for gram, each in counted.items() if each[1] > 1 or len(each[0]) >= popular}
    found: dict[tuple[str, ...], tuple[int, int, int]] = {}
    for number, words in enumerate(texts):
        used, runs = set(), []
        for at in range(len(words) - k + 1):
            gram = tuple(words[at : at + k])
            mine = gram in asked and asked[gram][0][0] == number and gram not in used
            if not mine:
                runs.append([])
                continue
            used.add(gram)
            docs = asked[gram][0]
            if runs and runs[-1]:
                numbers = [len(asked[tuple(words[p : p + k])][0]) for p in runs[-1]]
                first = asked[tuple(words[runs[-1][0] : runs[-1][0] + k])][0]
                if docs == first or 5 * min(*numbers, len(docs)) >= 4 * max(*numbers, len(docs)):
                    runs[-1].append(at)
                    continue
            runs.append([at])
        for run in filter(None, runs):
            grams = [asked[tuple(words[at : at + k])] for at in run]
            rank = min(len(docs) for docs, _ in grams), min(each for _, each in grams), -number
            said = tuple(words[run[0] : run[-1] + k])
            found[said] = max(found.get(said, (0, 0, -len(texts))), rank)
    return {(said, documents, on) for said, (documents, on, _) in found.items()}
