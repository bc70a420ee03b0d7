"""Passages: runs of sentences that two documents share, located in both (Zhang, Zhang, Yu and Huang, SIGIR 2010).

With `grams`, the default, documents match where they share k words in a row: diagonals are runs of such words, and γ
and gaps are counted in words. The other signatures are those of the paper:

    sentences(d)   the sentences of d, in order; a paragraph always ends one
    set(s)         the signatures of a sentence: one hash of its words that are not too common (`imatch`), its shingles
                   of n words (`shingles`; a shorter sentence is one), or the chains of words that follow frequent words
                   (`spotsigs`)
    match(s, t)    iff the Jaccard coefficient of set(s) and set(t) is at least τ; with `imatch`, iff they are equal
    diagonal       sentences of a and b one behind the other that match one by one, as many as there are
    passage        a diagonal of at least γ sentences. With `max_gap` g, diagonals at most g sentences apart in both
                   documents are one passage; γ counts the sentences that match

A sentence in more than `max_df` documents is a stop sentence: a passage needs at least one other, but stop sentences
extend it and count towards its length. Runs of stop sentences alone are listed once, in `stop_runs`. Where γ sentences
in a row occur in a document again, they are matched in order: first with first, second with second; where one document
has fewer of them, these are taken again from the first on; and of more than 16 places, the first 16 begin diagonals.

Beyond the paper: borders are then moved outwards word by word as far as both texts agree (`refine`; at most 100 words).
A sentence that is cut at a border counts towards γ if at least n of its words agree; so γ - 1 whole ones can be enough,
since what is copied rarely begins and ends with a sentence. Only documents on different sites
are compared (`foreign`), or those of one collection with those of another (`between`). The published system asks for
more than γ sentences; here γ are enough. In a corpus of fewer than 20 documents no word counts as too common: idf says
nothing there. Whole sentences are lost where a word of each is changed, which is why the default looks at words
(docs/passages.md has what each finds). `PUBLISHED` has the parameters that bring back the published definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.analyses.between import between_parameter, check_between, name_collections, refuse_empty
from unquilt.analyses.copies import find_copies
from unquilt.analyses.lexicon import count_words
from unquilt.analyses.quilt_parameters import COLLAPSE
from unquilt.analyses.reworded import RewordedParameters
from unquilt.analyses.sites import see_sites
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel, Side
from unquilt.flow.verbs import Rows, Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import FOREIGN
from unquilt.stores.lexicons import check_nidf, df_range
from unquilt.stores.words import pack_above, pack_between, pack_most_frequent, pack_no_words
from unquilt.tables.neardups import COPY_TABLES, WORDS
from unquilt.tables.passages import MARKS, PASSAGE_PAIRS, PASSAGE_RUNS, PASSAGES, STOP_GROUPS, STOP_RUNS

SIGNATURES = ("imatch", "shingles", "spotsigs", "grams")
FUZZY = "fuzzy"
"""In place of a signature: the analysis `reworded`."""
OWN = {
    "nidf": ("imatch",),
    "idf_always": ("imatch",),
    "sentence_pairs": ("imatch", "shingles", "spotsigs"),
    "tau": ("shingles", "spotsigs"),
    "antecedents": ("spotsigs",),
    "spot_distance": ("spotsigs",),
    "chain": ("spotsigs",),
    "spot_stops": ("spotsigs",),
    "k": ("grams",),
}
"""The parameters that only some signatures know."""
WORDS_OF_GRAMS = 30
"""The usual length of a passage and of a gap with grams, in words; else 3 sentences and no gap."""
FEW_DOCUMENTS = 20
"""In a smaller corpus, a word of most documents need not be a common one."""

PUBLISHED: dict[str, Any] = {
    "signature": "imatch",
    "gamma": 4,
    "refine": False,
    "min_words": 1,
    "foreign": "none",
    "max_df": 2**32 - 1,
    "all_diagonals": True,
}
"""What differs from the defaults in the paper, whose diagonals have *more* than 3 sentences; with `imatch` also
`idf_always`."""


@dataclass(frozen=True)
class PassageParameters(Parameters):
    """What makes two sentences match, and how many of them make a passage."""

    signature: str = parameter(
        "grams",
        "how documents are compared: by words in a row (grams), or by sentences (imatch, as published, shingles or "
        "spotsigs); fuzzy: the same as unquilt reworded",
        one_of=(*SIGNATURES, FUZZY),
    )
    gamma: int | None = parameter(
        None,
        "minimum length of a passage, in words, or in sentences if these are compared",
        at_least=1,
        at_most=2**31,
        usual="30 words, or 3 sentences (1 with sentence_pairs)",
    )
    max_gap: int | None = parameter(
        None,
        "maximum number of differing words, or sentences, within a passage",
        at_least=0,
        at_most=2**31,
        usual="30 words, or 0 sentences",
    )
    nidf: tuple[float, ...] = parameter(
        (0.1, 1.0),
        "range of normalised idf of the words that imatch compares, as LOW:HIGH",
        at_least=0,
        at_most=1,
        is_range=True,
    )
    tau: float = parameter(
        0.9, "minimum Jaccard coefficient of two matching sentences, for shingles and spotsigs", above=0, at_most=1
    )
    antecedents: int = parameter(
        10_000,
        "number of the most frequent words, with which spotsigs begin; the paper has 60 for Chinese",
        at_least=1,
        at_most=2**32,
    )
    spot_distance: int = parameter(1, "distance between the words of a spotsig", at_least=1, at_most=2**20)
    chain: int = parameter(2, "number of words of a spotsig after the first", at_least=1, at_most=2**20)
    spot_stops: int = parameter(
        0,
        "number of the most frequent words that a spotsig passes over after its first word, as the SpotSigs paper does "
        "with stop words",
        at_least=0,
        at_most=10_000,
    )
    k: int = parameter(8, "words in a gram, for grams", at_least=1, at_most=2**20)
    n: int = parameter(4, "words in a shingle, for shingles and for similarity", at_least=1, at_most=2**20)
    max_df: int = parameter(
        1000,
        "maximum number of documents with a sentence or gram that can start a passage",
        at_least=1,
        at_most=2**32 - 1,
    )
    collapse: str = parameter(
        "none", "which copies count as one document: exact ones, near-duplicates, or none", one_of=COLLAPSE
    )
    foreign: str = parameter(
        "domain",
        "what a site is: only documents of different sites are compared; none: all documents",
        one_of=FOREIGN,
        word="site",
    )
    between: tuple[str, ...] = between_parameter()
    min_words: int = parameter(15, "minimum number of words in a passage", at_least=1, at_most=2**32)
    refine: bool = parameter(True, "move the borders of passages word by word")
    all_diagonals: bool = parameter(
        False, "pair each place of a repeated sentence with each in the other document, not in their order, 16 at most"
    )
    sentence_pairs: bool = parameter(
        False,
        "list each pair of matching sentences in place of passages; with gamma, only those of passages of so many",
    )
    idf_always: bool = parameter(
        False, f"leave out common words also in a corpus of fewer than {FEW_DOCUMENTS} documents"
    )

    def check(self) -> None:
        """Refuse parameters without an effect."""
        check_nidf(self.nidf)
        check_between(self.between)
        if self.signature == FUZZY:
            raise ParameterError("signature fuzzy is an analysis of its own, reworded, with RewordedParameters")
        usual = {info.name: info.default for info in self.describe()}
        for name, signatures in OWN.items():
            if self.signature not in signatures and getattr(self, name) != usual[name]:
                raise ParameterError(f"{name} has no effect with signature {self.signature}; leave it out")
        if self.sentence_pairs and self.gap:
            raise ParameterError("with sentence_pairs, no sentence stands in a gap; leave max_gap out")
        if self.spot_stops > self.antecedents:
            raise ParameterError(f"spot_stops must be at most antecedents, which is {self.antecedents:,}")

    @property
    def least(self) -> int:
        """γ, in sentences or words."""
        usual = WORDS_OF_GRAMS if self.signature == "grams" else 1 if self.sentence_pairs else 3
        return usual if self.gamma is None else self.gamma

    @property
    def pairing(self) -> dict[str, Any]:
        """Which places of repeated sentences are paired, as kernels take it."""
        return {"all_diagonals": self.all_diagonals}

    @property
    def whole(self) -> int:
        """How many sentences in a row must match as a whole: where borders are moved, one at a border need not."""
        return max(1, self.least - 1) if self.moves_borders else self.least

    @property
    def moves_borders(self) -> bool:
        """Whether passages may begin and end within sentences."""
        return self.refine and not self.sentence_pairs

    @property
    def gap(self) -> int:
        """The longest gap, in sentences or words."""
        usual = WORDS_OF_GRAMS if self.signature == "grams" else 0
        return usual if self.max_gap is None else self.max_gap

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it: with the values that were used."""
        return super().to_dict() | {"gamma": self.least, "max_gap": self.gap}


def passages(verbs: Verbs, corpus: Kept, given: PassageParameters) -> Outcome:
    """Finds the passages that documents share, and which pairs of documents share most.

    Shuffles about 20 bytes a sentence three times (with grams, 20 bytes a word), then one row for each pair of
    documents and each stretch of sentences that they share, then the words of passages, once for each document that
    others share them with. A stretch that d documents share has d²/2 pairs, d at most `max_df`; what more documents
    share is never paired.
    """
    sited, foreign = see_sites(corpus, given.foreign)
    copies = find_copies(verbs, sited, foreign=foreign, collapse=given.collapse)
    if given.collapse == "none":
        copies = copies.without_copies()
    tables = list(copies.tables)
    if given.signature == "grams":
        found, counters = find_equal_words(verbs, corpus, given, copies.table)
    else:
        found, stops, counters = _sentences(verbs, corpus, given, copies.table)
        tables.append(stops)
    located, spans = locate_passages(verbs, corpus, verbs.keep(found, PASSAGE_RUNS), given)
    (pairs,) = verbs.group([spans], Kernel("passage pairs"))
    kept = verbs.keep(located, PASSAGES)
    return Outcome([*tables, kept, verbs.keep(pairs, PASSAGE_PAIRS)], copies.counters | counters)


def find_equal_words(
    verbs: Verbs, corpus: Kept, given: PassageParameters, copies: Kept | None
) -> tuple[Rows, dict[str, int]]:
    """Runs of words that two documents share, by their grams, and counters."""
    (windows,) = verbs.map(corpus, Kernel("gram places", k=given.k, **name_collections(given.between)), beside=copies)
    counters = verbs.fold(windows, "grams") if given.between else {}
    refuse_empty(counters, given.between)
    (lists,) = verbs.group([windows], Kernel("window lists", max_df=given.max_df, **given.pairing))
    counters |= verbs.fold(lists, "windows")
    (seeds,) = verbs.group([lists], Kernel("seeds", **given.pairing))
    (found,) = verbs.group([seeds], Kernel("chains", window=given.k, gap=given.gap, gamma=given.least))
    return found, counters


def _sentences(
    verbs: Verbs, corpus: Kept, given: PassageParameters, copies: Kept | None
) -> tuple[Rows, Kept, dict[str, int]]:
    """Runs of sentences that match, runs of stop sentences, and counters."""
    lexicon, listed = _lexicon(verbs, corpus, given)
    telling: dict[str, Any] = {"signature": given.signature, "n": given.n, "lexicon": lexicon, "listed": listed}
    telling |= {"chain": given.chain, "distance": given.spot_distance} | name_collections(given.between)
    marked, pages, *sets = verbs.map(corpus, Kernel("sentence tokens", **telling), beside=copies)
    counters = verbs.fold(marked, "sentences")
    refuse_empty(counters, given.between)
    (counted,) = verbs.group([marked], Kernel("stop sentences", max_df=given.max_df))
    counters |= verbs.fold(counted, "stop_sentences")
    whole = given.whole
    window = 1 if given.gap or sets else whole
    cutting: dict[str, Any] = {"window": window, "gamma": given.least, "alike": bool(sets)}
    packed, windows, stops, *again = verbs.group([pages, counted], Kernel("marked pages", **cutting))
    marks = verbs.keep(packed, MARKS)
    (lists,) = verbs.group([windows], Kernel("window lists", max_df=given.max_df, **given.pairing))
    counters |= verbs.fold(lists, "windows")
    seeds = [*verbs.group([lists], Kernel("seeds", **given.pairing))]
    if sets:
        alike, compared = _alike(verbs, sets[0], again[0], given)
        seeds.append(alike)
        counters |= compared
    (runs,) = verbs.group(seeds, Kernel("diagonals", window=window))
    (tokens,) = verbs.map(marks, Kernel("select", ("doc", "marks")))
    (reaches,) = verbs.group([tokens, runs], Kernel("reaches"))
    (tokens,) = verbs.map(marks, Kernel("select", ("doc", "marks")))
    (found,) = verbs.group(
        [tokens, reaches], Kernel("extended", gap=given.gap, gamma=whole, single=given.sentence_pairs)
    )
    (groups,) = verbs.group([stops], Kernel("stop groups"))
    asked = verbs.keep(groups, STOP_GROUPS)
    (texts,) = verbs.map(corpus, Kernel("stop texts"), among=asked)
    return found, verbs.keep(texts, STOP_RUNS), counters


def _alike(verbs: Verbs, sets: Rows, windows: Rows, given: PassageParameters) -> tuple[Rows, dict[str, int]]:
    """Seeds of sentences that match though they are not the same, and counters.

    Shuffles each different sentence's signatures thrice (12 bytes each), and its whole set for each of the rarest tenth
    (1 - τ) of these that another sentence has.
    """
    common: dict[str, Any] = {"max_df": given.max_df}
    (signatures,) = verbs.group([sets], Kernel("sentence sets"))
    (counts,) = verbs.group([signatures], Kernel("signature counts", **common))
    (prefixes,) = verbs.group([counts], Kernel("sentence prefixes", tau=given.tau, **common))
    (edges,) = verbs.group([prefixes], Kernel("alike sentences", tau=given.tau, **common))
    counters = verbs.fold(edges, "alike")
    (places,) = verbs.group([edges, windows], Kernel("alike windows", **given.pairing))
    (seeds,) = verbs.group([places], Kernel("alike seeds", **given.pairing))
    return seeds, counters


def locate_passages(verbs: Verbs, corpus: Kept, runs: Kept, given: PassageParameters) -> tuple[Rows, Rows]:
    """Passages with their places in both texts, and their spans."""
    unit = "words" if given.signature == "grams" else "sentences"
    how: dict[str, Any] = {"unit": unit, "refine": given.moves_borders}
    pages, slices = verbs.map(corpus, Kernel("passage texts", **how), among=runs)
    located: dict[str, Any] = {"n": given.n, "min_words": given.min_words, "single": given.sentence_pairs}
    located["gamma"] = 1 if given.sentence_pairs else given.least
    found, spans = verbs.group([pages, slices], Kernel("passages", **located, **how))
    return found, spans


def _lexicon(verbs: Verbs, corpus: Kept, given: PassageParameters) -> tuple[Side, bool]:
    """The words that signatures go by, and whether it is these that count, or all others."""
    if given.signature == "shingles":
        return verbs.side("passage_words", pack_no_words), True
    if given.signature == "spotsigs":
        words = count_words(verbs, corpus, all_words=True)
        return verbs.side("passage_words", lambda: pack_most_frequent(words, given.antecedents, given.spot_stops)), True
    if corpus.rows < (2 if given.idf_always else FEW_DOCUMENTS):
        return verbs.side("passage_words", pack_no_words), False
    least, most = df_range(corpus.rows, given.nidf)
    words = count_words(verbs, corpus, all_words=True)
    if least > 1:
        return verbs.side("passage_words", lambda: pack_between(words, least, most)), True
    return verbs.side("passage_words", lambda: pack_above(words, most)), False


def lead(given: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The analysis `reworded` and its parameters, if signature fuzzy asks for it."""
    usual = {info.name: info.default for info in PassageParameters.describe()}
    there = {info.name for info in RewordedParameters.describe()}
    signature = given.get("signature", usual["signature"])
    without_effect = usual.keys() - there - {"signature"} if signature == FUZZY else there - usual.keys()
    for name, value in given.items():
        if name in without_effect and value != usual.get(name):
            raise ParameterError(f"{name} has no effect with signature {signature}; leave it out")
    if signature != FUZZY:
        return None
    return "reworded", {name: value for name, value in given.items() if name in there or name not in usual}


COSTS: Mapping[str, Mapping[str, float]] = {
    "imatch": {
        "document words": 148,
        "word sums": 23,
        "sentence tokens": 305,
        "marked pages": 41,
        "passage texts": 159,
    },
    "shingles": {"sentence tokens": 117, "signature counts": 135, "sentence prefixes": 116, "passage texts": 56},
    "spotsigs": {
        "document words": 99,
        "word sums": 14,
        "sentence tokens": 213,
        "sentence sets": 111,
        "signature counts": 221,
        "sentence prefixes": 170,
        "passage texts": 29,
    },
    "grams": {"gram places": 274, "window lists": 513, "seeds": 160, "passage texts": 34},
}
"""The costs of the longer stages: per mille of the processor time on the small Debian corpus."""

DECLARATION = Analysis(
    name="passages",
    summary="unquilt.cli.show.passages:PassageView",
    report="unquilt.page.report.sections.passages:show_passages",
    parameters=PassageParameters,
    function="unquilt.analyses.passages:passages",
    foreign=lambda given: "" if given.between else str(given.foreign),
    costs=lambda given: COSTS.get(given.get("signature", "grams"), {}).items(),
    results=(PASSAGES, PASSAGE_PAIRS, STOP_RUNS),
    on_request=(STOP_RUNS,),
    others=(*COPY_TABLES, WORDS, MARKS, PASSAGE_RUNS, STOP_GROUPS),
    leads=lead,
    labels={
        "sentence tokens": "cutting texts into sentences",
        "sentences": "cutting texts into sentences",
        "gram places": "cutting texts into grams",
        "grams": "cutting texts into grams",
        "stop sentences": "counting sentences",
        "stop_sentences": "counting sentences",
        "marked pages": "sorting by document",
        "marks": "sorting by document",
        "window lists": "finding shared sentences",
        "windows": "finding shared sentences",
        "seeds": "finding pairs of documents",
        **dict.fromkeys(("sentence sets", "signature counts", "sentence prefixes"), "comparing sentences"),
        **dict.fromkeys(("alike sentences", "alike windows", "alike seeds", "alike"), "comparing sentences"),
        "diagonals": "finding passages",
        "chains": "finding passages",
        "reaches": "finding passages",
        "extended": "finding passages",
        "select": "finding passages",
        "passage_runs": "finding passages",
        "passage texts": "cutting passages out of texts",
        "passages": "locating passages",
        "passage pairs": "adding up pairs",
        "stop groups": "counting stop sentences",
        "stop_groups": "counting stop sentences",
        "stop texts": "looking up stop sentences",
    },
    example="""
    >>> import pyarrow as pa
    >>> shared = "The old mill stood by the river. Its wheel had not turned for years. Nobody knew who owned it, "
    >>> shared += "until a baker from the town bought it and mended the wheel"
    >>> pages = pa.table({"id": ["x", "y"], "text": ["One day we went out. " + shared, shared + " at once."]})
    >>> run = passages(pages)
    >>> run.passages.select(["a", "b", "a_begin", "b_begin", "words", "similarity"]).to_pylist()
    [{'a': 0, 'b': 1, 'a_begin': 21, 'b_begin': 0, 'words': 31, 'similarity': 1.0}]
    """,
)
