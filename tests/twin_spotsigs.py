"""The twin of spot signatures: what docs/definitions.md 3.2 makes of them, said in Python as plainly as can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from twin import sequence


class Spotting(NamedTuple):
    """How many words are antecedents, how many are stop words, and what chains are."""

    antecedents: int
    spot_stops: int
    chain: int = 2
    distance: int = 1


def list_frequent(texts: Sequence[str], number: int) -> list[str]:
    """The words in most documents; of equal ones, the first by spelling."""
    df = Counter(word for text in texts for word in set(sequence(text)))
    return sorted(df, key=lambda word: (-df[word], word.encode()))[:number]


def sign(text: str, frequent: Sequence[str], spotting: Spotting) -> Counter[tuple[str, ...]]:
    """The signatures of a text, and how often it has each."""
    words = sequence(text)
    found: Counter[tuple[str, ...]] = Counter()
    for at, word in enumerate(words):
        behind = [other for other in words[at + 1 :] if other not in frequent]
        chain = behind[: spotting.chain * spotting.distance]
        if word in frequent[: spotting.antecedents] and len(chain) == spotting.chain * spotting.distance:
            found[word, *chain[spotting.distance - 1 :: spotting.distance]] += 1
    return found


def jaccard(one: Counter[tuple[str, ...]], other: Counter[tuple[str, ...]]) -> float:
    """Of the multisets of signatures of two texts; nothing is like a text without signatures."""
    return (one & other).total() / (one | other).total() if one | other else 0.0
