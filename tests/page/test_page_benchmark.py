"""The benchmark of the page runs, on a run that is small."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import page
from benchmarks.record import Record

pytestmark = pytest.mark.slow


def test_it_measures_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "WORK", tmp_path)
    record = Record()
    page.measure(record, documents=1_000, quilts=100, asked=6)
    found = {row["what"]: row["value"] for row in record.rows}
    assert found["quilts"] == 100
    assert found["peak memory of the server"] < 500
    assert found["a quilt with its sources, 10 at once: 95th percentile"] > 0
