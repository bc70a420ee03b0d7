"""The published functions against a twin that divides polynomials the long way: Python's whole numbers, bit by bit."""

from __future__ import annotations

import math
import random

import pytest
import twin
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_text_units import padded

from unquilt import _native
from unquilt._native import polynomials, primitive, shingles, supers

DEGREE = 64
ORDER = 2**DEGREE - 1
PRIMES = (3, 5, 17, 257, 641, 65537, 6700417)
SHINGLES = 84


def whole(polynomial: int) -> int:
    """With the leading term that a 64-bit number cannot hold."""
    return 1 << DEGREE | polynomial


def remainder(dividend: int, divisor: int) -> int:
    while dividend.bit_length() >= divisor.bit_length():
        dividend ^= divisor << (dividend.bit_length() - divisor.bit_length())
    return dividend


def multiply(a: int, b: int, divisor: int) -> int:
    product = 0
    for bit in range(b.bit_length()):
        if b >> bit & 1:
            product ^= a << bit
    return remainder(product, divisor)


def power_of_x(exponent: int, divisor: int) -> int:
    result, square = 1, 2
    while exponent:
        if exponent & 1:
            result = multiply(result, square, divisor)
        square = multiply(square, square, divisor)
        exponent >>= 1
    return result


def x_has_the_greatest_order(divisor: int, degree: int, primes: tuple[int, ...]) -> bool:
    order = 2**degree - 1
    return power_of_x(order, divisor) == 1 and all(power_of_x(order // prime, divisor) != 1 for prime in primes)


def fingerprint(data: bytes, polynomial: int) -> int:
    """docs/definitions.md 3.2: a 1 bit in front, 64 zeros behind, and what remains of that."""
    bits = 1 << 8 * len(data) | int.from_bytes(data, "big")
    return remainder(bits << DEGREE, whole(polynomial))


def token(number: int) -> bytes:
    return number.to_bytes(8, "big")


def twin_shingles(text: str, seed: int, k: int) -> list[int] | None:
    by_word, by_gram, *others = polynomials(seed, 2 + SHINGLES)
    words = [fingerprint(word.encode(), by_word) for word in twin.sequence(text)]
    circle = {tuple(words[(i + j) % len(words)] for j in range(k)) for i in range(len(words))}
    grams = [token(fingerprint(b"".join(map(token, gram)), by_gram)) for gram in circle]
    return [min(fingerprint(gram, other) for gram in grams) for other in others] if grams else None


@pytest.mark.parametrize(("text", "k"), [("one", 5), ("a b a b c", 2), ("the old mill stood by the old river", 3)])
def test_a_sample_has_the_gram_of_each_minimum(text: str, k: int) -> None:
    """Of phrases by published functions: whichever gram has the least fingerprint by each of them."""
    by_word, by_gram, *others = polynomials(5, 2 + SHINGLES)
    words = twin.sequence(text)
    grams = list(dict.fromkeys(twin.circular(words, k)))
    tokens = [[token(fingerprint(word.encode(), by_word)) for word in gram] for gram in grams]
    prints = [token(fingerprint(b"".join(each), by_gram)) for each in tokens]
    ours = dict(zip(grams, _native.grams(text, k, circular=True), strict=True))
    expected = [ours[min(zip(prints, grams, strict=True), key=lambda each: fingerprint(each[0], p))[1]] for p in others]
    assert _native.sample(text, 5, k, family="rabin") == expected


def test_the_primes_are_those_of_the_order() -> None:
    assert math.prod(PRIMES) == ORDER


def test_the_order_of_x_counted_out() -> None:
    """The criterion itself, where powers can be counted: degree 8, where 2^8-1 = 3·5·17."""
    for divisor in range(257, 512, 2):
        power, order = 2, 1
        while power != 1 and order < 300:
            power, order = remainder(power << 1, divisor), order + 1
        assert x_has_the_greatest_order(divisor, 8, (3, 5, 17)) == (order == 255)


def test_primitive_polynomials() -> None:
    """Those we draw are; of others, we say what the twin says."""
    assert primitive(0b11011)  # x^64 + x^4 + x^3 + x + 1, as in every table
    drawn = polynomials(0, 2 + SHINGLES)
    assert len(set(drawn)) == len(drawn)
    assert all(map(primitive, drawn))
    assert all(x_has_the_greatest_order(whole(p), DEGREE, PRIMES) for p in drawn[:6])
    draw = random.Random(1)
    others = [draw.getrandbits(DEGREE) for _ in range(40)] + [p ^ 2 for p in drawn[:2]] + [0, 1, 2, ORDER]
    for p in others:
        assert primitive(p) == x_has_the_greatest_order(whole(p), DEGREE, PRIMES), hex(p)


def test_irreducible_is_not_enough() -> None:
    """Of polynomials with x^(2^64) = x, half have an x of lower order."""
    draw = random.Random(2)
    answers: list[bool] = []
    while len(answers) < 6:
        p = draw.getrandbits(DEGREE) | 1
        power = 2
        for _ in range(DEGREE):
            power = multiply(power, power, whole(p))
        if power == 2:
            assert primitive(p) == x_has_the_greatest_order(whole(p), DEGREE, PRIMES)
            answers.append(primitive(p))
    assert set(answers) == {False, True}


def test_polynomials_are_the_same_for_ever() -> None:
    assert polynomials(0, 3) == [16309137577984334075, 4771384256668957811, 1906793117412032987]
    assert polynomials(0, 86) == polynomials(0, 100)[:86]
    assert not {*polynomials(0, 86)} & {*polynomials(1, 86)}
    assert polynomials(2**64 - 1, 0) == []


@given(st.binary(max_size=20), st.binary(max_size=20), st.integers(0, 5))
@settings(max_examples=60)
def test_extension_and_prefix_deletion(a: bytes, b: bytes, which: int) -> None:
    """What sliding rests on: the fingerprint of `ab` follows from that of `a`, and that of `b` from these two."""
    p = polynomials(0, 6)[which]
    bits, divisor = 8 * len(b), whole(p)
    both = fingerprint(a + b, p)
    assert remainder(fingerprint(a, p) << bits ^ int.from_bytes(b, "big") << DEGREE, divisor) == both
    assert remainder(both ^ fingerprint(a, p) << bits ^ 1 << (bits + DEGREE), divisor) == fingerprint(b, p)


@pytest.mark.parametrize(
    "word", ["a", "0", "Word", "eightfit", "nineletters", "x" * 100, "漢", "Straße", "e\u0301", "ΐ", "\U00010400"]
)
def test_a_word_by_itself(word: str) -> None:
    """Its gram is the only one, so that every shingle is a fingerprint of a fingerprint of a fingerprint."""
    by_word, by_gram, *others = polynomials(7, 2 + SHINGLES)
    for k in (1, 3):
        gram = fingerprint(token(fingerprint(twin.fold(word).encode(), by_word)) * k, by_gram)
        assert shingles(word, "rabin", 7, k) == [fingerprint(token(gram), other) for other in others]


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
@pytest.mark.parametrize("k", [1, 2, 5, 9])
def test_shingles_of_real_words(seed: int, k: int) -> None:
    draw = random.Random(k)
    words = ("the", "quick", "Fox", "jumps", "over", "2", "lazy", "naïvely", "extraordinarily", "漢", "字", "Straße")
    text = " ".join(draw.choice(words) for _ in range(12))
    assert shingles(text, "rabin", seed, k) == twin_shingles(text, seed, k)


@given(padded, st.integers(1, 6))
@settings(max_examples=25)
@example("", 5)
@example(" ?!\n", 1)
@example("one", 5)
@example("one two", 5)
@example("one ONE oNe", 2)
@example("漢字かな", 3)
@example("e\u0301 É \u0301x", 2)
@example("x" * 300 + " y", 2)
def test_shingles_are_those_of_the_twin(text: str, k: int) -> None:
    assert shingles(text, "rabin", 3, k) == twin_shingles(text, 3, k)


def test_supers_are_the_same_for_ever() -> None:
    """Prototype sets are kept in files."""
    fox = "The quick brown fox jumps over"
    assert supers(fox, "rabin", 1) == [
        5670828818609728999,
        1939995391423369797,
        8217256416190540822,
        6329804708942891720,
        3769212258204251943,
        12880837123212715905,
    ]
