"""Detection: what the twin says, on both engines; thresholds; sets of labels; what people see of a target."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
import twin_reuse
from hypothesis import given
from hypothesis import strategies as st
from quilting import read_files
from snapshots import Snapshots
from test_discover import PARAGRAPHS, draw_pages, read_objects, tabulate
from twin_reuse import SCALE, Page

import unquilt
from unquilt import JobOptions, LabelSet, Settings
from unquilt.analyses.detect import find_threshold
from unquilt.errors import InputError, ParameterError, StorageError
from unquilt.runs import Run
from unquilt.stores.labels import CHUNKS, About, LabelGathering, cut

REFERENCE = "\n\n".join([PARAGRAPHS[0], *PARAGRAPHS[6:14]])


@pytest.fixture
def labels(tmp_path: Path) -> LabelSet:
    (tmp_path / "stops").write_text(f"{PARAGRAPHS[9]}\n")
    ours = pa.table({"id": ["ours", "too"], "text": [REFERENCE, "\n\n".join(PARAGRAPHS[15:17])]})
    return unquilt.label(ours, tmp_path / "ours.labels", stop=str(tmp_path / "stops"))


def read_targets(run: Run) -> list[dict[str, Any]]:
    names = ("doc", "chunks", "matched", "contains", "file")
    rows = [{name: row[name] for name in names} for row in run.targets.to_pylist()]
    return [row | {"share": int(row.pop("contains") * SCALE)} for row in rows]


def read_neighbourhoods(run: Run) -> list[dict[str, Any]]:
    names = ("first", "level", "prefix", "documents", "chunks", "matched", "bad")
    return [
        {name: row[name] for name in names} | {"share": row["contained"], "mean": int(row["badness"] * SCALE)}
        for row in run.neighbourhoods.to_pylist()
    ]


def read_sites(run: Run) -> list[dict[str, Any]]:
    """Sites as the twin has them, each with a name or without."""
    return [row | {"named": row.pop("site") is not None} for row in run.object_sites.to_pylist()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"page_threshold": 0.25, "neighbourhood_threshold": 0.1, "site": "host"},
        {"stop_of": "neighbourhoods", "bad_by": "ratio"},
    ],
    ids=str,
)
def test_random_pages_give_what_the_twin_says(
    asked: dict[str, Any], settings: Settings, labels: LabelSet, tmp_path: Path
) -> None:
    pages = draw_pages(Random(3), 300)
    given = {"labels": str(labels.path), "occurrences": True} | asked
    run = unquilt.detect(tabulate(pages), tmp_path / "run", options=JobOptions(settings=settings), **given)
    sets = {name: set(cut(labels.hashes(part))) for part, name in enumerate(("chunks", "files", "stops"))}
    site = asked.get("site", "domain")
    thresholds = {name: value for name, value in asked.items() if name != "site"}
    targets, neighbourhoods = twin_reuse.detect(pages, **sets, **thresholds)
    assert read_targets(run) == targets
    assert read_neighbourhoods(run) == neighbourhoods
    matched = [
        {"doc": doc, "begin": chunk.begin, "end": chunk.end, "sha1": chunk.sha1}
        for doc, page in enumerate(pages)
        for chunk in twin_reuse.cut(page.text, "text", 0)
        if not page.recursive and chunk.sha1 in sets["chunks"] - sets["stops"]
    ]
    assert run.occurrences.to_pylist() == matched
    counted = {(row["twentieth"], row["what"]): row["count"] for row in run.shares.to_pylist()}
    by_ratio = asked.get("bad_by") == "ratio"
    measured = [row["matched"] * SCALE // max(1, row["chunks"]) if by_ratio else row["mean"] for row in neighbourhoods]
    bars = [-(-share * 20 // SCALE) for share in measured]
    expected = {(bar, "neighbourhoods"): bars.count(bar) for bar in set(bars)}
    assert {key: count for key, count in counted.items() if key[1] == "neighbourhoods"} == expected
    assert sum(count for key, count in counted.items() if key[1] == "documents") == sum(not p.recursive for p in pages)
    known = {"chunk": sets["chunks"] - sets["stops"], "file": sets["files"]}
    counting: dict[str, Any] = {"chunk_threshold": 0, "file_threshold": 0, "auto_stop": False, "once": False}
    all_of_it, _, _ = twin_reuse.discover(pages, **counting, site=site)
    assert read_objects(run, "objects") == [row for row in all_of_it if row["sha1"] in known[row["kind"]]]
    assert read_sites(run) == twin_reuse.place(pages, **sets, site=site)
    named = [row["site"] for row in run.object_sites.to_pylist() if row["site"] is not None]
    assert len(set(named)) == len({getattr(page, site) for page in pages if page.url and not page.recursive})
    alone = unquilt.detect(tabulate(pages), tmp_path / "alone", **given)
    assert read_files(run) == read_files(alone)


def test_as_published_every_chunk_counts_and_only_labels_are_long(settings: Settings, tmp_path: Path) -> None:
    """Chunks without letters count, and those that are too short for a label are still chunks of a document."""
    pages = draw_pages(Random(4), 80)
    ours = tabulate([Page(REFERENCE), Page("7\n\n*\n\n" + PARAGRAPHS[0])])
    asked: dict[str, Any] = {"min_length": 20, "min_length_of": "labels", "trivial_stop": False}
    labels = unquilt.label(ours, tmp_path / "ours.labels", **asked)
    assert labels.about == About(trivial_stop=False)
    reference = "\n\n".join(ours["text"].to_pylist())
    chunks = {chunk.sha1 for chunk in twin_reuse.cut(reference, "text", 20, trivial_stop=False)}
    assert set(cut(labels.hashes(CHUNKS))) == chunks
    run = unquilt.detect(
        tabulate(pages), tmp_path / "run", labels=str(labels.path), options=JobOptions(settings=settings)
    )
    files = {twin_reuse.sha1(text) for text in ours["text"].to_pylist()}
    targets, neighbourhoods = twin_reuse.detect(pages, chunks=chunks, files=files, trivial_stop=False)
    assert read_targets(run) == targets
    assert read_neighbourhoods(run) == neighbourhoods
    detector = unquilt.Detector.load(labels.path)
    for page in pages[:20]:
        there = twin_reuse.cut(page.text, "text", 0, trivial_stop=False)
        found = detector.page(page.text, media="text")
        assert (found.chunks, len(found.labelled)) == (len(there), sum(chunk.sha1 in chunks for chunk in there))


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=30))
def test_thresholds_are_exact(pairs: list[tuple[int, int]]) -> None:
    """A share is above the threshold just if it is above mean + σ, by fractions."""
    shares = [min(pair) * SCALE // max(1, max(pair)) for pair in pairs]
    squares = sum(share * share for share in shares)
    counted = {"number": len(shares), "sum": sum(shares)}
    counted |= {"squares": squares // SCALE, "squares_rest": squares % SCALE}
    threshold = find_threshold(counted, None)
    assert threshold == twin_reuse.threshold(shares)
    for share in shares:
        n, total = len(shares), sum(shares)
        over = Fraction(n * share - total)
        assert (share > threshold) == (over > 0 and over * over > n * squares - total * total)
    assert find_threshold(counted, 0.5) == SCALE // 2
    assert isqrt(SCALE * SCALE) == SCALE


def test_a_set_says_what_was_put_in(labels: LabelSet, tmp_path: Path) -> None:
    assert labels.counts == {"chunks": 11, "files": 2, "stop_chunks": 1}
    both = unquilt.label([labels.path, labels.path], tmp_path / "both.labels", page_threshold=0.5)
    assert (both.counts, both.about) == (labels.counts, About(page_threshold=0.5))
    (tmp_path / "list").write_text(f"{PARAGRAPHS[0]}\nfile {'0a' * 20}\n")
    few = unquilt.label([], tmp_path / "few.labels", list=str(tmp_path / "list"))
    assert few.counts == {"chunks": 1, "files": 1, "stop_chunks": 0}
    rest = unquilt.label([labels.path], tmp_path / "rest.labels", subtract=[str(few.path)], files=False)
    assert rest.counts == {"chunks": 10, "files": 0, "stop_chunks": 1}
    assert set(cut(rest.hashes(CHUNKS))) == set(cut(labels.hashes(CHUNKS))) - set(cut(few.hashes(CHUNKS)))
    again = unquilt.label([labels.path], tmp_path / "again.labels")
    assert again.path.read_bytes() == labels.path.read_bytes()


@pytest.mark.slow
@pytest.mark.spark_once
@pytest.mark.parametrize("few", [True, False], ids=["few", "templates"])
def test_labels_know_which_page_of_ours_it_is(few: bool, settings: Settings, tmp_path: Path) -> None:
    """What the twin says, on pages some of which are copies; with many pages of ours, most chunks are templates."""
    references = [page for page in draw_pages(Random(8), 12 if few else 400) if not page.recursive]
    ours = unquilt.label(tabulate(references), tmp_path / "ours.labels")
    assert ours.pages == len(references)
    assert [url for _, url in ours.name_pages()] == [page.url for page in references]
    pages = draw_pages(Random(9), 80)
    run = unquilt.detect(
        tabulate(pages), tmp_path / "run", labels=str(ours.path), options=JobOptions(settings=settings)
    )
    sets = {name: set(cut(ours.hashes(part))) for part, name in enumerate(("chunks", "files", "stops"))}
    names = [url or id_ for id_, url in ours.name_pages()]
    for row in run.contents.to_pylist():
        best, matched = twin_reuse.choose_ours(pages[row["doc"]], references, **sets)
        assert (row["ours"], row["ours_matched"]) == (None if best is None else names[best], matched), row
    for row in run.origins.to_pylist():
        places = ours.find_origins(row["sha1"], file=row["kind"] == "file")
        assert (row["ours_begin"], row["ours_end"], row["ours_pages"]) == (*places[0][2:], len(places))
        assert row["ours"] == (places[0].url or places[0].id)
        for id_, url, begin, end in places:
            text = references[names.index(url or id_)].text
            assert row["kind"] == "file" or twin_reuse.hash_chunk(text[begin:end], "text") == row["sha1"]
    assert run.origins.num_rows == run.objects.num_rows


def test_sets_without_origins_are_as_they_were(tmp_path: Path, snapshots: Snapshots) -> None:
    """The first version of the format is still written where nobody asks for origins, and still read."""
    pages = tabulate(draw_pages(Random(8), 30))
    plain = unquilt.label(pages, tmp_path / "plain.labels", origins=False)
    known = unquilt.label(pages, tmp_path / "known.labels")
    assert (plain.path.read_bytes()[16], known.path.read_bytes()[16]) == (1, 2)
    packed = LabelSet.pack(
        tmp_path / "packed", plain.about, **{n: plain.hashes(p) for p, n in enumerate(("chunks", "files", "stops"))}
    )
    assert packed.path.read_bytes() == plain.path.read_bytes()
    assert (plain.pages, list(plain.name_pages()), plain.find_origins(plain.hashes(CHUNKS)[:20])) == (None, [], [])
    assert plain.counts == known.counts
    stripped = unquilt.label([known.path], tmp_path / "stripped.labels", origins=False)
    assert stripped.path.read_bytes() == plain.path.read_bytes()
    run = unquilt.detect(pages, tmp_path / "run", labels=str(plain.path))
    assert run.origins.num_rows == 0
    assert set(run.contents["ours"].to_pylist()) == {None}
    with snapshots.error(InputError):
        unquilt.copies(plain.path, pages, tmp_path / "copies")


def test_origins_of_sets_that_are_merged_and_subtracted(tmp_path: Path) -> None:
    one, two = (
        tabulate([Page(f"{text}\n\n{PARAGRAPHS[8]}", url)])
        for text, url in (("Only on the first page.", "http://a.com/1"), ("Only on the second page.", "http://b.com/2"))
    )
    sets = [unquilt.label(table, tmp_path / f"{n}.labels") for n, table in enumerate((one, two))]
    both = unquilt.label([each.path for each in sets], tmp_path / "both.labels")
    both.verify()
    shared, first = (twin_reuse.sha1(text) for text in (PARAGRAPHS[8].strip(), "Only on the first page."))
    assert [page.url for page in both.find_origins(shared)] == ["http://a.com/1", "http://b.com/2"]
    assert [page[1:] for page in both.find_origins(first)] == [("http://a.com/1", 0, 23)]
    less = unquilt.label([both.path], tmp_path / "less.labels", subtract=[str(sets[1].path)])
    assert (less.find_origins(shared), len(less.find_origins(first))) == ([], 1)


def test_origins_in_any_memory_and_damaged_ones(tmp_path: Path) -> None:
    pages = tabulate(draw_pages(Random(8), 300))
    made = [
        unquilt.label(pages, tmp_path / f"{memory}.labels", options=JobOptions(settings=Settings(memory=memory)))
        for memory in (64 << 20, 1 << 30)
    ]
    content = made[0].path.read_bytes()
    assert content == made[1].path.read_bytes()
    path = tmp_path / "broken.labels"
    for at in range(0, len(content), 97):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(InputError):
            LabelSet.read(path)


def test_sites_of_ours_are_left_out(labels: LabelSet, tmp_path: Path) -> None:
    """No page of an excluded site is a target, and no mean has one."""
    pages = [page for page in draw_pages(Random(3), 120) if page.url]
    asked = {"labels": str(labels.path), "exclude_site": ("site1.com", "http://WWW.site2.com/a/")}
    run = unquilt.detect(tabulate(pages), tmp_path / "run", **asked)
    gone = [page.host.endswith("site1.com") or page.url.startswith("http://www.site2.com/a/") for page in pages]
    left = [page for page, out in zip(pages, gone, strict=True) if not out]
    assert run.manifest["summary"]["excluded"] == sum(gone) > 0
    without = unquilt.detect(tabulate(left), tmp_path / "left", labels=str(labels.path))
    for table in ("targets", "neighbourhoods", "contents"):
        names = ("url", "prefix", "matched", "contains", "badness", "bad")
        rows = [
            [{n: row[n] for n in names if n in row} for row in each]
            for each in (getattr(run, table).to_pylist(), getattr(without, table).to_pylist())
        ]
        assert rows[0] == rows[1]


def test_a_set_need_not_fit_into_memory(tmp_path: Path, snapshots: Snapshots) -> None:
    """Sorted within any memory, it is the same file; only its filter has to fit."""
    numbers = [list(range(9000)), list(range(0, 9000, 2)), list(range(0, 9000, 7))]
    chunks, files, stops = (b"".join(twin_reuse.sha1(str(each)) for each in some * 2) for some in numbers)
    whole = LabelSet.pack(tmp_path / "whole", About(min_length=3), chunks=chunks, files=files, stops=stops)
    gone = LabelSet.pack(tmp_path / "gone", About(), chunks=chunks[:4000], files=files[:2000], stops=stops)
    left = LabelSet.pack(tmp_path / "left", About(), chunks=chunks[4000:180_000], files=files[2000:90_000], stops=stops)
    for memory in (400_000, 1 << 30):
        for expected, without in ((whole, []), (left, [gone])):
            gathering = LabelGathering(memory, tmp_path)
            for at in range(0, len(chunks), 10_000):
                gathering.add(chunks[at : at + 10_000], files[at : at + 10_000], stops[at : at + 10_000])
            made = gathering.write(tmp_path / "made", expected.about, without)
            assert made.path.read_bytes() == expected.path.read_bytes()
            made.verify()
    gathering = LabelGathering(1000, tmp_path)
    gathering.add(chunks)
    with snapshots.error(ParameterError):
        gathering.write(tmp_path / "made", About(), [])
    with snapshots.error(StorageError):
        LabelGathering(1 << 30, tmp_path / "none").write(tmp_path / "made", About(), [])


def test_labels_of_what_was_discovered(tmp_path: Path, snapshots: Snapshots) -> None:
    pages = [Page(f"Some text that says a lot.\n\nHome\n\nOf {n} alone", f"http://a{n}.com/x/{n}") for n in range(6)]
    found = unquilt.discover(tabulate(pages), tmp_path / "found", normalise=True)
    labels = unquilt.label(found.path, tmp_path / "blind.labels")
    assert labels.counts == {"chunks": 1, "files": 0, "stop_chunks": 1}
    assert labels.about == About(by="words")
    run = unquilt.detect(
        tabulate([*pages, Page("some TEXT, that says: a lot")]), tmp_path / "run", labels=str(labels.path)
    )
    assert [row["matched"] for row in run.contents.to_pylist()] == [1] * 7
    assert [row["chunks"] for row in run.contents.to_pylist()] == [2] * 6 + [1]
    with snapshots.error(InputError):
        unquilt.label([found.path, *[unquilt.label(tabulate(pages), tmp_path / "text.labels").path]], tmp_path / "both")


def test_files_that_are_no_set(labels: LabelSet, tmp_path: Path, snapshots: Snapshots) -> None:
    content = labels.path.read_bytes()
    path = tmp_path / "broken.labels"
    cases = {
        content[:-1]: "it is cut short",
        b"": "it is empty",
        b"something else entirely": "it is no set of labels",
        content[:16] + b"\x09" + content[17:]: "its format is 9, and this unquilt reads another",
        content[:300] + bytes([content[300] ^ 1]) + content[301:]: "is damaged: block 0",
    }
    for broken, complaint in cases.items():
        path.write_bytes(broken)
        with pytest.raises(InputError, match=complaint):
            LabelSet.read(path)
    with snapshots.error(InputError):
        LabelSet.load(tmp_path / "none")
    with snapshots.error(ParameterError):
        unquilt.DetectParameters()


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked", [{}, {"page_threshold": 0.25, "neighbourhood_threshold": 0.1}, {"bad_by": "ratio"}], ids=str
)
def test_parts_that_are_merged_are_the_whole(
    asked: dict[str, Any], settings: Settings, labels: LabelSet, tmp_path: Path
) -> None:
    """Also where parts share neighbourhoods, sites and objects, and however the corpus is split."""
    pages, options = draw_pages(Random(4), 200), JobOptions(settings=settings)
    look_for = {"labels": str(labels.path), "occurrences": True}
    whole = unquilt.detect(tabulate(pages), tmp_path / "whole", **look_for, **asked)
    cuts = [0, 1, 77, 150, 200]
    parts = [
        unquilt.detect(tabulate(pages[begin:end]), tmp_path / f"part{begin}", **look_for).path
        for begin, end in pairwise(cuts)
    ]
    merged = unquilt.merge_runs(parts, tmp_path / "merged", options=options, **asked)
    sets = {name: set(cut(labels.hashes(part))) for part, name in enumerate(("chunks", "files", "stops"))}
    assert read_sites(merged) == twin_reuse.place(pages, **sets)
    assert max(row["sites"] for row in merged.objects.to_pylist()) > 5
    reading = ("objects", "object_sites", "occurrences", "origins")
    for table in ("contents", "targets", "neighbourhoods", "shares", "path_lengths", *reading):
        ours, others = (getattr(run, table).to_pylist() for run in (merged, whole))
        for row in [*ours, *others]:
            row.pop("id", None)  # which tells the row of the table that a page was read from
        assert ours == others, table
    for name in ("recursive", "without_url", "matched", "above_page", "bad_neighbourhoods", "documents"):
        assert merged.manifest["summary"][name] == whole.manifest["summary"][name]
    again = unquilt.merge_runs(
        [unquilt.merge_runs(parts[:2], tmp_path / "two").path, *parts[2:]], tmp_path / "again", **asked
    )
    assert read_files(again) == read_files(merged)


def test_occurrences_are_merged_if_all_parts_have_them(labels: LabelSet, tmp_path: Path) -> None:
    pages = tabulate([Page(REFERENCE, "http://a.com/1")])
    parts = [
        unquilt.detect(pages, tmp_path / f"{wanted}", labels=str(labels.path), occurrences=wanted).path
        for wanted in (True, False)
    ]
    merged = unquilt.merge_runs(parts, tmp_path / "merged")
    assert not (merged.path / "occurrences.parquet").exists()
    assert {(row["documents"], row["sites"]) for row in merged.objects.to_pylist()} == {(2, 1)}
    both = unquilt.merge_runs([parts[0], parts[0]], tmp_path / "both")
    assert [row["doc"] for row in both.occurrences.to_pylist()] == [0] * 8 + [1] * 8


def test_runs_that_cannot_be_merged(labels: LabelSet, tmp_path: Path, snapshots: Snapshots) -> None:
    pages = tabulate([Page(REFERENCE, "http://a.com/1")])
    other = unquilt.label(pages, tmp_path / "other.labels")
    one, two = (
        unquilt.detect(pages, tmp_path / name, labels=str(by.path)) for name, by in (("1", labels), ("2", other))
    )
    with pytest.raises(InputError, match="other labels"):
        unquilt.merge_runs([one.path, two.path], tmp_path / "run")
    host = unquilt.detect(pages, tmp_path / "4", labels=str(labels.path), site="host")
    with snapshots.error(InputError):
        unquilt.merge_runs([one.path, host.path], tmp_path / "run")
    manifest = json.loads((host.path / "manifest.json").read_text())
    del manifest["done"]["object_sites"]
    (host.path / "manifest.json").write_text(json.dumps(manifest))
    with snapshots.error(InputError):
        unquilt.merge_runs([host.path], tmp_path / "run")
    with snapshots.error(InputError):
        unquilt.merge_runs([unquilt.discover(pages, tmp_path / "3").path], tmp_path / "run")
    with snapshots.error(InputError):
        unquilt.merge_runs([], tmp_path / "run")


def test_a_detector_says_what_detection_does(labels: LabelSet, tmp_path: Path, snapshots: Snapshots) -> None:
    pages = draw_pages(Random(5), 60)
    html = ["".join(f"<p>{part}" for part in page.text.split("\n\n")) for page in pages]
    table = pa.table({"id": [str(n) for n in range(120)], "text": [page.text for page in pages] + [None] * 60})
    table = table.append_column("html", pa.array([None] * 60 + html))
    run = unquilt.detect(table, tmp_path / "run", labels=str(labels.path))
    detector = unquilt.Detector.load(labels.path)
    rows = run.contents.to_pylist()
    asked = [*((page.text, "text") for page in pages), *((page, "html") for page in html)]
    names = ("chunks", "stop_chunks", "matched", "file", "ours", "ours_matched")
    assert len({row["ours"] for row in rows}) == 3
    for row, (content, media) in zip(rows, asked, strict=True):
        for form in (content, content.encode()):
            found = detector.page(form, "http://a.com/", media)
            said = (found.chunks, found.stop_chunks, len(found.labelled), found.file, found.ours, found.ours_labelled)
            assert said == tuple(row[name] for name in names)
            assert [twin_reuse.sha1(" ".join(found.text[c.begin : c.end].split())) for c in found.labelled] == [
                chunk.sha1 for chunk in found.labelled
            ]
    assert detector.page("").contains == 0
    assert detector.page(REFERENCE).target is True
    assert detector.page("Something else.").target is None
    with snapshots.error(ParameterError):
        detector.page("", media="pdf")
