"""What alignment of reworded texts is worth on PAN 2013, by PAN's measures, on the half that no constant was chosen on.

The floors stand just below what was measured; the table is in docs/reworded.md.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pytest
from pan_pairs import ARCHIVE, read_corpus

import unquilt
from unquilt.analyses.reworded_candidates import find_candidates
from unquilt.engines.local import Local
from unquilt.engines.tasks import Scale
from unquilt.jobs.alignment import StemRates, align
from unquilt.jobs.corpora import documents
from unquilt.results.measures import Case, Measures, PassageSpans, measure_by
from unquilt.runs import Run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not ARCHIVE.exists(), reason="the shared data (pan13-train) are not here"),
]
FLOORS = {
    "02-no-obfuscation": 0.968,
    "03-random-obfuscation": 0.93,
    "04-translation-obfuscation": 0.911,
    "05-summary-obfuscation": 0.775,
    "all": 0.929,
}
FALSE_ALARMS = 0.01


def measure_half(rates: StemRates | None) -> dict[str, Measures]:
    corpus = read_corpus()
    cases: defaultdict[str, list[Case]] = defaultdict(list)
    for pair in corpus.pairs:
        if pair.half == 1:
            found = align(corpus.texts[pair.a], corpus.texts[pair.b], rates=rates)
            cases[pair.category].append(Case(pair.known, [PassageSpans(*each[:4]) for each in found]))
    return measure_by(cases)


def test_reworded_passages_are_found() -> None:
    """Words are as common as they are in the collection."""
    measured = measure_half(StemRates.count(read_corpus().texts.values()))
    found = {name: round(measured[name].plagdet, 4) for name in FLOORS}
    assert {name: found[name] for name, floor in FLOORS.items() if found[name] < floor} == {}
    clean = measured["01-no-plagiarism"]
    assert clean.flagged <= FALSE_ALARMS * clean.clean


def test_so_they_are_without_a_collection() -> None:
    measured = measure_half(None)
    assert measured["all"].plagdet >= 0.925
    clean = measured["01-no-plagiarism"]
    assert clean.flagged <= 2.5 * FALSE_ALARMS * clean.clean


def test_documents_that_share_passages_are_candidates(tmp_path: Path) -> None:
    """All documents as one corpus: which suspicious ones are aligned with which sources."""
    texts = read_corpus().texts
    corpus = unquilt.ingest(pa.table({"id": list(texts), "text": list(texts.values())}), tmp_path / "corpus")
    names = dict(enumerate(texts))
    with (
        Run.open(tmp_path / "run", analysis="candidates", parameters={}, inputs=[]) as run,
        Local(run, Scale(len(texts), 5_000_000), threads=2, memory=1 << 30) as verbs,
    ):
        sides = {"a": "suspicious", "b": "source"}
        found = find_candidates(verbs, documents(corpus), None, sides, boilerplate=100, max_df=20, most=100)
        rows = [row for split in found.table.splits() for row in split.read(["doc", "other"]).to_pylist()]
    pairs = {(names[row["other"]], names[row["doc"]]) for row in rows if row["doc"] != row["other"]}
    assert len(pairs) <= 20 * sum(name.startswith("suspicious") for name in texts)
    shares = defaultdict(list)
    for pair in read_corpus().pairs:
        if pair.known:
            shares[pair.category].append((pair.a, pair.b) in pairs)
    recall = {category: sum(each) / len(each) for category, each in shares.items()}
    assert {category: share for category, share in recall.items() if share < 0.97} == {}
