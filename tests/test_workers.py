"""Worker processes: order, errors, and what happens when one dies."""

from __future__ import annotations

import os

import pytest

from unquilt.engines.workers import Workers
from unquilt.errors import EngineError, ParameterError
from unquilt.settings import parse_size


def test_results_come_in_order() -> None:
    with Workers(2) as workers:
        assert list(workers.map(abs, range(-20, 0))) == list(range(20, 0, -1))


def test_what_a_function_raises_comes_out() -> None:
    with pytest.raises(ParameterError, match="twelve"), Workers(2) as workers:
        list(workers.map(parse_size, ["1MB", "twelve", "2MB"]))


@pytest.mark.parametrize("items", [1, 2, 7])
def test_a_worker_that_dies_is_named_however_much_was_left_to_do(items: int) -> None:
    with pytest.raises(EngineError, match="exit code 7"), Workers(2) as workers:
        list(workers.map(os._exit, [7] * items))
