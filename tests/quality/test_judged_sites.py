"""What verdicts on sites are worth: farms are named for what they are, innocents are not, networks are found. Floors.

How the limits were chosen, and the figures: docs/sites.md.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from judged_set import write
from judged_sites import KINDS, JudgedSites, score
from real_pages import FILES, Page, read_debian, read_pan, read_wiki

import unquilt

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(path.exists() for path in FILES), reason="the shared data is not here"),
]


def pan() -> list[Page]:
    return [page for page in read_pan() if not page.stitched]


@pytest.mark.parametrize(
    ("name", "read", "seed"), [("pan", pan, 6), ("wiki", read_wiki, 7), ("debian", read_debian, 6)]
)
def test_farms_are_named_and_innocents_are_not(
    name: str, read: Callable[[], list[Page]], seed: int, tmp_path: Path
) -> None:
    planter = JudgedSites(name, read(), seed)
    write(planter.plant(), tmp_path / "pages.jsonl")
    corpus = unquilt.ingest(tmp_path / "pages.jsonl", tmp_path / "corpus").path
    runs = [
        unquilt.quilts(corpus, tmp_path / "quilts").path,
        unquilt.neardups(corpus, tmp_path / "near", threshold=0.6).path,
        unquilt.phrases(corpus, tmp_path / "phrases").path,
    ]
    found = score(unquilt.sites(runs).sites.to_pylist(), planter.kinds)
    farms = [kind for kind in found.all if KINDS[kind].is_farm]
    assert len(farms) >= 8
    assert len(found.all) - len(farms) >= 8
    assert {kind: found.right[kind] for kind in farms} == {kind: found.all[kind] for kind in farms}, found.wrong
    assert found.early == []
    named, true = found.taking
    # In Debian's manuals, one print view is called stitched.
    assert named - true <= (name == "debian"), found.wrong
    assert found.networks >= 0.95
    assert len(found.wrong) <= 2, found.wrong
