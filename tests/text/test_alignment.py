"""Alignment of two reworded texts: equal to its definition, indifferent to length and nonsense, of use."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from string import ascii_lowercase
from time import process_time

import pytest
import twin_reworded
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshots import Snapshots

from unquilt import _native
from unquilt.errors import ParameterError
from unquilt.jobs.alignment import StemRates, align

SYLLABLES = ["ka", "lo", "mi", "ru", "te", "so", "na", "vi", "pa", "du"]
COMMON = ["the", "of", "and", "to", "in", "is", "a", "was"]


def make_words(random: Random, count: int, vocabulary: int) -> list[str]:
    """Words as languages have them: some very common, most rare."""

    def rare() -> str:
        number = int(vocabulary ** random.random() * random.uniform(1, 9))
        return "".join(SYLLABLES[int(digit)] for digit in str(number).zfill(4))

    return [random.choice(COMMON) if random.random() < 0.4 else rare() for _ in range(count)]


def as_text(words: list[str], random: Random) -> str:
    ends = [random.choice([" "] * 9 + [". ", "\n", "! ", ".) "]) for _ in words]
    return "".join(word + end for word, end in zip(words, ends, strict=True))


def edit(words: list[str], share: float, random: Random) -> list[str]:
    """Deleted, replaced, inserted and swapped words."""
    edited: list[str] = []
    for word in words:
        action = random.random()
        if action < share / 3:
            continue
        edited.append(make_words(random, 1, 3000)[0] if action < 2 * share / 3 else word)
        if random.random() < share / 3:
            edited.insert(max(0, len(edited) - 2), make_words(random, 1, 3000)[0])
    return edited


def make_pair(random: Random) -> tuple[str, str]:
    """Two texts; what the first takes from the second is edited a little or a lot, or picked from all over it."""
    source = make_words(random, random.randint(5, 500), random.choice([30, 300, 3000]))
    own = make_words(random, random.randint(0, 300), 3000)
    for _ in range(random.randint(0, 3)):
        begin = random.randrange(len(source))
        taken = edit(source[begin : begin + random.randint(10, 200)], random.choice([0, 0.1, 0.4]), random)
        if random.random() < 0.3:
            taken = [word for word in source if random.random() < 0.25]
        at = random.randint(0, len(own))
        own[at:at] = taken
    return as_text(own, random), as_text(source, random)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_passages_are_those_of_the_definition(seed: int, counted: bool, both_ways: bool) -> None:
    random = Random(seed)
    a, b = make_pair(random)
    texts = [a, b, *(as_text(make_words(random, 200, 3000), random) for _ in range(3))] if counted else []
    packed = _native.stem_rates(texts)
    found = _native.align(a, b, packed, both_ways=both_ways)
    expected = twin_reworded.align(a, b, twin_reworded.rates_of(texts), both_ways=both_ways)
    assert [each[:5] for each in found] == [each[:5] for each in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours[5:] == pytest.approx(theirs[5:], abs=1e-6)


def test_words_of_a_language_are_common_though_it_is_rare_in_the_collection() -> None:
    texts = ["The dog ran to the house and slept there. " * 4000, "The end of the story. " * 9]
    texts += ["Der Hund lief in das Haus und schlief dort. " * 30, "Kissa juoksi taloon nukkumaan. " * 25, "", "1 2 3"]
    texts += ["狗跑进房子里，在那里用我的床睡着了。" * 20, "สุนัขวิ่งเข้าไปในบ้าน " * 20]
    packed, expected = _native.stem_rates(texts), twin_reworded.rates_of(texts)
    common = {stem: rate for stem, rate in expected.items() if rate > 1e-4}
    entries = [packed[at : at + 12] for at in range(0, len(packed), 12)]
    found = {entry[:8]: int.from_bytes(entry[8:], "big") / 2**32 for entry in entries}
    assert found == {twin_reworded.order(stem).to_bytes(8, "big"): rate for stem, rate in common.items()}
    assert {"und", "kissa", "狗", "slept", "zebra"} & common.keys() == {"und", "kissa", "狗", "slept"}


def test_the_pairs_that_are_drawn_have_passages() -> None:
    found = [len(_native.align(*make_pair(Random(seed)), b"")) for seed in range(120)]
    assert sum(map(bool, found)) > 40
    assert max(found) > 1


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_has_an_answer(a: str, b: str) -> None:
    for each in align(a, b) + align(a, a * 3):
        assert 0 <= each.a_begin < each.a_end <= len(a)
        assert each.b_end - each.b_begin >= 50


def test_equal_texts_are_one_passage() -> None:
    for words in (60, 500, 20_000):
        text = as_text(make_words(Random(words), words, 3000), Random(1)).strip()
        (found,) = align(text, text)
        assert (found.a_begin, found.a_end) == (found.b_begin, found.b_end)
        assert found.a_end - found.a_begin > 0.98 * len(text)
        assert found.a_rate == found.b_rate == 0.95


def test_a_reworded_passage_is_found_where_it_is() -> None:
    random = Random(5)
    source = make_words(random, 800, 3000)
    for share in (0.0, 0.2, 0.4):
        before, after = make_words(random, 300, 3000), make_words(random, 200, 3000)
        copied = edit(source[300:450], share, random)
        a = " ".join([*before, *copied, *after])
        (found,) = align(a, " ".join(source))
        begin = len(" ".join(before)) + 1
        assert abs(found.a_begin - begin) < 100
        assert abs(found.a_end - begin - len(" ".join(copied))) < 100


def test_a_summary_is_one_of_the_whole_text() -> None:
    random = Random(8)
    source = make_words(random, 900, 3000)
    summary = [word for at in range(0, 900, 60) for word in source[at : at + 14]]
    own = " ".join([*make_words(random, 300, 3000), *summary])
    (found,) = align(own, " ".join(source))
    assert (found.b_begin, found.b_end) == (0, len(" ".join(source)))
    assert found.b_rate < 0.4 < found.a_rate


def test_where_either_text_may_be_a_summary_a_passage_is_no_more_than_what_corresponds() -> None:
    random = Random(8)
    source = make_words(random, 900, 3000)
    summary = [word for at in range(0, 900, 60) for word in source[at : at + 14]]
    own = make_words(random, 300, 3000)
    found = _native.align(" ".join(source), " ".join([*own, *summary]), both_ways=True)
    last = len(" ".join(source[: 840 + 14]))
    assert found[0][0] == 0
    assert last <= found[-1][1] < last + 100 < len(" ".join(source))
    assert sum(each[3] - each[2] for each in found) > 0.85 * len(" ".join(summary))


@pytest.mark.slow
def test_a_long_copy_is_found_whole() -> None:
    """Where passages are long, chance finds every word somewhere: a copy is found in parts, and all of them are."""
    random = Random(2)
    rare = ["".join(random.choices(ascii_lowercase, k=6)) for _ in range(100_000)]
    copy = " ".join(random.choices(rare, k=150_000))
    found = align(copy, copy)
    assert sum(each.a_end - each.a_begin for each in found) > 0.95 * len(copy)
    assert all((each.a_begin, each.a_end) == (each.b_begin, each.b_end) for each in found)


@pytest.mark.slow
def test_very_many_short_passages_are_found() -> None:
    """In another order, in texts so long that every word of them stands elsewhere, too."""
    random = Random(3)
    rare = ["".join(random.choices(ascii_lowercase, k=6)) for _ in range(15_000)]
    shared = [random.choices(rare, k=45) for _ in range(1500)]
    texts = []
    for _ in range(2):
        random.shuffle(shared)
        texts.append(" ".join(word for each in shared for word in [*each, *random.choices(rare, k=45)]))
    assert len(align(*texts)) > 0.98 * len(shared)


def test_texts_on_one_subject_are_no_reuse() -> None:
    """Rare words alone do not make a passage if they are all over both texts."""
    random = Random(3)
    subject = make_words(random, 60, 3000)
    texts = [make_words(random, 600, 3000) for _ in range(2)]
    for words in texts:
        words[::4] = random.choices(subject, k=150)
    assert align(*map(" ".join, texts)) == []


@pytest.mark.parametrize("text", ["", "word", "...", "\n\n", "one two three"])
def test_next_to_nothing_has_no_passages(text: str) -> None:
    assert align(text, text) == []


def test_wrong_arguments_are_refused(snapshots: Snapshots) -> None:
    with snapshots.error(ParameterError):
        align("a", "b", signature="grams")
    with snapshots.error(ValueError):
        align("a", "b", rates=StemRates(b"12345"))


CASES = {
    "one word repeated": lambda n: ["word " * n, "word " * n],
    "no rare words": lambda n: ["the of and to in is a was " * (n // 8)] * 2,
    "equal": lambda n: [" ".join(make_words(Random(1), n, 10**4))] * 2,
    "different": lambda n: [" ".join(make_words(Random(seed), n, 10**4)) for seed in (1, 2)],
    "two languages": lambda n: [" ".join(make_words(Random(1), n, 10**4)), "漢字的是不了人我在有" * (n // 10)],
    "two words in turn": lambda n: ["spam eggs " * (n // 2), "eggs spam " * (n // 2)],
    "a few words shuffled": lambda n: [" ".join(Random(s).choices(SYLLABLES, k=n)) for s in (1, 2)],
    "a block repeated": lambda n: [" ".join(make_words(Random(1), 300, 10**4) * (n // 300))] * 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_time_grows_with_length_and_not_faster(case: str) -> None:
    """From 40,000 to 320,000 words; bounded work may even be less."""

    def take(words: int) -> float:
        a, b = CASES[case](words)
        times = []
        for _ in range(3):
            begin = process_time()
            _native.align(a, b)
            times.append(process_time() - begin)
        return min(times)

    times = [take(words) for words in (40_000, 320_000)]
    assert times[1] < 24 * times[0] + 0.2, [f"{each:.3f}" for each in times]
    assert all(later < 20 for _, later in pairwise(times))
