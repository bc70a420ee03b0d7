"""Near-duplicates by spot signatures, against all pairs (docs/definitions.md 3.2)."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quilting import read_files
from test_neardups import draw_texts, rows
from test_threshold import clusters, recall
from twin_neardups import join
from twin_spotsigs import Spotting, jaccard, list_frequent, sign

import unquilt
from unquilt.analyses.neardups import NeardupParameters
from unquilt.errors import ParameterError
from unquilt.jobs.options import JobOptions
from unquilt.parameters import Parameters
from unquilt.settings import Settings


def tabulate(texts: list[str]) -> pa.Table:
    return pa.table({"id": [str(number) for number in range(len(texts))], "text": texts})


CASES = [
    Spotting(antecedents=5, spot_stops=20),
    Spotting(antecedents=40, spot_stops=40, chain=1),
    Spotting(antecedents=10, spot_stops=12, chain=2, distance=2),
]


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("spotting", CASES, ids=lambda each: f"{each.antecedents}-{each.chain}-{each.distance}")
def test_all_pairs_that_reach_it_and_no_others(spotting: Spotting, threshold: float, tmp_path: Path) -> None:
    texts = draw_texts(Random(5), 150)
    asked = {"antecedents": spotting.antecedents, "spot_stops": spotting.spot_stops, "chain": spotting.chain}
    asked |= {"spot_distance": spotting.distance}
    run = unquilt.neardups(
        tabulate(texts), tmp_path / "run", method="spotsigs", threshold=threshold, pairs=True, **asked
    )
    frequent = list_frequent(texts, spotting.spot_stops)
    signed = [sign(text, frequent, spotting) for text in texts]

    def compare(a: int, b: int) -> float:
        return jaccard(signed[a], signed[b])

    pairs = rows(run, "pairs")
    for doc, other, found, _ in pairs:
        assert found == compare(doc, other) >= threshold
    assert join(len(texts), [pair[:2] for pair in pairs]) == sorted(clusters(run).items())
    known = [(a, b) for a in range(len(texts)) for b in range(a) if compare(a, b) >= threshold]
    found, of = recall(known, clusters(run))
    assert of > 30
    assert found >= 0.99 * of
    for doc, keep, instead, similarity in rows(run, "kept"):
        assert keep or similarity == compare(doc, instead) >= threshold


@pytest.mark.slow
@pytest.mark.spark_once
def test_on_every_engine(settings: Settings, tmp_path: Path) -> None:
    texts = draw_texts(Random(6), 60)
    given = {"method": "spotsigs", "threshold": 0.5, "spot_stops": 20}
    runs = [
        unquilt.neardups(tabulate(texts), tmp_path / name, options=JobOptions(settings=how), **given)
        for name, how in (("one", Settings(threads=1)), ("other", settings))
    ]
    assert read_files(runs[0]) == read_files(runs[1])
    assert runs[0].clusters.num_rows


def test_a_text_is_told_by_its_prose(tmp_path: Path) -> None:
    """Two pages with one article among other menus are near; two with one menu around other articles are not."""
    article = "The mill stood by the river, and the wheel of it had not turned since the miller left the valley. "
    article += "The children of the village said the house was haunted, and the old people said the same of the river."
    other = "The price of the bread went up, and the baker of the town blamed the weather and the cost of the flour."
    menus = ["Home News Sport Weather Travel Contact", "Start Blog Photos Links Imprint Help Search Login"]
    texts = [f"{menus[0]} {article}", f"{menus[1]} {article}", f"{menus[0]} {other}"]
    run = unquilt.neardups(tabulate(texts), tmp_path / "run", method="spotsigs", threshold=0.9, spot_stops=6)
    assert clusters(run) == {0: 0, 1: 0}


@pytest.mark.slow
@given(st.lists(st.text(" abct.", max_size=30), min_size=1, max_size=6))
def test_any_texts_are_clustered_as_the_twin_does(texts: list[str]) -> None:
    asked = {"method": "spotsigs", "threshold": 1.0, "antecedents": 1, "spot_stops": 1, "chain": 1}
    run = unquilt.neardups(tabulate(texts), options=JobOptions(settings=Settings(threads=1)), **asked)
    signed = [sign(text, list_frequent(texts, 1), Spotting(1, 1, 1)) for text in texts]
    same = [(a, b) for a in range(len(texts)) for b in range(a) if jaccard(signed[a], signed[b]) == 1.0]
    assert sorted(clusters(run).items()) == join(len(texts), same)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "spotsigs"}, "method spotsigs needs a threshold, such as threshold 0.5"),
        ({"method": "spotsigs", "threshold": 0.5, "k": 3}, "k has no effect with method spotsigs; leave it out"),
        ({"method": "spotsigs", "threshold": 0.5, "key": "0" * 32}, "key has no effect with method spotsigs"),
        ({"method": "spotsigs", "threshold": 0.5, "lexicons": 3}, "lexicons has no effect with method spotsigs"),
        ({"chain": 3}, "chain has no effect with method shingles; leave it out"),
        (
            {"method": "spotsigs", "threshold": 0.5, "antecedents": 200},
            "spot_stops must be at least antecedents, which is 200",
        ),
    ],
)
def test_wrong_parameters(given: dict[str, object], message: str) -> None:
    kind: type[Parameters] = NeardupParameters
    with pytest.raises(ParameterError, match=message):
        kind.from_dict(given)
