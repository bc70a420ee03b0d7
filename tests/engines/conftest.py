"""What tests of engines share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from unquilt.runs import Run


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with Run.open(tmp_path / "run", analysis="toy", parameters={}, inputs=[]) as opened:
        yield opened
