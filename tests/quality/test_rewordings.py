"""What `quilts --edits reworded` is worth: thieves who reword are found, those they took from are not. Floors.

The figures are in docs/quilts.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from judged_set import write
from pan_pairs import read_corpus
from planted_rewordings import ALL_INNOCENTS, REWORDING_THIEVES, plant_rewordings
from planted_sites import THIEVES
from real_pages import FILES, Page, read_debian, read_pan, read_wiki

import unquilt

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(path.exists() for path in FILES), reason="the shared data is not here"),
]
FLOORS = {
    "pan": dict.fromkeys(REWORDING_THIEVES, 0.95) | {"reworded-scraper": 0.9},
    "wiki": dict.fromkeys(REWORDING_THIEVES, 0.87) | {"reworded-scraper": 0.55},
    "debian": dict.fromkeys(REWORDING_THIEVES, 0.84) | {"reworded-pool": 0.75},
}
"""Which share of each kind of rewording thieves is found. Pieces of Chinese originals are too short to be aligned;
pages of a farm some of whose paragraphs cannot be aligned count as homes of text, and excuse others."""
VICTIMS = ("original-many", "original-one", "post", "reworded-original", "reworded-post")
MOST_PAGES = 2400


def pan() -> list[Page]:
    return [page for page in read_pan() if not page.stitched]


@pytest.mark.parametrize(("name", "read"), [("pan", pan), ("wiki", read_wiki), ("debian", read_debian)])
def test_rewording_thieves_are_found_and_their_victims_are_not(
    name: str, read: Callable[[], list[Page]], tmp_path: Path
) -> None:
    base = read()
    if len(base) > MOST_PAGES:
        base = Random(1).sample(base, MOST_PAGES)
    pages = plant_rewordings(name, base, 1)
    write(pages, tmp_path / "pages.jsonl")
    run = unquilt.quilts(tmp_path / "pages.jsonl", tmp_path / "run", edits="reworded")
    total, found, reworded = Counter[str](), Counter[str](), Counter[str]()
    for row in run.verdicts.select(["doc", "quilt", "reworded"]).to_pylist():
        kind = pages[row["doc"]].kind
        total[kind] += 1
        found[kind] += row["quilt"]
        reworded[kind] += row["reworded"] and row["quilt"]
    assert {kind: found[kind] for kind, floor in FLOORS[name].items() if found[kind] < floor * total[kind]} == {}
    assert reworded["reworded-3"] == found["reworded-3"] > 0
    assert sum(found[kind] for kind in THIEVES) >= 0.96 * sum(total[kind] for kind in THIEVES)
    assert sum(found[kind] for kind in VICTIMS) <= sum(total[kind] for kind in VICTIMS) / 100
    innocent = sum(total[kind] for kind in ALL_INNOCENTS)
    assert sum(found[kind] for kind in ALL_INNOCENTS) <= innocent / 200 + 1, found
    assert found["standing"] <= 0.01 * total["standing"]
    surest = run.quilts.sort_by([("evidence", "descending")])["doc"].to_pylist()
    assert not any(pages[doc].kind in ALL_INNOCENTS for doc in surest[:100])


def test_texts_that_were_put_together_from_reworded_passages_are_found() -> None:
    """PAN 2013: texts with passages of four sources or more, verbatim, shuffled, or translated back and forth."""
    corpus = read_corpus()
    names = sorted(corpus.texts)
    urls = [f"http://{Path(name).stem}.example/" for name in names]
    table = pa.table({"id": names, "url": urls, "text": [corpus.texts[name] for name in names]})
    run = unquilt.quilts(table, edits="reworded")
    quilts = {names[row["doc"]] for row in run.quilts.select(["doc"]).to_pylist()}
    sources: dict[str, set[str]] = defaultdict(set)
    kind = {}
    for pair in corpus.pairs:
        if pair.known:
            sources[pair.a].add(pair.b)
            kind[pair.a] = pair.category[:2]
    stitched = {name for name, taken in sources.items() if len(taken) >= 4}
    for category, floor in {"02": 0.94, "03": 0.88, "04": 0.9}.items():
        of_kind = {name for name in stitched if kind[name] == category}
        assert len(of_kind & quilts) >= floor * len(of_kind), category
    assert not {name for name in quilts if name.startswith("suspicious") and name not in sources}
    assert sum(name.startswith("source") for name in quilts) <= 5
