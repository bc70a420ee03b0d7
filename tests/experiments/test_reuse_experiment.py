"""The controlled experiments of reuse: copies are discovered just above the threshold, and changed ones detected as far
as published; what is counted is what is found in pages that were copied and changed indeed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from faulty import invoke
from hypothesis import given
from hypothesis import strategies as st
from quilting import DEBIAN
from snapshots import Snapshots

import unquilt
from unquilt.analyses.reuse_experiment import ReuseExperimentParameters
from unquilt.engines.progress import Silent
from unquilt.errors import InputError
from unquilt.experiments.copied_site import read_site
from unquilt.experiments.mutations import OPERATIONS, mutate, tolerate
from unquilt.experiments.reuse import EXPERIMENT, count_injected, count_injections
from unquilt.figures.reuse_experiment import NAMES
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.settings import Settings

Pages = dict[str, list[str]]
"""Paragraphs of pages, by URL."""


def make_site(pages: int) -> Pages:
    """A site whose pages have 3 to 12 paragraphs, some of which stand on several of them."""
    random = Random(7)
    shared = [f"Paragraph {n} that some of the pages of this site have in common, at length." for n in range(6)]
    made: Pages = {}
    for number in range(pages):
        own = [f"Paragraph {part} of page {number} and of no other page at all." for part in range(3 + number % 7)]
        made[f"http://ours.example/a/{number}"] = [*own, *random.sample(shared, random.randint(0, 3))]
    return made


def make_background(pages: int) -> Pages:
    return {f"http://b{n}.example/{n}": [f"Words of page {n}, line {line}." for line in range(5)] for n in range(pages)}


def copy(site: Pages, copies: int, *, altered: bool = False) -> Pages:
    """The site on so many other hosts; `altered`, each page with a head and a tail of its own."""
    made: Pages = {}
    for number in range(copies):
        for url, parts in site.items():
            place = url.replace("ours", f"copy{number}")
            made[place] = [f"Advertisement for {place}", *parts, f"Links of {place}"] if altered else parts
    return made


def read(pages: Pages, folder: Path) -> Run:
    texts = ["\n\n".join(parts) for parts in pages.values()]
    return unquilt.ingest(pa.table({"url": list(pages), "text": texts}), folder)


@pytest.mark.slow
@pytest.mark.parametrize("altered", [False, True])
def test_a_page_that_is_copied_is_discovered_above_the_threshold(altered: bool, tmp_path: Path) -> None:
    """As files only if they are the same, as chunks anyway; the page itself counts, too."""
    number = {100: 0, 250: 1, 999: 2, 1000: 3, 5000: 4}
    pages = make_background(50)
    for copies, page in number.items():
        site = {f"http://ours{page}.example/": [f"One of the paragraphs of page {page}, number {n}" for n in range(3)]}
        pages |= site | copy(site, copies, altered=altered)
    run = unquilt.discover(
        read(pages, tmp_path / "corpus").path,
        tmp_path / "run",
        file_threshold=1000,
        chunk_threshold=1000,
        auto_stop=False,
    )
    found = [(row["kind"], row["occurrences"]) for row in run.objects.to_pylist()]
    files = [] if altered else [("file", 1001), ("file", 5001)]
    assert sorted(found) == sorted([("chunk", 1001)] * 3 + [("chunk", 5001)] * 3 + files)


@pytest.mark.slow
def test_what_is_counted_is_what_is_discovered(tmp_path: Path) -> None:
    site, background = make_site(30), make_background(20)
    corpus = read(site | background, tmp_path / "corpus")
    asked = ReuseExperimentParameters(site="ours.example/a/", copies=(2, 9, 21), file_threshold=5, chunk_threshold=20)
    known = read_site(corpus, asked, Silent())
    assert len(known.pages) == 30
    shares = {(row["copies"], row["what"]): row for row in count_injections(known, asked, set())}
    ours = set(known.occurrences)
    raw = corpus.documents.filter(pc.starts_with(corpus.documents["url"], "http://ours"))["raw_sha1"].to_pylist()
    limits = {"chunk": 20, "file": 5}
    injected: defaultdict[tuple[int, str], Counter[int]] = defaultdict(Counter)
    for row in count_injected(known, asked, set()):
        injected[row["copies"], row["what"]][row["occurrences"]] = row["count"]
        assert row["discovered"] == (row["occurrences"] > limits[row["what"][:-1]])
    for copies in asked.copies:
        for altered in (False, True):
            pages = site | background | copy(site, copies, altered=altered)
            place = tmp_path / f"{copies}-{altered}"
            corpus = read(pages, place)
            run = unquilt.discover(
                corpus.path, place.with_suffix(".run"), file_threshold=5, chunk_threshold=20, auto_stop=False
            )
            objects = run.objects.to_pylist()
            chunks = {row["sha1"] for row in objects if row["kind"] == "chunk"}
            assert chunks <= ours
            assert shares[copies, "chunks"]["discovered"] == len(chunks)
            if not altered:
                for what, digests in (("chunks", ours), ("files", set(raw))):
                    kind = what[:-1]
                    found = Counter(
                        row["occurrences"] for row in objects if row["kind"] == kind and row["sha1"] in digests
                    )
                    assert found == {
                        number: count for number, count in injected[copies, what].items() if number > limits[kind]
                    }
            files = sum(row["kind"] == "file" for row in objects)
            assert shares[copies, "altered files" if altered else "files"]["discovered"] == files
    assert 0 < shares[2, "chunks"]["share"] < shares[21, "chunks"]["share"] == 1


def mutate_text(parts: Sequence[str], operation: str, mutations: int, random: Random, name: str) -> list[str]:
    """The paragraphs of a page, changed."""
    left = list(parts)
    for number in range(mutations):
        if operation == "added":
            left.insert(random.randint(0, len(left)), f"Added to {name}: {number}")
        elif operation == "changed":
            left[random.randrange(len(left))] = f"Changed in {name}: {number}"
        elif left:
            left.pop(random.randrange(len(left)))
    return left


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_is_simulated_is_what_is_detected(operation: str, tmp_path: Path) -> None:
    """Pages that were changed indeed contain as much as simulated ones, in the mean."""
    site = make_site(60)
    labels = unquilt.label(read(site, tmp_path / "site").path, tmp_path / "ours.labels", files=False)
    flags = [[True] * len(parts) for parts in site.values()]
    mean = fmean(map(len, flags))
    steps = [0, round(mean / 2), round(mean)]
    expected = mutate(flags, operation, steps, 0.144, 30, 1)
    for step, point in zip(steps, expected, strict=True):
        pages: Pages = {}
        for run in range(4):
            random = Random(f"{operation} {step} {run}")
            for url, parts in site.items():
                place = url.replace("ours", f"copy{run}")
                pages[place] = mutate_text(parts, operation, step, random, place)
        found = unquilt.detect(
            read(pages, tmp_path / f"{step}").path, tmp_path / f"{step}-run", labels=str(labels.path)
        )
        rows = [row for row in found.contents.to_pylist() if row["chunks"]]
        contains = fmean(row["matched"] / row["chunks"] for row in rows)
        ratio = sum(row["matched"] for row in rows) / sum(row["chunks"] for row in rows)
        assert (len(rows) / 4, contains, ratio) == pytest.approx(
            (point.pages, point.contains, point.ratio), abs=0.04, rel=0.04
        )


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=12), min_size=1, max_size=5), st.integers(0, 30))
def test_rules_of_mutations(pages: list[list[bool]], most: int) -> None:
    steps = list(range(most + 1))
    for operation in OPERATIONS:
        points = mutate(pages, operation, steps, 0.2, 2, 0)
        start = fmean(sum(page) / len(page) for page in pages)
        assert points[0].contains == pytest.approx(start)
        left = [point for point in points if point.pages]
        assert all(0 <= (point.contains or 0) <= 1 and 0 <= (point.ratio or 0) <= 1 for point in left)
        if operation == "added":
            mean = fmean(map(len, pages))
            assert [point.mean_chunks for point in points] == pytest.approx([mean + step for step in steps])
        undefined = [point for point in points if point.contains is None]
        assert undefined == [point for point in points if not point.pages]
        assert all((point.error, point.ratio, point.targets) == (None, None, 0) for point in undefined)
        if operation == "added":
            exact = [fmean(sum(page) / (len(page) + step) for page in pages) for step in steps]
            assert [point.contains for point in points] == pytest.approx(exact)
            assert all(point.error == pytest.approx(0) for point in points)
        if operation == "changed":
            shares = [point.contains or 0 for point in points]
            assert shares == sorted(shares, reverse=True)
        if operation == "deleted":
            assert points[-1].pages == sum(len(page) > most for page in pages)


def test_informed_deletion_never_fails() -> None:
    """As published: whatever is left of a copied page is labelled, so its share is 1 until nothing is left."""
    points = mutate([[True] * n for n in (3, 5, 8)], "deleted", list(range(12)), 0.144, 4, 0)
    assert [point.contains for point in points] == [1.0] * 8 + [None] * 4
    assert tolerate(points, [point.contains for point in points], 0.144) == (7, True)


def test_changes_with_replacement_fall_exponentially() -> None:
    (*_, point) = mutate([[True] * 40] * 30, "changed", [0, 40], 0.144, 10, 0)
    assert point.contains == pytest.approx((1 - 1 / 40) ** 40, abs=0.02)


@pytest.mark.slow
def test_bad_neighbourhoods_with_and_without_stop_chunks(tmp_path: Path) -> None:
    """Those of detection with the most frequent chunks as labels, which a list names."""
    menu = ["Home", "About us"]
    pages = {
        f"http://s{n}.example/{n % 2}/{n}": [
            *menu,
            f"Copied {n % 3} at some length, on many pages." * 4,
            *[f"Own {n}"] * (n % 5),
        ]
        for n in range(40)
    }
    corpus = read(pages, tmp_path / "corpus")
    run = unquilt.experiment.reuse(corpus.path, tmp_path / "run", runs=1, labelled=2)
    rows = {row["stop_chunks"]: row for row in run.cleanings.to_pylist()}
    found = unquilt.discover(corpus.path)
    frequent = Counter({row["sha1"]: row["occurrences"] for row in found.objects.to_pylist() if row["kind"] == "chunk"})
    assert [count for _, count in frequent.most_common(3)] == [14, 13, 13]
    labels = sorted(frequent, key=lambda sha1: (-frequent[sha1], sha1))[:2]
    (tmp_path / "labels.txt").write_text("".join(f"{sha1.hex()}\n" for sha1 in labels))
    (tmp_path / "stops.txt").write_text("".join(f"{menu}\n" for menu in menu))
    for stops in ("in", "out"):
        asked = {"stop": str(tmp_path / "stops.txt")} if stops == "out" else {}
        made = unquilt.label([], tmp_path / f"{stops}.labels", list=str(tmp_path / "labels.txt"), **asked)
        detected = unquilt.detect(corpus.path, labels=str(made.path))
        places = detected.neighbourhoods.to_pylist()
        assert rows[stops]["neighbourhoods"] == len(places) == 80
        assert rows[stops]["bad"] == sum(place["bad"] for place in places)
        assert rows[stops]["targets"] == detected.targets.num_rows
        assert rows[stops]["matched"] == 27
        assert rows[stops]["chunks"] == sum(map(len, pages.values())) - (80 if stops == "out" else 0)
    assert rows["in"]["stopped"] == 0
    assert rows["out"]["stopped"] == 2


@pytest.mark.slow
def test_the_command_measures_what_reuse_tolerates(tmp_path: Path, snapshots: Snapshots) -> None:
    pages = make_site(8) | make_background(4)
    corpus = read(pages, tmp_path / "corpus")
    asked = ["--runs", "2", "--most", "2", "--step", "0.5", "--copies", "10,100", "--chunk-threshold", "50"]
    ended = invoke("experiment", "reuse", corpus.path, "-o", tmp_path / "run", *asked, "--blind-copies", "30")
    assert ended.code == 0, ended.err
    assert "36 tolerances, 60 points, 6 counts, 2 detections" in ended.out
    shown = invoke("show", tmp_path / "run", "tolerances", "--where", "what = 'pages' and labels = 'informed'")
    assert "added" in shown.out
    assert {file.stem for file in (tmp_path / "run" / "figures").iterdir()} == set(NAMES)
    assert "as long as a run of unquilt reuse discover and two of unquilt reuse detect" in ended.out
    assert invoke("report", tmp_path / "run", "-o", tmp_path / "report.html").code == 0
    assert (tmp_path / "report.html").read_text().count("<svg") == 13
    again = EXPERIMENT.carry_out(ReuseExperimentParameters(runs=2), corpus.path, tmp_path / "again")
    other = EXPERIMENT.carry_out(ReuseExperimentParameters(runs=2), corpus.path, tmp_path / "other")
    assert again.table("mutations") == other.table("mutations")
    with snapshots.error(InputError):
        EXPERIMENT.carry_out(ReuseExperimentParameters(site="nowhere/"), corpus.path, tmp_path / "no")
    assert invoke("experiment", "reuse", corpus.path, "-o", tmp_path / "x", "--step", "0").code == 2


@pytest.mark.slow
@pytest.mark.skipif(not DEBIAN.exists(), reason=f"{DEBIAN} is not there: python benchmarks/debian.py small makes it")
def test_real_pages_tolerate_what_was_published(debian: Run, tmp_path: Path) -> None:
    """Published: pages 1.8 to 4.5 times the mean chunks per page, neighbourhoods 4.4 to 5.4 times."""
    run = EXPERIMENT.carry_out(ReuseExperimentParameters(pages=300, runs=2), debian.path, tmp_path / "run")
    found = {
        (row["operation"], row["what"]): row["times"]
        for row in run.table("tolerances").to_pylist()
        if (row["labels"], row["stop_chunks"]) == ("informed", "in")
    }
    assert found["added", "pages"] > 3
    assert found["changed", "pages"] > 1
    assert found["added", "neighbourhood ratio"] > 4
    assert found["changed", "neighbourhood ratio"] > 2
    shares = [row["share"] for row in run.table("injections").to_pylist() if row["what"] == "chunks"]
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.slow
@pytest.mark.spark_once
def test_all_engines_agree(settings: Settings, tmp_path: Path) -> None:
    corpus = read(make_site(12) | make_background(6), tmp_path / "corpus")
    few: dict[str, Any] = {"runs": 2, "most": 1.0, "copies": (10,), "chunk_threshold": 20, "labelled": 5}
    usual = unquilt.experiment.reuse(corpus.path, **few)
    run = unquilt.experiment.reuse(corpus.path, options=JobOptions(settings=settings), **few)
    assert usual.tables == run.tables
    assert all(run.table(table) == usual.table(table) for table in run.tables)
