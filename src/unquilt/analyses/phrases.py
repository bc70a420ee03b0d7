"""Phrases: the most popular ones, the pages that consist of them, and the sites that live off them (Fetterly, Manasse
and Najork, SIGIR 2005).

    shingles(d)    84 pairs (i, s): s is the circular k-gram of d that the i-th of 84 min-wise functions puts first
    popular(i, s)  iff at least `popular` documents have it; near-duplicates of others are left out first
    covers(d)      a greedy cover of the popular shingles of d: g covers (i, s) iff it is a shingle of g, too. Documents
                   of another site come first; others only when none of these covers anything
                   more. Ties go to the document that has more popular shingles of d, then to the lower number
    candidates     sites of at least `min_pages` pages that have `min_mean` popular shingles or more on average, with a
                   standard deviation below `max_deviation`: not one page but a whole site is made of what others say

As in one of its data sets, sources may be restricted to some documents (`candidates`), or picked among some as long as
these cover anything more (`prefer`); foreign documents come first all the same.

Beyond the paper: every document is covered, not a sample (`sample` draws those that the paper did), leaving out
shingles in more than `max_df` documents; and with `exact` every gram is a shingle, so that nothing is left to chance.
Counts are then given as 84 · popular / grams, so that all thresholds keep their meaning.

The functions are those of `neardups`, of either `family`; each shingle is told by the whole fingerprint of its gram.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from unquilt.analyses import keys
from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.analyses.copies import find_copies
from unquilt.analyses.neardups import FAMILIES
from unquilt.analyses.quilt_parameters import COLLAPSE
from unquilt.analyses.sites import see_names, see_sites
from unquilt.errors import ParameterError
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Rows, Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.site_names import SITES
from unquilt.tables.neardups import COPY_TABLES
from unquilt.tables.phrases import (
    ASKED_GRAMS,
    ASKED_PHRASES,
    COVER_SOURCES,
    COVERS,
    DOCUMENT_PHRASES,
    DRAWN,
    HISTOGRAM,
    HOSTS,
    PHRASES,
    POPULAR,
    SOURCE_MARKS,
)

SAMPLES = ("all", "counts", "uniform")
NO_LIMIT = 2**32 - 1
"""More documents than there can be."""
COVERED, SOURCE, PREFERRED = 1, 2, 4
"""What is wanted of a document: its covering set, that it may be a source, and that it comes before those that only may
be (`phrases.rs`)."""


@dataclass(frozen=True)
class PhraseParameters(Parameters):
    """What a popular phrase is, whose covering sets are wanted, and what makes a site a candidate."""

    k: int = parameter(5, "words in a phrase", at_least=1, at_most=2**20)
    popular: int = parameter(5, "minimum number of documents that share a popular shingle", at_least=2, at_most=2**32)
    whole: bool = parameter(True, "also list whole phrases, with their numbers of documents and sites")
    family: str = parameter("fast", "family of min-wise functions; the paper has rabin", one_of=FAMILIES)
    exact: bool = parameter(False, "use every phrase of a document, not a sample of 84")
    collapse: str = parameter(
        "near", "which copies count as one document: exact ones, near-duplicates, or none", one_of=COLLAPSE
    )
    max_df: int = parameter(
        1000,
        "maximum number of documents with a shingle that is covered, where all documents are",
        at_least=1,
        at_most=2**32 - 1,
    )
    sample: str = parameter(
        "all",
        "which documents get covering sets: all, a sample for each number of popular shingles, or one sample",
        one_of=SAMPLES,
    )
    sample_size: int = parameter(50, "number of documents in a sample", at_least=1)
    least: float = parameter(
        30.0, "minimum number of popular shingles, of 84, of a sampled document", at_least=0, at_most=84
    )
    sample_site: str = parameter("", "draw the sample from one host, domain or IP address")
    candidates: str = parameter(
        "", 'documents that may be sources, by a condition on the columns of the corpus, such as "truncated is null"'
    )
    prefer: str = parameter(
        "", "documents that are picked as sources before others, by a condition on the columns of the corpus"
    )
    prune: bool = parameter(False, "remove sources that later ones make redundant")
    group: str = parameter("domain", "what a site is", one_of=SITES, word="site")
    min_pages: int = parameter(10, "minimum number of pages of a listed site", at_least=1)
    min_mean: float = parameter(
        30.0, "minimum mean number of popular shingles, of 84, of a candidate", at_least=0, at_most=84
    )
    max_deviation: float = parameter(15.0, "maximum standard deviation of this number, exclusive", at_least=0)
    seed: int = parameter(0, "seed of the min-wise functions and of the sample", at_least=0, at_most=2**63 - 1)
    key: str = parameter("", keys.MEANING)

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it: of the key, a digest."""
        return super().to_dict() | {"key": keys.digest_key(self.key)}

    def check(self) -> None:
        """Refuse what would have no effect."""
        keys.check_key(self.key)
        if self.family == "rabin" and (self.exact or self.key):
            other = "exact" if self.exact else "key"
            raise ParameterError(f"{other} has no effect together with family rabin; leave one out")
        usual = {info.name: info.default for info in self.describe()}
        others = ("sample_size", "least", "sample_site") if self.sample == "all" else ("max_df",)
        for name in others:
            if getattr(self, name) != usual[name]:
                raise ParameterError(f"{name} has no effect with sample {self.sample}; leave it out")


def phrases(verbs: Verbs, corpus: Kept, given: PhraseParameters, marked: Kept | None = None) -> Outcome:
    """Finds popular phrases, how much of each page they are, what covers them, and the sites that consist of them.
    `marked` says which documents may be sources, and which are preferred, if parameters ask for that; a rehearsal does
    without.

    Shuffles about 35 bytes for each of 84 shingles a document (with `exact` about 8 for each gram), then the distinct
    lists of documents that popular shingles have, then each list once for each of its documents: as in `quilts`, time
    is linear in the shingles and in Σ df² over distinct lists. Of a sample only its own documents are sent lists, but
    texts are read twice.
    """
    sited, foreign = see_sites(corpus, given.group)
    copies = find_copies(verbs, sited, foreign=foreign, collapse=given.collapse, key=given.key, family=given.family)
    words: dict[str, Any] = {"k": given.k, "key": keys.read_key(given.key)}
    taking = words | {"family": given.family, "seed": given.seed, "exact": given.exact}
    every, some = given.sample == "all", bool(given.candidates or given.prefer)
    marks = (marked or Kept.without_rows(SOURCE_MARKS)) if some else None
    if every and marks is not None:
        drawn = _mark(verbs, copies.table, _read_marks(verbs, marks), usual=COVERED)
        grams, sizes = verbs.map(corpus, Kernel("samples to cover", **taking), beside=drawn)
    else:
        grams, sizes = verbs.map(corpus, Kernel("samples", **taking), beside=copies.table)
    kernel = Kernel("popular", popular=given.popular, max_df=given.max_df if every else 0)
    found, lists, others, tally = verbs.group([grams], kernel)
    statistics = verbs.fold(found, "popular_phrases")
    if every:
        counts, covers, sources = _cover(verbs, sizes, others, lists, given)
        counted = verbs.keep(counts, DOCUMENT_PHRASES)
    else:
        (counts,) = verbs.group([sizes, others], Kernel("phrase counts"))
        counted = verbs.keep(counts, DOCUMENT_PHRASES)
        covers, sources = _cover_sample(verbs, corpus, copies.table, counted, given, taking, marks)
    covered = verbs.keep(covers, COVERS)
    (sums,) = verbs.group([tally], Kernel("added shingles"))
    pages = _pages_of_sites(verbs, corpus, counted, covered, given)
    statistics |= verbs.fold(pages, "phrase_pages")
    limits: dict[str, Any] = {
        "min_pages": given.min_pages,
        "min_mean": given.min_mean,
        "max_deviation": given.max_deviation,
    }
    (sites,) = verbs.group([pages], Kernel("phrase hosts", **limits))
    statistics |= verbs.fold(sites, "host_counts")
    tables = [
        *([_join_grams(verbs, corpus, copies.table, given, taking, words)] if given.whole else []),
        _look_up_texts(verbs, corpus, found, words),
        counted,
        covered,
        verbs.keep(sources, COVER_SOURCES),
        verbs.keep(sites, HOSTS),
        verbs.keep(sums, HISTOGRAM),
    ]
    return Outcome([*copies.tables, *tables], copies.counters | statistics)


def _cover(verbs: Verbs, sizes: Rows, others: Rows, lists: Rows, given: PhraseParameters) -> tuple[Rows, Rows, Rows]:
    """Counts, covering sets and their sources, of the documents that lists are sent to."""
    (donors,) = verbs.group([lists], Kernel("donors"))
    counts, covers, sources = verbs.group([sizes, others, donors], Kernel("covering sets", prune=given.prune))
    return counts, covers, sources


def _read_marks(verbs: Verbs, marks: Kept) -> Rows:
    """Which documents may be sources, as rows."""
    (rows,) = verbs.map(marks, Kernel("select", ("doc", "mark")))
    return rows


def _mark(verbs: Verbs, copies: Kept | None, *marks: Rows, usual: int) -> Kept:
    """The documents that are kept, with where they stand, and what is wanted of each."""
    assert copies is not None, "servers matter, so there is a table of copies"
    (places,) = verbs.map(copies, Kernel("select", ("doc", "kept", "servers")))
    (drawn,) = verbs.group([places, *marks], Kernel("drawn documents", usual=usual))
    return verbs.keep(drawn, DRAWN)


def _cover_sample(
    verbs: Verbs,
    corpus: Kept,
    copies: Kept | None,
    counted: Kept,
    given: PhraseParameters,
    taking: dict[str, Any],
    marks: Kept | None,
) -> tuple[Rows, Rows]:
    """Covering sets of a sample of documents, without a limit on how many documents share a shingle."""
    drawing: dict[str, Any] = {
        "draw": given.sample,
        "least": given.least,
        "site": given.sample_site,
        "seed": given.seed,
    }
    (lots,) = verbs.map(corpus, Kernel("lots", **drawing), beside=counted)
    (chosen,) = verbs.group([lots], Kernel("draws", size=given.sample_size))
    marked = [] if marks is None else [_read_marks(verbs, marks)]
    drawn = _mark(verbs, copies, chosen, *marked, usual=0 if marked else SOURCE)
    grams, sizes = verbs.map(corpus, Kernel("samples to cover", **taking), beside=drawn)
    _, lists, others, _ = verbs.group([grams], Kernel("popular", popular=given.popular, max_df=NO_LIMIT))
    _, covers, sources = _cover(verbs, sizes, others, lists, given)
    return covers, sources


def _look_up_texts(verbs: Verbs, corpus: Kept, found: Rows, words: dict[str, Any]) -> Kept:
    """Popular phrases with their texts: one more pass, over the documents that have one first."""
    asked = verbs.keep(found, ASKED_PHRASES)
    (texts,) = verbs.map(corpus, Kernel("phrase texts", **words), among=asked)
    return verbs.keep(texts, POPULAR)


def _join_grams(
    verbs: Verbs,
    corpus: Kept,
    copies: Kept | None,
    given: PhraseParameters,
    taking: dict[str, Any],
    words: dict[str, Any],
) -> Kept:
    """Whole phrases: shuffles 8 bytes for each gram, then about 50 for each gram that is popular."""
    grams, _ = verbs.map(corpus, Kernel("samples", **(taking | {"exact": True})), beside=copies)
    (lists,) = verbs.group([grams], Kernel("phrase lists", popular=given.popular))
    asked = verbs.keep(lists, ASKED_GRAMS)
    (found,) = verbs.map(corpus, Kernel("whole phrases", **words, total=corpus.rows), among=asked)
    (phrases,) = verbs.group([found], Kernel("one phrase"))
    return verbs.keep(phrases, PHRASES)


def _pages_of_sites(verbs: Verbs, corpus: Kept, counted: Kept, covered: Kept, given: PhraseParameters) -> Rows:
    """What is known of each page, brought to its site. Shuffles some 60 bytes a document, twice."""
    sited, name = see_names(corpus, given.group)
    (names,) = verbs.map(sited, Kernel("select", ("doc", name)))
    (counts,) = verbs.map(counted, Kernel("select", ("doc", "shingles", "popular")))
    (covers,) = verbs.map(covered, Kernel("select", ("doc", "covered", "foreign_contribution")))
    (pages,) = verbs.group([names, counts, covers], Kernel("phrase pages"))
    return pages


def weigh(given: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    """What the longer stages cost beside each other: per mille of the time on the small Debian corpus without
    whole phrases."""
    near = {"shingles": 202, "edges": 30} if given.get("collapse", "near") == "near" else {}
    popular = 411 if given.get("exact") else 84
    whole = {"phrase lists": 620, "whole phrases": 600} if given.get("whole", True) else {}
    costs = {"samples": 222, "popular": popular, "donors": 23, "covering sets": 99, **whole, "phrase texts": 106}
    return (near | costs).items()


DECLARATION = Analysis(
    name="phrases",
    summary="unquilt.cli.show.phrases:PhraseView",
    report="unquilt.page.report.sections.phrases:show_phrases",
    parameters=PhraseParameters,
    function="unquilt.analyses.phrases:phrases",
    costs=weigh,
    results=(HOSTS, PHRASES, COVERS),
    on_request=(PHRASES,),
    others=(
        POPULAR,
        DOCUMENT_PHRASES,
        COVER_SOURCES,
        HISTOGRAM,
        *COPY_TABLES,
        ASKED_PHRASES,
        ASKED_GRAMS,
        DRAWN,
        SOURCE_MARKS,
    ),
    foreign=lambda given: str(given.group),
    counts_sites=True,
    labels={
        "samples": "taking shingles",
        "samples to cover": "taking shingles of the sample",
        "popular": "finding popular phrases",
        "popular_phrases": "finding popular phrases",
        "added shingles": "counting shingles",
        "donors": "sorting by document",
        "phrase counts": "counting popular phrases",
        "covering sets": "finding covering sets",
        "lots": "drawing a sample",
        "draws": "drawing a sample",
        "drawn documents": "drawing a sample",
        "phrase texts": "looking up phrases",
        **dict.fromkeys(
            ("phrase lists", "asked_grams", "whole phrases", "one phrase", "phrases"), "joining grams to phrases"
        ),
        "phrase pages": "counting by site",
        "phrase_pages": "counting by site",
        "phrase hosts": "counting by site",
        "host_counts": "counting by site",
        "select": "looking up names",
    },
    example="""
    >>> import pyarrow as pa
    >>> texts = [f"{name} buy cheap pills now" for name in ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay")]
    >>> run = phrases(pa.table({"id": list("abcdef"), "text": texts}), k=4, collapse="none")
    >>> run.popular.select(["text", "documents"]).to_pylist()
    [{'text': 'buy cheap pills now', 'documents': 6}]
    """,
)
