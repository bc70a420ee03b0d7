"""Judging on the page: from a form to shares, for any table; what is wrong with the file of labels is told."""

from __future__ import annotations

import json
import re
import sqlite3
from html import unescape
from math import comb
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from looking import RUNS
from serving import Answer, Served, serving

import unquilt as uq
from unquilt.cli import cli
from unquilt.judgements import labels
from unquilt.judgements.results import find_interval, write_labels

pytestmark = pytest.mark.slow


def draw(served: Served, run: str, table: str, **asked: Any) -> str:
    """Draw a sample as the form does; returns its address."""
    answer = served.post("/judging", {"of": f"{run}/{table}", "sample": 4, "categories": "yes,no"} | asked)
    assert answer.status == 303, answer.text
    return answer.headers["location"]


def say(served: Served, sample: str, judge: str, item: int, category: str, **asked: str) -> Answer:
    return served.post(f"{sample}/{judge}", {"item": item, "category": category} | asked, accept="application/json")


def plain(answer: Answer) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text)))


def test_a_sample_of_every_table_can_be_judged(served: Served, web: Path) -> None:
    for run in RUNS:
        opened = uq.read(web / run)
        for table in opened.tables:
            if not opened.table(table).num_rows:
                continue
            sample = draw(served, run, table)
            for item in (1, 2):
                answer = served.get(f"{sample}/ada?item={item}")
                assert answer.status == 200, (run, table, answer.text)
                assert 'class="error"' not in answer.text, (run, table, plain(answer))


def test_from_the_first_label_to_shares(served: Served) -> None:
    sample = draw(served, "quilts", "quilts", seed=5, where="sources > 4")
    assert "item 1 of 4" in plain(served.get(f"{sample}/ada"))
    for item, ours, theirs in ((1, "yes", "yes"), (2, "yes", "no"), (3, "no", "no"), (4, "no", "no")):
        assert json.loads(say(served, sample, "ada", item, ours, note="because <b>").text) == {"next": f"{sample}/ada"}
        say(served, sample, "bob", item, theirs)
    assert "because &lt;b&gt;" in served.get(f"{sample}/ada?item=1").text
    assert "because &lt;b&gt;" not in served.get(f"{sample}/bob?item=1").text
    told = plain(served.get(sample))
    population = int(re.search(r"4 of (\d+) rows", told)[1])
    low, high = (f"{end * 100:.0f} %" for end in find_interval(2, 4, population))
    assert f"ada 4 of 4 50 % {low} – {high} 50 % {low} – {high}" in told
    assert "the same for 3 of 4 items that both labelled; Cohen’s κ = 0.50" in told
    assert "All 4 items are judged" in plain(served.get(f"{sample}/ada"))
    assert "sources > 4" in told
    undone = served.post(f"{sample}/ada", {"undo": 1}, accept="application/json")
    assert json.loads(undone.text) == {"next": f"{sample}/ada?item=4"}
    again = served.get(f"{sample}/ada").text
    assert '<span class="count" id="position">item 4 of 4</span>' in again
    assert '<span id="count">3 judged</span>' in again
    lines = served.get(f"{sample}?format=jsonl").text.splitlines()
    assert len(lines) == 7
    assert {"sample", "table", "doc", "id", "url", "judge", "label", "note", "at"} <= json.loads(lines[0]).keys()
    assert served.get(f"{sample}?format=csv").text.count("\n") == 8
    assert served.get(f"{sample}?judge=ada").headers["location"] == f"{sample}/ada"


def test_samples_stand_side_by_side(served: Served) -> None:
    for seed in (11, 12):
        sample = draw(served, "quilts", "quilts", seed=seed)
        say(served, sample, "ada", 1, "yes")
    told = plain(served.get("/judging"))
    assert "Side by side" in told
    assert "sigma 0.5" in told


def test_the_filter_of_a_table_becomes_that_of_a_sample(served: Served) -> None:
    asked = "sources.min=6&q=best&where=words+%3E+400+or+words+%3C+300"
    page = served.get(f"/runs/quilts/tables/quilts?{asked}").text
    condition = unescape(re.search(r'id="j-where" name="where" value="([^"]*)"', page)[1])
    sample = draw(served, "quilts", "quilts", where=condition, sample=1000)
    total = int(re.search(r'<h1>Quilts <span class="count">(\d+)', page)[1])
    assert f"{total} of {total} rows" in plain(served.get(sample))


@pytest.mark.parametrize(
    "asked",
    [
        {"of": "none/quilts"},
        {"of": "quilts/none"},
        {"sample": "0"},
        {"sample": "x"},
        {"seed": "-1"},
        {"categories": "one"},
        {"where": "nothing = 1"},
        {"where": "doc < 0"},
    ],
)
def test_what_cannot_be_drawn_is_told(served: Served, asked: dict[str, str]) -> None:
    fields = {"of": "quilts/quilts", "sample": "4", "categories": "a,b"} | asked
    answer = served.post("/judging", fields)
    assert answer.status in (404, 410)
    assert 'id="error"' in answer.text


def test_what_cannot_be_said_is_told(served: Served) -> None:
    sample = draw(served, "quilts", "quilts")
    for item, category in ((1, "maybe"), (99, "yes"), (0, "yes")):
        answer = say(served, sample, "ada", item, category)
        assert answer.status == 404
        assert json.loads(answer.text)["error"]


class TestFilesOfLabels:
    @pytest.fixture
    def own(self, web: Path, tmp_path: Path) -> Any:
        with serving([web / "quilts"], tmp_path / "labels.sqlite") as served:
            yield served

    def test_one_that_is_locked_is_told(self, own: Served, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(labels, "WAIT", 0.05)
        sample = draw(own, "quilts", "quilts")
        other = sqlite3.connect(own.workspace.labels.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        answer = say(own, sample, "ada", 1, "yes")
        other.close()
        assert answer.status == 503
        assert "locked by another process: nothing was saved" in json.loads(answer.text)["error"]
        assert say(own, sample, "ada", 1, "yes").status == 200

    def test_one_of_another_version_is_told_and_runs_are_shown_all_the_same(self, own: Served) -> None:
        draw(own, "quilts", "quilts")
        with sqlite3.connect(own.workspace.labels.path) as opened:
            opened.execute("PRAGMA user_version = 99")
        opened.close()
        answer = own.get("/judging")
        assert answer.status == 503
        assert "newer version of unquilt" in plain(answer)
        assert own.get("/runs/quilts/tables/quilts").status == 200

    def test_one_that_cannot_be_written_is_told(self, web: Path, tmp_path: Path) -> None:
        with serving([web / "quilts"], tmp_path / "nowhere" / "labels.sqlite") as served:
            fields = {"of": "quilts/quilts", "sample": "4", "categories": "a,b"}
            answer = served.post("/judging", fields)
            assert answer.status == 503
            assert "cannot be written to" in plain(answer)


def test_a_sample_of_a_run_that_is_not_shown_says_so(web: Path, tmp_path: Path) -> None:
    with serving([web / "quilts"], tmp_path / "labels.sqlite") as served:
        sample = draw(served, "quilts", "quilts")
    with serving([web / "near"], tmp_path / "labels.sqlite") as served:
        assert "not among those that are shown" in plain(served.get(f"{sample}/ada"))
        assert "not among those that are shown" in plain(served.get(sample))


@pytest.mark.parametrize("run", ["passages", "reworded"])
def test_judged_passages_are_truth_to_score_by(served: Served, web: Path, tmp_path: Path, run: str) -> None:
    sample = draw(served, run, "passages", sample=5)
    for item in range(1, 6):
        say(served, sample, "ada", item, "yes" if item < 5 else "no")
    file = served.workspace.labels
    own = [file.sample(sample.rpartition("/")[2])]
    assert write_labels(file, own, tmp_path / "right.jsonl", only="yes") == 4
    arguments = ["score", str(web / run), "--labels", str(tmp_path / "right.jsonl"), "--json"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    scored = json.loads(result.output.splitlines()[0])
    assert '"recall": 1.0' in json.dumps(scored)


class TestSamples:
    @pytest.fixture
    def own(self, web: Path, tmp_path: Path) -> Any:
        with serving([web / "quilts"], tmp_path / "labels.sqlite") as served:
            yield served

    def test_without_categories_judging_goes_on_where_it_was_left(self, own: Served) -> None:
        sample = draw(own, "quilts", "quilts", categories="spam,digest,other")
        assert draw(own, "quilts", "quilts", categories="") == sample
        assert draw(own, "quilts", "quilts", categories="a,b") != sample
        fresh = own.workspace.labels.sample(draw(own, "quilts", "quilts", categories="", seed=77).rpartition("/")[2])
        assert fresh.categories == ("right", "wrong", "unsure")

    def test_the_first_rows_are_drawn_from(self, own: Served, web: Path) -> None:
        first = (
            uq.read(web / "quilts")
            .table("quilts", sort="-evidence,-sources,largest", limit=5)
            .column("doc")
            .to_pylist()
        )
        sample = own.workspace.labels.sample(draw(own, "quilts", "quilts", sample=100, top=5).rpartition("/")[2])
        assert sample.population == 5
        assert sorted(item.key["doc"] for item in own.workspace.labels.items(sample.name, "ada")) == sorted(first)

    def test_blind_judges_see_the_texts_alone(self, own: Served) -> None:
        seen, blind = (own.get(f"{draw(own, 'quilts', 'quilts', blind=value)}/ada").text for value in ("", "1"))
        assert "Stitched from" in seen
        assert "Stitched from" not in blind
        assert 'class="numbers"' not in blind
        assert all('class="legend"' in page for page in (seen, blind))  # the best source is open in both
        assert all('id="there"' in page for page in (seen, blind))

    def test_guidelines_are_shown(self, own: Served) -> None:
        sample = draw(own, "quilts", "quilts", guidelines="yes: <b>made</b> of others")
        for path in (sample, f"{sample}/ada"):
            assert "yes: &lt;b&gt;made&lt;/b&gt; of others" in own.get(path).text

    def test_items_are_listed_with_labels_and_disagreements(self, own: Served) -> None:
        sample = draw(own, "quilts", "quilts")
        for item, ours, theirs in ((1, "yes", "yes"), (2, "yes", "no"), (3, "no", "no")):
            say(own, sample, "ada", item, ours, note="seen")
            say(own, sample, "bob", item, theirs)
        assert "items=disagreements&amp;one=ada&amp;other=bob" in own.get(sample).text
        listed = own.get(f"{sample}?items=all").text
        assert len(re.findall(r"<tr[^>]*><td class=\"n\">\d", listed)) == 4
        differing = own.get(f"{sample}?items=disagreements&one=ada&other=bob").text
        assert re.findall(r"<tr class=\"chosen\"><td class=\"n\">(\d+)", differing) == ["2"]
        assert "/runs/quilts/quilts/" in differing

    def test_files_of_before_there_were_options_are_read(self, own: Served) -> None:
        sample = draw(own, "quilts", "quilts")
        with sqlite3.connect(own.workspace.labels.path) as opened:
            opened.execute("DROP TABLE options")
        opened.close()
        assert own.get(sample).status == 200
        assert draw(own, "quilts", "quilts") == sample
        assert own.get(draw(own, "quilts", "quilts", seed=9, blind="1")).status == 200


def test_intervals_are_those_of_a_finite_population() -> None:
    """Against the hypergeometric distribution: of all samples of 20 from 60 rows, 95 % or so hold the true share."""
    population, trials = 60, 20
    for true in (6, 18, 30):
        held = 0.0
        for hits in range(max(0, trials - (population - true)), min(trials, true) + 1):
            low, high = find_interval(hits, trials, population)
            chance = comb(true, hits) * comb(population - true, trials - hits) / comb(population, trials)
            held += chance * (low <= true / population <= high)
        assert 0.92 < held <= 1
    wide, narrow = find_interval(5, 20), find_interval(5, 20, 60)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
