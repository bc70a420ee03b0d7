"""Exports: what is written, that it is all or nothing, and that it goes on where it was."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from click.testing import CliRunner
from snapshots import Snapshots

import unquilt
from unquilt.cli import cli
from unquilt.errors import ParameterError, RunError, StorageError
from unquilt.results.export import places, work
from unquilt.results.export.formats import FORMATS, FileFormat, read_cell
from unquilt.runs import Run

DOCUMENTS = 700
STRANGE = ['a "quoted", line', "tab\tand\x1b[2J\u202e", "=1+1", "漢字 🎉", "two\nlines"]


def make_pages() -> pa.Table:
    """Pages of which every third is a copy; ids of all kinds."""
    random = Random(5)
    texts = [" ".join(random.choices(["one", "two", "three", "four", "漢", "fünf"], k=60)) for _ in range(DOCUMENTS)]
    texts = [texts[number - number % 3] if number % 3 == 1 else text for number, text in enumerate(texts)]
    ids = [f"page {number}" for number in range(DOCUMENTS)]
    ids[: len(STRANGE)] = STRANGE
    urls = [f"http://site{number % 8}.example/{number}" if number % 5 else None for number in range(DOCUMENTS)]
    return pa.table({"id": ids, "url": urls, "text": texts, "links": [[]] * DOCUMENTS})


@pytest.fixture(scope="module")
def corpus(small_row_groups: Callable[[Any, Path], Run], tmp_path_factory: pytest.TempPathFactory) -> Run:
    return small_row_groups(make_pages(), tmp_path_factory.mktemp("export") / "corpus")


@pytest.fixture(scope="module")
def run(corpus: Run) -> unquilt.Run:
    return unquilt.neardups(corpus.path, corpus.path.with_name("near"))


def keep_by_hand(run: unquilt.Run) -> list[dict[str, Any]]:
    """The documents that are kept, the obvious way."""
    dropped = {row["doc"] for row in run.clusters.to_pylist() if not row["keep"]}
    return [
        {name: page[name] for name in ("id", "url", "text")} | {"links": []}
        for page in run.documents.to_pylist()
        if page["doc"] not in dropped
    ]


def read_back(path: Path, written: FileFormat) -> list[dict[str, Any]]:
    if written.kind == "parquet":
        return pq.read_table(path).to_pylist()
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if written.packing == "gz" else raw
    raw = zstandard.ZstdDecompressor().stream_reader(raw).read() if written.packing == "zst" else raw
    text = raw.decode()
    if written.kind == "jsonl":
        return [json.loads(line) for line in text.split("\n")[:-1]]
    rows = csv.DictReader(text.splitlines(keepends=True))
    return [{name: [] if value == "[]" else read_cell(value) or None for name, value in row.items()} for row in rows]


def left_in(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


class TestWhatIsWritten:
    @pytest.mark.parametrize("name", [name for name in FORMATS if not name.startswith("txt")])
    def test_the_kept_documents_in_every_format(self, run, name, tmp_path):
        place = tmp_path / f"kept.{name}"
        made = run.export(place, kept=True)
        assert read_back(place, FileFormat.of(name)) == keep_by_hand(run)
        assert (made.rows, made.format, made.path) == (len(keep_by_hand(run)), name, place)
        assert 300 < made.rows < DOCUMENTS
        assert left_in(tmp_path) == {place.name}

    def test_a_spreadsheet_runs_no_cell_of_a_csv_file(self, tmp_path):
        texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "'=1", "plain", ""]
        pages = pa.table({"id": [f"{text}{number}" for number, text in enumerate(texts)], "text": texts})
        run = unquilt.neardups(pages, tmp_path / "run")
        run.export(tmp_path / "safe.csv", "documents", columns=["id"])
        run.export(tmp_path / "raw.csv", "documents", columns=["id"], raw_cells=True)
        safe, raw = (
            [row[0] for row in csv.reader(io.StringIO((tmp_path / name).read_bytes().decode(), newline=""))][1:]
            for name in ("safe.csv", "raw.csv")
        )
        assert raw == pages["id"].to_pylist()
        assert not [cell for cell in safe if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))]
        assert safe[8:] == raw[8:]
        assert [read_cell(cell) for cell in safe[:8]] == raw[:8]

    def test_nor_a_name_of_a_column(self):
        file = io.BytesIO()
        with FileFormat("csv").writer(file, pa.schema([("=1+1", pa.int64()), ("x", pa.int64())])):
            pass
        assert file.getvalue() == b"'=1+1,x\n"

    def test_the_dropped_are_the_others(self, run, tmp_path):
        run.export(tmp_path / "kept.jsonl", kept=True, ids=True)
        run.export(tmp_path / "dropped.jsonl", dropped=True, ids=True)
        parts = [read_back(tmp_path / name, FileFormat("jsonl")) for name in ("kept.jsonl", "dropped.jsonl")]
        assert sorted(row["id"] for part in parts for row in part) == sorted(run.documents.column("id").to_pylist())

    def test_a_run_that_collapsed_copies_says_what_it_keeps_too(self, run, corpus, tmp_path):
        quilts = unquilt.quilts(corpus.path, tmp_path / "quilts", collapse="exact")
        quilts.export(tmp_path / "kept.parquet", kept=True)
        assert pq.read_table(tmp_path / "kept.parquet").to_pylist() == keep_by_hand(quilts)

    def test_they_can_be_read_again(self, run, tmp_path):
        for output in ("kept.jsonl.gz", "kept/"):
            run.export(f"{tmp_path}/{output}", kept=True)
            again = unquilt.ingest(tmp_path / output.rstrip("/"))
            assert again.manifest["summary"]["rejects"] == 0
            kept = run.table("documents", where="true", columns=["id", "url", "host", "words", "sequence"])
            ids = set(again.documents.column("id").to_pylist())
            assert again.documents.select(kept.column_names).to_pylist() == [
                row for row in kept.to_pylist() if row["id"] in ids
            ]

    def test_lines_of_ids(self, run, tmp_path, snapshots):
        run.export(tmp_path / "ids.txt", kept=True, ids=True, where="id like 'page%'")
        expected = [row["id"] for row in keep_by_hand(run) if row["id"].startswith("page")]
        assert (tmp_path / "ids.txt").read_text().splitlines() == expected
        with snapshots.error(ParameterError):
            run.export(tmp_path / "all.txt", "documents", ids=True)
        with snapshots.error(ParameterError):
            run.export(tmp_path / "all.txt", "documents")
        assert left_in(tmp_path) == {"ids.txt"}

    def test_a_table_with_names_chosen_and_sorted(self, run, tmp_path):
        wishes: dict[str, Any] = {"columns": ["doc", "url", "cluster_id"], "where": "not keep", "sort": "-doc"}
        run.export(tmp_path / "clusters.jsonl", "clusters", **wishes)
        assert (
            read_back(tmp_path / "clusters.jsonl", FileFormat("jsonl")) == run.table("clusters", **wishes).to_pylist()
        )

    def test_nothing_to_write_is_a_file_all_the_same(self, run, tmp_path):
        for name in ("none.jsonl", "none.csv", "none.parquet"):
            assert run.export(tmp_path / name, kept=True, where="words > 1000").rows == 0
        assert (tmp_path / "none.csv").read_text() == "id,url,text,links\n"
        assert pq.read_table(tmp_path / "none.parquet").column_names == ["id", "url", "text", "links"]
        assert run.export(f"{tmp_path}/none/", kept=True, where="words > 1000").parts == 0
        assert left_in(tmp_path / "none") == {".export.json"}

    @pytest.mark.slow
    def test_the_same_bytes_on_either_engine(self, engine, settings, run, corpus, tmp_path):
        other = unquilt.neardups(corpus.path, tmp_path / "other", options=unquilt.JobOptions(settings=settings))
        for name in ("kept.jsonl.gz", "kept.jsonl.zst", "kept.parquet"):
            run.export(tmp_path / name, kept=True)
            other.export(tmp_path / f"other-{name}", kept=True)
            assert (tmp_path / name).read_bytes() == (tmp_path / f"other-{name}").read_bytes()


class TestEvidence:
    def test_texts_sources_and_what_was_copied(self, tmp_path, snapshots):
        passages = [" ".join(f"s{source}w{word}" for word in range(30)) for source in range(6)]
        own = " ".join(f"own{word}" for word in range(5))
        texts = [*(f"{passage} end{n}" for n, passage in enumerate(passages)), f"{own} {' '.join(passages)}"]
        urls = [f"http://site{number}.example/" for number in range(len(texts))]
        ids = [f"p{number}" for number in range(len(texts))]
        run = unquilt.quilts(pa.table({"id": ids, "url": urls, "text": texts}), tmp_path / "run")
        run.export(tmp_path / "quilts.jsonl", "quilts", evidence=True)
        (quilt,) = read_back(tmp_path / "quilts.jsonl", FileFormat("jsonl"))
        assert quilt["text"] == texts[6]
        sources = run.table("sources", names=True).to_pylist()
        assert [(row["rank"], row["url"]) for row in quilt["drawn_on"]] == [
            (row["rank"], row["source_url"]) for row in sources
        ]
        assert [(row["text"], row["url"]) for row in quilt["copied"]] == list(zip(passages, urls[:6], strict=True))
        run.export(tmp_path / "quilts.parquet", "quilts", evidence=True, columns=["id"], sort="-words")
        (row,) = pq.read_table(tmp_path / "quilts.parquet").to_pylist()
        assert list(row) == ["doc", "id", "text", "drawn_on", "copied"]
        assert row["copied"] == quilt["copied"]
        with snapshots.error(ParameterError):
            run.export(tmp_path / "x.csv", "sources", evidence=True)


class TestAllOrNothing:
    def test_what_exists_is_refused(self, run, tmp_path, snapshots):
        place = tmp_path / "kept.csv"
        place.write_text("mine")
        with snapshots.error(RunError):
            run.export(place, kept=True)
        assert place.read_text() == "mine"
        run.export(place, kept=True, overwrite=True)
        assert place.read_text().startswith("id,url")

    @pytest.mark.parametrize("name", ["kept.jsonl", "kept.jsonl.gz", "kept.parquet", "kept.csv", "kept/"])
    def test_a_failure_leaves_what_was_there(self, run, tmp_path, monkeypatch, name, snapshots):
        run.export(f"{tmp_path}/{name}", kept=True, limit=5)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

        def fail(*_: object) -> None:
            raise OSError(28, "no space left on device")

        monkeypatch.setattr("unquilt.runs.storage.publish", fail)
        with snapshots.error(StorageError):
            run.export(f"{tmp_path}/{name}", kept=True, overwrite=True)
        after = {
            path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and ".making" not in str(path)
        }
        assert after == before

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["out.jsonl.gz", "out.parquet", "out/"])
    def test_no_room(self, run, tmp_path, name):
        """As on a full disk: no file may be larger than this."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))  # noqa: E731
        python = [sys.executable, "-B"]  # Python would leave half of its own compiled files, too
        command = [*python, "-m", "unquilt", "export", str(run.path), "--kept", "-q", "-o", f"{tmp_path}/{name}"]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=False)
        assert done.returncode == 1, done.stderr
        assert done.stderr.startswith("unquilt: file too large: ")
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / name).exists()
        assert left_in(tmp_path) <= {".out.making"}

    @pytest.mark.slow
    def test_killed_and_done_again(self, run, tmp_path):
        place = tmp_path / "kept.jsonl.gz"
        program = (
            "import os, signal, unquilt; from unquilt.results.export import formats\n"
            "formats._LineSink.write = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
            f"unquilt.read({str(run.path)!r}).export({str(place)!r}, kept=True)"
        )
        done = subprocess.run([sys.executable, "-c", program], check=False)
        assert done.returncode == -signal.SIGKILL
        assert not place.exists()
        run.export(place, kept=True)
        assert read_back(place, FileFormat("jsonl", "gz")) == keep_by_hand(run)
        assert left_in(tmp_path) == {place.name}


class TestFolders:
    @pytest.fixture(autouse=True)
    def small_parts(self, monkeypatch):
        monkeypatch.setattr(work, "PART_ROWS", 190)

    def read(self, folder: Path) -> list[dict[str, Any]]:
        return [row for part in sorted(folder.glob("part-*")) for row in pq.read_table(part).to_pylist()]

    def test_parts_in_order(self, run, tmp_path):
        made = run.export(f"{tmp_path}/kept/", kept=True)
        assert made.parts == len(list((tmp_path / "kept").glob("part-*.parquet"))) == 4
        assert self.read(tmp_path / "kept") == keep_by_hand(run)
        assert left_in(tmp_path) == {"kept"}
        noted = json.loads((tmp_path / "kept" / ".export.json").read_text())
        assert sum(part["rows"] for part in noted["parts"]) == made.rows

    def test_goes_on_where_it_was(self, run, tmp_path, monkeypatch):
        written, original = [], work._write_part

        def write(batches: Any, path: Path, *others: Any) -> int:
            if len(written) == 2:
                raise KeyboardInterrupt
            written.append(path.name)
            return original(batches, path, *others)

        with monkeypatch.context() as patch:
            patch.setattr(work, "_write_part", write)
            with pytest.raises(KeyboardInterrupt):
                run.export(f"{tmp_path}/kept/", kept=True)
        assert left_in(tmp_path) == {".kept.making"}
        times = {path.name: path.stat().st_mtime_ns for path in (tmp_path / ".kept.making").glob("part-*")}
        assert len(times) == 2
        run.export(f"{tmp_path}/kept/", kept=True)
        assert {name: (tmp_path / "kept" / name).stat().st_mtime_ns for name in times} == times
        assert self.read(tmp_path / "kept") == keep_by_hand(run)

    def test_parts_of_another_export_are_not_taken(self, run, tmp_path, monkeypatch):
        with monkeypatch.context() as patch:
            patch.setattr(places.PartFolder, "complete", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
            with pytest.raises(KeyboardInterrupt):
                run.export(f"{tmp_path}/kept/", dropped=True)
        run.export(f"{tmp_path}/kept/", kept=True)
        assert self.read(tmp_path / "kept") == keep_by_hand(run)

    def test_overwriting(self, run, tmp_path):
        run.export(f"{tmp_path}/kept/", dropped=True)
        with pytest.raises(RunError, match="kept exists"):
            run.export(tmp_path / "kept", kept=True)
        run.export(tmp_path / "kept", kept=True, overwrite=True)
        assert self.read(tmp_path / "kept") == keep_by_hand(run)
        assert left_in(tmp_path) == {"kept"}

    def test_a_folder_of_others_is_not_overwritten(self, run, tmp_path, snapshots):
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.txt").write_text("years of work")
        with snapshots.error(RunError):
            run.export(tmp_path / "mine", kept=True, overwrite=True)
        assert left_in(tmp_path / "mine") == {"thesis.txt"}
        (tmp_path / "empty").mkdir()
        assert run.export(tmp_path / "empty", kept=True).parts == 4


class TestInputsAreSafe:
    def test_the_run_and_its_corpus(self, run, corpus, tmp_path):
        link = tmp_path / "link.parquet"
        link.symlink_to(run.path / "clusters.parquet")
        before = {path: path.read_bytes() for path in run.path.parent.rglob("*") if path.is_file()}
        places = [
            run.path,
            corpus.path,
            run.path.parent,
            run.path / "x.csv",
            corpus.path / "documents",
            f"{run.path}/x/",
        ]
        for place in [*places, run.path / "clusters.parquet", link]:
            with pytest.raises(RunError):
                run.export(place, kept=True, overwrite=True, format="parquet")
        assert {path: path.read_bytes() for path in run.path.parent.rglob("*") if path.is_file()} == before

    def test_the_files_it_was_read_from(self, tmp_path, snapshots):
        source = tmp_path / "pages.jsonl"
        source.write_text('{"id": "a", "text": "one two three"}\n' * 2)
        run = unquilt.neardups(source, tmp_path / "run")
        with snapshots.error(RunError):
            run.export(source, kept=True, overwrite=True)
        assert source.read_text().count("\n") == 2

    def test_what_is_no_file(self, run, tmp_path, snapshots):
        os.mkfifo(tmp_path / "pipe.csv")
        with snapshots.error(RunError):
            run.export(tmp_path / "pipe.csv", kept=True, overwrite=True)


class TestCommand:
    def invoke(self, *arguments: object, code: int = 0) -> str:
        result = CliRunner().invoke(cli, ["export", *map(str, arguments)], prog_name="unquilt")
        assert result.exit_code == code, result.output
        assert result.stderr.count("\n") == (code != 0)
        return result.stderr if code else result.stdout

    def test_to_standard_output(self, run):
        lines = self.invoke(run.path, "--kept", "-o", "-").splitlines()
        assert [json.loads(line) for line in lines] == keep_by_hand(run)
        assert self.invoke(run.path, "clusters", "-o", "-", "--format", "csv", "--limit", 1).startswith("doc,url,clus")

    def test_what_was_written(self, run, tmp_path):
        count = len(keep_by_hand(run))
        told = self.invoke(run.path, "--kept", "-o", tmp_path / "kept.csv")
        assert told == f"{count} kept documents in {tmp_path}/kept.csv (csv)\n"
        told = self.invoke(run.path, "--kept", "-o", f"{tmp_path}/kept/", "--json")
        assert json.loads(told) == {"path": f"{tmp_path}/kept", "rows": count, "format": "parquet", "parts": 1}
        assert self.invoke(run.path, "--kept", "-o", tmp_path / "quiet.csv", "-q") == ""

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (("-o", "x.csv"), 2, "say what to export: one of the tables audit, clusters, documents"),
            (("nothing", "-o", "x.csv"), 2, "has no table 'nothing'"),
            (
                ("clusters", "-o", "x"),
                2,
                "x: end its name with the format, such as .jsonl.gz, .csv or .parquet; or say",
            ),
            (("clusters", "-o", "x.csv", "--format", "xml"), 2, "format must be one of jsonl, jsonl.gz"),
            (("clusters", "-o", "no/x.csv"), 1, "no such file or directory"),
            (("--kept", "--dropped", "-o", "x.csv"), 2, "together are all documents: export the table documents"),
            (("clusters", "--kept", "-o", "x.csv"), 2, "kept and dropped export documents; leave out the name"),
            (("clusters", "-o", "-", "--format", "parquet"), 2, "parquet cannot go to standard output"),
            (("clusters", "-o", "x.csv", "--where", "nothing"), 2, "is not a condition on the columns of clusters"),
            (("clusters", "-o", "x.csv", "--ids", "--columns", "doc"), 2, "choose either ids or columns, not both"),
            (("clusters",), 2, "--output"),
        ],
    )
    def test_wrong_usage(self, run, arguments, code, message, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert message in self.invoke(run.path, *arguments, code=code)
        assert left_in(tmp_path) == set()

    def test_a_corpus_keeps_everything(self, corpus, tmp_path):
        told = self.invoke(corpus.path, "--kept", "-o", tmp_path / "x.csv", code=2)
        assert "does not say which documents to keep" in told
        assert told.endswith("find near-duplicates first: unquilt neardups\n")


def test_two_exports_to_one_file(run: unquilt.Run, tmp_path: Path, snapshots: Snapshots) -> None:
    """The second is refused while the first writes; what a killed one left is in nobody's way."""
    out = tmp_path / "kept.jsonl"
    (tmp_path / ".kept.jsonl.partial").write_text("left by one that was killed")
    with places.one_file(out) as file:
        with snapshots.error(RunError):
            run.export(out, kept=True)
        file.write(b"the first")
    assert out.read_bytes() == b"the first"
    run.export(out, kept=True, overwrite=True)
    assert len(out.read_bytes().splitlines()) == len(keep_by_hand(run))
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.slow
def test_a_reader_that_has_seen_enough(run: unquilt.Run) -> None:
    command = [sys.executable, "-m", "unquilt", "export", str(run.path), "documents", "-o", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)
