"""The figures of reuse: their data are those of the tables, and commands draw each."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from faulty import invoke

import unquilt
from unquilt.figures import reuse
from unquilt.figures.figure import FOLDER

TEXT = "A paragraph that is printed on more than one page, and says something."


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    urls = [f"http://s{n % 3}.example/{'a/' * (n % 4)}{n}" for n in range(12)] + [f"http://x.example/{'a/' * 9}"]
    texts = [f"{TEXT}\n\nPage {n} alone" if n % 2 else f"Page {n}\n\nand more of {n}" for n in range(13)]
    return unquilt.ingest(pa.table({"url": urls, "text": texts}), tmp_path / "corpus").path


def test_data_are_those_of_the_tables(pages: Path, tmp_path: Path) -> None:
    found = unquilt.discover(pages, tmp_path / "found")
    assert {"occurrences": 6, "what": "chunks", "count": 1} in reuse.frequencies(found)
    labels = unquilt.label(found.path, tmp_path / "labels")
    run = unquilt.detect(pages, tmp_path / "run", labels=str(labels.path))
    shares = reuse.shares(run, "documents")
    assert [(row["share"], row["count"]) for row in shares if row["count"]] == [(0, 6), (0.5, 6)]
    assert [row["cumulative"] for row in shares][:2] == [0.5, 0.5]
    assert shares[-1]["cumulative"] == 1
    assert reuse.path_lengths(run)[-1] == {"components": 9, "what": "dropped", "count": 1}
    assert [figure.name for figure in reuse.plot(found)] == ["frequencies"]
    assert [figure.name for figure in reuse.plot(run)] == ["documents", "neighbourhoods", "path_lengths"]


def test_commands_draw_them(pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ended = invoke("reuse", "discover", pages, "-o", "run")
    assert "Figures of frequencies are in run/figures, as SVG\n" in ended.out
    drawn = tmp_path / "run" / FOLDER / "frequencies.svg"
    assert ElementTree.parse(drawn).getroot().tag.endswith("svg")
    nothing = unquilt.ingest(pa.table({"text": ["*"]}), tmp_path / "nothing")
    ended = invoke("reuse", "discover", nothing.path, "-o", tmp_path / "run", "--overwrite")
    assert (ended.code, "Figures" in ended.out, drawn.exists()) == (0, False, False)
