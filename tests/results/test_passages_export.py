"""Passages on their way to other tools: with both texts, and as PAN's XML."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pyarrow as pa
import pytest
from snapshots import Snapshots

import unquilt
from unquilt.errors import ParameterError

SHARED = "The old mill stood by the river. Its wheel had not turned for years. Nobody knew who owned it."
TEXTS = {"susp/a&b.txt": f"Before that. {SHARED} Behind it.", "src/c.txt": f"{SHARED} Elsewhere."}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> unquilt.Run:
    table = pa.table({"id": list(TEXTS), "text": list(TEXTS.values())})
    return unquilt.passages(table, tmp_path_factory.mktemp("export") / "run", gamma=15)


def test_exports_with_evidence_have_both_texts(run: unquilt.Run, tmp_path: Path) -> None:
    run.export(tmp_path / "found.jsonl", "passages", evidence=True, columns=["words"])
    (row,) = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    assert (row["words"], row["a_text"], row["b_text"]) == (19, *[SHARED.removesuffix(".")] * 2)


def test_passages_are_exported_as_xml_for_pan(run: unquilt.Run, tmp_path: Path) -> None:
    made = run.export(tmp_path / "found", "passages", format="pan")
    assert (made.rows, made.parts, made.format) == (1, 1, "pan")
    root = ET.fromstring((tmp_path / "found" / "a_b-c.xml").read_bytes())
    (feature,) = root
    assert (root.get("reference"), feature.get("source_reference")) == ("a&b.txt", "c.txt")
    begin, length = int(feature.get("this_offset", "")), int(feature.get("this_length", ""))
    assert TEXTS["susp/a&b.txt"][begin : begin + length] == SHARED.removesuffix(".")
    assert run.export(tmp_path / "found", "passages", format="pan", overwrite=True).rows == 1


def test_reworded_passages_are_exported_with_both_texts(tmp_path: Path) -> None:
    told = "When the old lighthouse keeper retired in autumn, nobody in the harbour wanted his lonely post. "
    told += "The council offered a cottage, a boat and firewood, but candidates feared the winter storms there"
    texts = [f"News of another kind.\n{told.replace('lonely', 'quiet')}", told]
    run = unquilt.reworded(pa.table({"id": ["susp/a.txt", "src/b.txt"], "text": texts}), tmp_path / "run")
    run.export(tmp_path / "found.jsonl", "passages", evidence=True, columns=["score"])
    (row,) = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    assert row["score"] > 30
    assert (row["a_text"], row["b_text"]) == (told.replace("lonely", "quiet"), told)
    assert run.export(tmp_path / "found", "passages", format="pan").rows == 1
    (feature,) = ET.fromstring((tmp_path / "found" / "a-b.xml").read_bytes())
    assert (feature.get("this_offset"), feature.get("source_offset")) == ("22", "0")


def test_what_makes_no_sense(run: unquilt.Run, tmp_path: Path, snapshots: Snapshots) -> None:
    for table, output in (("passage_pairs", "x"), ("passages", "-")):
        with snapshots.error(ParameterError):
            run.export(tmp_path / output if output != "-" else "-", table, format="pan")
    with snapshots.error(ParameterError):
        run.export(tmp_path / "y", "passages", format="pan", sort="-words")
