"""What a large page costs in memory (docs/faults.md 35, 45): as many times its text as docs/corpus.md says."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faulty import peak

pytestmark = pytest.mark.slow

MIB = 1 << 20
SIZES = {"ingest": (3 * MIB, 8 * MIB), "quilts": (8 * MIB, 20 * MIB), "neardups": (8 * MIB, 20 * MIB)}
"""Analyses of smaller pages do not yet fill what they have been given to sort in."""
SYLLABLES = ["ka", "lo", "mi", "nu", "pe", "ra", "si", "to", "ve", "zu"]


@cache
def prose(size: int) -> str:
    """Words and paragraphs of ordinary length."""
    dice = random.Random(1)
    words = ["".join(dice.choices(SYLLABLES, k=dice.randint(1, 4))) for _ in range(20_000)]
    paragraphs, length = [], 0
    while length < size:
        paragraphs.append(" ".join(dice.choices(words, k=100)))
        length += len(paragraphs[-1]) + 2
    return "\n\n".join(paragraphs)[:size]


@cache
def letters(size: int) -> str:
    """As many words, and as many different grams, as there can be."""
    return " ".join(random.Random(2).choices("abcdefghijklmnopqrstuvwxyz", k=size // 2))


def paragraphs(size: int) -> str:
    """As many chunks as there can be."""
    return "a\n\n" * (size // 3)


def write_text(path: Path, text: str) -> Path:
    path = path.with_suffix(".txt")
    path.write_text(text)
    return path


def write_html(path: Path, text: str) -> Path:
    path = path.with_suffix(".html")
    path.write_text("<p>" + text.replace("\n\n", "\n<p>"))
    return path


def write_jsonl(path: Path, text: str) -> Path:
    path = path.with_suffix(".jsonl")
    path.write_text(json.dumps({"text": text}) + "\n")
    return path


def write_parquet(path: Path, text: str) -> Path:
    path = path.with_suffix(".parquet")
    pq.write_table(pa.table({"text": [text]}), path)
    return path


@pytest.mark.parametrize(
    ("command", "make", "store", "times"),
    [
        ("ingest", prose, write_html, 10),
        ("ingest", prose, write_jsonl, 10),
        ("ingest", prose, write_parquet, 12),  # its column is held while the page is packed
        ("ingest", paragraphs, write_text, 50),
        ("quilts", letters, write_text, 16),
        ("neardups", letters, write_text, 16),
    ],
)
def test_memory_of_a_page(
    command: str, make: Callable[[int], str], store: Callable[[Path, str], Path], times: int, tmp_path: Path
) -> None:
    """Of two pages, so that what a run needs anyway cancels out; the sum over all processes of the command."""
    most = []
    small, large = SIZES[command]
    for number, size in enumerate((small, large)):
        page = store(tmp_path / f"page{number}", make(size))
        options = ("--threads", 1, "--memory", "100MB", "--quiet")
        ended, held = peak(command, page, "-o", tmp_path / f"run{number}", *options)
        assert ended.code == 0, ended.err
        most.append(held)
    assert most[1] - most[0] <= times * (large - small), (most[1] - most[0]) / (large - small)
