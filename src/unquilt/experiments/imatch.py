"""The evaluation of I-Match with randomised lexicons (Kołcz, Chowdhury and Alspector, KDD 2004) on any corpus.

Recall (Figures 2 and 3, Table 1): a sample of documents is asked for. Of each, the near-duplicates are all other
documents with a cosine of at least 0.9 over sets of words, found exactly. Recall is the share of these that agree with
it in any of the first K + 1 coordinates of their signatures, in the mean of all documents that have near-duplicates;
for K = 0 to 10, with the lexicon of this corpus and of others. False alarms: documents of a legitimate corpus that
agree with any document.

Stability (Figure 1): n words of the lexicon are added to or removed from a document; beside the model 1 - (1 - p^n)^K
stands the share of documents of which one of the K randomised signatures stays.

Near-duplicates are kept while the experiment runs, so that an interrupted one goes on with them. Memory: the words of
the corpus and of the documents that are asked for, and the texts of near-duplicates. Time: texts are read five times,
and once more for each lexicon if there are legitimate documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from unquilt import _native
from unquilt.analyses.imatch_experiment import DECLARATION, ImatchExperimentParameters
from unquilt.analyses.lexicon import LexiconParameters
from unquilt.engines.progress import Progress, Step
from unquilt.errors import InputError
from unquilt.experiments.near import LEAST_WORDS, NearDuplicates, know_near, read_texts
from unquilt.experiments.tables import Row, carrying_out, keep_rows, read_corpus
from unquilt.jobs.corpora import documents
from unquilt.jobs.named import Inputs
from unquilt.jobs.options import JobOptions
from unquilt.jobs.work import build_lexicon
from unquilt.runs import Run
from unquilt.runs.storage import shown
from unquilt.stores.lexicons import Lexicon
from unquilt.tables.experiments import NEAR_DOCUMENTS, RECALLS, STABILITY

OWN = "own"
"""The name of the lexicon of the corpus itself."""
CHANGED = 200
"""How many documents are changed."""


def run_imatch(
    given: ImatchExperimentParameters,
    inputs: Inputs,
    output: str | Path | None = None,
    options: JobOptions | None = None,
) -> Run:
    """Carries the experiment out over inputs, or over a corpus folder, into a run folder. What is read becomes a corpus
    beside it."""
    options = options or JobOptions()
    output, corpus = read_corpus(inputs, output, options)
    with carrying_out(DECLARATION, given, [corpus], output, output, options, (NEAR_DOCUMENTS,)) as begun:
        run = begun.run
        if begun.is_left:
            quiet = replace(options, overwrite=False)
            lexicons = _open_lexicons(corpus, given, quiet)
            near = know_near(run, corpus, given, options)
            rows: list[Row] = []
            for name, lexicon in lexicons.items():
                signer = Signer(lexicon.pack(), given)
                alarms = _count_alarms(corpus, output, signer, quiet) if given.legitimate else None
                rows += measure_recall(name, near, signer, alarms, options.progress)
            keep_rows(run, RECALLS, rows)
            own = lexicons[OWN]
            keep_rows(run, STABILITY, measure_stability(near, own, Signer(own.pack(), given), given))
            begun.facts["queries"] = len(near.queries)
            begun.facts["near_duplicates"] = sum(map(len, near.found.values()))
    return run


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

    def sign(self, text: str) -> list[str | None]:
        """Those of the whole lexicon and of the randomised ones."""
        given = self.given
        return _native.signatures(
            text,
            lexicon=self.lexicon,
            lexicons=given.most,
            drop=given.drop,
            seed=given.seed,
            randomise="primary",
            min_terms=given.min_terms,
            min_share=given.min_share,
        )


def measure_recall(
    name: str, near: NearDuplicates, signer: Signer, alarms: tuple[int, list[int]] | None, progress: Progress
) -> list[Row]:
    """The mean recall by number of randomised lexicons."""
    signed = {}
    wanted = {*near.found, *(doc for docs in near.found.values() for doc in docs)}
    with progress.stage("recalls", len(wanted)) as step:
        for doc in wanted:
            signed[doc] = signer.sign(near.texts[doc])
            step(1)
    most = signer.given.most
    found = [0] * (most + 1)
    recall = [0.0] * (most + 1)
    for query, docs in near.found.items():
        first = [_first_agreement(signed[query], signed[doc]) for doc in docs]
        for k in range(most + 1):
            agreeing = sum(at is not None and at <= k for at in first)
            found[k] += agreeing
            recall[k] += agreeing / len(docs)
    asked = len(near.found)
    rows = []
    for k in range(most + 1):
        mean = recall[k] / asked if asked else None
        gain = recall[k] / recall[0] - 1 if recall[0] else None
        row: Row = {
            "lexicon": name,
            "lexicons": k,
            "queries": asked,
            "near_duplicates": sum(map(len, near.found.values())),
        }
        row |= {"found": found[k], "recall": mean, "gain": gain}
        row |= {"legitimate": alarms and alarms[0], "false_alarms": alarms and alarms[1][k]}
        rows.append(row)
    return rows


def _first_agreement(one: Sequence[str | None], other: Sequence[str | None]) -> int | None:
    pairs = enumerate(zip(one, other, strict=True))
    return next((at for at, (a, b) in pairs if a is not None and a == b), None)


def _count_alarms(corpus: Run, output: Path, signer: Signer, options: JobOptions) -> tuple[int, list[int]]:
    """How many legitimate documents there are, and how many agree with any of the corpus, by number of lexicons."""
    given = signer.given
    known: list[set[str | None]] = [set() for _ in range(given.most + 1)]
    with options.progress.stage("known signatures", documents(corpus).rows) as step:
        _add_signatures(known, corpus, signer, step)
    place = output.with_name(f"{output.name}-legitimate")
    _, legitimate = read_corpus(given.legitimate, place, options)
    number, alarms = 0, [0] * (given.most + 1)
    with options.progress.stage("alarms", documents(legitimate).rows) as step:
        for _, text in read_texts(legitimate, step):
            number += 1
            signed = enumerate(zip(signer.sign(text), known, strict=True))
            first = next((at for at, (one, there) in signed if one is not None and one in there), None)
            for k in range(given.most + 1 if first is None else first, given.most + 1):
                alarms[k] += 1
    return number, alarms


def _add_signatures(known: Sequence[set[str | None]], corpus: Run, signer: Signer, step: Step) -> None:
    for _, text in read_texts(corpus, step):
        for coordinate, signature in zip(known, signer.sign(text), strict=True):
            coordinate.add(signature)


def measure_stability(
    near: NearDuplicates, lexicon: Lexicon, signer: Signer, given: ImatchExperimentParameters
) -> list[Row]:
    """How many documents keep one of their randomised signatures after words were added or removed."""
    primary = lexicon.words["word"].to_pylist()[: lexicon.primary]
    listed = set(primary)
    chosen: list[list[str]] = []
    for query in near.queries:
        terms = sorted({word for word, _, _ in _native.words(near.texts[query])} & listed)
        if len(terms) >= max(LEAST_WORDS, given.min_terms) + given.changes and len(chosen) < CHANGED:
            chosen.append(terms)
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
