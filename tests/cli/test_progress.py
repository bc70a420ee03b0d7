"""What progress says: counts without an end in sight, and a time left that knows what follows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import unquilt
from unquilt.analyses.catalogue import load
from unquilt.cli.terminal import progress
from unquilt.cli.terminal.progress import MAKING_A_CORPUS, Bars, Lines, Plan, Stage

NOW = 1000.0


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: NOW))


def paced(name: str, total: int, done: int, seconds: float, unit: str = "", before: int = 0) -> str:
    stage = Stage(name, total, unit, began=NOW - seconds)
    stage.step(before, before=True)
    stage.step(done)
    return stage.pace


def test_a_stage_without_a_known_end_counts() -> None:
    assert paced("find", 0, 50_000, 10).startswith("50,000 so far, ")
    assert " left" not in paced("find", 0, 50_000, 10)


def test_the_time_left_says_of_what() -> None:
    assert re.search(r", about 20 s left in this stage$", paced("fingerprint", 1000, 500, 20.0, "B"))


@pytest.mark.parametrize("before", [0, 400])
def test_the_time_left_of_reading_includes_writing(before: int) -> None:
    """Half of the bytes in 100 s: as long again, and then the parts are written."""
    said = paced("read", 1000 + before, 500, 100.0, "B", before)
    expected = 100 + MAKING_A_CORPUS["write"] / MAKING_A_CORPUS["read"] * (1000 + before) / 5
    minutes, seconds = divmod(round(expected), 60)
    told = {f"about {minutes} min {seconds + off:02} s until" for off in (0, 1)}
    told |= {f"about {minutes} min {seconds + off} s until" for off in (0, 1)}
    assert any(each in said for each in told), said


def test_nothing_is_told_before_it_means_something() -> None:
    assert paced("fingerprint", 1000, 500, 2.0, "B") == "250 B/s"
    assert paced("fingerprint", 1000, 40, 20.0, "B") == "2 B/s"
    assert paced("read", 1000, 40, 20.0, "B") == "2 B/s"


def planned(plan: Plan, name: str, done: int, seconds: float, total: int = 100, before: int = 0) -> str:
    stage = Stage(name, total, "", began=NOW - seconds, plan=plan)
    stage.step(before, before=True)
    stage.step(done)
    return stage.pace


def test_the_time_left_of_an_analysis_knows_the_stages_to_come() -> None:
    """The first stage costs a tenth of all, the second three, the third six."""
    plan = Plan([("scan", 1), ("lists", 3), ("covers", 6)])
    assert planned(plan, "scan", 20, 100.0) == "0.2/s"  # 2 % of all: too little to tell
    assert re.search(r"/s, about 15 min 40 s left$", planned(plan, "scan", 60, 60.0))  # 6 % in a minute
    plan.finish(Stage("scan", 100, ""), 100.0)
    assert re.search(r", about 12 min 30 s left$", planned(plan, "lists", 50, 150.0))  # a quarter in 250 s
    assert planned(plan, "scan", 50, 10.0) == "5.0/s"  # a second stage of that name is not planned
    assert planned(plan, "names", 50, 10.0) == "5.0/s, about 10 s left in this stage"


def test_what_an_earlier_run_did_tells_nothing_about_this_one() -> None:
    plan = Plan([("scan", 50), ("covers", 50)])
    assert re.search(r", about 20 s left$", planned(plan, "covers", 25, 20.0, before=50))
    plan.finish(Stage("scan", 0, ""), 100.0)  # nobody knows how far it was
    assert re.search(r", about 20 s left$", planned(plan, "covers", 25, 20.0, before=50))


def test_a_terminal_is_told_sooner() -> None:
    assert Bars().patience < 1 <= Lines().patience


class Noting:
    """Notes the stages in their order, and how far each is."""

    def __init__(self) -> None:
        self.done: dict[str, tuple[int, int]] = {}
        self.order: list[str] = []

    @contextmanager
    def stage(self, name: str, total: int, unit: str = "") -> Iterator[Callable[..., None]]:
        self.done.setdefault(name, (0, total))
        self.order.append(name)

        def step(units: int, documents: int = 0, *, before: bool = False) -> None:
            self.done[name] = (self.done[name][0] + units, total)

        yield step

    def say(self, text: str) -> None:
        raise AssertionError(text)


@pytest.mark.parametrize(
    ("analysis", "asked"),
    [
        ("quilts", {}),
        ("quilts", {"collapse": "exact", "patches": False}),
        ("neardups", {}),
        ("neardups", {"threshold": 0.8}),
        ("neardups", {"method": "imatch"}),
        ("neardups", {"method": "spotsigs", "threshold": 0.8}),
        ("sweep", {"k": (3, 4), "m": (5,), "c": (1,), "sigma": (0.5,)}),
        ("sweep", {"collapse": "near", "k": (3,)}),
        ("phrases", {}),
        ("phrases", {"exact": True, "collapse": "none"}),
        ("discover", {}),
        ("passages", {"signature": "imatch", "idf_always": True}),
        *(("passages", {"signature": signature}) for signature in ("shingles", "spotsigs", "grams")),
        ("reworded", {}),
        ("detect", {}),
    ],
    ids=str,
)
def test_stages_are_planned_as_they_come(analysis: str, asked: dict[str, Any], tmp_path: Path) -> None:
    texts = [" ".join(f"word{chr(97 + (3 * number + i % 8) % 26)}" for i in range(40)) for number in range(9)]
    pages = pa.table({"id": [*map(str, range(10))], "text": [*texts, f"{texts[0]} and more"]})
    if analysis == "detect":
        asked = {"labels": str(unquilt.label(pages.slice(0, 1), tmp_path / "ours.labels").path)}
    getattr(unquilt, analysis)(pages, options=unquilt.JobOptions(progress=(noting := Noting())), **asked)
    planned = [name for name, _ in load(analysis).costs(asked)]
    left = iter(noting.order)
    assert all(name in left for name in planned), noting.order


def test_what_comes_before_reading_is_told(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / "pages" / name).mkdir(parents=True)
        (tmp_path / "pages" / name / "x.html").write_text("<p>some words")
    unquilt.ingest(tmp_path / "pages", options=unquilt.JobOptions(progress=(noting := Noting())))
    done = noting.done
    assert list(done)[:2] == ["find", "look"]
    assert done["find"] == (3, 0)
    assert done["look"] == (3, 3)


def test_the_digest_of_a_table_is_told(tmp_path: Path) -> None:
    """The file that is made of it has another time each time, so it is told by its bytes."""
    many = pa.table({"text": [f"{number} {number * number}" for number in range(20_000)]})
    unquilt.ingest(many, tmp_path / "corpus", options=unquilt.JobOptions(progress=(noting := Noting())))
    done, size = noting.done["fingerprint"]
    assert done == size > 1 << 16
    assert unquilt.ingest(many, tmp_path / "corpus").manifest["inputs"][0]["sha256"]
