"""Corpus folders as inputs, and what is known of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

from unquilt.corpus.options import PLAIN, RESTORED, Reading
from unquilt.errors import InputChangedError, InputError, ParameterError, RunError, damaged
from unquilt.flow.kept import Kept
from unquilt.jobs.opening import open_table
from unquilt.parameters import Parameters
from unquilt.remote.names import is_url
from unquilt.remote.paths import place
from unquilt.runs import Run
from unquilt.runs.manifest import MANIFEST
from unquilt.runs.storage import shown
from unquilt.tables.corpus import DOCUMENTS, OTHER_TEXTS, REJECTS

CORPUS = "corpus"
"""The folder of a corpus that was made within a run."""
EARLIER = "earlier"
"""In the manifest of a corpus that was added to: what it was before, so that runs of then find their documents."""
PLAIN_WORDS = "plain_words"
"""In the summary of a run: that words of its corpus are compared as they are written."""


def find_corpus(run: Run) -> Run | None:
    """The corpus that a run was made from: in the run's folder, where it was then, or beside the run; without the
    documents that were added to it since.

    Files that parameters name, such as a lexicon, are inputs of a run, too, behind those of its corpus.
    """
    inner, inputs = run.inner(CORPUS), run.manifest["inputs"]  # a link in its place is refused, not passed over
    with suppress(RunError):
        within = Run.read(inner)
        if within.manifest["inputs"] == inputs[: len(within.manifest["inputs"])]:
            return within
    for record in inputs[:1]:
        beside = run.path.absolute().parent
        there = place(record["path"])
        for folder in (there, *(() if is_url(there) else (beside / record["path"],)), beside / there.name):
            with suppress(RunError):
                corpus = Run.read(folder)
                if corpus.manifest["analysis"] == "ingest":  # runs that were merged have runs as inputs
                    found = recall(corpus, record["sha256"])
                    if found is not None:
                        return found
    return None


def recall(corpus: Run, fingerprint: str) -> Run | None:
    """A corpus as it was when it had this fingerprint: itself, or without what was added to it since."""
    if corpus.manifest["fingerprint"] == fingerprint:
        return corpus
    for state in corpus.manifest.get(EARLIER, ()):
        marker = corpus.manifest.get("done", {}).get(DOCUMENTS.name)
        if state["fingerprint"] == fingerprint and marker is not None and not state["others"]:
            names = [name for name in marker["files"] if name.startswith(f"{DOCUMENTS.name}/")][: state["parts"]]
            files = {name: marker["files"][name] for name in names}
            tables = {name: size for name, size in marker["tables"].items() if name == REJECTS.name}
            then = marker | {"files": files, "tables": tables, "fingerprint": fingerprint}
            summary = {name: state[name] for name in ("documents", "words", "bytes", "rejects")}
            manifest = corpus.manifest | {"fingerprint": fingerprint, "summary": summary}
            return Run(corpus.path, manifest | {"done": {DOCUMENTS.name: then}})
    return None


def note_state(corpus: Run) -> list[dict[str, Any]]:
    """What the manifest says of the states of a corpus, its present one the last, before something is added to it."""
    parts = [name for name in corpus.files(DOCUMENTS.name) if name.startswith(f"{DOCUMENTS.name}/")]
    known = {name: measures(corpus)[name] for name in ("documents", "words", "bytes", "rejects")}
    others = corpus.manifest["summary"].get(OTHER_TEXTS.name, 0)
    state = {"fingerprint": corpus.manifest["fingerprint"], "parts": len(parts), "others": others}
    return [*corpus.manifest.get(EARLIER, ()), state | known]


def measures(run: Run) -> dict[str, Any]:
    """What is known of the corpus of a finished run: documents, words, bytes and rejects at least."""
    summary: dict[str, Any] = run.manifest["summary"]
    for name in ("documents", "words", "bytes", "rejects"):
        if not 0 <= summary.get(name, -1) < 1 << 63:
            raise damaged(run.path / MANIFEST, f"summary.{name} is missing or not a count")
    return summary


def has_plain_words(corpus: Run) -> bool:
    """Whether words are compared as they are written, not as a reader sees them."""
    return bool(corpus.manifest["parameters"]["words"] == PLAIN)


def has_source(corpus: Run) -> bool:
    """Whether its texts are the source of pages."""
    return bool(corpus.manifest["parameters"].get("source"))


def recall_reading(corpus: Run) -> Reading:
    """How the inputs of a corpus were read."""
    known = {info.name for info in Reading.describe()} | {"fields", "limits"}
    given = {name: value for name, value in corpus.manifest["parameters"].items() if name in known}
    return Reading.from_dict(given | {"words": PLAIN if has_plain_words(corpus) else RESTORED})


OF_FILES = frozenset({"fields", "limits", "base_url", "include", "exclude", "carry"})
"""What may differ from file to file of a corpus: what they are called and hold, not what is read of them."""


def continue_reading(corpus: Run, asked: Reading) -> Reading:
    """How files are read that are added to a corpus: as it was, but for what is asked of these files.

    ParameterError if what is asked would make documents of another kind.
    """
    known = recall_reading(corpus)
    for name, value in _find_asked(asked, Reading()).items():
        before = getattr(known, name)
        if name not in OF_FILES and value != before:
            raise ParameterError(
                f"{name} was {before} when {shown(corpus.path)} was read, and is now {value}; leave it out, or read "
                "these files into a corpus of their own"
            )
        parts = _find_asked(value, type(value)()) if isinstance(value, Parameters) else {}
        known = replace(known, **{name: replace(before, **parts) if parts else value})
    return known


def _find_asked(given: Parameters, usual: Parameters) -> dict[str, Any]:
    """The values that are not the usual ones."""
    names = (each.name for each in fields(given))
    return {name: getattr(given, name) for name in names if getattr(given, name) != getattr(usual, name)}


def refuse_other_words(path: str, spelling: str | None, *, plain: bool) -> None:
    """Refuses a lexicon or a set of labels whose words are not like those of the corpus."""
    if spelling is not None and (spelling == PLAIN) != plain:
        said = f"{shown(path)} has {spelling} words, and the corpus has {'plain' if plain else 'restored'} ones"
        raise InputError(
            f"{said}; make it anew from a corpus with the same --words, or read the inputs with --words {spelling}"
        )


def documents(corpus: Run, *, others: bool = False) -> Kept:
    """The documents of a corpus folder; with `others`, also JavaScript, CSS and robots.txt, which come behind them and
    go on with their numbers."""
    tables = (DOCUMENTS.name, OTHER_TEXTS.name) if others else (DOCUMENTS.name,)
    files = [name for name in corpus.files(DOCUMENTS.name) if name.partition("/")[0] in tables]
    found = open_table(corpus, DOCUMENTS.name, DOCUMENTS, files)
    known = measures(corpus) if corpus.complete else corpus.values(DOCUMENTS.name)
    return found.check_numbering(sum(known.get(name, 0) for name in tables))


def other_texts(corpus: Run) -> Kept | None:
    """JavaScript, CSS and robots.txt of a corpus folder; None if it has none."""
    files = [name for name in corpus.files(DOCUMENTS.name) if name.partition("/")[0] == OTHER_TEXTS.name]
    if not files:
        return None
    return open_table(corpus, OTHER_TEXTS.name, OTHER_TEXTS, files)


def refuse_other_corpus(corpus: Run) -> None:
    """Raise `InputChangedError` if a corpus was replaced by another while it was read; what was added to it meanwhile
    changes nothing."""
    if recall(Run.read(corpus.path), corpus.manifest["fingerprint"]) is None:
        raise InputChangedError(f"{corpus.path} was overwritten while it was read; run again when nothing writes to it")
