"""What progress says: counts without an end in sight, and a time left that knows what follows."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import unquilt
from unquilt.cli.terminal.progress import MAKING_A_CORPUS, Bars, Lines, Stage


def paced(name: str, total: int, done: int, seconds: float, unit: str = "", before: int = 0) -> str:
    stage = Stage(name, total, unit, began=time.monotonic() - seconds)
    stage.step(before, before=True)
    stage.step(done)
    return stage.pace


def test_a_stage_without_a_known_end_counts() -> None:
    assert paced("find", 0, 50_000, 10).startswith("50,000 so far, ")
    assert " left" not in paced("find", 0, 50_000, 10)


def test_the_time_left_says_of_what() -> None:
    assert re.search(r", about 2[01] s left in this stage$", paced("fingerprint", 1000, 500, 20.0, "B"))


@pytest.mark.parametrize("before", [0, 400])
def test_the_time_left_of_reading_includes_writing(before: int) -> None:
    """Half of the bytes in 100 s: as long again, and then the parts are written."""
    said = paced("read", 1000 + before, 500, 100.0, "B", before)
    expected = 100 + MAKING_A_CORPUS["write"] / MAKING_A_CORPUS["read"] * (1000 + before) / 5
    minutes, seconds = divmod(round(expected), 60)
    told = {f"about {minutes} min {seconds + off:02} s until" for off in (0, 1)}
    told |= {f"about {minutes} min {seconds + off} s until" for off in (0, 1)}
    assert any(each in said for each in told), said


def test_a_terminal_is_told_sooner() -> None:
    assert Bars().patience < 1 <= Lines().patience


def test_what_comes_before_reading_is_told(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / "pages" / name).mkdir(parents=True)
        (tmp_path / "pages" / name / "x.html").write_text("<p>some words")
    done: dict[str, tuple[int, int]] = {}

    class Noting:
        @contextmanager
        def stage(self, name: str, total: int, unit: str = "") -> Iterator[Callable[..., None]]:
            done[name] = (0, total)

            def step(units: int, documents: int = 0, *, before: bool = False) -> None:
                done[name] = (done[name][0] + units, total)

            yield step

        def say(self, text: str) -> None:
            raise AssertionError(text)

    unquilt.ingest(tmp_path / "pages", how=unquilt.How(progress=Noting()))
    assert list(done)[:3] == ["find", "look", "fingerprint"]
    assert done["find"] == (3, 0)
    assert done["look"] == (3, 3)
    assert done["fingerprint"] == (39, 39)
