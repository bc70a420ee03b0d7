"""One suite, every engine: `quilts` on real and random corpora."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import twin
from drawn import Packed
from quilting import ASKED, DEBIAN, local, measure, read_files, read_found, run_quilts

import unquilt
from unquilt.analyses.quilt_parameters import PUBLISHED
from unquilt.demo import write_jsonl
from unquilt.engines.tasks import Scale
from unquilt.errors import ParameterError
from unquilt.flow.verbs import Verbs
from unquilt.jobs.options import JobOptions
from unquilt.runs import Run
from unquilt.settings import Settings

pytestmark = pytest.mark.slow


@pytest.fixture
def corpora(engine: str, request: pytest.FixtureRequest) -> tuple[Packed, Run]:
    """Small corpora, and the one that they are packed into."""
    size = "few" if engine == "spark" else "packed"
    return request.getfixturevalue(size), request.getfixturevalue(f"{size}_corpus")


@pytest.mark.spark_once
@pytest.mark.parametrize(
    ("foreign", "collapse", "partitions"), [("ip", "near", 4), ("ip", "exact", 5), ("none", "none", 1)]
)
def test_random_corpora_give_what_the_twin_says(
    foreign: str,
    collapse: str,
    partitions: int,
    make: Callable[[Scale, int], Callable[[Run], Verbs]],
    corpora: tuple[Packed, Run],
    tmp_path: Path,
) -> None:
    packed, corpus = corpora
    asked: dict[str, Any] = ASKED | {"foreign": foreign, "collapse": collapse}
    run = run_quilts(corpus, tmp_path / "run", make(measure(corpus), partitions), **asked)
    common = packed.common_words()
    for number, found in enumerate(packed.split(read_found(run))):
        assert found == twin.quilts(packed.corpora[number], common=common, **asked), f"corpus {number}"
    alone = run_quilts(corpus, tmp_path / "local", local(corpus, partitions=3), **asked)
    assert read_files(run) == read_files(alone)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_jsonl(folder / "a.jsonl", 800, words=200, stop=500)
    write_jsonl(folder / "b.jsonl.gz", 800, words=200, start=500)
    return folder


@pytest.fixture(scope="module")
def demo_files(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the local engine makes of the demo web, in one thread."""
    options = JobOptions(settings=Settings(threads=1, memory=1 << 30))
    run = unquilt.quilts(demo, tmp_path_factory.mktemp("demo") / "run", options=options, foreign="ip")
    assert run.quilts.num_rows > 10
    return read_all(run)


def read_all(run: Run) -> dict[str, bytes]:
    """The tables of a run and of the corpus in it, byte for byte."""
    corpus = {f"corpus/{path.name}": path.read_bytes() for path in sorted((run.path / "corpus").rglob("*.parquet"))}
    return corpus | read_files(run)


def test_the_demo_web_is_the_same_everywhere(
    settings: Settings, demo: Path, demo_files: dict[str, bytes], tmp_path: Path
) -> None:
    """From files to tables, reading included."""
    assert (
        read_all(unquilt.quilts(demo, tmp_path / "run", options=JobOptions(settings=settings), foreign="ip"))
        == demo_files
    )


@pytest.mark.skipif(not DEBIAN.exists(), reason=f"{DEBIAN} is not there: python benchmarks/debian.py small makes it")
def test_real_pages_are_the_same_everywhere(spark_settings: Settings, debian: Run, tmp_path: Path) -> None:
    files = []
    for settings in (spark_settings, Settings(threads=2, memory=1 << 27)):
        options = JobOptions(settings=settings)
        run = unquilt.quilts(debian.path, tmp_path / f"{len(files)}", options=options, **PUBLISHED)
        files.append(read_files(run))
    assert run.quilts.num_rows > 100
    assert files[0] == files[1]


def test_unknown_engines_are_refused() -> None:
    with pytest.raises(ParameterError, match="local, processes, workers, spark"):
        Settings(engine="ray")
