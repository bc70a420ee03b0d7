"""Reworded passages of a corpus are those of the twin: candidates by keys of rare stems, each pair aligned."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
import twin_reworded

import unquilt
from unquilt.analyses.passages import PassageParameters
from unquilt.analyses.reworded import RewordedParameters
from unquilt.errors import InputError, ParameterError
from unquilt.jobs.options import JobOptions
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
    rates = twin_reworded.shared_rates(texts)
    common = twin_reworded.boilerplate_of(texts, 4)
    assert len(common) > 60
    options = JobOptions(settings=settings)
    for between in ((), ("odd/", "even/")):

        def paired(a: int, b: int, between: tuple[str, ...] = between) -> bool:
            return a % 2 == 1 and b % 2 == 0 if between else a < b

        run = unquilt.reworded(pages(texts), between=between, boilerplate=4, options=options)
        pairs = twin_reworded.candidates_of(texts, paired=paired, boilerplate=common)
        expected = []
        for a, b in pairs:
            aligned = twin_reworded.align(texts[a], texts[b], rates, both_ways=not between, boilerplate=common)
            expected += [
                (a, b, *each[:4], pytest.approx(each[4]), pytest.approx(each[5], abs=1e-6)) for each in aligned
            ]
        rows = run.passages.to_pylist()
        found = [(*(row[name] for name in PLACES), row["score"], row["a_rate"]) for row in rows]
        assert sorted(found) == sorted(expected, key=lambda each: each[:6])
        summary = run.manifest["summary"]
        assert summary["candidates"] == len(pairs)
        stems = [twin_reworded.read(text)[0] for text in texts]
        left_out = sum(len(each) - len(twin_reworded.left_of(each, common)) for each in stems)
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
    run = unquilt.reworded(pages(texts))
    (found,) = run.passages.to_pylist()
    assert (found["a"], found["b"]) == (11, 88)
    assert found["a_begin"] > len(texts[11]) // 2  # and not at the menu
    assert run.manifest["summary"]["boilerplate_words"] >= 101 * 80
    for kept in (pages(texts[:100]), {}), (pages(texts), {"boilerplate": 0}):
        summary = unquilt.reworded(kept[0], **kept[1]).manifest["summary"]
        assert summary["boilerplate_words"] == 0


def test_similarity_is_the_share_of_stems_in_common() -> None:
    """Of the side that has fewer, by the twin's stems; not the shingles that both sides have word for word."""
    texts = list(with_notices(draw_texts(seed=1)))
    run = unquilt.reworded(pages(texts), boilerplate=0)
    rows = run.passages.to_pylist()
    assert len(rows) > 2
    for row in rows:
        sides = [texts[row[side]][row[f"{side}_begin"] : row[f"{side}_end"]] for side in "ab"]
        one, other = (set(twin_reworded.read(side)[0]) for side in sides)
        assert row["similarity"] == pytest.approx(len(one & other) / min(len(one), len(other)))


def test_documents_that_have_a_passage_are_counted() -> None:
    """Four pages that have one text, of which two have another one, too."""
    random = Random(11)
    common, rare = (make_words(random, 80, 3000) for _ in range(2))
    drawn = [[*make_words(random, 60, 3000), *common, *make_words(random, 60, 3000)] for _ in range(4)]
    for words in drawn[:2]:
        words += rare
    texts = [as_text(words, random) for words in drawn]
    run = unquilt.reworded(pages(texts), boilerplate=0)
    rows = run.passages.to_pylist()
    counted = {(row["a"], row["b"]): [] for row in rows}
    for row in sorted(rows, key=lambda row: row["a_begin"]):
        counted[row["a"], row["b"]].append(row["documents"])
    assert counted[0, 1] == [4, 2]
    assert {tuple(each) for pair, each in counted.items() if pair != (0, 1)} == {(4,)}
    shared = next(row for row in rows if (row["a"], row["b"]) == (2, 3))
    taken = min(shared["words"] * shared["a_rate"], shared["words"] * shared["b_rate"]) / 3
    assert 0.09 * taken < shared["weight"] < 1.1 * taken


def test_passages_of_prose_come_first() -> None:
    """A passage in sentences, one as a list of titles, and one as code: each word of the latter counts a tenth."""
    random = Random(14)
    told = [make_words(random, 60, 3000) for _ in range(3)]
    said = " ".join(" ".join(told[0][at : at + 12]).capitalize() + "." for at in range(0, 60, 12))
    listed, coded = "\n\n".join(told[1]), "\n".join(f"{word}({word[::-1]});" for word in told[2])
    texts = [
        "\n\n".join(" ".join(make_words(random, 80, 3000)) + "\n\n" + part for part in (listed, coded, said))
        for _ in range(2)
    ]
    rows = unquilt.reworded(pages(texts), boilerplate=0).passages.to_pylist()
    assert len(rows) == 3
    full = [min(row["words"] * row["a_rate"], row["words"] * row["b_rate"]) for row in rows]
    shares = [row["weight"] / each for row, each in zip(rows, full, strict=True)]
    assert shares[2] > 0.8
    assert max(shares[:2]) < 0.2


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
        run = unquilt.reworded(pages([*texts, *menus]), boilerplate=5)
        found = [row for row in run.passages.to_pylist() if (row["a"], row["b"]) == (0, 1)]
        assert len(found) == passages
        for row in found:
            assert abs(row["words"] - length) < 10
            assert row["similarity"] > 0.9
            assert row["weight"] <= row["words"]
            assert row["b_end"] - row["b_begin"] > len(" ".join(menu))


def test_what_is_not_there_is_counted_as_none() -> None:
    summary = unquilt.reworded(pages(["one two three"] * 3)).manifest["summary"]
    for name in ("boilerplate_grams", "boilerplate_left_out", "candidates", "candidates_left_out", "most_candidates"):
        assert summary[name] == 0


def test_candidates_that_are_too_many_are_counted() -> None:
    random = Random(4)
    common = make_words(random, 120, 3000)
    texts = [as_text([*common, *make_words(random, 60, 3000)], random) for _ in range(8)]
    run = unquilt.reworded(pages(texts), max_candidates=3)
    summary = run.manifest["summary"]
    assert summary["candidates_left_out"] == 4 + 3 + 2 + 1
    assert summary["candidates"] == 3 * 5 + 2 + 1
    fewer = unquilt.reworded(pages(texts), max_df=3).manifest["summary"]
    assert (
        len(twin_reworded.candidates_of(texts, max_df=3, paired=lambda a, b: a < b)) == fewer["candidates"] < 8 * 7 / 2
    )
    assert fewer["common_keys"] > 20


def test_copies_are_one_document_if_that_is_asked_for() -> None:
    random = Random(6)
    text = as_text(make_words(random, 200, 3000), random)
    other = as_text(make_words(random, 200, 3000), random)
    texts = [text, text, text, other, other + text]
    everything = unquilt.reworded(pages(texts)).passages.to_pylist()
    kept = unquilt.reworded(pages(texts), collapse="exact").passages.to_pylist()
    assert {(row["a"], row["b"]) for row in everything} > {(0, 1), (1, 2), (3, 4)}
    assert {(row["a"], row["b"]) for row in kept} == {(0, 4), (3, 4)}


def test_the_signature_fuzzy_of_passages_leads_here(tmp_path: Path) -> None:
    texts = pages(draw_texts(seed=5))
    given: dict[str, Any] = {"boilerplate": 0, "max_df": 1000, "between": ("odd/", "even/")}
    led = unquilt.passages(texts, tmp_path / "led", signature="fuzzy", gamma=None, **given)
    run = unquilt.reworded(texts, tmp_path / "run", **given)
    assert led.manifest["analysis"] == "reworded"
    assert led.manifest["parameters"] == run.manifest["parameters"]
    assert led.passages.num_rows > 0
    for table in ("passages", "passage_pairs"):
        assert (led.path / f"{table}.parquet").read_bytes() == (run.path / f"{table}.parquet").read_bytes()
    with pytest.raises(ParameterError, match="signature fuzzy is an analysis of its own, reworded"):
        PassageParameters(signature="fuzzy")


@pytest.mark.parametrize("wrong", [{"gamma": 4}, {"max_gap": 2}, {"refine": False}, {"k": 5}, {"min_words": 9}])
def test_parameters_of_passages_have_no_effect_with_signature_fuzzy(wrong: dict[str, Any]) -> None:
    message = f"{next(iter(wrong))} has no effect with signature fuzzy; leave it out"
    with pytest.raises(ParameterError, match=message):
        unquilt.passages(pages(["a text"]), signature="fuzzy", **wrong)


@pytest.mark.parametrize("name", ["max_candidates", "boilerplate"])
def test_parameters_of_reworded_have_no_effect_on_passages(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} has no effect with signature grams; leave it out"):
        unquilt.passages(pages(["a text"]), **{name: 5})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_df": 0}, "max_df must be a whole number between 1 and 4294967295, not 0"),
        ({"between": ("", "b")}, "between must name two collections, none of them empty"),
        ({"gamma": 3}, "there is no parameter 'gamma'"),
    ],
)
def test_wrong_parameters(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        RewordedParameters.from_dict(wrong)


def test_a_collection_without_documents_is_refused() -> None:
    with pytest.raises(InputError, match="begins with 'nobody'"):
        unquilt.reworded(pages(["one text", "another text"]), between=("even/", "nobody"))


@pytest.mark.parametrize("texts", [["", "."], ["word"] * 3, ["word " * 300] * 3, ["漢字" * 90, "漢字" * 90]])
def test_next_to_nothing(texts: list[str]) -> None:
    run = unquilt.reworded(pages(texts))
    assert json.dumps(run.manifest["summary"])
    assert run.passages.num_rows <= 3
