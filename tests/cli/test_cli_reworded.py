"""Reworded passages on the command line: what is found, what was left out, and the older word for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Call = Callable[..., Result]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two pages, one of which reworded the other."""
    told = "When the old lighthouse keeper retired in autumn, nobody in the harbour wanted his lonely post. "
    told += "The council offered a cottage, a boat and firewood, but candidates feared the winter storms there. "
    changed = told.replace("lonely", "quiet").replace("candidates", "applicants")
    lines = [
        json.dumps({"url": f"http://{name}.example/", "text": text}) for name, text in (("x", told), ("y", changed))
    ]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    return tmp_path / "pages.jsonl"


def test_runs_say_what_was_left_out(call: Call, tmp_path: Path) -> None:
    told = " ".join(f"{one}{other}ing" for one in ("lan", "mor", "tes", "vik", "ros") for other in "bcdfghjklm")
    lines = [json.dumps({"url": f"http://{name}.example/", "text": f"{told} {name}"}) for name in ("one", "two", "six")]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    find = ("reworded", tmp_path / "pages.jsonl", "-o")
    done = call(*find, tmp_path / "some", "--max-candidates", "1")
    assert "1 pair not aligned: one is with at most 1 document (--max-candidates)" in done.output
    done = call(*find, tmp_path / "none", "--max-df", "1")
    assert "No two documents share a reworded passage; --site none compares" in done.output
    assert "of rare words passed over, which more than 1 document has (--max-df)" in done.output
    assert "not aligned" not in done.output
    done = call(*find, tmp_path / "less", "--boilerplate", "2")
    assert "150 words of boilerplate passed over, which more than 2 documents have (--boilerplate)" in done.output


def test_a_passage_is_marked_word_by_word_and_its_score_explained(call: Call, two: Path, tmp_path: Path) -> None:
    call("reworded", two, "-o", tmp_path / "run")
    shown = call("show", tmp_path / "run", "passages", "--pair", "0", "1").output
    assert "1: about 9" in shown
    assert "% of those of b were taken over; that both share them by chance, 1 to 10^" in shown
    assert ":1] applicants [1: feared" in " ".join(shown.split())


def test_the_signature_fuzzy_leads_here(call: Call, two: Path, tmp_path: Path) -> None:
    led = call("passages", two, "-o", tmp_path / "led", "--signature", "fuzzy", "--max-candidates", "7")
    assert led.exit_code == 0, led.output
    assert led.stdout.startswith("The command for this is: unquilt reworded\n")
    run = call("reworded", two, "-o", tmp_path / "run", "--max-candidates", "7")
    assert led.stdout.splitlines()[1:4] == run.stdout.splitlines()[:3]
    manifests = [json.loads((tmp_path / name / "manifest.json").read_bytes()) for name in ("led", "run")]
    assert manifests[0]["analysis"] == "reworded"
    assert manifests[0]["parameters"] == manifests[1]["parameters"]
    assert manifests[0]["fingerprint"] == manifests[1]["fingerprint"]
    silent = ("passages", two, "-o", tmp_path / "json", "--signature", "fuzzy", "--json")
    assert json.loads(call(*silent).stdout)["analysis"] == "reworded"
    assert call(*silent, "--overwrite", "-q").stdout.startswith("{")


def test_the_help_of_passages_does_not_list_options_of_reworded(call: Call) -> None:
    shown = call("passages", "--help").stdout
    assert "--max-candidates" not in shown
    assert "unquilt reworded" in shown
