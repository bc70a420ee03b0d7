"""`unquilt show RUN TABLE --doc ID` says what a run of sites beside the run says of the site of the page."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from test_cli_neardups import succeed

import unquilt as uq

pytestmark = pytest.mark.slow


def make_runs(folder: Path) -> Path:
    """Two sites with six pages each, all of which stand on both; a run of documents' near-duplicates, and of sites."""
    texts = [" ".join(f"word{page}x{place}" for place in range(60)) for page in range(6)]
    rows = [(f"{site}-{page}", f"http://{site}.example/{page}", texts[page]) for site in "ab" for page in range(6)]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("id", "url", "text"))}
    corpus = uq.ingest(pa.table(columns), folder / "corpus")
    uq.neardups(corpus.path, folder / "near", threshold=0.6)
    uq.sites([folder / "near"], folder / "sites")
    return folder


def test_the_verdict_on_the_site_is_shown_with_a_page(tmp_path: Path) -> None:
    make_runs(tmp_path)
    said = "Its site, a.example, is a mirror: 6 of 6 pages stand also on b.example, most of whose pages stand here"
    for run in ("near", "sites"):
        assert f"{said} (run sites)\n" in succeed("show", tmp_path / run, "documents", "--doc", "a-3")


def test_runs_of_sites_that_are_elsewhere_or_of_another_corpus_say_nothing(tmp_path: Path) -> None:
    make_runs(tmp_path / "one")
    make_runs(tmp_path / "two")
    (tmp_path / "one" / "sites").rename(tmp_path / "two" / "moved")
    (tmp_path / "two" / "sites").rename(tmp_path / "one" / "sites")
    assert "Its site" not in succeed("show", tmp_path / "one" / "near", "documents", "--doc", "a-3")
    row = json.loads(succeed("show", tmp_path / "one" / "near", "documents", "--doc", "a-3", "--json"))
    assert row["id"] == "a-3"


def test_runs_of_sites_are_found_beside_the_folder_and_in_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/sites.md has it: demo/quilts, and sites where one works. A folder that cannot be read is passed over."""
    make_runs(tmp_path / "demo")
    page = ("show", tmp_path / "demo" / "near", "documents", "--doc", "a-3")
    (tmp_path / "demo" / "sites").rename(tmp_path / "sites")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_bytes(b'"sites" \xff')
    (tmp_path / "looped").symlink_to(tmp_path / "looped")
    assert succeed(*page).count("Its site, a.example, is a mirror") == 1
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "sites").rename(tmp_path / "elsewhere" / "sites")
    assert "Its site" not in succeed(*page)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert succeed(*page).count("Its site, a.example, is a mirror") == 1
