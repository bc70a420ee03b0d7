"""The Python API: one function for each command, the same defaults, the same run folders."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from unquilt import jobs
from unquilt._native import grams, words
from unquilt.analyses.lexicon import LexiconParameters
from unquilt.analyses.neardups import NeardupParameters, SignatureParameters
from unquilt.analyses.neardups import neardups as find_neardups
from unquilt.analyses.quilts import QuiltParameters
from unquilt.analyses.quilts import quilts as find_quilts
from unquilt.analyses.sweep import SweepParameters
from unquilt.analyses.sweep import sweep as count_quilts
from unquilt.corpus.options import Fields, Limits, Reading
from unquilt.errors import ParameterError
from unquilt.jobs import How, Inputs
from unquilt.runs import Run
from unquilt.settings import Settings
from unquilt.stores.filters import Filter
from unquilt.stores.lexicons import Lexicon

__all__ = [
    "Fields",
    "Filter",
    "How",
    "Lexicon",
    "Limits",
    "NeardupParameters",
    "QuiltParameters",
    "Reading",
    "Run",
    "Settings",
    "SignatureParameters",
    "SweepParameters",
    "build_filter",
    "build_lexicon",
    "grams",
    "ingest",
    "neardups",
    "quilts",
    "read",
    "sweep",
    "words",
]


def ingest(inputs: Inputs, output: str | Path | None = None, *, how: How | None = None) -> Run:
    """Reads files, folders, globs, `-` or an Arrow table (columns id, url, text, ip) into a corpus folder.

    Analyses take the folder in place of the inputs, and then need not read them again.

    >>> import pyarrow as pa
    >>> corpus = ingest(pa.table({"id": ["a", "b"], "text": ["one two three", "two three four"]}))
    >>> corpus.manifest["summary"]["words"]
    6
    """
    return jobs.ingest(inputs, output, how)


def neardups(inputs: Inputs, output: str | Path | None = None, *, how: How | None = None, **parameters: Any) -> Run:
    """Finds clusters of documents that say the same but for small changes.

    `parameters` are those of `NeardupParameters`; without `output`, results live in a temporary folder.

    >>> import pyarrow as pa
    >>> run = neardups(pa.table({"id": ["a", "b", "c"], "text": ["one two three", "four five", "One, two: three!"]}))
    >>> run.clusters.to_pylist()
    [{'doc': 0, 'cluster': 0, 'keep': True}, {'doc': 2, 'cluster': 0, 'keep': False}]
    >>> run.similarity.to_pylist()
    [{'cluster': 0, 'documents': 2, 'least': 1.0, 'median': 1.0}]
    """
    given = NeardupParameters.from_dict(parameters)
    beside = [given.lexicon] if given.lexicon else []
    find = partial(find_neardups, lexicon=Lexicon.read(given.lexicon) if given.lexicon else None)
    return jobs.analyse("neardups", given, find, inputs, output, how, beside=beside)


def build_filter(
    inputs: Inputs,
    output: str | Path,
    *,
    base: str | Path | None = None,
    how: How | None = None,
    **parameters: Any,
) -> Filter:
    """Makes a set of prototypes, a file, that says of any text which of them it is a near-duplicate of.

    `parameters` are those of `SignatureParameters`. With `base`, a set, its prototypes come first, and it decides how
    documents are compared; `output` may be the same file.

    >>> import pyarrow as pa
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "spam.set"
    >>> spam = build_filter(pa.table({"id": ["offer"], "text": ["Buy one and get two for the price of three"]}), path)
    >>> spam.match("buy ONE, and get two for the price of three!")
    ['offer']
    """
    given = SignatureParameters.from_dict(parameters)
    if base is not None and parameters:
        raise ParameterError(f"{next(iter(parameters))} is that of the set that is added to; leave it out")
    return jobs.build_filter(given, inputs, output, how, None if base is None else Filter.load(base))[0]


def quilts(inputs: Inputs, output: str | Path | None = None, *, how: How | None = None, **parameters: Any) -> Run:
    """Finds pages stitched together from other pages, and the pages they draw on .

    `parameters` are those of `QuiltParameters`; without `output`, results live in a temporary folder.

    >>> import pyarrow as pa
    >>> pages = pa.table({"id": ["x", "y", "z"], "text": ["a b c d", "d e f g", "a b c d e f g"]})
    >>> run = quilts(pages, k=3, c=2)
    >>> run.quilts.select(["id", "patchfrac", "sources"]).to_pylist()
    [{'id': 'z', 'patchfrac': 0.8, 'sources': 2}]
    """
    return jobs.analyse("quilts", QuiltParameters.from_dict(parameters), find_quilts, inputs, output, how)


def sweep(inputs: Inputs, output: str | Path | None = None, *, how: How | None = None, **parameters: Any) -> Run:
    """Counts the quilts for every combination of several k, m, c and sigma, at the price of one pass for each k.

    `parameters` are those of `SweepParameters`, by default as published; without `output`, results live in a temporary
    folder.

    >>> import pyarrow as pa
    >>> pages = pa.table({"id": ["x", "y", "z"], "text": ["a b c d", "d e f g", "a b c d e f g"]})
    >>> run = sweep(pages, k=[3], m=[2, 50], c=[1, 2], sigma=[0.5, 0.9])
    >>> run.sweep.to_pylist()[2]
    {'k': 3, 'm': 2, 'c': 2, 'sigma': 0.5, 'quilts': 1, 'share': 0.3333333333333333, 'mean_sources': 2.0}
    """
    return jobs.analyse("sweep", SweepParameters.from_dict(parameters), count_quilts, inputs, output, how)


def build_lexicon(
    inputs: Inputs,
    output: str | Path | None = None,
    *,
    how: How | None = None,
    nidf: Sequence[float] = LexiconParameters.nidf,
    min_df: int = LexiconParameters.min_df,
) -> Lexicon:
    """Makes the lexicon of a corpus: the words that I-Match signatures are made of, there or in another corpus.

    `nidf` is the range of normalised idf of its words, `min_df` the fewest documents of rarer ones, which fill up short
    signatures. With `output`, it is written to a file, which `Lexicon.read` reads.

    >>> import pyarrow as pa
    >>> pages = pa.table({"id": list("wxyz"), "text": ["Good morning", "good evening", "Good night", "GOOD night"]})
    >>> lexicon = build_lexicon(pages, nidf=(0.2, 0.6))
    >>> lexicon.words.to_pylist()[0], lexicon.primary, lexicon.secondary
    ({'word': 'night', 'df': 2}, 1, 2)
    """
    parameters = LexiconParameters.from_dict({"nidf": nidf, "min_df": min_df})
    return jobs.build_lexicon(parameters, inputs, output, how)[0]


def read(path: str | Path) -> Run:
    """Opens a run or corpus folder to look at: `run.quilts` is its table `quilts`, `run.manifest` what it was."""
    return Run.read(path)
