"""Near-duplicates: documents that say the same but for small changes.

By shingles (Broder et al.; Fetterly, Manasse and Najork), with J(d, e) the Jaccard coefficient of the sets of circular
k-grams of two documents:

    shingles(d)    84 min-wise fingerprints of the circular k-grams of d: two documents agree in each with probability J
    supers(d)      6 super-fingerprints, of 14 shingles each: they agree with probability q = J^14
    near(d, e)     iff at least 2 of 6 super-fingerprints agree: with probability 1 - (1-q)^6 - 6q(1-q)^5

By I-Match with randomised lexicons (Kołcz, Chowdhury and Alspector, KDD 2004): `near(d, e)` iff any of the K + 1
signatures of both agree; see `stores.lexicons`.

Clusters are the transitive closure of near; the lowest document of each is kept. Closure can chain documents that have
little in common, so each cluster says how similar its documents are to the one that is kept, by exact J, and `pairs`
shows the edges that hold it together.

A document without words, or without a signature, is near to none. All others are treated alike, however short they are:
documents of one word are near-duplicates if it is the same word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unquilt.analyses import keys
from unquilt.analyses.analysis import Analysis
from unquilt.analyses.components import COMPONENT_LABELS, components
from unquilt.analyses.lexicon import LEXICON_LABELS, LexiconParameters, count_words
from unquilt.analyses.outcome import Outcome
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel, Side
from unquilt.flow.verbs import Rows, Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.stores.lexicons import Lexicon, check_nidf, pack_counts
from unquilt.tables import CLUSTERS, COMPARED, COMPONENTS, EDGES, PAIRS, SIMILARITY, WORDS

METHODS = ("shingles", "imatch")
FAMILIES = ("fast", "rabin")
EDGE_LABELS = {
    "shingles": "taking shingles",
    "signatures": "taking signatures",
    "buckets": "finding near-duplicates",
    "distinct": "finding near-duplicates",
    "edges": "finding near-duplicates",
}
SHINGLES = ("family",)
IMATCH = ("lexicon", "nidf", "min_df", "min_terms", "min_share", "lexicons", "drop")
"""The parameters that only one of the methods knows."""


@dataclass(frozen=True)
class SignatureParameters(Parameters):
    """What makes two documents near-duplicates."""

    method: str = parameter("shingles", "how documents are compared", one_of=METHODS)
    k: int = parameter(5, "words in a gram, for shingles and for similarity", at_least=1, at_most=2**20)
    family: str = parameter("fast", "min-wise functions of shingles; those of the paper are rabin", one_of=FAMILIES)
    seed: int = parameter(0, "which of the functions, or of the randomised lexicons", at_least=0, at_most=2**63 - 1)
    lexicon: str = parameter("", "file with the lexicon of I-Match; if none is given, it is built from the documents")
    nidf: tuple[float, ...] = parameter(
        LexiconParameters.nidf,
        "normalised idf of the words of that lexicon, as LOW:HIGH",
        at_least=0,
        at_most=1,
        is_range=True,
    )
    min_df: int = parameter(1, "fewest documents of a rarer word that fills up signatures", at_least=1, at_most=2**32)
    min_terms: int = parameter(5, "fewest words of a signature of I-Match", at_least=1, at_most=2**32)
    min_share: float = parameter(0.1, "least share of a document's words in a signature", at_least=0, at_most=1)
    lexicons: int = parameter(10, "randomised lexicons, beside the whole one", at_least=0, at_most=255)
    drop: float = parameter(0.33, "share of words that each of them lacks", at_least=0, below=1)

    def check(self) -> None:
        """Refuse parameters that would have no effect: nobody should wait for a run that ignores what was asked for."""
        check_nidf(self.nidf)
        others = SHINGLES if self.method == "imatch" else IMATCH
        usual = {info.name: info.default for info in self.describe()}
        ignored = [name for name in others if getattr(self, name) != usual[name]]
        if ignored:
            raise ParameterError(f"{ignored[0]} has no effect with method {self.method}; leave it out")
        if self.lexicon and (self.nidf, self.min_df) != (usual["nidf"], usual["min_df"]):
            raise ParameterError("nidf and min_df are those of the lexicon that is given; leave them out")

    def kernel(self) -> dict[str, Any]:
        """As kernels take them."""
        if self.method == "shingles":
            return {"method": "shingles", "family": self.family, "seed": self.seed, "k": self.k, "key": None}
        shape = {name: getattr(self, name) for name in ("lexicons", "drop", "seed", "min_terms", "min_share")}
        return {"method": "imatch"} | shape


@dataclass(frozen=True)
class NeardupParameters(SignatureParameters):
    """What makes near-duplicates, and what to say of them."""

    similarity: bool = parameter(True, "say how similar the documents of each cluster are")
    pairs: bool = parameter(False, "write the edges behind each cluster, with their similarity")
    key: str = parameter("", keys.MEANING)

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it: of the key, a digest."""
        return super().to_dict() | {"key": keys.digest_key(self.key)}

    def check(self) -> None:
        """Refuse a key where it has no effect: it changes our own fingerprints, not the published functions."""
        super().check()
        keys.check_key(self.key)
        if self.key and (self.method != "shingles" or self.family != "fast"):
            other = f"method {self.method}" if self.method != "shingles" else f"family {self.family}"
            raise ParameterError(f"key has no effect with {other}; leave it out")

    def kernel(self) -> dict[str, Any]:
        return super().kernel() | ({"key": keys.read_key(self.key)} if self.method == "shingles" else {})


def neardups(verbs: Verbs, corpus: Kept, given: NeardupParameters, lexicon: Lexicon | None = None) -> Outcome:
    """Finds the clusters of near-duplicates, and how similar their documents are.

    Shuffles 15 rows of 12 bytes a document (I-Match: K + 1 of 25), then some 20 bytes an edge for a logarithmic number
    of rounds; similarity takes a second pass over the documents of clusters, and 8 bytes for each of their grams.
    """
    edges, statistics = near_edges(verbs, corpus, given, lexicon)
    kept_by = components(verbs, edges)
    (members,) = verbs.map(kept_by, Kernel("members"))
    (members,) = verbs.group([members], Kernel("distinct"))
    tables = [verbs.keep(members, CLUSTERS)]
    if given.similarity or given.pairs:
        wanted = kept_by if given.similarity else None, edges if given.pairs else None
        pairs, to_kept = compare(verbs, corpus, *wanted, {"k": given.k, "key": keys.read_key(given.key)})
        if given.similarity:
            (spreads,) = verbs.group([to_kept], Kernel("spread"))
            tables.append(verbs.keep(spreads, SIMILARITY))
        if given.pairs:
            tables.append(verbs.keep(pairs, PAIRS))
    return Outcome(tables, statistics | {"near_duplicates": kept_by.rows})


def near_edges(
    verbs: Verbs, corpus: Kept, given: SignatureParameters, lexicon: Lexicon | None = None
) -> tuple[Kept, dict[str, int]]:
    """Enough edges between near-duplicates to tie each cluster together: each document to the lowest of its bucket."""
    functions = given.kernel()
    if functions.pop("method") == "imatch":
        kernel = Kernel("signatures", lexicon=_side(verbs, corpus, given, lexicon), **functions)
    else:
        kernel = Kernel("shingles", **functions)
    (documents,) = verbs.map(corpus, kernel)
    counters = verbs.fold(documents, "signatures")
    (found,) = verbs.group([documents], Kernel("buckets"))
    (edges,) = verbs.group([found], Kernel("distinct"))
    return verbs.keep(edges, EDGES), counters


def _side(verbs: Verbs, corpus: Kept, given: SignatureParameters, lexicon: Lexicon | None) -> Side:
    """The lexicon for kernels: the one that is given, or that of the corpus itself.

    The latter is made in memory: some 50 bytes for each of its words.
    """
    if lexicon is not None:
        return verbs.side("lexicon", lexicon.pack)
    words = count_words(verbs, corpus)
    return verbs.side("lexicon", lambda: pack_counts(words, corpus.rows, given.nidf, given.min_df).pack())


def compare(
    verbs: Verbs, corpus: Kept, kept_by: Kept | None, edges: Kept | None, grams: dict[str, Any]
) -> tuple[Rows, Rows]:
    """The exact similarity of documents that an edge ties together (if `edges` are given), and of documents to the one
    that is kept for them (if `kept_by` is).

    No text is sent anywhere: the grams of each document go once to each document that it is compared with.
    """
    asked: list[Rows] = []
    if kept_by is not None:
        asked += verbs.map(kept_by, Kernel("comparisons", edges=False))
    if edges is not None:
        asked += verbs.map(edges, Kernel("comparisons", edges=True))
    (compared,) = verbs.group(asked, Kernel("compared"))
    table = verbs.keep(compared, COMPARED)
    (sets,) = verbs.map(corpus, Kernel("gram sets", **grams), among=table)
    pairs, to_kept = verbs.group([sets], Kernel("jaccard"))
    return pairs, to_kept


DECLARATION = Analysis(
    name="neardups",
    parameters=NeardupParameters,
    function=neardups,
    files={"lexicon": Lexicon.read},
    results=(CLUSTERS, SIMILARITY, PAIRS),
    on_request=(SIMILARITY, PAIRS),
    others=(EDGES, COMPONENTS, COMPARED, WORDS),
    labels=EDGE_LABELS
    | LEXICON_LABELS
    | COMPONENT_LABELS
    | {
        "members": "gathering clusters",
        "comparisons": "choosing what to compare",
        "compared": "choosing what to compare",
        "gram sets": "comparing near-duplicates",
        "jaccard": "comparing near-duplicates",
        "spread": "comparing near-duplicates",
    },
    example="""
    >>> import pyarrow as pa
    >>> run = neardups(pa.table({"id": ["a", "b", "c"], "text": ["one two three", "four five", "One, two: three!"]}))
    >>> run.clusters.to_pylist()
    [{'doc': 0, 'cluster': 0, 'keep': True}, {'doc': 2, 'cluster': 0, 'keep': False}]
    >>> run.similarity.to_pylist()
    [{'cluster': 0, 'documents': 2, 'least': 1.0, 'median': 1.0}]
    """,
)
