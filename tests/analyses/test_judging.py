"""Quilts of a finished run by other limits: what a run made with these limits finds, or a refusal."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import twin
from drawn import as_table
from hypothesis import given, settings
from hypothesis import strategies as st
from quilting import PLAIN, fit, local, run_quilts
from snapshots import Snapshots
from test_quilts import LARGEST, SHARES, SIGMAS, corpora
from twin import Document

import unquilt
from unquilt.errors import ParameterError, RunError
from unquilt.runs import Run

LOOSE: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0.0} | PLAIN
limits_of_all = st.fixed_dictionaries(
    {},
    optional={
        "c": st.integers(1, 3),
        "sigma": st.sampled_from(SIGMAS),
        "min_share": st.sampled_from(SHARES),
        "max_largest": st.sampled_from(LARGEST),
        "max_sections": st.sampled_from((1.0, 0.5, 0.0)),
        "max_attributed": st.sampled_from((1.0, 0.5, 0.0)),
    },
).map(fit)


AS_COUNTED = (
    *("own", "spanned", "sewn", "sewn_words", "sewn_sources", "joined_words", "joined_sources", "reads_on", "resumes"),
    *("borders_on", "in_order", "from_pool", "evidence", "published"),
)
"""Numbers that stay those of the run: of fewer sources, they would be others, or not known."""


def quilts(verdicts: pa.Table) -> list[dict[str, Any]]:
    return verdicts.filter(verdicts["quilt"]).drop_columns(AS_COUNTED).to_pylist()


@pytest.mark.slow
@given(corpora(), limits_of_all)
@settings(max_examples=15)
def test_any_limits_give_what_the_twin_says(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[Document], limits: dict[str, Any]
) -> None:
    run = unquilt.quilts(as_table(corpus), tmp_path_factory.mktemp("any") / "run", **LOOSE)
    found = unquilt.judge(run, **limits)
    places = [place for place, name in enumerate(found.column_names) if name not in AS_COUNTED]
    expected = [tuple(row[place] for place in places) for row in twin.quilts(corpus, **LOOSE | limits).verdicts]
    assert [tuple(row.values()) for row in quilts(found)] == [row for row in expected if row[-2]]
    for row in found.filter(found["quilt"]).to_pylist():
        assert row["evidence"] <= row["sources"] * row["covered"] * (1 - row["own"])
    if limits.get("min_share", 0) == 0:
        assert [tuple(row.values()) for row in found.drop_columns(AS_COUNTED).to_pylist()] == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "limits",
    [
        {"sigma": 0.6, "c": 2},
        {"max_largest": 0.7, "max_attributed": 0.2},
        {"min_share": 0.3},
        {"min_share": 0.25, "max_sections": 0.5},
        {"min_share": 0.34, "max_attributed": 0.3, "sigma": 0.4},
        {"min_share": 1 / 3, "max_largest": 0.6, "c": 2},
    ],
    ids=str,
)
def test_hundreds_of_corpora_are_judged_as_if_computed_again(
    limits: dict[str, Any], packed_corpus: Run, tmp_path: Path
) -> None:
    loose = run_quilts(packed_corpus, tmp_path / "loose", local(packed_corpus), **LOOSE)
    again = run_quilts(packed_corpus, tmp_path / "again", local(packed_corpus), **LOOSE | limits)
    run = unquilt.read(loose.path)
    run.manifest["parameters"] = unquilt.QuiltParameters(**LOOSE).to_dict()
    found = unquilt.judge(run, **limits)
    assert quilts(found) == quilts(again.verdicts)
    assert 0 < len(quilts(found)) < len(quilts(loose.verdicts))


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {"max_reads_on": 0.02, "min_part": 3, "min_sewn": 0.5, "sigma": 0.9, "sigma_of": "spanned"},
        {
            "max_reads_on": 0.0,
            "min_part": 4,
            "min_sewn": 0.5,
            "sigma": 0.7,
            "max_largest": 0.8,
            "edits": "light",
            "c": 2,
        },
        {"max_reads_on": -0.1, "min_part": 3, "sigma": 0.7, "max_own": 0.3, "homes": True, "foreign": "host"},
        {"max_reads_on": 0.0, "min_part": 3, "sigma": 0.8, "min_sewn": 0.3, "max_own": 0.6, "homes": True, "c": 2},
    ],
    ids=str,
)
def test_judging_by_the_limits_of_a_run_changes_nothing(
    asked: dict[str, Any], packed_corpus: Run, tmp_path: Path
) -> None:
    """What the core decides, `judge` decides, too: also what is stitched in part, and what lies apart."""
    made = LOOSE | {"min_grams": 2} | asked
    run = unquilt.read(run_quilts(packed_corpus, tmp_path / "run", local(packed_corpus), **made).path)
    run.manifest["parameters"] = unquilt.QuiltParameters.from_dict(made).to_dict()
    columns = ["doc", "verdict", "quilt", "why"]
    found = unquilt.judge(run, sigma=made["sigma"]).select(columns)
    assert found.to_pylist() == run.verdicts.select(columns).to_pylist()
    verdicts = Counter(found["verdict"].to_pylist())
    assert verdicts["quilt"] > 0
    assert verdicts["in part"] > 0


def pages() -> pa.Table:
    return pa.table({"id": ["x", "y", "z"], "text": ["a b c d", "d e f g", "a b c d e f g"]})


def test_looser_limits_find_more() -> None:
    run = unquilt.quilts(pages(), k=3, c=2, min_grams=1)
    assert [row["doc"] for row in quilts(unquilt.judge(run, c=1, max_largest=1))] == [0, 1, 2]
    assert unquilt.judge(run.path) == run.verdicts


def test_pages_that_were_not_looked_at_come_last() -> None:
    run = unquilt.quilts(pages(), k=3, c=2, min_grams=1)
    found = unquilt.judge(run, c=1, max_largest=1)
    looked_at = [reads_on is not None for reads_on in found["reads_on"].to_pylist()]
    assert looked_at == [False, False, True]
    assert [evidence > 0 for evidence in found["evidence"].to_pylist()] == looked_at


@pytest.mark.parametrize(
    "made",
    [
        {"max_reads_on": 1.0},
        {"max_reads_on": 1.0, "patches": False},
        {"max_reads_on": 1.0, "min_sewn": 0.0, "sigma_of": "covered"},
    ],
    ids=str,
)
def test_they_come_last_whatever_the_run_looked_for(made: dict[str, Any]) -> None:
    run = unquilt.quilts(pages(), k=3, c=2, min_grams=1, **made)
    found = unquilt.judge(run, c=1, max_largest=1)
    assert found["quilt"].to_pylist() == [True, True, True]
    assert [evidence > 0 for evidence in found["evidence"].to_pylist()] == [False, False, True]


def test_quilts_as_published_are_known_for_the_limits_of_the_run_only() -> None:
    run = unquilt.quilts(pages(), k=3, c=2, min_grams=1)
    assert run.verdicts["published"].to_pylist() == [False, False, True]
    assert unquilt.judge(run, max_largest=1)["published"] == run.verdicts["published"]
    assert unquilt.judge(run, c=1)["published"].null_count == 3


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({"min_share": 0.01}, "no sources below its min_share of 0.02; for 0.01, make a new run"),
        ({"min_share": 0.1}, "another min_share needs a new run"),
        ({"sigma": 2}, "sigma must be a number between 0 and 1, not 2"),
        ({"k": 4}, "k cannot be changed without a new run; what can: c, sigma, sigma_of, min_share"),
    ],
)
def test_what_cannot_be_said_is_refused(limits: dict[str, Any], complaint: str) -> None:
    run = unquilt.quilts(pages(), k=3, c=2, min_grams=1)
    with pytest.raises(ParameterError, match=complaint):
        unquilt.judge(run, **limits)


@pytest.mark.parametrize("limits", [{"max_own": 0.5}, {"min_sewn": 0.5}], ids=str)
def test_what_was_not_counted_cannot_be_judged(limits: dict[str, Any], snapshots: Snapshots) -> None:
    """As published, nobody asks which site has a text, or, without patches, what is sewn in."""
    run = unquilt.quilts(pages(), k=3, c=2, foreign="none", collapse="none", patches=False, **PLAIN)
    with snapshots.error(ParameterError):
        unquilt.judge(run, **limits)


def test_what_is_sewn_in_is_judged_again() -> None:
    """The middle page has two words more of each neighbour than its seam allows."""
    texts = ["a b c d e f", "e f g h i j", "a b c d e f g h i j"]
    run = unquilt.quilts(pa.table({"id": list("xyz"), "text": texts}), k=2, c=2, sigma=0.5, **PLAIN)
    assert run.quilts["sewn"].to_pylist() == [0.0]
    assert quilts(unquilt.judge(run, min_sewn=0.1)) == []


def test_other_runs_have_no_verdicts(tmp_path: Path, snapshots: Snapshots) -> None:
    with snapshots.error(RunError):
        unquilt.judge(unquilt.ingest(pages(), tmp_path / "corpus"))
