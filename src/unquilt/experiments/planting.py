"""Passages that are planted: sentences of one document, some of them with a changed word, in the midst of another."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator, Sequence
from random import Random

from unquilt import _native
from unquilt.errors import InputError
from unquilt.jobs.corpora import documents
from unquilt.results.measures import PassageSpans
from unquilt.results.passage_labels import Label
from unquilt.runs import Run
from unquilt.runs.storage import shown

LEAST_SENTENCES = 12
"""Documents with fewer sentences are not used."""
SHORTEST, LONGEST = 4, 10
"""Sentences of a planted passage."""
_APART = "\n\n"
"""Ends a paragraph, so a sentence."""
Spans = Sequence[tuple[int, int]]


def plant(corpus: Run, pairs: int, edited: float, seed: int) -> tuple[dict[str, str], list[Label]]:
    """Texts by id, and where what was planted stands: from-N is a document of the corpus, to-N another one with a
    passage of it."""
    drawn = heapq.nsmallest(
        2 * pairs,
        ((_draw(seed, doc), doc, text, sentences) for doc, text, sentences in _read(corpus)),
    )
    if len(drawn) < 2:
        raise InputError(
            f"{shown(corpus.path)} has fewer than two documents of {LEAST_SENTENCES} sentences: nothing can be planted"
        )
    texts: dict[str, str] = {}
    labels = []
    for number, (one, other) in enumerate(zip(drawn[::2], drawn[1::2], strict=False)):
        random = Random(f"{seed} {number}")  # noqa: S311 - the same every time, and no secret
        (_, _, source, sentences), (_, _, whole, places) = one, other
        size = random.randint(SHORTEST, LONGEST)
        first = random.randint(0, len(sentences) - size)
        begin, end = sentences[first][0], sentences[first + size - 1][1]
        copied = _edit(source, sentences[first : first + size], whole, edited, random)
        target, ends = _leave_out(whole, places, {_take_words(source[left:right]) for left, right in sentences})
        if not ends:
            continue
        at = random.choice(ends)
        texts[f"from-{number}"] = source
        texts[f"to-{number}"] = target[:at] + _APART + copied + _APART + target[at:].lstrip()
        there = at + len(_APART)
        spans = PassageSpans(begin, end, there, there + len(copied))
        labels.append(Label("planted", f"from-{number}", f"to-{number}", spans))
    return texts, labels


def _leave_out(text: str, sentences: Spans, known: set[tuple[str, ...]]) -> tuple[str, list[int]]:
    """A text without the sentences that another one has, too, and where its sentences end then. What two documents have
    in common anyway would else be found, and count as false."""
    made, gap = "", ""
    ends = []
    for at, (begin, end) in enumerate(sentences):
        if _take_words(text[begin:end]) not in known:
            made += gap + text[begin:end] if made else text[begin:end]
            ends.append(len(made))
            gap = ""
        following = text[end : sentences[at + 1][0]] if at + 1 < len(sentences) else ""
        gap = _APART if "\n" in gap + following else following
    return made, ends


def _take_words(text: str) -> tuple[str, ...]:
    return tuple(word for word, _, _ in _native.words(text))


def _read(corpus: Run) -> Iterator[tuple[int, str, Spans]]:
    first = 0
    for split in documents(corpus).splits():
        part = split.read(["text", "chunks"])
        for at, row in enumerate(part.to_pylist(), first):
            sentences = _native.sentences(row["text"], [(chunk["begin"], chunk["end"]) for chunk in row["chunks"]])
            if len(sentences) >= LEAST_SENTENCES:
                yield at, row["text"], sentences
        first += part.num_rows


def _draw(seed: int, doc: int) -> bytes:
    return hashlib.blake2b(f"{seed} {doc}".encode(), digest_size=8).digest()


def _edit(text: str, sentences: Spans, other: str, edited: float, random: Random) -> str:
    """The text of these sentences, in some of which a word is one of another text."""
    words = [word for word, _, _ in _native.words(other)] or ["word"]
    begin, end = sentences[0][0], sentences[-1][1]
    copied = text[begin:end]
    for left, right in reversed(sentences):
        there = _native.words(text[left:right])
        if there and random.random() < edited:
            _, low, high = random.choice(there)
            low, high = left - begin + low, left - begin + high
            copied = copied[:low] + random.choice(words) + copied[high:]
    return copied
