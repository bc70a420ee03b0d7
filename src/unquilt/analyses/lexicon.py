"""In how many documents each word is: what the lexicons of I-Match are made of (Kołcz and Chowdhury, KDD 2004).

Words of fewer than four characters (in scripts with spaces) and words with more than one digit are left out, as in the
paper. Which of the others make a lexicon is decided afterwards (`stores.lexicons`): the same counts serve for any range
of idf.
"""

from __future__ import annotations

from dataclasses import dataclass

from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.stores.lexicons import check_nidf
from unquilt.tables.neardups import WORDS


@dataclass(frozen=True)
class LexiconParameters(Parameters):
    """Which words make a lexicon."""

    nidf: tuple[float, ...] = parameter(
        (0.2, 0.8),
        "range of normalised idf of the words in signatures, the most frequent first",
        at_least=0,
        at_most=1,
        is_range=True,
    )
    min_df: int = parameter(
        1, "minimum number of documents with a rarer word that fills up short signatures", at_least=1, at_most=2**32
    )

    def check(self) -> None:
        """A range has two ends."""
        check_nidf(self.nidf)


def count_words(verbs: Verbs, corpus: Kept, *, all_words: bool = False, every: int = 1) -> Kept:
    """The table `words`: each word and the number of documents that it is in; with `all_words`, also those that can be
    no features of I-Match. Of so many documents as `every` says, one is read.

    One pass over the texts and one group of about 30 bytes for each word and each batch that it occurs in.
    """
    (counts,) = verbs.map(corpus, Kernel("document words", all=all_words, every=every))
    (sums,) = verbs.group([counts], Kernel("word sums"))
    return verbs.keep(sums, WORDS)


def lexicon(verbs: Verbs, corpus: Kept, _: LexiconParameters) -> Outcome:
    """The counts as a run of their own."""
    return Outcome([count_words(verbs, corpus)], {})


DECLARATION = Analysis(
    name="lexicon",
    summary="",
    report="",
    parameters=LexiconParameters,
    function="unquilt.analyses.lexicon:lexicon",
    results=(WORDS,),
)
