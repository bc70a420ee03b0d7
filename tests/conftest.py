"""What several test files share: the corpora they run on, the engines, and ways to run `quilts` on them."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from twin import Document, Found

import unquilt
from unquilt.analyses.quilts import QuiltParameters, quilts
from unquilt.engines.local import Local
from unquilt.engines.tasks import Scale
from unquilt.engines.workers import keeping
from unquilt.flow.verbs import Verbs
from unquilt.jobs import documents
from unquilt.runs import InputRecord, Run
from unquilt.settings import Settings

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # of who started tests in the background: commands would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.pop("COLUMNS", None)  # of the terminal that tests were started from: output would be cut to fit it

SEPARATORS = (" ", "  ", "\n", ", ", " - ", "_", ".\n\n", "!?")
LETTERS = ("a", "A", "b", "c", "é", "e\u0301", "É", "ß", "ss", "SS", "x", "y")  # seven words, twelve spellings

CHILDREN = Path(__file__).parent / "children"
ENGINES = ("local", "spark")
ASKED: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0.3, "foreign": "ip"}
DEBIAN = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "unquilt-bench" / "debian-small.jsonl.gz"


@pytest.fixture(scope="session", autouse=True)
def _kept_workers(_unsynced: None) -> Iterator[None]:
    """Processes that read, once started, are there for all tests: to start one takes longer than most of these."""
    with keeping():
        yield


@pytest.fixture(scope="session", autouse=True)
def _unsynced() -> Iterator[None]:
    """Nothing is synced, here or in processes that tests start: it is slow, and only a power cut would show it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        patch.setenv("PYTHONPATH", str(CHILDREN), prepend=os.pathsep)
        yield


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on Spark are marked, and come first: of the processes that share tests (`--dist worksteal`), the first
    begins at the beginning and gives away from its end, so that it alone needs a session."""
    for item in items:
        if _needs_spark(item):
            item.add_marker("spark")
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)


def _needs_spark(item: pytest.Item) -> bool:
    engine = getattr(item, "callspec", None) and item.callspec.params.get("engine")
    return engine == "spark" or "spark_settings" in getattr(item, "fixturenames", ())


def draw_corpus(random: Random, number: int) -> list[Document]:
    """A small corpus full of ties, copies and repetitions. All of its words, hosts and addresses bear its number."""
    letters = random.sample(LETTERS, random.randint(1, len(LETTERS)))
    spellings = [f"{letter}{number}" for letter in letters]
    texts: list[list[str]] = []
    for _ in range(random.randint(1, 12)):
        texts.append(_draw_words(random, spellings, texts))
    documents = [_draw_document(random, number, place, words) for place, words in enumerate(texts)]
    return _draw_links(Random(number), documents)


def _draw_words(random: Random, spellings: Sequence[str], earlier: Sequence[Sequence[str]]) -> list[str]:
    """Some words: at random, those of an earlier document, or passages stitched together."""
    how = random.random()
    if how < 0.4 or not earlier:
        return [random.choice(spellings) for _ in range(random.choice((0, 1, 2, 3, 5, 8, 13, 21)))]
    if how < 0.55:
        return [word.upper() for word in random.choice(earlier)]
    passages = (random.choice(earlier) for _ in range(random.randint(1, 4)))
    return [word for words in passages for word in words[random.randint(0, 4) : random.randint(4, 15)]]


def _draw_document(random: Random, number: int, place: int, words: Sequence[str]) -> Document:
    domain = f"d{random.randint(0, 2)}n{number}.com"
    host = f"{random.choice(('', 'a.', 'b.'))}{domain}"
    nowhere = random.random() < 0.15
    ip = None if random.random() < 0.4 else f"10.{number >> 8}.{number & 255}.{random.randint(0, 3)}"
    separator = random.choice(SEPARATORS)
    return Document(
        id=f"{number}/{place}",
        url=None if nowhere else f"http://{host}/{place}",
        host=None if nowhere else host,
        domain=None if nowhere else domain,
        ip=ip,
        text=random.choice(("", separator)) + separator.join(words),
    )


def _draw_links(random: Random, documents: Sequence[Document]) -> list[Document]:
    """The documents with some links: to each other under any of their names, to their sites, and elsewhere."""
    urls = [document.url for document in documents if document.url]
    urls = urls + [url.replace("http", "https") + "/#top" for url in urls] + [f"{url}0?" for url in urls]
    urls += [url.replace("//", "//www.") for url in urls] + ["http://elsewhere.com/"]
    some = random.choice((0, 0, 1, 2, 5))
    return [document._replace(links=tuple(random.sample(urls, min(some, len(urls))))) for document in documents]


@dataclass(frozen=True)
class Packed:
    """Many small corpora that have no word, host or address in common, dealt into one, each in its order."""

    corpora: Sequence[Sequence[Document]]
    places: Sequence[tuple[int, int]]
    """Of each document of the whole: its corpus, and its number there."""

    @classmethod
    def of(cls, corpora: Sequence[Sequence[Document]], random: Random) -> Packed:
        deal = [number for number, corpus in enumerate(corpora) for _ in corpus]
        random.shuffle(deal)
        counters = [itertools.count() for _ in corpora]
        return cls(corpora, [(number, next(counters[number])) for number in deal])

    def table(self) -> pa.Table:
        return as_table([self.corpora[number][place] for number, place in self.places])

    def split(self, found: Found) -> list[Found]:
        """What was found in each corpus, in its own numbers."""
        parts = [Found([], [], [], []) for _ in self.corpora]
        for doc, *rest in found.quilts:
            number, place = self.places[doc]
            parts[number].quilts.append((place, *rest))
        for quilt, rank, source, *others in found.sources:
            number, place = self.places[quilt]
            assert self.places[source][0] == number
            parts[number].sources.append((place, rank, self.places[source][1], *others))
        for quilt, begin, end, source, *rest in found.patches:
            number, place = self.places[quilt]
            assert self.places[source][0] == number
            parts[number].patches.append((place, begin, end, self.places[source][1], *rest))
        for doc, cluster, keep in found.clusters:
            number, place = self.places[doc]
            assert self.places[cluster][0] == number
            parts[number].clusters.append((place, self.places[cluster][1], keep))
        return parts


def as_table(corpus: Sequence[Document]) -> pa.Table:
    columns = ("id", "url", "ip", "text")
    strings = {name: pa.array([getattr(d, name) for d in corpus], pa.string()) for name in columns}
    return pa.table(strings | {"links": pa.array([d.links for d in corpus], pa.list_(pa.string()))})


def read_found(run: Run) -> Found:
    """The tables of a run, as the twin has them."""

    def rows(table: str, *columns: str) -> list[Any]:
        if table not in run.tables:
            return []
        return [tuple(row[column] for column in columns) for row in run.table(table).to_pylist()]

    return Found(
        rows("quilts", "doc", "words", "grams", "patch_grams", "patchfrac", "sources", "id", "url", "attributed"),
        rows("sources", "quilt", "rank", "source", "new_grams", "all_grams", "linked"),
        rows("patches", "quilt", "begin", "end", "source", "source_begin", "source_end", "words"),
        rows("clusters", "doc", "cluster", "keep"),
    )


def read_files(run: Run) -> dict[str, bytes]:
    """The tables of a run, byte for byte."""
    return {path.name: path.read_bytes() for path in sorted(run.path.glob("*.parquet"))}


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
            pq.write_table(part, folder / name, row_group_size=199)
            files[name] = (folder / name).stat().st_size
        (folder / "manifest.json").write_text(json.dumps(manifest))
        return Run.read(corpus.path)

    return ingest


@pytest.fixture(scope="session")
def packed() -> Packed:
    """Six hundred small corpora in one."""
    random = Random(1)
    return Packed.of([draw_corpus(random, number) for number in range(600)], random)


@pytest.fixture(scope="session")
def packed_corpus(
    packed: Packed, small_row_groups: Callable[[Any, Path], Run], tmp_path_factory: pytest.TempPathFactory
) -> Run:
    return small_row_groups(packed.table(), tmp_path_factory.mktemp("packed") / "corpus")


def measure(corpus: Run) -> Scale:
    summary = corpus.manifest["summary"]
    return Scale(summary["documents"], summary["words"])


def open_run(corpus: Run, folder: Path, parameters: Mapping[str, Any]) -> Run:
    record = InputRecord(str(corpus.path), 0, corpus.manifest["fingerprint"])
    return Run.open(folder, analysis="quilts", parameters=dict(parameters), inputs=[record])


def run_quilts(corpus: Run, folder: Path, engine: Callable[[Run], Verbs], **parameters: Any) -> Run:
    """Runs quilts on an engine of one's own making."""
    with open_run(corpus, folder, parameters) as run:
        with engine(run) as verbs:  # type: ignore[attr-defined]
            outcome = quilts(verbs, documents(corpus), QuiltParameters.from_dict(parameters))
        run.finish({}, results=[table.name for table in outcome.tables])
    return run


def local(corpus: Run, *, threads: int = 2, memory: int = 1 << 30, partitions: int | None = None) -> Any:
    """Makes the local engine for a run."""
    return lambda run: Local(run, measure(corpus), threads=threads, memory=memory, partitions=partitions)


@pytest.fixture(scope="session")
def spark_settings() -> Iterator[Settings]:
    """Settings of the Spark engine, with a session that all tests share; tasks are tried four times."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java for Spark")
    from unquilt.engines.spark import session

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # for a JVM of short life
    settings = Settings(engine="spark", threads=2, memory=1 << 30, master="local[2,4]")
    spark = session(settings)
    yield settings
    spark.stop()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    if request.param == "spark":
        request.getfixturevalue("spark_settings")
    return str(request.param)


@pytest.fixture
def settings(engine: str, request: pytest.FixtureRequest) -> Settings:
    return request.getfixturevalue("spark_settings") if engine == "spark" else Settings(threads=2, memory=1 << 30)


@pytest.fixture
def make(engine: str, settings: Settings) -> Callable[[Scale, int], Callable[[Run], Verbs]]:
    """Makes the engine for a corpus of some scale, with that many partitions."""

    def for_run(scale: Scale, partitions: int) -> Callable[[Run], Verbs]:
        if engine == "spark":
            from unquilt.engines.spark import Spark

            return lambda run: Spark(run, scale, settings, partitions=partitions)
        return lambda run: Local(run, scale, threads=2, memory=1 << 30, partitions=partitions)

    return for_run


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with Run.open(tmp_path / "run", analysis="toy", parameters={}, inputs=[]) as opened:
        yield opened
