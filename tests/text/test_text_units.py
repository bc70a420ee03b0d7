"""Words and grams against the twin, over nasty text.

The core has one Unicode version of its own, newer than Python's: only characters that this Python knows are drawn.
"""

from __future__ import annotations

import random
import subprocess
import sys
import unicodedata

import pytest
import twin
from hypothesis import example, given, settings
from hypothesis import strategies as st

import unquilt
from unquilt._native import UNICODE_VERSION

WINDOW = 64
"""Bytes that the splitter looks at together."""

NASTY = (
    "aZ09_'-. \t\n\0\u00ad\u200b\u200d\ufe0f\ufeff"  # ASCII, and what is invisible
    "ßẞŉİıſǰΐΰﬀﬃﬅևẖẗẘẙẚᾳᾼῼςσΣ\u212a\u212b\u2126µ"  # what folds to several characters, or to another block
    "éÉñÅÇ\u0301\u0300\u0323\u0327\u0345\u0307\u0308\u20dd\u0488\u034f"  # marks: above, below, enclosing, iota, joiner
    "\u1100\u1161\u11a8\u1112\u1175\u11c2가각힣"  # conjoining jamo and syllables
    "漢字々〆〇㐀\U00020000\ufa0e\uf900\u3021ㇰかがカガーｶﾞﾟ\u3099\u309aゝヿ\U0001b000"  # Han and kana
    "กำ่๑ๆฯลາ່໑ໆកខ្ា១ៗမြန်၁ꧠꩠ"  # Thai, Lao, Khmer, Myanmar: letters, marks, digits
    "٣߁०๓０²½Ⅷ①𝟘𝒜𐐀𐐨ᏣꭳꮿᲐა\U00010428\u0375ʼʰªº"  # digits that count and numbers that do not; letters far away
    "🙂👩\u200d👧🇩🇪«—…؟،،।"  # no letters at all
    "हिन्दीகொא\u05b7بِ\u0903\u09be\u0dcf\u1b35\U000110ba\U0001d165"  # marks that take room; marks that compose
)


def known(c: str) -> bool:
    return unicodedata.category(c) not in ("Cn", "Cs")


nasty = st.sampled_from([c for c in dict.fromkeys(NASTY) if known(c)])
anything = st.characters(exclude_categories=("Cn", "Cs"))
texts = st.text(st.one_of(nasty, nasty, anything), max_size=40)
padded = st.builds(
    lambda padding, count, text, more: padding * count + text + more,
    st.sampled_from(["x", ".", "é", "漢", "x y "]),
    st.integers(0, 2 * WINDOW + 2),
    texts,
    st.sampled_from(["", "tail", " tail"]),
)
"""Text that begins anywhere in a window."""


def spell(text: str, how: int) -> str:
    """The text in another spelling; often, but not always, with the same words."""
    forms = [str.lower, str.upper, str.title, str.casefold, str.swapcase]
    forms += [lambda t: unicodedata.normalize("NFC", t), lambda t: unicodedata.normalize("NFD", t)]
    return forms[how](text)


def check_words(text: str) -> None:
    assert unquilt.words(text) == [tuple(word) for word in twin.words(text)]
    found = unquilt.words(text, plain=True)
    assert found == [tuple(word) for word in twin.plain_words(text)]
    end = 0
    for word, begin, stop in found:
        assert end <= begin < stop <= len(text)
        assert twin.fold(text[begin:stop]) == word
        end = stop


@given(padded)
@settings(max_examples=600)
@example("x" * 63 + "\u0301y")
@example("x" * 64 + "\u0301y")
@example("x" * 64 + "漢" + "y" * 64)
@example("\U0001f642" * 17 + "a\U00010400b")
def test_words_are_those_of_the_twin(text: str) -> None:
    check_words(text)


@pytest.mark.slow
def test_every_character_python_knows() -> None:
    """All letters, digits and marks, and a sample of the endless ones, beside a Latin letter and behind a kana."""
    endless = ("Lo", "Co", "So")
    draw = random.Random(1)
    codes = [*range(0xD800), *range(0xE000, 0x110000)]
    kinds = {code: unicodedata.category(chr(code)) for code in codes}
    chosen = [code for code in codes if kinds[code] != "Cn" and (kinds[code] not in endless or draw.random() < 0.1)]
    assert len(chosen) > 15_000
    for code in chosen:
        check_words(f"a{chr(code)}b カ{chr(code)}")


@pytest.mark.slow
def test_every_character_folds_alike_on_the_short_way_and_the_long() -> None:
    """The words of a character, of its folded form and of its decomposition; by fingerprint, not by spelling."""
    fingerprints: dict[tuple[str, ...], int] = {}
    for code in [*range(0xAC00), *range(0xD7A0, 0xD800), *range(0xF900, 0x20000, 3)]:
        c = chr(code)
        if not known(c) or not twin.is_letter(c):
            continue
        for text in {c, c.casefold(), c.upper(), unicodedata.normalize("NFD", c)}:
            sequence = twin.sequence(text)
            if len(sequence) == 1:
                (gram,) = unquilt.grams(text, 1)
                assert fingerprints.setdefault(sequence, gram) == gram, ascii(text)
    assert len(set(fingerprints.values())) == len(fingerprints)


@given(st.lists(st.tuples(padded, st.lists(st.integers(0, 6), max_size=2)), min_size=1, max_size=3), st.integers(1, 6))
@settings(max_examples=400)
@example([("Straße strasse STRASSE", [1])], 1)
@example([("ab c", []), ("a bc", [])], 2)
@example([("e\u0301 é É", [6])], 1)
@example([("ﬃ ffi FFI", [0])], 1)
@example([("İ i\u0307", [0])], 1)
def test_grams_are_equal_as_their_words_are(given_texts: list[tuple[str, list[int]]], k: int) -> None:
    """A gram has one fingerprint and a fingerprint one gram, over several texts and spellings of each; keyed, too."""
    spellings = [text for text, _ in given_texts]
    spellings += [spell(text, how) for text, hows in given_texts for how in hows]
    for circular in (False, True):
        for key in (None, b"0123456789abcdef"):
            fingerprints: dict[tuple[str, ...], int] = {}
            for text in spellings:
                sequence = twin.sequence(text)
                tuples = twin.distinct((twin.circular if circular else twin.linear)(sequence, k))
                found = unquilt.grams(text, k, circular=circular, key=key)
                assert len(found) == len(tuples) == len(set(found))
                for gram, fingerprint in zip(tuples, found, strict=True):
                    assert fingerprints.setdefault(gram, fingerprint) == fingerprint
            assert len(set(fingerprints.values())) == len(fingerprints)


@given(st.lists(st.sampled_from(["a", "b", "A", "b\u0301"]), max_size=12), st.integers(1, 9))
@settings(max_examples=200)
def test_grams_of_few_words(sequence: list[str], k: int) -> None:
    """Tiny alphabets: the same gram again and again, in the middle and around the end."""
    text = " ".join(sequence)
    words = twin.sequence(text)
    linear, circular = unquilt.grams(text, k), unquilt.grams(text, k, circular=True)
    assert len(linear) == len(set(twin.linear(words, k)))
    assert len(circular) == len(set(twin.circular(words, k)))
    assert circular[: len(linear)] == linear
    assert set(circular) == set(unquilt.grams(" ".join(sequence * (k + 1)), k))


@pytest.mark.parametrize("k", [1, 2, 3, 7, 84])
def test_one_word_in_a_circle_is_repeated_k_times(k: int) -> None:
    assert unquilt.grams("Word", k, circular=True) == unquilt.grams("word " * k, k)
    assert unquilt.grams("", k, circular=True) == unquilt.grams("?!", k, circular=True) == []


@pytest.mark.parametrize("k", [4, 5, 1000])
def test_a_text_shorter_than_k(k: int) -> None:
    assert unquilt.grams("one two three", k) == []
    assert len(unquilt.grams("one two three", k, circular=True)) == 3


def test_keys_change_every_fingerprint_and_nothing_else() -> None:
    text = " ".join(f"word{i % 50}" for i in range(500))
    plain, one, two = (unquilt.grams(text, 3, key=key) for key in (None, bytes(16), bytes(15) + b"\1"))
    assert len(plain) == len(one) == len(two) == 50
    assert len({*plain, *one, *two}) == 150
    assert unquilt.grams(text, 3, key=bytes(16)) == one


@pytest.mark.parametrize("key", [b"", b"short", bytes(17)])
def test_a_key_has_sixteen_bytes(key: bytes) -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        unquilt.grams("a b c", 2, key=key)


@pytest.mark.parametrize("k", [0, -1])
def test_there_are_no_grams_of_no_words(k: int) -> None:
    """docs/definitions.md 1.2: a k-gram is k consecutive words; no k below 1 makes sense, none is taken for another."""
    with pytest.raises((ValueError, OverflowError)):
        unquilt.grams("a b c", k)


def test_a_k_beyond_measure_costs_nothing() -> None:
    """Either refused or answered at once: there is no gram. In a process of its own, as it may well hang or die."""
    program = "import unquilt\ntry: print(unquilt.grams('a b', 10**12))\nexcept (ValueError, OverflowError): print([])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_fingerprints_are_the_same_for_ever() -> None:
    """As fingerprint.rs says of the plain ones; those of a key must not change either, or runs could not be resumed."""
    fox = "The quick brown fox jumps over"
    assert unquilt.grams(fox, 5) == [2163424467189202425, 1508066665169347783]
    assert unquilt.grams(fox, 5, key=bytes(range(16))) == [6697253520481821577, 8484231992225952908]
    assert unquilt.grams("naïve 漢", 1) == [-5672736815428616372, 1361600833885126851]
    assert unquilt.grams("a" * 100, 1) == [-6511758145584200282]


def test_the_unicode_version_is_stated() -> None:
    assert [int(part) for part in UNICODE_VERSION.split(".")] >= [
        int(part) for part in unicodedata.unidata_version.split(".")
    ]
