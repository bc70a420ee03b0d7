"""A toy analysis, all of it in three files of its own: what DESIGN.md says of adding one, tried out."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from unquilt.analyses.analysis import Analysis, Outcome
from unquilt.flow.kept import Kept
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Verbs
from unquilt.parameters import Parameters, parameter
from unquilt.tables.table import OnPage, Table, column, document, integer

VOCABULARY = Table(
    "vocabulary",
    (
        integer("fingerprint", "fingerprint of the word"),
        column("word", pa.string(), "the word, case folded"),
        integer("df", "how many documents have it"),
    ),
    row=("word", "words"),
    see="which words there are, the commonest first",
    first=("word", "df"),
    hidden=("fingerprint",),
    order=("-df",),
    page=OnPage(tab="Words", filters=("df",)),
)
LENGTHS = Table(
    "lengths",
    (document("doc", "a document"), integer("words", "how many words it has")),
    row=("page", "pages"),
    see="how long pages are",
    order=("-words",),
    identified=("doc",),
    options=("full",),
    with_evidence="toy_views:LengthRows",
    page=OnPage(
        tab="Lengths",
        filters=("words",),
        links={"doc": "lengths/{doc}"},
        documents=("doc",),
        evidence="toy_views:find_opening",
    ),
)


@dataclass(frozen=True)
class VocabularyParameters(Parameters):
    """What to say of a vocabulary."""

    edition: int = parameter(1, "number of the edition, for the manifest", at_least=1)


def vocabulary(verbs: Verbs, corpus: Kept, given: VocabularyParameters) -> Outcome:
    """Counts the documents that each word is in."""
    (counts,) = verbs.map(corpus, Kernel("document words", all=False, every=1))
    (sums,) = verbs.group([counts], Kernel("word sums"))
    (lengths,) = verbs.map(corpus, Kernel("select", ("doc", "words")))
    return Outcome([verbs.keep(sums, VOCABULARY), verbs.keep(lengths, LENGTHS)], {"edition": given.edition})


DECLARATION = Analysis(
    name="vocabulary",
    parameters=VocabularyParameters,
    function="toy_vocabulary:vocabulary",
    results=(VOCABULARY, LENGTHS),
    summary="toy_views:VocabularyView",
    report="toy_views:show_vocabulary",
    labels={"document words": "counting words", "word sums": "counting words"},
    example="""
    >>> import pyarrow as pa
    >>> run = vocabulary(pa.table({"id": ["a", "b"], "text": ["good morning", "good evening"]}))
    >>> sorted(run.vocabulary.column("word").to_pylist())
    ['evening', 'good', 'morning']
    """,
)
