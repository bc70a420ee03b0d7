"""How the files of a corpus were read, and whether others can be read into it, or compared with it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from unquilt.corpus.options import PLAIN, RESTORED, Reading
from unquilt.errors import InputError, ParameterError
from unquilt.jobs.corpora import has_plain_words
from unquilt.parameters import Parameters
from unquilt.runs import Run
from unquilt.runs.storage import shown


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
