"""Restored words against their twin, over disguised and nasty text; docs/definitions.md 1.7."""

from __future__ import annotations

import random
import time
import unicodedata

import pytest
import twin
import twin_seen
from hypothesis import example, given, settings
from hypothesis import strategies as st

from unquilt import _native

INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u034f\ufe0f\u202e\u180e\U000e0101\U000e0041\ufdd0"
LETTERS = "abcehopxyTSMnABаbсеорхуАВЕКМНОРСТХнкгшїαβγνορΑΒΕοՕոսꓐᏚlI"
FORMS = "Ａｂ１ｶﾞﾊﾟ𝐚𝒙𝟗ℝℓℹⓐⓑⓒ🄰①½ﬁﷺﺍﺏﻻﬡㅤﾡĳª²ʰ"
OTHERS = " .\n-_'1é\u0301漢字かカกำ한हि\u094dאب🙂0"
drawn = st.text(st.sampled_from(INVISIBLE * 2 + LETTERS * 3 + FORMS + OTHERS + "    "), max_size=60)
anything = st.text(st.characters(exclude_categories=("Cn", "Cs")), max_size=12)
texts = st.lists(st.one_of(drawn, drawn, anything, st.just("the words of a page ")), max_size=4).map("".join)


def see(text: str) -> tuple[str, int] | None:
    found = _native.see(text.encode(), b"", b"", b"")
    return None if found is None else (found[0].decode(), found[1])


@pytest.mark.slow
@given(texts)
@settings(max_examples=1500, deadline=None)
@example("soft\u00adhyphen\u00ad end")
@example("the а cat sаt оn the mаt, a соре")
@example("купил iPhone с чехлом\nPC с Android")
@example("می\u200cخواهم 葛\U000e0100飾")
def test_texts_are_seen_as_the_twin_sees_them(text: str) -> None:
    found, wanted = see(text), twin_seen.see(text, twin.stands_alone)
    assert found == (None if wanted is None else tuple(wanted))


@given(texts)
@settings(max_examples=500, deadline=None)
def test_places_stay_and_seeing_twice_is_seeing_once(text: str) -> None:
    found = see(text)
    if found is not None:
        assert len(found[0]) == len(text)
        again = see(found[0])
        assert again is None or again[0] == found[0]
        assert _native.words(text) == _native.words(found[0], plain=True)


@pytest.mark.slow
def test_every_character_inside_a_word() -> None:
    """Of Han and Tangut characters and of Hangul syllables, which are many and alike, one in sixteen."""
    many = [*range(0x3400, 0xA000, 16), *range(0xAC00, 0xD800, 16), *range(0x17000, 0x1B000, 16)]
    others = [*range(0x80, 0x3400), *range(0xA000, 0xAC00), *range(0xE000, 0x17000), *range(0x1B000, 0x20000)]
    for code in [*many, *others, *range(0xE0000, 0xE1000)]:
        if unicodedata.category(chr(code)) not in ("Cn", "Co"):
            text = f"ab{chr(code)}cd x{chr(code)} {chr(code)}{chr(code)}"
            wanted = twin_seen.see(text, twin.stands_alone)
            assert see(text) == (None if wanted is None else tuple(wanted)), hex(code)


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("hy\u00adphen\u00adated wo\u200brd", "hyphenated word"),
        ("Тhе quiсk brоwn fох", "the quick brown fox"),
        ("thе а cat sаt аs he", "the a cat sat as he"),
        ("ｆｕｌｌｗｉｄｔｈ 𝓂𝒶𝓉𝒽 ⓒⓘⓡⓒⓛⓔⓓ", "fullwidth math circled"),
        ("Aⓢ ⓐ ⓡⓤⓛⓔ", "as a rule"),
        ("привет, cтатья", "привет статья"),
        ("Α wοrld οf mοnkeys and rοbοts tο wοrk οn, Ι sаy", "a world of monkeys and robots to work on i say"),
        ("blank\u3164words\uffa0read\u3164as two", "blank words read as two"),
        ("ﺳﻼﻡ ﻣﺮﺣﺒﺎ", "سﻼم مرحبا"),
    ],
)
def test_disguised_words_are_read_as_people_see_them(written: str, seen: str) -> None:
    assert " ".join(word for word, _, _ in _native.words(written)) == seen


@pytest.mark.parametrize(
    "text",
    [
        "TNFα, IFNγ, NFκB; 5 μm, 3 kΩ",
        "купил iPhone с чехлом\n\nPC с Android",
        "the Russian word сор means litter, хорошо means good",
        "SMSка, HTMLка, IPшник",
        "Intelⓡ ⓒ 2020 ① ½ x²",
        "日本語とABC、ㅋㅋ、กำ",
        "1ª tʰ ℵ ℹ ŀ ĳ",
        "κάντε κλικ στο DVDγια να επιστρέψει falseγια",
        "открой PDFа, длина грN",
        "Σi, Δt and Ωm",
        "PPARγ2, EF1α, hν, the ν of α and Α-beta",
        "5 µm, 3 K, 12 Ω, Ⅻ, ﬁnd, cafe\u0301, ½, ①②③",
        "Петар и а, о, у, в Python",
        "👩\u200d💻 ❤\ufe0f 🏳\ufe0f\u200d🌈",
    ],
)
def test_real_words_stay(text: str) -> None:
    assert see(text) is None
    assert _native.words(text) == _native.words(text, plain=True)


@pytest.mark.parametrize("unit", ["\u200d", "\u00ad", "а", "аa", "ⓐ", "a\u200b", "ﾞ", "\u0301", "а\n", "\ufdd0"])
def test_hostile_texts_take_linear_time(unit: str) -> None:
    _native.see("ага".encode(), b"", b"", b"")
    took = []
    for size in (1 << 19, 1 << 20):
        text = ("x" + unit * (size // len(unit)) + "y").encode()
        begin = time.process_time()
        _native.see(text, b"", b"", b"")
        took.append(time.process_time() - begin)
    assert took[1] < 1 + 5 * took[0]


def test_random_words_of_many_scripts_agree() -> None:
    draw = random.Random(7)
    for _ in range(300):
        text = "".join(draw.choice(INVISIBLE + LETTERS * 4 + "  \n") for _ in range(400))
        wanted = twin_seen.see(text, twin.stands_alone)
        assert see(text) == (None if wanted is None else tuple(wanted))
