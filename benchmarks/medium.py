"""The medium Debian corpus: the scan, quilts, and the same counts by DuckDB and Spark SQL from the same grams."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import unquilt as uq
from benchmarks.debian import debian
from benchmarks.record import WORK, Record, rounds, seconds
from unquilt import _native
from unquilt.columns import buffers
from unquilt.engines.local import Local
from unquilt.engines.objects.engine import Objects
from unquilt.engines.progress import Silent
from unquilt.engines.tasks import Scale
from unquilt.flow.kept import Kept, Split
from unquilt.flow.kernels import Kernel
from unquilt.flow.verbs import Rows, Verbs
from unquilt.jobs.corpora import documents
from unquilt.runs import Run
from unquilt.tables.table import Table, column, document, integer

COUNTED = ("unique_pairs", "patch_pairs", "common_pairs", "patch_grams", "gram_squares", "lists", "list_squares")
K, M = 5, 50
THREADS = 2
SHARES = Table(
    "shares",
    (
        document("doc", "a document"),
        integer("grams", "how many grams it has"),
        integer("patch_grams", "how many of them 2 to m documents share"),
        column("patchfrac", pa.float64(), "patch_grams / grams"),
    ),
)
SQL = """
    WITH df AS (SELECT gram, count(*) AS n FROM grams GROUP BY gram)
    SELECT doc, count(*) AS grams, sum(CASE WHEN n BETWEEN 2 AND {m} THEN 1 ELSE 0 END) AS patch_grams,
           sum(CASE WHEN n BETWEEN 2 AND {m} THEN 1 ELSE 0 END) / count(*) AS patchfrac
    FROM grams JOIN df USING (gram) GROUP BY doc
"""


def measure(record: Record, tier: str = "medium") -> None:
    options = uq.JobOptions(settings=uq.Settings(threads=THREADS))
    corpus = corpus_of(record, tier)
    _scan_and_quilts(record, corpus, options)
    _sweep(record, corpus, options)
    grams = _grams(corpus)
    _against_duckdb(record, corpus, grams)
    _against_spark_sql(record, corpus, grams)


def corpus_of(record: Record, tier: str) -> Run:
    """The corpus folder of a tier, made once."""
    WORK.mkdir(exist_ok=True)
    folder = WORK / f"corpus-{tier}"
    if not folder.exists():
        options = uq.JobOptions(settings=uq.Settings(threads=THREADS))
        record.add("ingest", seconds(lambda: uq.ingest(debian(tier), folder, options=options)), "s")
    corpus = uq.read(folder)
    total = corpus.manifest["summary"]
    record.add("pages", total["documents"])
    record.add("text", total["bytes"] / 1e6, "MB", note=f"{total['words']:,} words")
    return corpus


def scan_all(table: Kept) -> None:
    """Words and distinct grams of all documents, and nothing more: what everything is measured in."""

    def scan(split: Split) -> None:
        pages = split.read(("doc", "text"))
        columns = [(name, buffers(pages[name])) for name in pages.column_names]
        _native.run_map("scan", {"k": K, "key": None}, [(1, 0), (1, 1)], columns, None, lambda *_: None)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(scan, table.splits()))


def _scan_and_quilts(record: Record, corpus: Run, options: uq.JobOptions) -> None:
    table = documents(corpus)

    def quilts(**asked: Any) -> Run:
        return uq.quilts(corpus.path, fresh("quilts"), options=options, k=K, m=M, **asked)

    taken = rounds(
        {
            "scan": lambda: scan_all(table),
            "quilts": lambda: quilts(collapse="none", patches=False),
            "patches": lambda: quilts(collapse="none"),
            "near": lambda: quilts(patches=False),
            "defaults": quilts,
        }
    )
    size = corpus.manifest["summary"]["bytes"] / 1e6
    record.add("scan: words + distinct 5-grams, from the corpus", size / taken["scan"], "MB/s", floor="90")
    record.add("quilts + sources, --collapse none", taken["quilts"], "s")
    record.add("… in scans", taken["quilts"] / taken["scan"], "×", floor="at most 4")
    record.add("… with patches", taken["patches"], "s")
    record.add("… times as long", taken["patches"] / taken["quilts"], "×", floor="at most 2")
    record.add("quilts + sources, --collapse near", taken["near"], "s")
    record.add("… in scans", taken["near"] / taken["scan"], "×")
    record.add("quilts with defaults: near, patches", taken["defaults"], "s")
    record.add("… times as long", taken["defaults"] / taken["near"], "×", floor="at most 2")
    summary = uq.read(WORK / "quilts").manifest["summary"]
    for name in (*COUNTED, "quilts", "sources"):
        record.add(name, summary[name])


def _sweep(record: Record, corpus: Run, options: uq.JobOptions) -> None:
    """36 combinations for each of three k, in a pass each, against a run of quilts for each k."""
    grid = {"k": (3, 5, 7), "m": (5, 10, 50, 100), "c": (2, 4, 8), "sigma": (0.25, 0.5, 0.75)}
    asked: dict[str, Any] = {"how": options, "foreign": "none", "collapse": "none"}

    def runs() -> None:
        for k in grid["k"]:
            uq.quilts(corpus.path, fresh("quilts"), k=k, m=M, patches=False, **asked)

    taken = rounds({"sweep": lambda: uq.sweep(corpus.path, fresh("sweep"), **grid, **asked), "runs": runs})
    combinations = uq.read(WORK / "sweep").sweep.num_rows
    record.add(f"sweep of {combinations} combinations", taken["sweep"], "s")
    record.add("quilts + sources for each k", taken["runs"], "s", note=f"with m = {M}")
    record.add("… sweep in these", taken["sweep"] / taken["runs"], "×", floor="at most 1.5")


def _postings(docs: pa.Array, texts: pa.Array, k: int) -> pa.RecordBatch:
    """The distinct k-grams of each text with the number of its document: (gram, doc), for other tools to count."""
    grams, counts = _native.gram_columns(buffers(texts), k)
    times = pa.Array.from_buffers(pa.int64(), len(texts), [None, pa.py_buffer(counts)])
    bounds = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(times)])
    found = pa.Array.from_buffers(pa.int64(), len(grams) // 8, [None, pa.py_buffer(grams)])
    lists = pa.LargeListArray.from_arrays(bounds, found)
    return pa.RecordBatch.from_arrays([found, docs.take(pc.list_parent_indices(lists))], ["gram", "doc"])


def _grams(corpus: Run) -> Path:
    """The grams of the corpus as (gram, doc) in Parquet, what all contenders start from."""
    path = WORK / "grams.parquet"
    if not path.exists():
        partial = path.with_suffix(".partial")
        schema = pa.schema([("gram", pa.int64()), ("doc", pa.int64())])
        with pq.ParquetWriter(
            partial, schema, compression="zstd", compression_level=1, use_dictionary=["doc"]
        ) as writer:
            for split in documents(corpus).splits():
                table = split.read(("doc", "text"))
                docs, texts = (column.combine_chunks() for column in table.columns)
                writer.write_batch(_postings(docs, texts, K))
        partial.rename(path)
    return path


def shares(verbs: Verbs, grams: Kept) -> Rows:
    """Document frequency and patch fraction in the verbs: what the SQL says."""
    (pairs,) = verbs.map(grams, Kernel("postings"))
    (partial,) = verbs.group([pairs], Kernel("shares", m=M))
    (totals,) = verbs.group([partial], Kernel("totals"))
    return totals


def _against_duckdb(record: Record, corpus: Run, grams: Path) -> None:
    import duckdb

    scale = Scale(corpus.manifest["summary"]["documents"], corpus.manifest["summary"]["words"])
    settings = uq.Settings(threads=THREADS)
    theirs = WORK / "duckdb.parquet"

    def ours() -> None:
        with _run("shares") as run, Local(run, scale, threads=THREADS, memory=settings.memory) as verbs:
            verbs.keep(shares(verbs, Kept.of("grams", grams)), SHARES)

    def duck() -> None:
        with duckdb.connect(config={"threads": THREADS}) as connection:
            connection.execute(f"CREATE VIEW grams AS SELECT * FROM '{grams}'")
            connection.execute(f"COPY ({SQL.format(m=M)} ORDER BY doc) TO '{theirs}' (FORMAT parquet)")

    taken = rounds({"ours": ours, "duckdb": duck})
    _same(pq.read_table(WORK / "shares" / "shares.parquet"), pq.read_table(theirs))
    record.add("df + patch fraction from the same Parquet, ours", taken["ours"], "s")
    record.add("… DuckDB", taken["duckdb"], "s", note="same rows, checked")
    record.add("… DuckDB in ours", taken["duckdb"] / taken["ours"], "×", floor="at least 2.5")


def _against_spark_sql(record: Record, corpus: Run, grams: Path) -> None:
    from pyspark.sql import SparkSession

    from unquilt.engines.spark import SparkTasks
    from unquilt.engines.spark_session import open_context

    scale = Scale(corpus.manifest["summary"]["documents"], corpus.manifest["summary"]["words"])
    settings = uq.Settings(engine="spark", threads=THREADS)
    os.environ["PYSPARK_SUBMIT_ARGS"] = "--conf spark.driver.extraJavaOptions=-XX:-UsePerfData pyspark-shell"
    open_context(settings)  # with the compiler that Spark SQL needs, which ours does without
    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.parallelize(range(100), THREADS).count()  # workers are up before the clock runs
    theirs = WORK / "spark.parquet"
    measured: dict[str, Any] = {}

    def ours() -> None:
        with (
            _run("shares") as run,
            Objects(run, scale, SparkTasks(run, settings, Silent()), partitions=4 * THREADS) as verbs,
        ):
            wanted = shares(verbs, Kept.of("grams", grams))
            verbs.keep(wanted, SHARES)
            measured["verbs"], measured["rows"] = verbs, wanted

    def sql() -> None:
        # Spark's own defaults for its own SQL, and no more partitions than two cores are good for.
        spark.conf.set("spark.sql.shuffle.partitions", 4 * THREADS)
        spark.read.parquet(str(grams)).createOrReplaceTempView("grams")
        spark.sql(SQL.format(m=M)).write.mode("overwrite").parquet(str(theirs))

    taken = rounds({"ours": ours, "sql": sql})
    _same(pq.read_table(WORK / "shares" / "shares.parquet"), pq.read_table(theirs).sort_by("doc"))
    record.add("the same on local[2], ours", taken["ours"], "s")
    record.add("… Spark SQL", taken["sql"], "s", note="same rows, checked")
    record.add("… Spark SQL in ours", taken["sql"] / taken["ours"], "×", floor="at least 3")
    grouped = measured["rows"].stage.tables[0].stage.tables[0]
    total = sum(measured["verbs"]._made[grouped.stage].sizes[grouped.port])
    record.add(
        "bytes moved for a gram",
        total / pq.read_metadata(grams).num_rows,
        "B",
        floor="at most 12",
    )

    def quilts() -> None:
        asked = {"k": K, "m": M, "collapse": "none", "patches": False}
        uq.quilts(corpus.path, fresh("quilts-spark"), options=uq.JobOptions(settings=settings), **asked)

    record.add("quilts + sources on local[2]", seconds(quilts), "s")
    local = uq.quilts(
        corpus.path, fresh("quilts"), options=uq.JobOptions(settings=uq.Settings(threads=THREADS)), collapse="none"
    )
    for name in ("quilts", "sources"):
        same = (local.path / f"{name}.parquet").read_bytes() == (WORK / "quilts-spark" / f"{name}.parquet").read_bytes()
        record.add(f"{name}: both engines give the same file", "yes" if same else "NO")
    spark.stop()


def _run(name: str) -> Run:
    return Run.open(fresh(name), analysis=name, parameters={}, inputs=[])


def fresh(name: str) -> Path:
    shutil.rmtree(WORK / name, ignore_errors=True)
    return WORK / name


def _same(ours: pa.Table, theirs: pa.Table) -> None:
    for name in ("doc", "grams", "patch_grams"):
        if ours.column(name).to_pylist() != theirs.column(name).cast(pa.int64()).to_pylist():
            raise SystemExit(f"the rival's {name} differ from ours")
