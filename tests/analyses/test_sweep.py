"""Sweeps: each combination counts what `quilts` finds with it, and the table is the same however it is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
import twin
from drawn import Packed, as_table, draw_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from quilting import DEBIAN, PLAIN, local, measure, open_run, read_files
from test_quilts import LARGEST, SHARES, SIGMAS, corpora
from twin import FOREIGN, Document

import unquilt
from unquilt.analyses.quilt_parameters import COLLAPSE, PUBLISHED, QuiltParameters
from unquilt.analyses.sweep import DIMENSIONS, SweepParameters, sweep
from unquilt.engines.tasks import Scale
from unquilt.errors import ParameterError
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import documents
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.settings import LEAST_MEMORY, Settings

pytestmark = pytest.mark.slow

Counts = list[tuple[int, int, int, float, int, int, int]]
GRID: dict[str, Any] = {"k": (2, 3), "m": (2, 3, 50), "c": (1, 2, 3), "sigma": (0.0, 0.3, 0.5)}


def rate(counts: Counts) -> list[tuple[float, ...]]:
    """The table that people see."""
    return [
        (*combination, quilts, quilts / all_, sources / quilts if quilts else 0.0)
        for *combination, quilts, sources, all_ in counts
    ]


def read_rates(run: Run) -> list[tuple[float, ...]]:
    return [tuple(row.values()) for row in run.sweep.to_pylist()]


def read_counts(run: Run) -> Counts:
    """What was counted, as the twin has it, of a run that keeps it; and the table that people see says the same."""
    sigma = run.manifest["parameters"]["sigma"]
    counts: Counts = []
    for k in run.manifest["parameters"]["k"]:
        rows = run.table(f"counts_{k}").to_pylist()
        counts += [tuple((row | {"sigma": sigma[row["sigma"]]}).values()) for row in rows]
    assert read_rates(run) == rate(counts)
    return counts


def add_up(parts: Sequence[Counts]) -> Counts:
    """The counts of corpora that have nothing in common."""
    return [
        (*rows[0][:4], *(sum(numbers) for numbers in zip(*(row[4:] for row in rows), strict=True)))  # type: ignore[misc]
        for rows in zip(*parts, strict=True)
    ]


def run_sweep(corpus: Run, folder: Path, engine: Callable[[Run], Verbs], **parameters: Any) -> Run:
    """Runs a sweep on an engine of one's own making, and keeps what was counted on the way."""
    given = SweepParameters.from_dict(parameters)
    with open_run(corpus, folder, given.to_dict()) as run:
        with engine(run) as verbs:  # type: ignore[attr-defined]
            sweep(verbs, documents(corpus), given)
        run.finish({})
    return run


@pytest.fixture(scope="module")
def pack() -> Packed:
    random = Random(4)
    return Packed.of([draw_corpus(random, number) for number in range(40)], random)


@pytest.fixture(scope="module")
def corpus(pack: Packed, small_row_groups: Callable[[Any, Path], Run], tmp_path_factory: pytest.TempPathFactory) -> Run:
    return small_row_groups(pack.table(), tmp_path_factory.mktemp("sweep") / "corpus")


@pytest.mark.parametrize(
    ("foreign", "collapse", "min_share"),
    [(*each, (0.0, 0.25)[number % 2]) for number, each in enumerate(product(FOREIGN, COLLAPSE))],
)
def test_random_corpora_give_what_the_twin_says(
    foreign: str, collapse: str, min_share: float, pack: Packed, corpus: Run, tmp_path: Path
) -> None:
    asked = GRID | {"foreign": foreign, "collapse": collapse, "min_share": min_share, "max_largest": 1 - min_share}
    run = run_sweep(corpus, tmp_path / "run", local(corpus, partitions=3), **asked)
    assert read_counts(run) == add_up([twin.sweep(each, **asked) for each in pack.corpora])


@pytest.mark.parametrize(
    "limits",
    [
        {
            "foreign": "host",
            "homes": True,
            "max_own": 0.8,
            "edits": "light",
            "sigma_of": "spanned",
            "max_reads_on": 0.1,
        },
        {
            "collapse": "near",
            "min_sewn": 0.5,
            "max_sections": 0.9,
            "min_grams": 2,
            "min_part": 3,
            "max_attributed": 0.5,
        },
        {"sigma_of": "patchfrac", "max_in_order": 0.5, "homes": True},
    ],
)
def test_other_limits_give_what_the_twin_says(
    limits: dict[str, Any], pack: Packed, corpus: Run, tmp_path: Path
) -> None:
    asked = {"k": (2, 3), "m": (3,), "c": (1, 2), "sigma": (0.3, 0.5)} | limits
    run = run_sweep(corpus, tmp_path / "run", local(corpus, partitions=3), **asked)
    common = pack.common_words()
    found = add_up([twin.sweep(each, common=common, **asked) for each in pack.corpora])
    assert read_rates(run) == rate(found)
    assert sum(quilts for *_, quilts, _, _ in found) > 20


asked_of_all = st.fixed_dictionaries(
    {
        "k": st.lists(st.integers(1, 4), min_size=1, max_size=2, unique=True),
        "m": st.lists(st.integers(2, 5), min_size=1, max_size=3, unique=True),
        "c": st.lists(st.integers(1, 3), min_size=1, max_size=3, unique=True),
        "sigma": st.lists(st.sampled_from(SIGMAS), min_size=1, max_size=3, unique=True),
        "foreign": st.sampled_from(FOREIGN),
        "collapse": st.sampled_from(COLLAPSE),
        "min_share": st.sampled_from(SHARES),
        "max_largest": st.sampled_from(LARGEST),
    }
)


@given(corpora(), asked_of_all)
@settings(max_examples=25)
def test_any_corpus_and_grid_give_what_the_twin_says(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[Document], asked: dict[str, Any]
) -> None:
    run = unquilt.sweep(as_table(corpus), tmp_path_factory.mktemp("any") / "run", **asked)
    assert read_rates(run) == rate(twin.sweep(corpus, **asked))


@pytest.mark.parametrize(
    ("foreign", "collapse", "limits"),
    [("none", "none", {}), ("domain", "exact", {}), ("ip", "near", {}), ("domain", "near", {"homes": True})],
)
def test_each_combination_is_a_run_of_quilts(
    foreign: str, collapse: str, limits: dict[str, Any], few_corpus: Run, tmp_path: Path
) -> None:
    grid: dict[str, Any] = {"k": (2, 3), "m": (2, 4), "c": (1, 2), "sigma": (0.3, 0.5)}
    modes = {"foreign": foreign, "collapse": collapse} | limits
    run = unquilt.sweep(few_corpus.path, tmp_path / "sweep", **grid, **modes)
    rows = run.sweep.to_pylist()
    assert sum(row["quilts"] for row in rows) > 150
    half = [number for number in range(len(rows)) if number.bit_count() % 2]  # any three values are in one of them
    for number in half:
        row = rows[number]
        one = {name: row[name] for name in DIMENSIONS}
        found = unquilt.quilts(few_corpus.path, tmp_path / str(number), **one, **PLAIN | modes)
        kept = found.manifest["summary"]["documents"] - found.manifest["summary"].get("copies", 0)
        assert row == one | {
            "quilts": found.quilts.num_rows,
            "share": found.quilts.num_rows / kept,
            "mean_sources": sum(found.quilts["sources"].to_pylist()) / found.quilts.num_rows,
        }


def test_fewer_quilts_as_sigma_and_c_grow(corpus: Run, tmp_path: Path) -> None:
    """Theorems 1 and 2 of the paper."""
    grid: dict[str, Any] = {"k": (1, 2, 3), "m": (2, 3, 5), "c": (1, 2, 3, 4), "sigma": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)}
    run = run_sweep(corpus, tmp_path / "run", local(corpus), **grid)
    found = {row[:4]: row[4:6] for row in read_counts(run)}
    for k, m in product(grid["k"], grid["m"]):
        for c in grid["c"]:
            by_sigma = [found[k, m, c, sigma] for sigma in grid["sigma"]]
            assert by_sigma == sorted(by_sigma, reverse=True)
        for sigma in grid["sigma"]:
            by_c = [found[k, m, c, sigma] for c in grid["c"]]
            assert by_c == sorted(by_c, reverse=True)
            assert by_c[0] > by_c[-1]


@pytest.mark.parametrize(("foreign", "collapse", "partitions"), [("ip", "near", 5), ("none", "none", 1)])
def test_every_engine_gives_the_same_bytes(
    foreign: str,
    collapse: str,
    partitions: int,
    make: Callable[[Scale, int], Callable[[Run], Verbs]],
    corpus: Run,
    tmp_path: Path,
) -> None:
    asked = GRID | {"foreign": foreign, "collapse": collapse}
    run = run_sweep(corpus, tmp_path / "run", make(measure(corpus), partitions), **asked)
    alone = run_sweep(corpus, tmp_path / "local", local(corpus, partitions=3), **asked)
    assert read_files(run) == read_files(alone)
    assert max(row[4] for row in read_counts(run)) > 100


@pytest.mark.parametrize(("partitions", "memory"), [(1, 20_000), (7, 0), (64, 20_000), (64, 1 << 30)])
def test_partitions_and_spilling_change_nothing(partitions: int, memory: int, corpus: Run, tmp_path: Path) -> None:
    tight = run_sweep(corpus, tmp_path / "run", local(corpus, memory=memory, partitions=partitions), **GRID)
    plain = run_sweep(corpus, tmp_path / "plain", local(corpus, threads=1, memory=LEAST_MEMORY), **GRID)
    assert read_files(tight) == read_files(plain)
    options = JobOptions(settings=Settings(threads=1, memory=LEAST_MEMORY))
    found = read_files(unquilt.sweep(corpus.path, tmp_path / "found", options=options, **GRID))
    assert found == {"sweep.parquet": read_files(plain)["sweep.parquet"]}  # and nothing else is left


def test_what_is_done_of_each_k_is_not_done_again(corpus: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from unquilt.analyses import sweep as module

    scanned: list[int] = []
    kernel = module.Kernel

    def interrupted(name: str, **given: Any) -> Any:
        """Stops where the work on the second k would begin, after a rehearsal of both."""
        if name == "scan":
            scanned.append(given["k"])
        if scanned == [2, 3, 2, 3]:
            raise KeyboardInterrupt
        return kernel(name, **given)

    with monkeypatch.context() as patch:
        patch.setattr(module, "Kernel", interrupted)
        with pytest.raises(KeyboardInterrupt):
            unquilt.sweep(corpus.path, tmp_path / "run", **GRID)
    half = unquilt.read(tmp_path / "run")
    assert not half.complete
    assert half.tables == ["counts_2"]
    first = half.manifest["stages"]["counts_2"]
    run = unquilt.sweep(corpus.path, tmp_path / "run", **GRID)
    assert run.manifest["stages"]["counts_2"] == first
    assert read_files(run) == read_files(unquilt.sweep(corpus.path, tmp_path / "at once", **GRID))


def test_values_are_a_set() -> None:
    """However they are written, it is the same sweep."""
    assert SweepParameters(k=(7, 3), sigma=[0.5, 0]) == SweepParameters(k=[3, 7], sigma=(0.0, 0.5))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"k": ()}, "k must have at least one value"),
        ({"m": (5, 50, 5)}, "m has the value 5 twice"),
        ({"sigma": (0.5, 0, 0.0)}, "sigma has the value 0 twice"),
        ({"c": (0,)}, "item 1 of c must be a whole number between 1 and"),
        ({"m": (1,)}, "item 1 of m must be a whole number between 2 and"),
        ({"sigma": (0.5, 1.5)}, "item 2 of sigma must be a number between 0 and 1"),
        ({"k": 5}, "k must be a list"),
        ({"k": ("x",)}, "item 1 of k must be a whole number"),
        ({"key": "xyz"}, "key must be 32 hexadecimal digits"),
        ({"m": range(2, 102), "c": range(1, 101), "sigma": (0.1, 0.2), "k": (1, 2, 3, 4, 5, 6)}, "at most 100,000"),
        ({"homes": True}, "each combination is a run of its own: a sweep has at most 200 of these, not 625"),
        ({"min_grams": 12, "min_share": 0.3, "c": (4,)}, "min_share 0.3 and c 4 contradict each other"),
    ],
)
def test_what_makes_no_grid_is_refused_by_name(asked: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        SweepParameters(**asked)


def test_each_value_is_one_that_quilts_takes() -> None:
    of_one = {info.name: info for info in QuiltParameters.describe()}
    for info in SweepParameters.describe():
        assert (info.constraint, info.type) == (of_one[info.name].constraint, of_one[info.name].type)
        if info.name != "sigma":  # quilts can hold sigma against other shares; a sweep counts what sources cover
            assert info.help == of_one[info.name].help
        if info.many:
            assert of_one[info.name].default in info.default


def test_of_a_key_only_the_digest_is_written_down(tmp_path: Path) -> None:
    key = "00112233445566778899aabbccddeeff"
    run = unquilt.sweep(pa.table({"text": ["a b c", "a b c d"]}), tmp_path / "run", k=[2], key=key)
    assert key not in (run.path / "manifest.json").read_text()
    assert run.manifest["parameters"]["key"].startswith("sha256:")


@pytest.mark.parametrize("texts", [[""], ["one"], ["", "a b c"], ["a b c d e f"] * 2, ["a b c", "x y z"]], ids=repr)
def test_next_to_nothing(texts: list[str], tmp_path: Path) -> None:
    """docs/faults.md 25: empty pages, pages shorter than k words, corpora without any quilt."""
    pages = [Document(str(i), None, None, None, None, text) for i, text in enumerate(texts)]
    run = unquilt.sweep(as_table(pages), tmp_path / "run", **GRID)
    assert read_rates(run) == rate(twin.sweep(pages, **GRID))


@pytest.mark.skipif(not DEBIAN.exists(), reason=f"{DEBIAN} is not there: python benchmarks/debian.py small makes it")
def test_the_pivot_of_real_pages_is_a_run_of_quilts(debian: Run, tmp_path: Path) -> None:
    grid: dict[str, Any] = {"k": (5,), "m": (10, 50), "c": (2, 4), "sigma": (0.25, 0.5)}
    run = unquilt.sweep(debian.path, tmp_path / "sweep", **grid)
    pivot = run.sweep.to_pylist()[-1]
    found = unquilt.quilts(debian.path, tmp_path / "quilts", **PUBLISHED)
    assert pivot["quilts"] == found.quilts.num_rows > 500
    assert pivot["mean_sources"] == found.sources.num_rows / found.quilts.num_rows
