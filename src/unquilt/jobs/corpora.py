"""Corpus folders as inputs, and what is known of them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from unquilt import _native
from unquilt.corpus.options import PLAIN
from unquilt.errors import InputChangedError, InputError, RunError, damaged
from unquilt.flow.kept import Kept
from unquilt.jobs.places import CORPUS
from unquilt.remote.names import is_url
from unquilt.remote.paths import place
from unquilt.runs import Run
from unquilt.runs.manifest import MANIFEST, read_manifest
from unquilt.runs.storage import shown
from unquilt.tables import DOCUMENTS, OTHER_TEXTS

if TYPE_CHECKING:
    from unquilt.jobs.inputs import Inputs


PLAIN_WORDS = "plain_words"
"""In the summary of a run: that words of its corpus are compared as they are written."""


def open_corpus(inputs: Inputs) -> Run | None:
    """The corpus folder that `inputs` names, if it is one."""
    from unquilt.jobs.inputs import is_path, list_paths

    paths = list_paths(inputs) if is_path(inputs) else []
    if len(paths) != 1 or read_manifest(place(paths[0])) is None:
        return None
    run = Run.read(paths[0])
    if run.manifest["analysis"] != "ingest":
        raise InputError(f"{paths[0]} is a run of {run.manifest['analysis']}, not a corpus; give its inputs instead")
    if not run.complete:
        raise InputError(f"{paths[0]} is a corpus that was not finished; run unquilt ingest again")
    made = run.manifest["versions"].get("unicode")
    if made != _native.UNICODE_VERSION:
        known = f"was made with Unicode {made}, this unquilt has {_native.UNICODE_VERSION}"
        raise InputError(f"{paths[0]} is a corpus that {known}; run unquilt ingest again")
    measures(run)
    return run


def find_corpus(run: Run) -> Run | None:
    """The corpus that a run was made from: in the run's folder, where it was then, or beside the run.

    Files that parameters name, such as a lexicon, are inputs of a run, too, behind those of its corpus.
    """
    inputs = run.manifest["inputs"]
    with suppress(RunError):
        within = Run.read(run.inner(CORPUS))
        if within.manifest["inputs"] == inputs[: len(within.manifest["inputs"])]:
            return within
    for record in inputs[:1]:
        beside = run.path.absolute().parent
        there = place(record["path"])
        for folder in (there, *(() if is_url(there) else (beside / record["path"],)), beside / there.name):
            with suppress(RunError):
                corpus = Run.read(folder)
                ours = corpus.manifest["analysis"] == "ingest"  # runs that were merged have runs as inputs
                if ours and corpus.manifest["fingerprint"] == record["sha256"]:
                    return corpus
    return None


def measures(run: Run) -> dict[str, Any]:
    """What is known of the corpus of a finished run: documents, words, bytes and rejects at least."""
    summary: dict[str, Any] = run.manifest["summary"]
    for name in ("documents", "words", "bytes", "rejects"):
        if not 0 <= summary.get(name, -1) < 1 << 63:
            raise damaged(run.path / MANIFEST, f"summary.{name} is missing or not a count")
    return summary


def has_plain_words(corpus: Run) -> bool:
    """Whether words are compared as they are written, as those of a corpus by an older version are."""
    return bool(corpus.manifest["parameters"].get("words", PLAIN) == PLAIN)


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
    found = Kept.of(DOCUMENTS.name, *(corpus.path / name for name in files)).checked(DOCUMENTS)
    known = measures(corpus) if corpus.complete else corpus.values(DOCUMENTS.name)
    return found.check_numbering(sum(known.get(name, 0) for name in tables))


def other_texts(corpus: Run) -> Kept | None:
    """JavaScript, CSS and robots.txt of a corpus folder; None if it has none."""
    files = [name for name in corpus.files(DOCUMENTS.name) if name.partition("/")[0] == OTHER_TEXTS.name]
    if not files:
        return None
    return Kept.of(OTHER_TEXTS.name, *(corpus.path / name for name in files)).checked(OTHER_TEXTS)


def refuse_other_corpus(corpus: Run) -> None:
    """Raise `InputChangedError` if a corpus was replaced by another while it was read."""
    if Run.read(corpus.path).manifest["fingerprint"] != corpus.manifest["fingerprint"]:
        raise InputChangedError(f"{corpus.path} was overwritten while it was read; run again when nothing writes to it")
