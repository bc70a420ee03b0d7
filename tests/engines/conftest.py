"""Here, engines are also tried with Spark as the scheduler of tasks."""

from __future__ import annotations

import pytest

from unquilt.engines.objects import plan


@pytest.fixture(params=("local", "processes", "spark"))
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "spark":
        request.getfixturevalue("spark_settings")
        monkeypatch.setattr(plan, "LEAST", 1 << 12)  # else small stages are one task, which is done here
    return str(request.param)
