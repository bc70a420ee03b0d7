"""Near-duplicates: documents that say the same but for small changes.

By shingles (Broder et al.; Fetterly, Manasse and Najork), with J(d, e) the Jaccard coefficient of the sets of circular
k-grams of two documents:

    shingles(d)    84 min-wise fingerprints of the circular k-grams of d: two documents agree in each with probability J
    supers(d)      6 super-fingerprints, of 14 shingles each: they agree with probability q = J^14
    near(d, e)     iff at least 2 of 6 super-fingerprints agree: with probability 1 - (1-q)^6 - 6q(1-q)^5

The published numbers 84, 6 and 2 are `functions`, `supers` and `agree`.

With `threshold` t, `near(d, e)` iff J(d, e) >= t, exactly; see `threshold`.

By spot signatures (Theobald, Siddharth and Paepcke, SIGIR 2008), `near(d, e)` iff the Jaccard coefficient of their
multisets of signatures is at least t: each of the commonest words, with the next words that are no stop words.

By I-Match with randomised lexicons (Kołcz, Chowdhury and Alspector, KDD 2004): `near(d, e)` iff any of the K + 1
signatures of both agree; see `stores.lexicons`.

Clusters are the transitive closure of near; the lowest document of each gives it its number. Closure can chain
documents that have little in common, so each cluster says how similar its documents are to the preferred one, by exact
J, and `pairs` shows the edges that hold it together.

`kept` says of every document of the corpus whether it is kept, or which one is instead. With a threshold, a document is
dropped only if one that is kept is near to it; chains drop nothing. Without one, the preferred document of each cluster
is kept. Documents are preferred in their order, or as `keep` says.

A document without words, or without a signature, is near to none, and neither is one of fewer than `min_words` words.
All others are treated alike, however short they are: documents of one word are near-duplicates if it is the same word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import comb
from typing import Any

from unquilt.analyses import keys
from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.analyses.comparison import COMPARISON_LABELS, compare
from unquilt.analyses.components import components
from unquilt.analyses.lexicon import LexiconParameters, count_words
from unquilt.analyses.preference import check_keep, keep_parameter, rank
from unquilt.analyses.threshold import MEASURES, THRESHOLD_LABELS, NearPairs, drop, near_pairs
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel, Side
from unquilt.flow.verbs import Rows, Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.stores.lexicons import Lexicon, check_nidf, pack_counts
from unquilt.stores.words import pack_most_frequent
from unquilt.tables.neardups import (
    AUDIT,
    CANDIDATES,
    CHOSEN,
    CLUSTERS,
    COMPARED,
    COMPONENTS,
    DROPPED,
    EDGES,
    FURTHER,
    KEPT,
    LINKED,
    LINKS,
    MEMBERS,
    OVERLAPS,
    PAIRS,
    PREFERENCES,
    SIMILARITY,
    TREES,
    UNSETTLED,
    WORDS,
)

METHODS = ("shingles", "imatch")
SPOTSIGS = "spotsigs"
FAMILIES = ("fast", "rabin")
SHINGLES = ("family", "functions", "supers", "agree")
MOST_BUCKETS = 10_000
"""A document lies in a bucket for each combination of super-fingerprints: no more of them than this."""
SPOTS = ("antecedents", "spot_stops", "spot_distance", "chain")
RANDOMISE = ("primary", "both")
IMATCH = ("lexicon", "nidf", "min_df", "min_terms", "min_share", "lexicons", "drop", "randomise")
"""The parameters that only one of the methods knows."""


@dataclass(frozen=True)
class SignatureParameters(Parameters):
    """What makes two documents near-duplicates."""

    method: str = parameter("shingles", "how documents are compared", one_of=METHODS)
    k: int = parameter(5, "words in a gram, for shingles and for similarity", at_least=1, at_most=2**20)
    family: str = parameter("fast", "family of min-wise functions; the paper has rabin", one_of=FAMILIES)
    functions: int = parameter(84, "number of min-wise functions, a multiple of --supers", at_least=1, at_most=4096)
    supers: int = parameter(
        6, "number of super-fingerprints, each of functions / supers minima", at_least=1, at_most=4096
    )
    agree: int = parameter(2, "number of super-fingerprints that near-duplicates have in common", at_least=1, at_most=8)
    seed: int = parameter(
        0, "seed of the min-wise functions and of the randomised lexicons", at_least=0, at_most=2**63 - 1
    )
    lexicon: str = parameter("", "file with the lexicon of I-Match; if none is given, it is built from the documents")
    nidf: tuple[float, ...] = parameter(
        LexiconParameters.nidf,
        "range of normalised idf of the words in that lexicon, as LOW:HIGH",
        at_least=0,
        at_most=1,
        is_range=True,
    )
    min_df: int = parameter(
        1, "minimum number of documents with a rarer word that fills up short signatures", at_least=1, at_most=2**32
    )
    min_terms: int = parameter(5, "minimum number of words in a signature of I-Match", at_least=1, at_most=2**32)
    min_share: float = parameter(0.1, "minimum share of a document's words in its signature", at_least=0, at_most=1)
    lexicons: int = parameter(
        10, "number of randomised lexicons, in addition to the whole one", at_least=0, at_most=255
    )
    drop: float = parameter(0.33, "share of the words that each randomised lexicon leaves out", at_least=0, below=1)
    randomise: str = parameter(
        "primary",
        "which words randomised lexicons leave out: primary ones, or also those that fill up signatures",
        one_of=RANDOMISE,
    )

    def check(self) -> None:
        """Refuse parameters that would have no effect: nobody should wait for a run that ignores what was asked for."""
        check_nidf(self.nidf)
        others = {"imatch": SHINGLES, "shingles": IMATCH}.get(self.method, (*SHINGLES, *IMATCH))
        usual = {info.name: info.default for info in self.describe()}
        ignored = [name for name in others if getattr(self, name) != usual[name]]
        if ignored:
            raise ParameterError(f"{ignored[0]} has no effect with method {self.method}; leave it out")
        if self.functions % self.supers:
            raise ParameterError(
                f"functions must be a multiple of supers, but {self.functions} is not one of {self.supers}"
            )
        if self.agree > self.supers:
            raise ParameterError(f"agree must be at most supers, which is {self.supers}, not {self.agree}")
        if (buckets := comb(self.supers, self.agree)) > MOST_BUCKETS:
            many = f"{self.agree} of {self.supers} super-fingerprints are {buckets:,} combinations"
            raise ParameterError(f"agree and supers are too large: {many}, and {MOST_BUCKETS:,} are allowed")
        if self.lexicon and (self.nidf, self.min_df) != (usual["nidf"], usual["min_df"]):
            raise ParameterError("nidf and min_df come from the lexicon file; leave them out")

    def kernel(self) -> dict[str, Any]:
        """As kernels take them."""
        if self.method == "shingles":
            shape = {name: getattr(self, name) for name in (*SHINGLES, "seed", "k")}
            return {"method": "shingles", "key": None} | shape
        shape = {
            name: getattr(self, name) for name in ("lexicons", "drop", "seed", "randomise", "min_terms", "min_share")
        }
        return {"method": "imatch"} | shape


@dataclass(frozen=True)
class NeardupParameters(SignatureParameters):
    """What makes near-duplicates, and what to say of them."""

    method: str = parameter("shingles", "how documents are compared", one_of=(*METHODS, SPOTSIGS))
    threshold: float | None = parameter(
        None,
        "minimum Jaccard coefficient of near-duplicates, computed exactly; without it, the published methods decide",
        at_least=0.3,
        at_most=1,
    )
    measure: str = parameter(
        "jaccard",
        "what --threshold limits. jaccard: common grams / grams of either document; containment: common grams / grams "
        "of the dropped document",
        one_of=MEASURES,
    )
    antecedents: int = parameter(
        5, "number of the most frequent words, with which spotsigs begin", at_least=1, at_most=10_000
    )
    spot_stops: int = parameter(
        100,
        "number of the most frequent words, antecedents included, that spotsigs pass over after their first word",
        at_least=1,
        at_most=10_000,
    )
    spot_distance: int = parameter(1, "distance between the words of a spotsig", at_least=1, at_most=2**20)
    chain: int = parameter(2, "number of words of a spotsig after the first", at_least=1, at_most=2**20)
    keep: str = keep_parameter()
    min_words: int = parameter(0, "ignore documents with fewer words", at_least=0, at_most=2**32)
    similarity: bool = parameter(True, "compute how similar the documents of each cluster are")
    pairs: bool = parameter(False, "write the pairs behind each cluster, with their similarity")
    key: str = parameter("", keys.MEANING)

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it: of the key, a digest."""
        return super().to_dict() | {"key": keys.digest_key(self.key)}

    def check(self) -> None:
        """Refuse a key where it has no effect: it changes our own fingerprints, not the published functions."""
        super().check()
        keys.check_key(self.key)
        check_keep(self.keep)
        self._check_spots()
        if self.threshold is not None and (self.method == "imatch" or self.family != "fast"):
            other = f"method {self.method}" if self.method != "shingles" else f"family {self.family}"
            raise ParameterError(f"threshold has no effect with {other}; leave it out")
        for info in self.describe() if self.threshold is not None else ():
            if info.name in SHINGLES and getattr(self, info.name) != info.default:
                raise ParameterError(f"{info.name} has no effect with a threshold; leave it out")
        if self.threshold is None and self.measure != MEASURES[0]:
            raise ParameterError("measure needs a threshold, such as threshold 0.8")
        if self.key and (self.method != "shingles" or self.family != "fast"):
            other = f"method {self.method}" if self.method != "shingles" else f"family {self.family}"
            raise ParameterError(f"key has no effect with {other}; leave it out")

    def _check_spots(self) -> None:
        usual = {info.name: info.default for info in self.describe()}
        others = ("k", "measure") if self.method == SPOTSIGS else SPOTS
        for name in others:
            if getattr(self, name) != usual[name]:
                raise ParameterError(f"{name} has no effect with method {self.method}; leave it out")
        if self.method == SPOTSIGS and self.threshold is None:
            raise ParameterError("method spotsigs needs a threshold, such as threshold 0.5")
        if self.spot_stops < self.antecedents:
            raise ParameterError(f"spot_stops must be at least antecedents, which is {self.antecedents:,}")

    def grams(self) -> dict[str, Any]:
        """Which grams are compared, as kernels take it."""
        return {"k": self.k, "key": keys.read_key(self.key)}

    def near(self) -> dict[str, Any]:
        """Which pairs are near by a threshold, as kernels take it."""
        return {"threshold": self.threshold, "measure": self.measure}

    def kernel(self) -> dict[str, Any]:
        return super().kernel() | ({"key": keys.read_key(self.key)} if self.method == "shingles" else {})


def neardups(
    verbs: Verbs,
    corpus: Kept,
    given: NeardupParameters,
    lexicon: Lexicon | None = None,
    ordered: Kept | None = None,
) -> Outcome:
    """Finds the clusters of near-duplicates, and how similar their documents are.

    Shuffles 15 rows of 12 bytes a document (I-Match: K + 1 of 25), then some 20 bytes an edge for a logarithmic number
    of rounds; similarity takes a second pass over the documents of clusters, and 8 bytes for each of their grams.
    """
    preferred = rank(verbs, corpus, given.keep, ordered)
    elements = _spots(verbs, corpus, given) if given.method == SPOTSIGS else given.grams()
    direct = _near_pairs(verbs, corpus, given, elements, preferred) if given.threshold is not None else None
    edges, statistics = (direct.edges, direct.counters) if direct else near_edges(verbs, corpus, given, lexicon)
    kept_by = components(verbs, edges)
    members = choose(verbs, kept_by, preferred)
    dropped: Kept | None = None
    similar: Rows | None = None
    pairs: Rows | None = None
    if direct is not None:
        gone, similar = drop(verbs, direct, given.near(), preferred)
        dropped = verbs.keep(gone, DROPPED)
    (marked,) = verbs.map(members, Kernel("marked"), beside=dropped)
    tables = [verbs.keep(marked, CLUSTERS)]
    (kept,) = verbs.map(corpus, Kernel("kept"), beside=dropped or members)
    compared = direct is None and given.pairs
    if given.similarity or compared:
        wanted = members if given.similarity else None, edges if compared else None
        cosine, known = given.method == "imatch", direct.overlaps if direct else None
        pairs, to_kept, to_it, _, *before = compare(verbs, corpus, *wanted, elements, cosine=cosine, known=known)
        similar = similar or (to_it if given.similarity else None)
        if given.similarity:
            (clusters,) = verbs.map(members, Kernel("select", ("doc", "cluster", "kept")))
            (spreads,) = verbs.group([clusters, to_kept, *before], Kernel("spread"))
            tables.append(verbs.keep(spreads, SIMILARITY))
    if similar is not None:
        (kept,) = verbs.group([kept, similar], Kernel("kept similar"))
    if direct is not None:
        _, pairs = verbs.map(direct.overlaps, Kernel("near pairs", **given.near()))
    if given.pairs and pairs is not None:
        tables.append(verbs.keep(pairs, PAIRS))
    tables.append(verbs.keep(kept, KEPT))
    redundant = kept_by.rows if dropped is None else dropped.rows
    chained = {"chained": kept_by.rows - redundant} if direct else {}
    return Outcome(tables, statistics | {"near_duplicates": redundant} | chained)


def choose(verbs: Verbs, kept_by: Kept, preferred: Kept | None) -> Kept:
    """The documents of clusters, each with its cluster, which is the lowest of them, and the preferred one of it."""
    (members,) = verbs.map(kept_by, Kernel("members"))
    (members,) = verbs.group([members], Kernel("distinct"))
    table = verbs.keep(members, MEMBERS)
    if preferred is None:
        return table
    (contenders,) = verbs.map(preferred, Kernel("contenders"), among=table)
    (chosen,) = verbs.group([contenders], Kernel("choice"))
    return verbs.keep(chosen, CHOSEN)


def _spots(verbs: Verbs, corpus: Kept, given: NeardupParameters) -> dict[str, Any]:
    """Which spot signatures are compared, as kernels take it."""
    words = count_words(verbs, corpus, all_words=True)
    side = verbs.side("spot_words", lambda: pack_most_frequent(words, given.spot_stops, given.antecedents))
    return {"lexicon": side, "chain": given.chain, "distance": given.spot_distance}


def _near_pairs(
    verbs: Verbs, corpus: Kept, given: NeardupParameters, elements: dict[str, Any], preferred: Kept | None
) -> NearPairs:
    return near_pairs(
        verbs,
        corpus,
        given.near(),
        elements,
        seed=given.seed,
        min_words=given.min_words,
        preferred=preferred,
    )


def near_edges(
    verbs: Verbs, corpus: Kept, given: NeardupParameters, lexicon: Lexicon | None = None
) -> tuple[Kept, dict[str, int]]:
    """Enough edges between near-duplicates to tie each cluster together, without a threshold: each document to the
    lowest of its bucket."""
    functions = given.kernel() | {"min_words": given.min_words}
    known: dict[str, int] = {}
    if functions.pop("method") == "imatch":
        words, known = _lexicon(verbs, corpus, given, lexicon)
        kernel = Kernel("signatures", lexicon=words, **functions)
    else:
        kernel = Kernel("shingles", **functions)
    (documents,) = verbs.map(corpus, kernel)
    counters = verbs.fold(documents, "signatures")
    (found,) = verbs.group([documents], Kernel("buckets"))
    (edges,) = verbs.group([found], Kernel("distinct"))
    return verbs.keep(edges, EDGES), counters | known


def _lexicon(
    verbs: Verbs, corpus: Kept, given: SignatureParameters, lexicon: Lexicon | None
) -> tuple[Side, dict[str, int]]:
    """The lexicon for kernels: the one that is given, or that of the corpus itself; and how many words it has.

    The latter is made in memory: some 50 bytes for each of its words.
    """
    known: dict[str, int] = {}

    def pack(made: Lexicon) -> bytes:
        known.update(lexicon_words=made.primary, lexicon_rarer=made.secondary)
        return made.pack()

    if lexicon is not None:
        return verbs.side("lexicon", lambda: pack(lexicon)), known
    words = count_words(verbs, corpus)
    made = verbs.side("lexicon", lambda: pack(pack_counts(words, corpus.rows, given.nidf, given.min_df)))
    return made, known


def weigh(given: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    """What the longer stages cost beside each other: per mille of the processor time on the medium Debian corpus (spot
    signatures: on the small one)."""
    if given.get("method") == SPOTSIGS:
        found = {"document words": 490, "word sums": 50, "spot bands": 190, "candidates": 10}
        compared = {"spot sets": 110}
    elif given.get("threshold") is not None:
        found = {"bands": 282, "candidates": 61, "best candidates": 10}
        if given.get("measure") == "containment":
            found = {"contained grams": 300, "gram votes": 600, "voted candidates": 50}
        compared = {"gram sets": 502, "jaccard": 34}
    elif given.get("method") == "imatch":
        counting = {} if given.get("lexicon") else {"document words": 226, "word sums": 26, "words": 7}
        found = counting | {"signatures": 493, "buckets": 8}
        compared = {"gram sets": 154, "jaccard": 8}
    else:
        found, compared = {"shingles": 442, "buckets": 19}, {"gram sets": 372, "jaccard": 21}
    needed = given.get("similarity", True) or "threshold" in given
    return (found | (compared if needed else {}) | {"kept": 52}).items()


DECLARATION = Analysis(
    name="neardups",
    summary="unquilt.cli.show.neardups:NeardupView",
    report="unquilt.page.report.sections.neardups:show_neardups",
    parameters=NeardupParameters,
    function="unquilt.analyses.neardups:neardups",
    costs=weigh,
    files={"lexicon": Lexicon.read},
    said=lambda lexicon: {"nidf": list(lexicon.nidf), "min_df": lexicon.min_df},
    results=(CLUSTERS, KEPT, SIMILARITY, PAIRS, AUDIT),
    on_request=(SIMILARITY, PAIRS),
    others=(
        *(PREFERENCES, EDGES, COMPONENTS, MEMBERS, CHOSEN, COMPARED, DROPPED, WORDS),
        *(CANDIDATES, FURTHER, UNSETTLED, TREES, OVERLAPS, LINKS, LINKED),
    ),
    labels=COMPARISON_LABELS
    | THRESHOLD_LABELS
    | {
        "members": "gathering clusters",
        "marked": "gathering clusters",
        "preferences": "choosing what to keep",
        "contenders": "choosing what to keep",
        "choice": "choosing what to keep",
        "chosen": "choosing what to keep",
        "kept": "choosing what to keep",
        "kept similar": "choosing what to keep",
        "spread": "comparing near-duplicates",
    },
    example="""
    >>> import pyarrow as pa
    >>> run = neardups(pa.table({"id": ["a", "b", "c"], "text": ["one two three", "four five", "One, two: three!"]}))
    >>> run.clusters.to_pylist()
    [{'doc': 0, 'cluster': 0, 'keep': True}, {'doc': 2, 'cluster': 0, 'keep': False}]
    >>> run.kept["kept_instead"].to_pylist()
    [None, None, 0]
    >>> run.similarity.select(["cluster", "documents", "least", "median"]).to_pylist()
    [{'cluster': 0, 'documents': 2, 'least': 1.0, 'median': 1.0}]
    """,
)
