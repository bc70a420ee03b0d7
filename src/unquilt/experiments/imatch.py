"""The evaluation of I-Match with randomised lexicons (Kołcz, Chowdhury and Alspector, KDD 2004) on any corpus.

Recall (Figures 2 and 3, Table 1): a sample of documents is asked for. Of each, the near-duplicates are all other
documents with a cosine of at least 0.9 over sets of words, found exactly. Recall is the share of these that agree with
it in any of the first K + 1 coordinates of their signatures, in the mean of all documents that have near-duplicates;
for K = 0 to 10, with the lexicon of this corpus and of others. False alarms: documents of a legitimate corpus that
agree with any document.

Stability (Figure 1): n words of the lexicon are added to or removed from a document; beside the model 1 - (1 - p^n)^K
stands the share of documents of which one of the K randomised signatures stays.

Near-duplicates are kept while the experiment runs, so that an interrupted one goes on with them. Memory: the words of
the documents that are asked for, and the signatures of these and of their near-duplicates; of all documents, if there
are legitimate ones. Time: texts are read four times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from unquilt import _native
from unquilt.analyses.imatch_experiment import DECLARATION, ImatchExperimentParameters
from unquilt.analyses.lexicon import LexiconParameters
from unquilt.engines.progress import Step
from unquilt.errors import InputError
from unquilt.experiments.experiment import Begun, Experiment, read_corpus
from unquilt.experiments.near import LEAST_WORDS, NearDuplicates, know_near, read_texts
from unquilt.experiments.tables import Row
from unquilt.figures import imatch as figures
from unquilt.jobs.corpora import documents
from unquilt.jobs.options import JobOptions
from unquilt.jobs.work import build_lexicon
from unquilt.runs import Run
from unquilt.runs.storage import shown
from unquilt.stores.lexicons import Lexicon
from unquilt.tables.experiments import RECALLS, STABILITY

OWN = "own"
"""The name of the lexicon of the corpus itself."""
CHANGED = 200
"""How many documents are changed."""
Signatures = Sequence[str | None]
"""One for each coordinate that has any."""


def _open_lexicons(corpus: Run, given: ImatchExperimentParameters, options: JobOptions) -> dict[str, Lexicon]:
    own, _ = build_lexicon(LexiconParameters(given.nidf), corpus.path, None, options)
    found = {OWN: own}
    for path in given.lexicon:
        found[Path(path).name] = Lexicon.read(path)
    if not own.primary:
        raise InputError(
            f"the lexicon of {shown(corpus.path)} has no words: the corpus is too small, or nidf too narrow"
        )
    return found


@dataclass(frozen=True)
class Signer:
    """Makes the signatures of texts with one lexicon."""

    lexicon: bytes
    given: ImatchExperimentParameters

    def sign(self, text: str) -> Signatures:
        """Those of the whole lexicon and of the randomised ones; the text as a reader sees it."""
        given = self.given
        return _native.signatures(
            text,
            plain=True,
            lexicon=self.lexicon,
            lexicons=given.most,
            drop=given.drop,
            seed=given.seed,
            randomise="primary",
            min_terms=given.min_terms,
            min_share=given.min_share,
        )


@dataclass(frozen=True)
class Signed:
    """What one lexicon makes of the corpus: the signatures of documents that have near-duplicates, and for each
    coordinate those of all documents, if legitimate ones are to be compared with these."""

    signer: Signer
    documents: dict[int, Signatures]
    everywhere: list[set[str | None]]

    def find(self, signatures: Signatures) -> int | None:
        """The first coordinate that any document of the corpus has, too."""
        pairs = enumerate(zip(signatures, self.everywhere, strict=True))
        return next((at for at, (one, there) in pairs if one is not None and one in there), None)


def _sign(
    corpus: Run, near: NearDuplicates, lexicons: Mapping[str, Lexicon], given: ImatchExperimentParameters, step: Step
) -> tuple[dict[str, Signed], list[list[str]]]:
    """The signatures by each lexicon, and the words of documents that have enough in the first lexicon to be
    changed."""
    signed = {
        name: Signed(Signer(lexicon.pack(), given), {}, [set() for _ in range(given.most + 1)])
        for name, lexicon in lexicons.items()
    }
    own = lexicons[OWN]
    listed = set(own.words["word"].to_pylist()[: own.primary])
    least = max(LEAST_WORDS, given.min_terms) + given.changes
    queries, wanted = set(near.queries), near.documents
    chosen: list[list[str]] = []
    for doc, text in read_texts(corpus, step):
        for one in signed.values():
            if doc in wanted or given.legitimate:
                signatures = one.signer.sign(text)
                if doc in wanted:
                    one.documents[doc] = signatures
                if given.legitimate:
                    for coordinate, signature in zip(one.everywhere, signatures, strict=True):
                        coordinate.add(signature)
        if doc in queries and len(chosen) < CHANGED:
            terms = sorted({word for word, _, _ in _native.words(text, plain=True)} & listed)
            if len(terms) >= least:
                chosen.append(terms)
    return signed, chosen


def _measure_recalls(
    near: NearDuplicates, signed: Mapping[str, Signed], alarms: Mapping[str, tuple[int, list[int]]]
) -> Iterator[Row]:
    for name, one in signed.items():
        yield from _measure_recall(name, near, one, alarms.get(name))


def _measure_recall(name: str, near: NearDuplicates, signed: Signed, alarms: tuple[int, list[int]] | None) -> list[Row]:
    """The mean recall by number of randomised lexicons."""
    most = signed.signer.given.most
    found = [0] * (most + 1)
    recall = [0.0] * (most + 1)
    for query, docs in near.found.items():
        own = signed.documents[query]
        first = [_first_agreement(own, signed.documents[doc]) for doc in docs]
        for k in range(most + 1):
            agreeing = sum(at is not None and at <= k for at in first)
            found[k] += agreeing
            recall[k] += agreeing / len(docs)
    asked = len(near.found)
    return [
        {
            "lexicon": name,
            "lexicons": k,
            "queries": asked,
            "near_duplicates": near.pairs,
            "found": found[k],
            "recall": recall[k] / asked if asked else None,
            "gain": recall[k] / recall[0] - 1 if recall[0] else None,
            "legitimate": alarms and alarms[0],
            "false_alarms": alarms and alarms[1][k],
        }
        for k in range(most + 1)
    ]


def _first_agreement(one: Sequence[str | None], other: Sequence[str | None]) -> int | None:
    pairs = enumerate(zip(one, other, strict=True))
    return next((at for at, (a, b) in pairs if a is not None and a == b), None)


def _count_alarms(begun: Begun, signed: Mapping[str, Signed], path: str) -> dict[str, tuple[int, list[int]]]:
    """By lexicon: how many legitimate documents there are, and how many agree with any of the corpus, by number of
    lexicons."""
    quiet = replace(begun.options, overwrite=False)
    _, legitimate = read_corpus(path, begun.place.with_name(f"{begun.place.name}-legitimate"), quiet)
    number = documents(legitimate).rows
    alarms = {name: [0] * len(one.everywhere) for name, one in signed.items()}
    with quiet.progress.stage("alarms", number) as step:
        for _, text in read_texts(legitimate, step):
            for name, one in signed.items():
                first = one.find(one.signer.sign(text))
                for k in range(len(one.everywhere) if first is None else first, len(one.everywhere)):
                    alarms[name][k] += 1
    return {name: (number, counts) for name, counts in alarms.items()}


def measure_stability(
    chosen: Sequence[Sequence[str]], lexicon: Lexicon, signer: Signer, given: ImatchExperimentParameters
) -> list[Row]:
    """How many documents of these words keep one of their randomised signatures after words were added or removed."""
    primary = lexicon.words["word"].to_pylist()[: lexicon.primary]
    stays = [[0] * (given.most + 1) for _ in range(given.changes + 1)]
    for number, terms in enumerate(chosen):
        random = Random(f"{given.seed} {number}")  # noqa: S311 - the same every time, and no secret
        before = signer.sign(" ".join(terms))
        changed = list(terms)
        gone: set[str] = set()
        for n in range(1, given.changes + 1):
            _change_word(changed, terms, gone, primary, random)
            first = next(
                (
                    at
                    for at, (a, b) in enumerate(zip(before, signer.sign(" ".join(changed)), strict=True))
                    if at and a == b
                ),
                given.most + 1,
            )
            for k in range(first, given.most + 1):
                stays[n][k] += 1
    return [
        {
            "changes": n,
            "lexicons": k,
            "model": 1 - (1 - given.drop**n) ** k,
            "documents": len(chosen),
            "measured": stays[n][k] / len(chosen) if chosen else None,
        }
        for n in range(1, given.changes + 1)
        for k in range(1, given.most + 1)
    ]


def _change_word(
    changed: list[str], terms: Sequence[str], gone: set[str], primary: Sequence[str], random: Random
) -> None:
    """Removes a word of the document that no change has touched, or adds a word of the lexicon that it lacks."""
    there = set(changed) | gone
    if random.random() < 0.5 and len(there) < len(primary):
        word = random.choice(primary)
        while word in there:
            word = random.choice(primary)
        changed.append(word)
        return
    word = random.choice([each for each in terms if each not in gone])
    changed.remove(word)
    gone.add(word)


def _fill(begun: Begun, given: ImatchExperimentParameters) -> None:
    corpus, progress = begun.corpus, begun.options.progress
    lexicons = _open_lexicons(corpus, given, replace(begun.options, overwrite=False))
    near = know_near(begun.run, corpus, given, progress)
    with begun.run.stage("signatures"):
        with progress.stage("signatures", documents(corpus).rows) as step:
            signed, chosen = _sign(corpus, near, lexicons, given, step)
        alarms = _count_alarms(begun, signed, given.legitimate) if given.legitimate else {}
    begun.keep(RECALLS, lambda: _measure_recalls(near, signed, alarms))
    begun.keep(STABILITY, lambda: measure_stability(chosen, lexicons[OWN], signed[OWN].signer, given))
    begun.facts["queries"] = len(near.queries)
    begun.facts["near_duplicates"] = near.pairs


EXPERIMENT = Experiment(DECLARATION, _fill, figures.plot, figures.NAMES)
