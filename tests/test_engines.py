"""One suite, every engine: the verbs, and `quilts` on real and random corpora; then what may break on the way.

The file is also a program: `python test_engines.py INPUT FOLDER KILLS` forks runs over INPUT, kills them at random
points, takes them up again and fails unless each ends with the tables of a run that was left alone.
"""

from __future__ import annotations

import hashlib
import operator
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import twin
from conftest import Packed, local, measure, open_run, read_files, read_found, run_quilts

import unquilt
from unquilt._native import Partition
from unquilt.analyses.components import components
from unquilt.analyses.standing import stand
from unquilt.corpus.inputs import find
from unquilt.corpus.options import Limits
from unquilt.corpus.parts import ReadPiece, WritePart, read_piece, write_part
from unquilt.corpus.pieces import pieces
from unquilt.corpus.urls import locate
from unquilt.demo import write_jsonl
from unquilt.engines.kept import Kept
from unquilt.engines.local import Local
from unquilt.engines.tasks import Scale
from unquilt.engines.verbs import DOC, HASH, Kernel, Verbs, look_up
from unquilt.errors import EngineError, InputChangedError, ParameterError, RunError, StorageError, UnquiltError
from unquilt.jobs import How, documents
from unquilt.runs import Run
from unquilt.settings import LEAST_MEMORY, Settings, parse_size

pytestmark = pytest.mark.usefixtures("unsynced")

ENGINES = ("local", "spark")
ASKED: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0.3, "foreign": "ip"}
DEBIAN = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "unquilt-bench" / "debian-small.parquet"


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


@pytest.fixture
def verbs(make: Callable[[Scale, int], Callable[[Run], Verbs]], run: Run) -> Iterator[Verbs]:
    with make(Scale(1000, 1000), 3)(run) as opened:  # type: ignore[attr-defined]
        yield opened


NAMES = pa.schema([pa.field("doc", pa.int64(), nullable=False), pa.field("name", pa.string())])
PAIRS = pa.schema([pa.field("doc", pa.int64()), pa.field("number", pa.int64()), pa.field("name", pa.string())])
SHARES = pa.schema(
    [("doc", pa.int64()), ("grams", pa.int64()), ("patch_grams", pa.int64()), ("patchfrac", pa.float64())]
)


def keep_by_hand(folder: Path, name: str, table: pa.Table, rows: int = 7) -> Kept:
    path = folder / f"{name}.parquet"
    pq.write_table(table, path, row_group_size=rows)
    return Kept.of(name, path)


def shuffled(count: int) -> list[int]:
    numbers = list(range(count))
    Random(3).shuffle(numbers)
    return numbers


# ---------------------------------------------------------------------------------------------------------- the verbs


def test_each_keeps_the_order(verbs: Verbs) -> None:
    items = shuffled(7)
    assert list(verbs.each(operator.neg, items)) == [-item for item in items]
    assert list(verbs.each(operator.neg, [7])) == [-7]
    assert list(verbs.each(operator.neg, [])) == []


def test_what_each_raises_comes_out(verbs: Verbs) -> None:
    """An error that unquilt raises on purpose in a task reaches the caller as one: errors.py, SPEC 2."""
    with pytest.raises(UnquiltError, match="12 parsecs"):
        list(verbs.each(parse_size, ["1MB", "12 parsecs", "2MB"]))


def test_keep_sorts_by_key_and_tail(verbs: Verbs, run: Run, tmp_path: Path) -> None:
    docs = shuffled(50)
    names = [None if doc % 11 == 0 else f"n{doc % 7}" * (doc % 3) for doc in docs]
    table = keep_by_hand(tmp_path, "names", pa.table({"doc": docs, "name": names}, schema=NAMES))
    (rows,) = verbs.map(table, Kernel("select", (DOC,), ("doc", "name")))
    kept = verbs.keep(rows, "sorted", NAMES)
    expected = sorted(zip(docs, names, strict=True))
    assert pq.read_table(kept.paths[0]).to_pylist() == [{"doc": doc, "name": name} for doc, name in expected]
    assert kept.rows == 50
    assert run.done("sorted")


def test_what_is_kept_is_not_made_again(verbs: Verbs, tmp_path: Path) -> None:
    """Nothing happens before `keep` or `fold`, and nothing if their markers are there."""
    table = keep_by_hand(tmp_path, "names", pa.table({"doc": [1, 0], "name": ["b", "a"]}, schema=NAMES))
    first = verbs.keep(verbs.map(table, Kernel("select", (DOC,), ("doc", "name")))[0], "kept", NAMES)
    (never,) = verbs.map(table, Kernel("no such kernel", (DOC,), ("no such column",)))
    assert verbs.keep(never, "kept", NAMES) == first


def test_two_tables_meet(verbs: Verbs, tmp_path: Path) -> None:
    """A join: rows without a partner on the left are dropped, several on the right all stay, in their order."""
    names = keep_by_hand(tmp_path, "names", pa.table({"doc": range(0, 40, 2), "name": [f"n{i}" for i in range(20)]}))
    docs = [doc % 30 for doc in shuffled(60)]
    numbers = keep_by_hand(tmp_path, "numbers", pa.table({"doc": docs, "number": range(60)}))
    (rows,) = verbs.map(numbers, Kernel("select", (DOC,), ("doc", "number")))
    kept = verbs.keep(look_up(verbs, rows, names, "doc", ("name",)), "met", PAIRS)
    expected = sorted((doc, number, f"n{doc // 2}") for number, doc in enumerate(docs) if doc % 2 == 0)
    assert [tuple(row.values()) for row in pq.read_table(kept.paths[0]).to_pylist()] == expected


def test_rows_of_different_keys_cannot_meet(verbs: Verbs, tmp_path: Path) -> None:
    table = keep_by_hand(tmp_path, "names", pa.table({"doc": [1], "name": ["a"]}))
    (by_doc,) = verbs.map(table, Kernel("select", (DOC,), ("doc", "name")))
    (by_hash,) = verbs.map(table, Kernel("select", (HASH,), ("name", "doc")))
    with pytest.raises(TypeError, match="doc and hash"):
        verbs.group([by_doc, by_hash], Kernel("look up", (DOC,)))


def test_rows_are_read_once(verbs: Verbs, tmp_path: Path) -> None:
    """verbs.py: rows are read once, what is read twice is kept; whoever forgets hears of it, on every engine."""
    table = keep_by_hand(tmp_path, "names", pa.table({"doc": [1, 0], "name": ["b", "a"]}, schema=NAMES))
    (rows,) = verbs.map(table, Kernel("select", (DOC,), ("doc", "name")))
    verbs.keep(rows, "first", NAMES)
    with pytest.raises(RuntimeError, match="keep them"):
        verbs.keep(rows, "second", NAMES)


def test_fold_adds_up_and_leaves_the_rows(verbs: Verbs, run: Run, tmp_path: Path) -> None:
    """Patch fractions of a table of grams: counters over all tasks, then the rows that were counted."""
    postings = [(gram * 0x123456789ABCDEF, doc) for doc in range(12) for gram in range(doc % 5 + 1)]
    columns = zip(*postings, strict=True)
    table = keep_by_hand(tmp_path, "postings", pa.table(dict(zip(("gram", "doc"), columns, strict=True))))
    (rows,) = verbs.map(table, Kernel("postings", (HASH,), ("gram", "doc")))
    assert verbs.fold(rows, "counted")["grams"] == len(postings)
    assert verbs.fold(rows, "counted") == run.values("counted")
    (shares,) = verbs.group([rows], Kernel("shares", (DOC,), (), {"m": 4}))
    (totals,) = verbs.group([shares], Kernel("totals", (DOC,)))
    kept = pq.read_table(verbs.keep(totals, "shares", SHARES).paths[0]).to_pylist()
    df = Counter(gram for gram, _ in postings)
    for doc, row in enumerate(kept):
        grams = [gram for gram, other in postings if other == doc]
        patch = [gram for gram in grams if 1 < df[gram] <= 4]
        assert tuple(row.values()) == (doc, len(grams), len(patch), len(patch) / len(grams))
    assert len(kept) == 12


def test_repeat_ends_when_nothing_changes(verbs: Verbs, run: Run, tmp_path: Path) -> None:
    docs = shuffled(30)
    table = keep_by_hand(tmp_path, "start", pa.table({"doc": docs, "name": [str(doc) for doc in docs]}, schema=NAMES))

    def step(before: Kept, round_: int) -> tuple[Kept, int]:
        (rows,) = verbs.map(before, Kernel("select", (DOC,), ("doc", "name")))
        after = verbs.keep(rows, f"round_{round_}", NAMES)
        return after, 1 - pq.read_table(before.paths[0]).equals(pq.read_table(after.paths[0]))

    last = verbs.repeat(table, step)
    assert run.tables == ["round_0", "round_1"]
    assert last.name == "round_1"
    assert pq.read_table(last.paths[0])["doc"].to_pylist() == list(range(30))


def hang_together(edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Each node that has an edge to another, and the least of its component; those that are the least left out."""
    least = {node: node for edge in edges for node in edge}
    for _ in least:
        for a, b in edges:
            least[a] = least[b] = min(least[a], least[b])
    return sorted((node, other) for node, other in least.items() if node != other)


def test_components(verbs: Verbs, tmp_path: Path) -> None:
    """A path, a star, a clique, a circle, edges given twice, both ways and to oneself; numbered at random."""
    edges = [(i, i + 1) for i in range(9)] + [(100, 100 + i) for i in range(20)] + [(200, 200), (201, 201)]
    edges += [(130 + i, 130 + j) for i in range(7) for j in range(7)] + [(150 + i, 150 + (i + 1) % 9) for i in range(9)]
    edges += [(170, 171), (171, 170), (170, 171)]
    names = shuffled(1000)
    edges = [(names[a], names[b]) for a, b in edges]
    table = keep_by_hand(tmp_path, "edges", pa.table({"doc": [a for a, _ in edges], "other": [b for _, b in edges]}))
    found = pq.read_table(components(verbs, table).paths[0])
    assert list(zip(*(column.to_pylist() for column in found.columns), strict=True)) == hang_together(edges)


def test_components_of_random_graphs(tmp_path: Path) -> None:
    random = Random(6)
    for number in range(60):
        nodes = random.randint(1, 25)
        edges = [(random.randrange(nodes), random.randrange(nodes)) for _ in range(random.randint(1, 30))]
        folder = tmp_path / str(number)
        with (
            Run.open(folder, analysis="toy", parameters={}, inputs=[]) as run,
            Local(run, Scale(nodes, 0), threads=1, memory=1 << 20, partitions=number % 3 + 1) as verbs,
        ):
            pairs = pa.table({"doc": [a for a, _ in edges], "other": [b for _, b in edges]})
            found = pq.read_table(components(verbs, keep_by_hand(folder, "edges", pairs)).paths[0])
        assert list(zip(*(column.to_pylist() for column in found.columns), strict=True)) == hang_together(edges)


# ------------------------------------------------------------------------------------------------------------- quilts


@pytest.mark.parametrize(("foreign", "collapse", "partitions"), [("ip", "exact", 5), ("none", "none", 1)])
def test_random_corpora_give_what_the_twin_says(
    foreign: str,
    collapse: str,
    partitions: int,
    make: Callable[[Scale, int], Callable[[Run], Verbs]],
    packed: Packed,
    packed_corpus: Run,
    tmp_path: Path,
) -> None:
    asked: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0.3, "foreign": foreign, "collapse": collapse}
    run = run_quilts(packed_corpus, tmp_path / "run", make(measure(packed_corpus), partitions), **asked)
    for number, found in enumerate(packed.split(read_found(run))):
        assert found == twin.quilts(packed.corpora[number], **asked), f"corpus {number}"
    alone = run_quilts(packed_corpus, tmp_path / "local", local(packed_corpus, partitions=3), **asked)
    assert read_files(run) == read_files(alone)


def test_a_session_of_somebody_else(spark_settings: Settings, packed_corpus: Run, tmp_path: Path) -> None:
    """In the session that is active, whatever was set there: Spark may put partitions together and cut batches."""
    from unquilt.engines.spark import Spark, session

    theirs = {
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.adaptive.coalescePartitions.enabled": "true",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
    }
    spark = session(spark_settings)
    before = {name: spark.conf.get(name) for name in theirs}
    try:
        for name, value in theirs.items():
            spark.conf.set(name, value)
        engine = lambda run: Spark(run, measure(packed_corpus), spark_settings, partitions=6)  # noqa: E731
        run = run_quilts(packed_corpus, tmp_path / "spark", engine, **ASKED)
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
    assert read_files(run) == read_files(run_quilts(packed_corpus, tmp_path / "run", local(packed_corpus), **ASKED))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_jsonl(folder / "a.jsonl", 2000, words=200, stop=1300)
    write_jsonl(folder / "b.jsonl.gz", 2000, words=200, start=1300)
    return folder


@pytest.fixture(scope="module")
def demo_files(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the local engine makes of the demo web, in one thread."""
    how = How(settings=Settings(threads=1, memory=1 << 30))
    run = unquilt.quilts(demo, tmp_path_factory.mktemp("demo") / "run", how=how, foreign="ip")
    assert run.quilts.num_rows > 20
    return read_all(run)


def read_all(run: Run) -> dict[str, bytes]:
    """The tables of a run and of the corpus in it, byte for byte."""
    corpus = {f"corpus/{path.name}": path.read_bytes() for path in sorted((run.path / "corpus").rglob("*.parquet"))}
    return corpus | read_files(run)


def test_the_demo_web_is_the_same_everywhere(
    settings: Settings, demo: Path, demo_files: dict[str, bytes], tmp_path: Path
) -> None:
    """From files to tables, reading included."""
    assert read_all(unquilt.quilts(demo, tmp_path / "run", how=How(settings=settings), foreign="ip")) == demo_files


@pytest.mark.skipif(not DEBIAN.exists(), reason=f"{DEBIAN} is not there: python benchmarks/debian.py small makes it")
def test_real_pages_are_the_same_everywhere(spark_settings: Settings, tmp_path: Path) -> None:
    corpus = unquilt.ingest(DEBIAN, tmp_path / "corpus")
    files = []
    for settings in (spark_settings, Settings(threads=2, memory=1 << 27), Settings(threads=1, memory=1 << 30)):
        run = unquilt.quilts(corpus.path, tmp_path / f"{len(files)}", how=How(settings=settings), foreign="host")
        files.append(read_files(run))
    assert run.quilts.num_rows > 500
    assert files[0] == files[1] == files[2]


# --------------------------------------------------------------------------------------------------- what may go wrong


def test_a_worker_process_that_dies_is_reported(run: Run) -> None:
    with Local(run, Scale(0, 0), threads=2, memory=1 << 30) as verbs, pytest.raises(EngineError, match="exit code 7"):
        list(verbs.each(os._exit, [7, 7]))


class Dying:
    """A task of Spark whose Python dies after its first batch, once for each marker."""

    def __init__(self, task: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]], marker: str) -> None:
        self._task, self._marker = task, marker

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        import signal

        for batch in self._task(batches):
            yield batch
            try:
                os.close(os.open(self._marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)


def test_killed_workers_of_spark_change_nothing(
    spark_settings: Settings,
    packed_corpus: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """FAULTS 36. Of maps, groups and the last step of tables, one worker each dies when it has begun to answer."""
    from pyspark import cloudpickle

    from unquilt.engines import spark

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    kinds = ("_Map", "_Group", "_Store")
    for name in kinds:
        kind, marker = getattr(spark, name), str(tmp_path / f"{name}.died")
        monkeypatch.setattr(spark, name, lambda *given, kind=kind, marker=marker: Dying(kind(*given), marker))
    asked: dict[str, Any] = {"k": 2, "m": 4, "c": 1, "sigma": 0.3, "foreign": "domain"}

    def engine(run: Run) -> Verbs:
        return spark.Spark(run, measure(packed_corpus), spark_settings, partitions=4)

    try:
        harmed = run_quilts(packed_corpus, tmp_path / "harmed", engine, **asked)
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    assert all((tmp_path / f"{name}.died").exists() for name in kinds)
    alone = run_quilts(packed_corpus, tmp_path / "alone", local(packed_corpus), **asked)
    assert read_files(harmed) == read_files(alone)


def test_runs_killed_anywhere_end_with_the_same_bytes(tmp_path: Path) -> None:
    """FAULTS 33."""
    write_jsonl(tmp_path / "web.jsonl", 300, words=100)
    command = [sys.executable, __file__, tmp_path / "web.jsonl", tmp_path / "runs", "50"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("killed 5"), done.stdout


def test_a_run_goes_on_where_another_engine_stopped(
    make: Callable[[Scale, int], Callable[[Run], Verbs]], packed_corpus: Run, tmp_path: Path
) -> None:
    """SPEC 5: settings are no part of what a run is; the stages that are done are taken as they are."""
    with open_run(packed_corpus, tmp_path / "run", ASKED) as run, local(packed_corpus, partitions=7)(run) as verbs:
        stand(verbs, documents(packed_corpus), foreign=ASKED["foreign"], collapse="exact")
    began = (tmp_path / "run" / "standing.parquet").stat()
    resumed = run_quilts(packed_corpus, tmp_path / "run", make(measure(packed_corpus), 2), **ASKED)
    assert (tmp_path / "run" / "standing.parquet").stat() == began
    whole = run_quilts(packed_corpus, tmp_path / "whole", local(packed_corpus), **ASKED)
    assert read_files(resumed) == read_files(whole)


def test_an_input_that_changed_is_named(tmp_path: Path) -> None:
    """FAULTS 38, from the files to the message: the run stops half way, the file changes, the run is taken up."""
    source = tmp_path / "web.jsonl"
    write_jsonl(source, 50, words=60)
    parameters = unquilt.QuiltParameters.from_dict(ASKED).to_dict()
    asked: dict[str, Any] = {"output": tmp_path / "run", **parameters}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Local, "keep", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            unquilt.quilts(source, **asked)
    source.write_text(source.read_text().replace("page-0000001", "page-000000X"))
    with pytest.raises(InputChangedError, match=r"web\.jsonl"):
        unquilt.quilts(source, **asked)
    with pytest.raises(RunError, match="k was 2 and is now 3"):
        unquilt.quilts(source, **(asked | {"k": 3}))


def full(path: Path) -> None:
    """Has all that is written to `path` fail for want of room."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    path.symlink_to("/dev/full")


def spilled(folder: Path) -> int:
    """How many partitions this process has spilled so far: the number in the name of the next spill file."""
    folder.mkdir()
    partition = Partition(0, folder)
    for _ in range(2):
        partition.push(0, b"\0\1" + bytes(8))  # a row without a tail, of key 0
    (path,) = folder.iterdir()
    return int(path.stem.rpartition("-")[2]) + 1


@pytest.mark.parametrize("which", ["blocks", "sorting"])
def test_no_room_to_spill(which: str, packed_corpus: Run, tmp_path: Path) -> None:
    """FAULTS 34, errors.py: a StorageError that names the path; then, with room, the same tables."""
    tight = local(packed_corpus, memory=20_000, partitions=2)
    first = spilled(tmp_path / "spilled")
    sorts = [f"sort-{os.getpid()}-{number}.spill" for number in range(first, first + 300)]
    names = sorts if which == "sorting" else [f"port-{number}.blocks" for number in range(1, 20)]

    def engine(run: Run) -> Verbs:
        verbs = tight(run)
        entering = verbs.__enter__

        class Full:
            def __enter__(self) -> Verbs:
                entering()
                (folder,) = run.spill.iterdir()
                for name in names:
                    full(folder / name)
                return verbs

            def __exit__(self, *error: object) -> None:
                verbs.__exit__(*error)

        return Full()  # type: ignore[return-value]

    with pytest.raises(StorageError, match=r"[Nn]o space left on device.*\.spill/"):
        run_quilts(packed_corpus, tmp_path / "run", engine, **ASKED)
    assert not Run.read(tmp_path / "run").complete
    again = run_quilts(packed_corpus, tmp_path / "run", tight, **ASKED)
    assert read_files(again) == read_files(run_quilts(packed_corpus, tmp_path / "roomy", local(packed_corpus), **ASKED))


@pytest.mark.parametrize("memory", [20_000, 1_000_000, 1 << 30], ids=["blocks", "sorting", "tables"])
def test_a_file_that_may_not_grow(memory: int, packed_corpus: Run, tmp_path: Path) -> None:
    """A limit on the size of files, as shells and batch systems set it: no room either."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    engine = local(packed_corpus, threads=4, memory=memory, partitions=1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limits[1]))
    try:
        with pytest.raises(StorageError, match=str(tmp_path)):
            run_quilts(packed_corpus, tmp_path / "run", engine, **ASKED)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not Run.read(tmp_path / "run").complete
    assert run_quilts(packed_corpus, tmp_path / "run", engine, **ASKED).complete


@pytest.mark.parametrize("text", ["", "some words", "many words " * 100_000])
def test_no_room_while_reading(text: str, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(f"x {text}")
    (piece,) = pieces(find([tmp_path / "in.txt"]))
    full(tmp_path / "piece.arrow")
    with pytest.raises(StorageError, match=r"piece\.arrow"):
        read_piece(ReadPiece(piece, Limits(), tmp_path / "piece.arrow"))
    read_piece(ReadPiece(piece, Limits(), tmp_path / "good.arrow"))
    full(tmp_path / ".part.parquet.partial")
    with pytest.raises(StorageError, match=r"part\.parquet"):
        write_part(WritePart(tmp_path / "good.arrow", tmp_path / "part.parquet", 0))


def test_a_spill_folder_that_is_gone(packed_corpus: Run, tmp_path: Path) -> None:
    """Someone cleans up while we work: an error that names the path, no half result."""
    corpus = documents(packed_corpus)
    schema = pa.schema([("doc", pa.int64()), ("id", pa.string())])
    with (
        open_run(packed_corpus, tmp_path / "run", ASKED) as run,
        Local(run, measure(packed_corpus), threads=2, memory=20_000, partitions=2) as verbs,
    ):
        (rows,) = verbs.map(corpus, Kernel("select", (DOC,), ("doc", "id")))
        shutil.rmtree(run.spill)
        with pytest.raises(StorageError, match=r"\.spill"):
            verbs.keep(rows, "ids", schema)


NEEDED = """
import resource, sys, pyarrow, unquilt
from unquilt import How, Settings
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
_, corpus, folder, memory = sys.argv
how = How(settings=Settings(threads=8, memory=int(memory)))
unquilt.quilts(pyarrow.table({"text": ["a b c d e"]}), folder + "/idle", how=how)
idle = peak()
unquilt.quilts(corpus, folder + "/run", how=how, foreign="host")
print(peak() - idle)
"""


@pytest.mark.skipif(not DEBIAN.exists(), reason=f"{DEBIAN} is not there: python benchmarks/debian.py small makes it")
def test_memory_stays_near_the_budget(tmp_path: Path) -> None:
    """FAULTS 35, SPEC 4: threads and spill files within the budget; twice the least one is generous."""
    unquilt.ingest(DEBIAN, tmp_path / "corpus")
    command = [sys.executable, "-c", NEEDED, tmp_path / "corpus", tmp_path, str(LEAST_MEMORY)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 2 * LEAST_MEMORY


def test_unknown_engines_are_refused() -> None:
    with pytest.raises(ParameterError, match="local, spark"):
        Settings(engine="ray")


# -------------------------------------------------------------------------------------------- the program: crash tests


LOOKS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.scandir", "os.listdir", "os.truncate"}
REACH = 300
"""A run looks at its folder some 200 times."""


class Crash:
    """Kills this process at its n-th look at the folder, without a word."""

    def __init__(self, folder: Path, after: int) -> None:
        self._folder, self._left = str(folder), after

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        if event in LOOKS and self._folder in str(given[0]):
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def work(source: str, folder: Path, *, after: int | None = None, seconds: float | None = None) -> int:
    """Forks a run, to be killed at its `after`-th look at its folder or by the clock; returns how it ended: 0, well."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if after is not None:
                sys.addaudithook(Crash(folder, after))
            how = How(settings=Settings(threads=2, memory=1 << 26))
            unquilt.quilts(source, folder, how=how, k=3, c=2, sigma=0.2, foreign="ip")
            status = 0
        except Exception:  # noqa: BLE001
            traceback.print_exc()
        finally:
            os._exit(status)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def digests(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*.parquet")}


def main(source: str, folder: Path, kills: int) -> None:
    random = Random(5)
    os.fsync = lambda _: None  # type: ignore[assignment]
    folder.mkdir()
    pa.array([locate("http://www.example.com/").host])  # loads what every run needs, so that they need not
    begin = time.perf_counter()
    assert work(source, folder / "whole") == 0
    whole = time.perf_counter() - begin
    expected, summary = digests(folder / "whole"), Run.read(folder / "whole").manifest["summary"]
    assert {"quilts.parquet", "sources.parquet", "corpus/documents/part-00000.parquet"} <= expected.keys()
    killed = number = 0
    while killed < kills:
        number += 1
        path = folder / f"run-{number}"
        for attempt in range(10):
            clock = {"seconds": random.uniform(0, whole)} if number % 2 else {"after": random.randint(1, REACH)}
            status = work(source, path, **(clock if attempt < 9 else {}))
            assert status in (0, -signal.SIGKILL), path
            if status == 0:
                break
            killed += 1
            looks_complete = (path / "manifest.json").exists() and Run.read(path).complete
            assert not looks_complete or digests(path) == expected, path
        assert Run.read(path).complete
        assert Run.read(path).manifest["summary"] == summary, path
        assert digests(path) == expected, path
        assert not [left for left in path.rglob(".*") if left.name != ".done"], path
        shutil.rmtree(path)
    sys.stdout.write(f"killed {killed} times, in {number} runs\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
