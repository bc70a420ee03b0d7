"""What several rooms share: surroundings in which tests cost little and leave nothing, corpora, and the engines.

What only one room needs is in its own conftest; what is called by name is in modules beside this file.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browsing import Browser, open_browser
from drawn import Packed, draw_corpus
from hypothesis import HealthCheck, settings
from object_store import server, store  # noqa: F401 - fixtures of several rooms
from quilting import DEBIAN, tasks_on_spark
from snapshots import Snapshots

import unquilt
from unquilt.engines.local import Local
from unquilt.engines.objects.engine import Objects
from unquilt.engines.objects.processes import Processes
from unquilt.engines.tasks import Scale
from unquilt.engines.workers import keeping
from unquilt.flow.verbs import Verbs
from unquilt.jobs.corpora import documents
from unquilt.runs import Run
from unquilt.settings import Settings

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # of who started tests in the background: commands would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.pop("COLUMNS", None)  # of the terminal that tests were started from: output would be cut to fit it
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each of a thousand processes compiles all that it imports
sys.dont_write_bytecode = False

settings.register_profile(  # no test may depend on how fast it ran, and fixtures that properties share are made for it
    "unquilt",
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("unquilt")

CHILDREN = Path(__file__).parent / "children"
ENGINES = ("local", "processes")
"""For tests of analyses. Spark and workers carry out the same tasks as processes; they are tried in `engines`."""


@pytest.fixture(scope="session", autouse=True)
def _surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Here and in processes that tests start, nothing is synced, which is slow and which only a power cut would show;
    and what is temporary, also of processes that are killed, lies among the folders of tests. However long a job takes
    on a busy machine, its progress is not shown, but where a test is about that."""
    temporary = tmp_path_factory.mktemp("temporary")
    java = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -Djava.io.tmpdir={temporary}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr("unquilt.cli.terminal.progress.PATIENCE", 600.0)
        patch.setattr("unquilt.experiments.tables.PATIENCE", 600.0)
        patch.setattr(tempfile, "tempdir", str(temporary))
        patch.setenv("TMPDIR", str(temporary))
        patch.setenv("PYTHONPATH", str(CHILDREN), prepend=os.pathsep)
        patch.setenv("SPARK_LOCAL_DIRS", str(temporary))
        patch.setenv("SPARK_SUBMIT_OPTS", java)  # a JVM of short life, which is not worth much compiling
        with keeping():  # to start processes that read takes longer than most tests
            yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-snapshots", action="store_true", help="write what unquilt says now to tests/snapshots")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("write_snapshots") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--write-snapshots needs a single process: leave out --numprocesses")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on Spark are marked, and come first: of the processes that share tests (`--dist worksteal`), the first
    begins at the beginning and gives away from its end, so that it alone needs a session."""
    once: set[str] = set()
    for item in list(items):
        if _needs_spark(item):
            item.add_marker("spark")
            test = item.nodeid.partition("[")[0]
            if item.get_closest_marker("spark_once") and test in once:
                items.remove(item)
            once.add(test)
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)


def _needs_spark(item: pytest.Item) -> bool:
    engine = getattr(item, "callspec", None) and item.callspec.params.get("engine")
    return engine == "spark" or "spark_settings" in getattr(item, "fixturenames", ())


@pytest.fixture
def snapshots(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshots]:
    """Compares what unquilt says with what is kept of it, see `snapshots.py`."""
    opened = Snapshots(request, tmp_path_factory.getbasetemp())
    yield opened
    opened.finish()


@pytest.fixture(scope="session")
def small_row_groups() -> Callable[[Any, Path], Run]:
    """Ingests a table into a corpus of many row groups, so that there is something to spread over tasks.

    The column `links`, which else only pages in HTML have, goes into the corpus as it is.
    """

    def ingest(table: Any, folder: Path) -> Run:
        corpus = unquilt.ingest(table, folder)
        links = dict(zip(table["id"].to_pylist(), table["links"].to_pylist(), strict=True))
        manifest = json.loads((folder / "manifest.json").read_bytes())
        files = manifest["done"]["documents"]["files"]
        for name in files:
            part = pq.read_table(folder / name)
            column = part.schema.get_field_index("links")
            given = pa.array([links[id_] for id_ in part["id"].to_pylist()], part.schema.field(column).type)
            part = part.set_column(column, part.schema.field(column), given)
            pq.write_table(part, folder / name, row_group_size=99)
            files[name] = (folder / name).stat().st_size
        (folder / "manifest.json").write_text(json.dumps(manifest))
        return Run.read(corpus.path)

    return ingest


def pack(count: int) -> Packed:
    """So many small corpora in one."""
    random = Random(1)
    return Packed.of([draw_corpus(random, number) for number in range(count)], random)


@pytest.fixture(scope="session")
def packed() -> Packed:
    return pack(300)


@pytest.fixture(scope="session")
def packed_corpus(
    packed: Packed, small_row_groups: Callable[[Any, Path], Run], tmp_path_factory: pytest.TempPathFactory
) -> Run:
    return small_row_groups(packed.table(), tmp_path_factory.mktemp("packed") / "corpus")


@pytest.fixture(scope="session")
def few() -> Packed:
    """Fewer of them, for Spark, where to start a task takes longer than what it does."""
    return pack(40)


@pytest.fixture(scope="session")
def few_corpus(
    few: Packed, small_row_groups: Callable[[Any, Path], Run], tmp_path_factory: pytest.TempPathFactory
) -> Run:
    corpus = small_row_groups(few.table(), tmp_path_factory.mktemp("few") / "corpus")
    assert len(documents(corpus).splits()) > 2
    return corpus


@pytest.fixture(scope="session")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Real pages, read once for all tests that need them; these are skipped where `DEBIAN` is not there."""
    return unquilt.ingest(DEBIAN, tmp_path_factory.mktemp("debian") / "corpus")


@pytest.fixture(scope="session")
def spark_settings() -> Iterator[Settings]:
    """Settings of the Spark engine, with a session that all tests share; tasks are tried four times."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java for Spark")
    from unquilt.engines.spark_session import open_context

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    settings = Settings(engine="spark", threads=2, memory=1 << 30, master="local[2,4]")
    spark = open_context(settings)
    yield settings
    spark.stop()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def settings(engine: str, request: pytest.FixtureRequest) -> Settings:
    if engine == "spark":
        return request.getfixturevalue("spark_settings")
    return Settings(engine=engine, threads=2, memory=1 << 30)


@pytest.fixture
def make(engine: str, settings: Settings) -> Callable[[Scale, int], Callable[[Run], Verbs]]:
    """Makes the engine for a corpus of some scale, with that many partitions."""

    def for_run(scale: Scale, partitions: int) -> Callable[[Run], Verbs]:
        if engine == "spark":
            return tasks_on_spark(scale, settings, partitions)
        if engine == "processes":
            return lambda run: Objects(run, scale, Processes(2, 1 << 30, run.spill), partitions=partitions)
        return lambda run: Local(run, scale, threads=2, memory=1 << 30, partitions=partitions)

    return for_run


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """A run of no analysis, open for writing."""
    with Run.open(tmp_path / "run", analysis="toy", parameters={}, inputs=[]) as opened:
        yield opened


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser that tests share; skips where there is none."""
    with open_browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened
