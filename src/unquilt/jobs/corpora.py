"""Corpus folders as inputs, and what is known of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from unquilt.errors import InputChangedError, InputError, damaged
from unquilt.flow.kept import Kept
from unquilt.runs import Run
from unquilt.runs.manifest import MANIFEST, read_manifest
from unquilt.tables import DOCUMENTS, OTHER_TEXTS

if TYPE_CHECKING:
    from unquilt.jobs.inputs import Inputs


def open_corpus(inputs: Inputs) -> Run | None:
    """The corpus folder that `inputs` names, if it is one."""
    from unquilt.jobs.inputs import ArrowStream, list_paths

    paths = [] if isinstance(inputs, ArrowStream) else list_paths(inputs)
    if len(paths) != 1 or read_manifest(Path(paths[0])) is None:
        return None
    run = Run.read(paths[0])
    if run.manifest["analysis"] != "ingest":
        raise InputError(f"{paths[0]} is a run of {run.manifest['analysis']}, not a corpus; give its inputs instead")
    if not run.complete:
        raise InputError(f"{paths[0]} is a corpus that was not finished; run unquilt ingest again")
    measures(run)
    return run


def measures(run: Run) -> dict[str, Any]:
    """What is known of the corpus of a finished run: documents, words, bytes and rejects at least."""
    summary: dict[str, Any] = run.manifest["summary"]
    for name in ("documents", "words", "bytes", "rejects"):
        if not 0 <= summary.get(name, -1) < 1 << 63:
            raise damaged(run.path / MANIFEST, f"summary.{name} is missing, or is no count")
    return summary


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
        raise InputChangedError(f"{corpus.path} was overwritten while it was read; run again when it is at rest")
