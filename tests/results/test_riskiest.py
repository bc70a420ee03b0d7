"""The riskiest drops: in the report beside the documents that are kept instead, and as a sample to judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import unquilt as uq
from unquilt.cli import cli
from unquilt.cli.show.summary import MOST_STAGES
from unquilt.judgements.labels import LabelFile
from unquilt.judgements.preparation import prepare, want_sample
from unquilt.page.report.sections.neardups import show_neardups
from unquilt.page.views.clusters import describe_drop
from unquilt.results import RunFolder


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A page of 100 words, and copies with the last 1 to 6 of them changed, on other sites."""
    words = [f"w{number}" for number in range(100)]
    changed = [words[: 100 - number] + [f"x{number}x{at}" for at in range(number)] for number in range(7)]
    pages = [{"id": str(n), "text": " ".join(text), "url": f"http://s{n}.org/"} for n, text in enumerate(changed)]
    return RunFolder(uq.neardups([*pages, {"id": "x", "text": "other"}], tmp_path / "run", threshold=0.8))


def test_they_are_in_the_report_beside_what_is_kept(folder: RunFolder) -> None:
    examples = show_neardups(folder).examples(4)
    assert [example.name for example in examples] == ["6", "5", "4", "3"]
    assert dict(examples[0].facts)["words"] == "100; of the one that is kept 100"
    assert dict(examples[0].facts)["sites"] == "different"
    found = [float(dict(example.facts)["similarity of the two"]) for example in examples]
    assert found == sorted(found)
    assert found[0] >= 0.8


def test_a_sample_of_them_is_judged(folder: RunFolder, tmp_path: Path) -> None:
    labels = LabelFile(tmp_path / "labels.sqlite")
    asked = {"where": "not keep and similarity < 0.86", "sample": "2"}
    sample = prepare(labels, folder, want_sample("run", folder, "kept", asked))
    least = sorted(row["similarity"] for row in folder.run.kept.to_pylist() if not row["keep"])
    assert sample.population == sum(each < 0.86 for each in least)
    for item in labels.items(sample.name, ""):
        described = describe_drop(folder, {"doc": item.key["doc"]}, {}, "")
        assert (described["kept"], described["chosen"]) == (0, item.key["doc"])
        assert "<del" in described["difference"]
    assert describe_drop(folder, {"doc": 7}, {}, "")["chosen"] == 7


def test_the_summary_names_them_first(folder: RunFolder) -> None:
    shown = CliRunner().invoke(cli, ["show", str(folder.run.path)]).output
    assert [line.split()[:3] for line in shown.splitlines() if line.startswith("  ") and "(similarity" in line] == [
        [f"http://s{n}.org/,", "for", "http://s0.org/"] for n in (6, 5, 4, 3, 2)
    ]
    rows = CliRunner().invoke(cli, ["show", str(folder.run.path), "kept", "--columns", "doc", "--json"]).output
    assert [json.loads(line)["doc"] for line in rows.splitlines()] == [6, 5, 4, 3, 2, 1, 0, 7]


def test_a_summary_has_the_longest_stages_only(folder: RunFolder) -> None:
    stages = CliRunner().invoke(cli, ["show", str(folder.run.path)]).output.partition("stage ")[2].splitlines()
    assert len(stages) == 1 + MOST_STAGES + 1
    assert stages[-1].endswith("in all (--json for all)")
