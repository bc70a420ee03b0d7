"""Fuzzy passages of a corpus are those of the twin: candidates by keys of rare stems, each pair aligned."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
import twin_fuzzy

import unquilt
from unquilt.analyses.passages import PassageParameters
from unquilt.errors import ParameterError
from unquilt.jobs.how import How
from unquilt.settings import Settings

sys.path.append(str(Path(__file__).parents[1] / "text"))
from test_alignment import as_text, edit, make_words

PLACES = ("a", "b", "a_begin", "a_end", "b_begin", "b_end")


def draw_texts(seed: int, count: int = 10) -> list[str]:
    """Texts some of which took passages from others before them, edited."""
    random = Random(seed)
    drawn = [make_words(random, random.randint(0, 260), 3000) for _ in range(count)]
    for at in range(1, count):
        source = drawn[random.randrange(at)]
        if len(source) > 60 and random.random() < 0.7:
            begin = random.randrange(len(source) - 50)
            place = random.randint(0, len(drawn[at]))
            taken = source[begin : begin + random.randint(40, 150)]
            drawn[at][place:place] = edit(taken, random.choice([0.0, 0.2, 0.4]), random)
    return [as_text(words, random) for words in drawn]


def pages(texts: list[str]) -> pa.Table:
    return pa.table({"id": [f"{'even' if at % 2 == 0 else 'odd'}/{at}" for at in range(len(texts))], "text": texts})


def with_notices(texts: list[str]) -> Iterator[str]:
    """The same, most of them with a notice before, behind or in the middle."""
    random = Random(3)
    notice = make_words(random, 70, 3000)
    for at, text in enumerate(texts):
        words = text.split(" ")
        place = random.choice([0, len(words) // 2, len(words)])
        if at % 5 != 4:
            yield " ".join([*words[:place], *notice, *words[place:]])
        else:
            yield text


@pytest.mark.slow
def test_passages_are_those_of_the_twin(settings: Settings) -> None:
    texts = list(with_notices(draw_texts(seed=1)))
    rates = twin_fuzzy.shared_rates(texts)
    common = twin_fuzzy.boilerplate_of(texts, 4)
    assert len(common) > 60
    how = How(settings=settings)
    for between in ((), ("odd/", "even/")):

        def paired(a: int, b: int, between: tuple[str, ...] = between) -> bool:
            return a % 2 == 1 and b % 2 == 0 if between else a < b

        run = unquilt.passages(pages(texts), signature="fuzzy", between=between, boilerplate=4, how=how)
        pairs = twin_fuzzy.candidates_of(texts, paired=paired, boilerplate=common)
        expected = []
        for a, b in pairs:
            aligned = twin_fuzzy.align(texts[a], texts[b], rates, both_ways=not between, boilerplate=common)
            expected += [
                (a, b, *each[:4], pytest.approx(each[4]), pytest.approx(each[5], abs=1e-6)) for each in aligned
            ]
        rows = run.passages.to_pylist()
        found = [(*(row[name] for name in PLACES), row["score"], row["a_rate"]) for row in rows]
        assert sorted(found) == sorted(expected, key=lambda each: each[:6])
        summary = run.manifest["summary"]
        assert summary["candidates"] == len(pairs)
        stems = [twin_fuzzy.read(text)[0] for text in texts]
        left_out = sum(len(each) - len(twin_fuzzy.left_of(each, common)) for each in stems)
        assert (summary["boilerplate_grams"], summary["boilerplate_words"]) == (len(common), left_out)
        if not between:
            assert len(found) > 2
        shared = run.passage_pairs.to_pylist()
        assert {(row["a"], row["b"]) for row in shared} == {row[:2] for row in found}


def test_what_very_many_pages_have_is_no_passage() -> None:
    """Not what one more than a hundred have; what a hundred have may be."""
    random = Random(7)
    menu, copied = (make_words(random, 80, 3000) for _ in range(2))
    drawn = [[*menu, *make_words(random, 40, 3000)] for _ in range(101)]
    for page in (11, 88):
        drawn[page] += copied
    texts = [as_text(words, random) for words in drawn]
    run = unquilt.passages(pages(texts), signature="fuzzy")
    (found,) = run.passages.to_pylist()
    assert (found["a"], found["b"]) == (11, 88)
    assert found["a_begin"] > len(texts[11]) // 2  # and not at the menu
    assert run.manifest["summary"]["boilerplate_words"] >= 101 * 80
    for kept in (pages(texts[:100]), {}), (pages(texts), {"boilerplate": 0}):
        summary = unquilt.passages(kept[0], signature="fuzzy", **kept[1]).manifest["summary"]
        assert summary["boilerplate_words"] == 0


def test_boilerplate_within_a_passage_does_not_count() -> None:
    """A copy that a menu interrupts is as long and as similar as without it; a few words do not become a passage."""
    random = Random(8)
    menu = make_words(random, 120, 3000)
    menus = [" ".join([*menu, *make_words(random, 60, 3000)]) for _ in range(9)]
    for length, passages in ((80, 1), (16, 0)):
        copied, half = make_words(random, length, 3000), length // 2
        plain = [*make_words(random, 100, 3000), *copied]
        interrupted = [*make_words(random, 100, 3000), *copied[:half], *menu, *copied[half:]]
        texts = [" ".join(words) for words in (plain, interrupted)]
        run = unquilt.passages(pages([*texts, *menus]), signature="fuzzy", boilerplate=5)
        found = [row for row in run.passages.to_pylist() if (row["a"], row["b"]) == (0, 1)]
        assert len(found) == passages
        for row in found:
            assert abs(row["words"] - length) < 10
            assert row["similarity"] > 0.9
            assert row["weight"] <= row["words"]
            assert row["b_end"] - row["b_begin"] > len(" ".join(menu))


def test_what_is_not_there_is_counted_as_none() -> None:
    summary = unquilt.passages(pages(["one two three"] * 3), signature="fuzzy").manifest["summary"]
    for name in ("boilerplate_grams", "boilerplate_left_out", "candidates", "candidates_left_out", "most_candidates"):
        assert summary[name] == 0


def test_candidates_that_are_too_many_are_counted() -> None:
    random = Random(4)
    common = make_words(random, 120, 3000)
    texts = [as_text([*common, *make_words(random, 60, 3000)], random) for _ in range(8)]
    run = unquilt.passages(pages(texts), signature="fuzzy", max_candidates=3)
    summary = run.manifest["summary"]
    assert summary["candidates_left_out"] == 4 + 3 + 2 + 1
    assert summary["candidates"] == 3 * 5 + 2 + 1
    fewer = unquilt.passages(pages(texts), signature="fuzzy", max_df=3).manifest["summary"]
    assert len(twin_fuzzy.candidates_of(texts, max_df=3, paired=lambda a, b: a < b)) == fewer["candidates"] < 8 * 7 / 2
    assert fewer["common_keys"] > 20


def test_copies_are_one_document_if_that_is_asked_for() -> None:
    random = Random(6)
    text = as_text(make_words(random, 200, 3000), random)
    other = as_text(make_words(random, 200, 3000), random)
    texts = [text, text, text, other, other + text]
    everything = unquilt.passages(pages(texts), signature="fuzzy").passages.to_pylist()
    kept = unquilt.passages(pages(texts), signature="fuzzy", collapse="exact").passages.to_pylist()
    assert {(row["a"], row["b"]) for row in everything} > {(0, 1), (1, 2), (3, 4)}
    assert {(row["a"], row["b"]) for row in kept} == {(0, 4), (3, 4)}


def test_parameters_without_effect_are_refused() -> None:
    for wrong in ({"gamma": 4}, {"max_gap": 2}, {"refine": False}, {"k": 5}, {"min_words": 9}):
        with pytest.raises(ParameterError, match="has no effect with signature fuzzy"):
            PassageParameters.from_dict({"signature": "fuzzy", **wrong})
    for wrong in ({"max_candidates": 5}, {"boilerplate": 9}):
        with pytest.raises(ParameterError, match=f"{next(iter(wrong))} has no effect"):
            PassageParameters.from_dict(wrong)


@pytest.mark.parametrize("texts", [["", "."], ["word"] * 3, ["word " * 300] * 3, ["漢字" * 90, "漢字" * 90]])
def test_next_to_nothing(texts: list[str]) -> None:
    run = unquilt.passages(pages(texts), signature="fuzzy")
    assert json.dumps(run.manifest["summary"])
    assert run.passages.num_rows <= 3
