"""Planted passages are where the benchmark says that they are."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.planted import CHANGES, plant

TEXTS = ["\n".join(f"w{Random(seed).randrange(10**6)}x{at}" for at in range(300)) for seed in range(4)]


@pytest.mark.parametrize("name", CHANGES)
def test_words_are_changed_and_planted(name: str) -> None:
    same = plant(TEXTS, "de", CHANGES[name], 0.0, Random(1))
    for a, b, known in same[:20]:
        assert a[known.a_begin : known.a_end] == b[known.b_begin : known.b_end]
    changed = plant(TEXTS, "de", CHANGES[name], 0.5, Random(1))
    for a, b, known in changed[:20]:
        words, source = a[known.a_begin : known.a_end].split(), b[known.b_begin : known.b_end].split()
        assert words != source
        assert len(source) == 120
        assert len(set(words) & set(source)) > 30
