"""Passages: as the twin defines them, located in both texts, whatever the engine."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quilting import local
from snapshots import Snapshots
from twin_passages import Asked, Passage
from twin_passages import passages as twin

import unquilt
from unquilt.analyses.passages import PassageParameters, passages
from unquilt.engines.tasks import Scale
from unquilt.errors import InputError, ParameterError
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import documents
from unquilt.jobs.options import JobOptions
from unquilt.runs import InputRecord, Run
from unquilt.settings import Settings

Make = Callable[[Scale, int], Callable[[Run], Verbs]]
SHARED = "The old mill stood by the river. Its wheel had not turned for years. Nobody knew who owned it."
RETOLD = (
    "When the old lighthouse keeper retired in autumn, nobody in the harbour wanted his lonely post. The council "
    "offered a cottage, a boat and firewood, but candidates feared the winter storms there. At last a clockmaker "
    "took the lamp."
)
IMATCH: dict[str, Any] = {"signature": "imatch"}
SMALL: dict[str, Any] = IMATCH | {"min_words": 1, "n": 2}
VARIANTS: list[dict[str, Any]] = [
    SMALL,
    SMALL | {"gamma": 2, "max_df": 3},
    SMALL | {"gamma": 1, "refine": False},
    SMALL | {"gamma": 2, "max_gap": 2, "max_df": 4},
    SMALL | {"gamma": 3, "refine": False},
    SMALL | {"signature": "shingles", "tau": 0.5, "gamma": 2},
    SMALL | {"signature": "shingles", "tau": 0.4, "max_gap": 1, "max_df": 3, "n": 1},
    SMALL | {"signature": "spotsigs", "tau": 0.6, "antecedents": 4, "gamma": 1},
    SMALL | {"signature": "grams", "k": 3, "gamma": 5, "max_gap": 2},
    SMALL | {"signature": "grams", "k": 2, "gamma": 4, "max_gap": 0, "max_df": 3, "refine": False},
    IMATCH | {"nidf": (0.3, 0.9), "min_words": 4, "gamma": 2},
    SMALL | {"gamma": 1, "refine": False, "all_diagonals": True},
    SMALL | {"signature": "shingles", "tau": 0.5, "gamma": 2, "all_diagonals": True, "max_df": 4},
    SMALL | {"signature": "spotsigs", "tau": 0.6, "antecedents": 6, "spot_stops": 2, "gamma": 1},
    SMALL | {"nidf": (0.1, 1.0), "gamma": 1, "idf_always": True, "all_diagonals": True, "max_gap": 1},
    SMALL | {"sentence_pairs": True},
    SMALL | {"sentence_pairs": True, "gamma": 2, "signature": "shingles", "tau": 0.5, "all_diagonals": True},
]


def pages(*texts: str) -> pa.Table:
    return pa.table({"id": [f"page{number}" for number in range(len(texts))], "text": list(texts)})


def draw_texts(random: Random) -> list[str]:
    """Pages put together from few sentences of few words, so that there are repeats and ties of every kind."""
    words = ["oak", "elm", "ash", "fir", "yew", "bay", "fig", "box"]
    stock = [" ".join(random.choices(words, k=random.choice([1, 2, 3, 5, 7]))).capitalize() for _ in range(9)]
    texts = []
    for _ in range(random.choice([2, 4, 7, 22])):
        chosen = [random.choice(stock) for _ in range(random.randrange(12))]
        for at in range(len(chosen)):
            if random.random() < 0.1:
                chosen[at] += f" {random.choice(words)}"
        begin = random.randrange(len(chosen) + 1)
        again = chosen[begin : begin + 4] if random.random() < 0.3 else []
        texts.append(". ".join([*chosen, *again, *(["End"] if random.random() < 0.5 else [])]) + ".")
    return texts


def as_passages(table: pa.Table) -> list[Passage]:
    return [Passage(*(row[name] for name in Passage._fields)) for row in table.to_pylist()]


def ask(given: dict[str, Any]) -> Asked:
    parameters = PassageParameters.from_dict(given)
    known = {name: getattr(parameters, name) for name in Asked._fields if name not in ("gamma", "max_gap", "max_df")}
    return Asked(**known, gamma=parameters.least, max_gap=parameters.gap, max_df=parameters.max_df)


def run_passages(corpus: Run, folder: Path, engine: Callable[[Run], Verbs], **asked: Any) -> Run:
    record = InputRecord(str(corpus.path), 0, corpus.manifest["fingerprint"])
    with Run.open(folder, analysis="passages", parameters=asked, inputs=[record]) as run:
        with engine(run) as verbs:  # type: ignore[attr-defined]
            outcome = passages(verbs, documents(corpus), PassageParameters.from_dict(asked))
        run.finish({}, results=[table.name for table in outcome.tables])
    return run


@pytest.mark.slow
@pytest.mark.parametrize("variant", range(len(VARIANTS)))
def test_as_the_twin_defines_them(variant: int) -> None:
    given = VARIANTS[variant]
    found = 0
    for number in range(7):
        texts = draw_texts(Random(f"{variant} {number}"))
        expected = twin(texts, ask(given))
        options = JobOptions(settings=Settings(threads=1))
        assert as_passages(unquilt.passages(pages(*texts), options=options, **given).passages) == expected, number
        found += len(expected)
    assert found > 3


@pytest.mark.slow
@settings(max_examples=30)
@given(
    st.lists(
        st.lists(st.sampled_from(["One two. ", "Three. ", "Four five six. ", "Seven. "]), max_size=7),
        min_size=1,
        max_size=5,
    )
)
def test_any_texts(drawn: list[list[str]]) -> None:
    """Passages agree with the twin; they are in their texts, whatever is there."""
    texts = ["".join(each) or "none" for each in drawn]
    given = SMALL | {"gamma": 2, "max_df": 2}
    run = unquilt.passages(pages(*texts), options=JobOptions(settings=Settings(threads=1)), **given)
    assert as_passages(run.passages) == twin(texts, ask(given))
    for pair in run.passage_pairs.to_pylist():
        assert 0 < pair["share_a"] <= 1
        assert 0 < pair["share_b"] <= 1


@pytest.mark.slow
def test_both_engines_and_any_memory(make: Make, small_row_groups: Any, tmp_path: Path) -> None:
    """Tables are the same, byte for byte, for any number of partitions, threads and bytes of memory."""
    texts = [text for number in range(6) for text in draw_texts(Random(number))]
    table = pages(*texts).append_column("links", pa.array([[] for _ in texts], pa.list_(pa.string())))
    corpus = small_row_groups(table, tmp_path / "corpus")
    asked = [VARIANTS[5], SMALL | {"gamma": 2, "max_df": 6}, VARIANTS[8]]
    for number, variant in enumerate(asked):
        expected = twin(texts, ask(variant))
        alone = run_passages(corpus, tmp_path / f"{number}-alone", local(corpus, partitions=1), **variant)
        folder, memory = tmp_path / f"{number}-5", 1 << 16
        parted = run_passages(corpus, folder, make(Scale(len(texts), memory), 5), **variant)
        for run in (alone, parted):
            assert as_passages(run.table("passages")) == expected
        for name in ("passages", "passage_pairs"):
            assert parted.table(name).to_pylist() == alone.table(name).to_pylist()


def test_a_passage_is_located_in_both_texts() -> None:
    texts = ("We went out early. " + SHARED + " Then it rained.", "Listen: " + SHARED + " It was sold.")
    for signature, gamma in (("imatch", 3), ("shingles", 3), ("spotsigs", 3), ("grams", 15)):
        (found,) = unquilt.passages(pages(*texts), signature=signature, gamma=gamma).passages.to_pylist()
        said = [texts[0][found["a_begin"] : found["a_end"]], texts[1][found["b_begin"] : found["b_end"]]]
        assert [each.rstrip(".") for each in said] == [SHARED.rstrip(".")] * 2
        assert (found["a"], found["b"], found["similarity"], found["words"]) == (0, 1, 1.0, 19)


def test_whole_sentences_only() -> None:
    texts = ("We went out early. " + SHARED, "Listen: " + SHARED)
    assert not unquilt.passages(pages(*texts), **IMATCH, refine=False).passages.num_rows
    (found,) = unquilt.passages(pages(*texts), **IMATCH, refine=False, gamma=2, min_words=1).passages.to_pylist()
    assert texts[0][found["a_begin"] : found["a_end"]] == SHARED.partition(". ")[2]


def test_stop_sentences_extend_passages_and_make_none() -> None:
    menu = "Home is here. News are there. All about us. Write to us."
    texts = [f"{menu} Page {number} says this and that. It says no more." for number in range(6)]
    texts[0] = f"{menu} {SHARED}"
    texts[5] = f"{menu} {SHARED}"
    run = unquilt.passages(pages(*texts), **IMATCH, max_df=3)
    (found,) = run.passages.to_pylist()
    assert (found["a"], found["b"], found["a_begin"], found["sentences"]) == (0, 5, 0, 7)
    (stop,) = run.stop_runs.to_pylist()
    assert (stop["documents"], stop["sentences"], stop["text"]) == (6, 4, menu)
    assert run.passage_pairs.to_pylist()[0]["share_a"] == 1.0


def test_between_two_collections(snapshots: Snapshots) -> None:
    table = pa.table({"id": ["src/1", "susp/1", "susp/2", "other"], "text": [SHARED, SHARED, SHARED, SHARED]})
    found = unquilt.passages(table, **IMATCH, between=("susp/", "s*c/")).passages.to_pylist()
    assert [(row["a"], row["b"]) for row in found] == [(1, 0), (2, 0)]
    with snapshots.error(InputError):
        unquilt.passages(table, **IMATCH, between=("susp/", "nobody"))


def test_sites_are_not_compared_with_themselves() -> None:
    urls = ["http://a.example/1", "http://a.example/2", "http://b.example/1"]
    table = pa.table({"id": urls, "url": urls, "text": [SHARED] * 3})
    pairs = {"domain": [(0, 2), (1, 2)], "none": [(0, 1), (0, 2), (1, 2)]}
    for foreign, expected in pairs.items():
        found = unquilt.passages(table, **IMATCH, foreign=foreign).passages.to_pylist()
        assert [(row["a"], row["b"]) for row in found] == expected


@pytest.mark.slow
@pytest.mark.parametrize("signature", ["imatch", "grams", "fuzzy"])
def test_two_sides_are_foreign_by_being_sides(signature: str) -> None:
    """docs/definitions.md 3.5: `foreign` decides only where a document is on both sides."""
    hosts = ("www.one.example", "docs.one.example", "two.example")
    urls = [f"http://{host}/{number}" for host in hosts for number in range(2)]
    table = pa.table({"id": urls, "url": urls, "text": [RETOLD] * len(urls)})
    given: dict[str, Any] = {"signature": signature, "min_words": 1} if signature != "fuzzy" else {"signature": "fuzzy"}
    sides = ["http://www.one.example/", "http://docs.one", "http://two", "http://*one", "http://*", "http://*/1"]
    for a, b in [*itertools.product(sides, sides)]:
        found = unquilt.passages(table, between=(a, b), **given).passages.to_pylist()
        on = [(_begins(url, a), _begins(url, b)) for url in urls]
        expected = set()
        for one, other in itertools.permutations(range(len(urls)), 2):
            alone = on[one] == (True, False) and on[other] == (False, True)
            same = ("one.example" in urls[one]) == ("one.example" in urls[other])
            if on[one][0] and on[other][1] and (alone or not same):
                twice = on[one][1] and on[other][0]  # then the lower one comes first
                expected.add((min(one, other), max(one, other)) if twice else (one, other))
        assert {(row["a"], row["b"]) for row in found} == expected, (a, b)


def _begins(name: str, pattern: str) -> bool:
    return re.match(".*?".join(map(re.escape, pattern.split("*"))), name) is not None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"signature": "simhash"}, "signature must be one of imatch, shingles, spotsigs, grams, fuzzy, not 'simhash'"),
        ({"tau": 0}, "tau must be a number above 0 and of at most 1, not 0"),
        ({"gamma": 0}, "gamma must be a whole number between 1 and 2147483648 or None, not 0"),
        ({"tau": 0.5}, "tau has no effect with signature grams; leave it out"),
        ({"signature": "grams", "nidf": (0.2, 0.8)}, "nidf has no effect with signature grams; leave it out"),
        ({"between": ("a",)}, "between must have two items, not ('a',)"),
    ],
)
def test_wrong_parameters(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        PassageParameters.from_dict(given)
    assert str(caught.value) == message


def test_odd_texts() -> None:
    """Texts without words, of one word, of punctuation alone, without the end of a sentence, or of one long one."""
    long = "word " * 50_000
    texts = ["", "...", "one", "!? ?! -- ()", "no end of it " * 20, "no end of it " * 20, long, long, "A. " * 3000]
    for signature in ("imatch", "shingles", "spotsigs", "grams"):
        run = unquilt.passages(pages(*texts), signature=signature, gamma=1)
        found = {(row["a"], row["b"]): row for row in run.passages.to_pylist()}
        assert set(found) >= {(4, 5)}
        assert found[4, 5]["similarity"] == 1.0
