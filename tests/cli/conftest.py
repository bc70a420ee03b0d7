"""What tests of several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from unquilt.cli import cli


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs a command in this process."""
    monkeypatch.setenv("NO_COLOR", "1")

    def invoke(*words: str | Path) -> Result:
        return CliRunner().invoke(cli, [str(word) for word in words])

    return invoke
