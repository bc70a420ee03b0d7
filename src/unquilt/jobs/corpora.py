"""Tables of runs and of the corpora that they were made from, and what is known of a corpus.

No reader and no analysis is imported here, so that commands which only look at finished runs start quickly."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from unquilt.errors import InputChangedError, MisfitError, RunError, damaged
from unquilt.flow.kept import Kept
from unquilt.remote.names import is_url
from unquilt.remote.paths import place
from unquilt.runs import Run
from unquilt.runs.manifest import MANIFEST, identify_inputs, unquilt_version
from unquilt.runs.storage import shown
from unquilt.tables.corpus import DOCUMENTS, OTHER_TEXTS, REJECTS
from unquilt.tables.table import Table

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
    if inner.exists():
        with suppress(RunError):
            within = Run.read(inner)
            own = within.manifest["inputs"]
            if identify_inputs(own) == identify_inputs(inputs[: len(own)]):
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
    from unquilt.corpus.options import PLAIN

    return bool(corpus.manifest["parameters"]["words"] == PLAIN)


def has_source(corpus: Run) -> bool:
    """Whether its texts are the source of pages."""
    return bool(corpus.manifest["parameters"].get("source"))


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


def open_table(run: Run, name: str, table: Table | None, files: Iterable[str] = ()) -> Kept:
    """A table of a run, by default its one file, checked if it is known what it should be. Other columns than this
    unquilt gives it are no damage if another version wrote them."""
    found = Kept.of(name, *(run.path / file for file in files or (f"{name}.parquet",)))
    try:
        return found.checked(table)
    except MisfitError as error:
        theirs, ours = run.manifest["unquilt"], unquilt_version()
        if theirs == ours:
            raise
        made = f"{shown(run.path)} was made by unquilt {theirs}, whose table {name} is another than that of {ours}"
        raise RunError(f"{made}; run unquilt {run.manifest['analysis']} again") from error
