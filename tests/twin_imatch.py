"""The twin of I-Match: what docs/definitions.md 3.2 defines, said as plainly as can be, with no code of the package."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from twin import sequence, stands_alone

MASK = 2**64 - 1
SEEDS = (0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB, 0x2545_F491_4F6C_DD1D)


class Lexicon(NamedTuple):
    """Words of the primary lexicon, and of the secondary one in its order."""

    primary: set[str]
    secondary: list[str]


class Shape(NamedTuple):
    """The parameters of signatures."""

    lexicons: int = 10
    drop: float = 0.33
    seed: int = 0
    min_terms: int = 5
    min_share: float = 0.1
    randomise: str = "primary"


def is_term(word: str) -> bool:
    digits = sum(unicodedata.category(c) == "Nd" for c in word)
    return (len(word) >= 4 or stands_alone(word[0])) and digits <= 1


def terms(text: str) -> set[str]:
    """U(d)."""
    return {word for word in sequence(text) if is_term(word)}


def count(texts: Sequence[str]) -> dict[str, int]:
    return Counter(word for text in texts for word in terms(text))


def is_at_least(documents: int, df: int, bound: float) -> bool:
    """log(N/df)/log(N) >= bound, without rounding: with bound = a/b, N^(b-a) >= df^b."""
    exact = Fraction(str(bound))
    return documents ** (exact.denominator - exact.numerator) >= df**exact.denominator


def is_at_most(documents: int, df: int, bound: float) -> bool:
    exact = Fraction(str(bound))
    return documents ** (exact.denominator - exact.numerator) <= df**exact.denominator


def lexicon(counts: dict[str, int], documents: int, low: float, high: float, min_df: int) -> Lexicon:
    above = {word for word, df in counts.items() if is_at_least(documents, df, low)}
    primary = {word for word in above if is_at_most(documents, counts[word], high)}
    rare = [word for word in above - primary if counts[word] >= min_df]
    return Lexicon(primary, sorted(rare, key=lambda word: (-counts[word], word)))


def fold_multiply(a: int, b: int) -> int:
    return (a * b >> 64) ^ (a * b & MASK)


def fingerprint(word: str) -> int:
    """Of eight bytes at a time, the last chunk having one to eight."""
    data = word.encode()
    whole = max(len(data) - 1, 0) // 8 * 8
    state = SEEDS[0]
    for i in range(0, whole, 8):
        state = (fold_multiply(state ^ int.from_bytes(data[i : i + 8], "little"), SEEDS[1]) + state) & MASK
    mixed = fold_multiply(state ^ int.from_bytes(data[whole:], "little"), SEEDS[1] ^ len(data))
    return fold_multiply(mixed ^ SEEDS[2], SEEDS[3])


def mix(x: int) -> int:
    for factor in (0xFF51_AFD7_ED55_8CCD, 0xC4CE_B9FE_1A85_EC53):
        x = (x ^ x >> 33) * factor & MASK
    return x ^ x >> 33


def is_kept(word: str, lexicon: int, shape: Shape) -> bool:
    """Whether a randomised lexicon, numbered from 1, has a word of the whole one."""
    salt = mix((mix(shape.seed) + lexicon) & MASK)
    return mix(fingerprint(word) ^ salt) >= Fraction(shape.drop) * 2**64


def signatures(text: str, words: Lexicon, shape: Shape) -> list[str | None]:
    """One for each coordinate: that of the whole lexicon, then those of the randomised ones."""
    unique = terms(text)
    if len(unique) < 5:
        return [None] * (shape.lexicons + 1)
    need = max(shape.min_terms, math.ceil(Fraction(str(shape.min_share)) * len(unique)))
    found: list[str | None] = []
    for coordinate in range(shape.lexicons + 1):
        chosen = {w for w in unique & words.primary if coordinate == 0 or is_kept(w, coordinate, shape)}
        filling = [word for word in words.secondary if word in unique]
        if coordinate and shape.randomise == "both":
            filling = [word for word in filling if is_kept(word, coordinate, shape)]
        chosen |= set(filling[: max(0, need - len(chosen))])
        lines = "".join(f"{word}\n" for word in sorted(chosen))
        found.append(hashlib.sha1(lines.encode()).hexdigest() if len(chosen) >= need else None)
    return found
