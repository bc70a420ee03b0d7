"""`unquilt show RUN TABLE --doc ID`: one quilt with its evidence, however hostile its text."""

from __future__ import annotations

import json
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import unquilt
from unquilt.analyses.catalogue import find_table
from unquilt.cli import cli
from unquilt.cli.show import page
from unquilt.cli.show.page import Pens, show_page
from unquilt.demo import planted
from unquilt.flow.kept import Kept, Split
from unquilt.results import RunFolder, Selection, TableRows
from unquilt.results.marks import NO_PATCH, mark
from unquilt.runs import InputRecord, Run

FILLER = " ".join(f"own{i}" for i in range(500))
EVIL = "evil \x1b[2J\u202e\x9b page\u2066"
PAGES = [
    {"id": "first", "url": "http://a.example/1", "text": "The quick brown fox jumps over the lazy dog"},
    {"id": "second", "url": None, "text": "zero. Pack my box with five dozen liquor jugs!"},
    {
        "id": "quilt",
        "url": "http://q.example/",
        "text": f"THE QUICK\u00a0brown fox jumps\nover the lazy dog {FILLER} pack my box with five dozen liquor jugs",
    },
    {"id": "Quilt copy", "url": None, "text": "nothing here"},
    {"id": "2", "url": None, "text": "an id like a number"},
    {"id": "twice", "url": None, "text": f"{EVIL} {EVIL}"},
    {"id": "twice", "url": None, "text": "again"},
]
LONG = len(PAGES[2]["text"])
TABLES = {
    "quilts": [
        {"doc": 2, "id": "quilt", "url": "http://q.example/", "words": 517, "grams": 40, "patch_grams": 20}
        | {"patchfrac": 0.5, "sources": 2, "attributed": 0.25},
        {"doc": 5, "id": "twice", "url": None, "words": 4, "grams": 4, "patch_grams": 4}
        | {"patchfrac": 1.0, "sources": 1, "attributed": 0.0},
    ],
    "sources": [
        {"quilt": 2, "rank": 1, "source": 1, "new_grams": 15, "all_grams": 15, "linked": None},
        {"quilt": 2, "rank": 2, "source": 0, "new_grams": 5, "all_grams": 10, "linked": "page"},
        {"quilt": 5, "rank": 1, "source": 0, "new_grams": 4, "all_grams": 4, "linked": "domain"},
    ],
    "patches": [
        {
            "quilt": 2,
            "begin": 0,
            "end": 43,
            "source": 0,
            "source_begin": 0,
            "source_end": 43,
            "words": 9,
            "similarity": None,
        },
        {"quilt": 2, "begin": LONG - 39, "end": LONG, "source": 1, "source_begin": 6, "source_end": 45, "words": 8},
        {"quilt": 5, "begin": 0, "end": len(EVIL), "source": 0, "source_begin": 0, "source_end": 9, "words": 2},
    ],
    "clusters": [{"doc": 2, "cluster": 2, "keep": True}, {"doc": 3, "cluster": 2, "keep": False}],
}


def invoke(*arguments: object, **settings):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="unquilt", **settings)


def succeed(*arguments: object, **settings) -> str:
    result = invoke("show", *arguments, **settings)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def refused(*arguments: object) -> str:
    """The one line that a usage error is."""
    result = invoke("show", *arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


def rows(*arguments: object) -> list[dict]:
    return [json.loads(line) for line in succeed(*arguments, "--json").splitlines()]


def write_run(folder: Path, corpus: Run, tables: dict[str, list[dict]]) -> Path:
    """A run of quilts, its tables written by hand."""
    record = InputRecord(str(corpus.path), 0, corpus.manifest["fingerprint"])
    with Run.open(folder, analysis="quilts", parameters={}, inputs=[record]) as run:
        for name, content in tables.items():
            schema = find_table(name).schema
            table = pa.Table.from_pylist([_blank(schema) | row for row in content], schema)
            with run.writer(name, table.schema) as writer:
                writer.write(table)
            run.mark(name, tables=[name])
        run.finish(corpus.manifest["summary"])
    return folder


def _blank(schema: pa.Schema) -> dict[str, object]:
    """A value for each column that must have one."""
    blanks = {pa.string(): "", pa.bool_(): False}
    return {field.name: blanks.get(field.type, 0) for field in schema if not field.nullable}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    columns = {name: pa.array([row[name] for row in PAGES], pa.string()) for name in ("id", "url", "text")}
    return unquilt.ingest(pa.table(columns), tmp_path_factory.mktemp("made") / "corpus")


@pytest.fixture(scope="module")
def run(corpus):
    return write_run(corpus.path.with_name("run"), corpus, TABLES)


class TestPage:
    def test_the_page_with_its_patches(self, run):
        out = succeed(run, "quilts", "--doc", "quilt").splitlines()
        assert out[:3] == [
            "quilt (document 2)",
            "http://q.example/",
            "patch fraction 0.500 (20 of 40 grams), 2 sources, 25% attributed",
        ]
        assert out[4].startswith("Sources: share of the patch grams that each adds")
        assert out[5:7] == [
            "  1   75.0%  75.0%  not linked   second",
            "  2   25.0%  50.0%  linked       first  http://a.example/1",
        ]
        assert out[8:10] == [
            "[2: THE QUICK brown fox jumps",
            "over the lazy dog :2] own0 own1 own2 own3 own4 own5 own6 own7 own8 own9 own10 own11 own12 own13",
        ]
        assert out[-2].endswith(" own499")
        assert out[-1] == "[1: pack my box with five dozen liquor jugs :1]"
        (gap,) = [line for line in out if line.startswith("…")]
        left_out = int(re.fullmatch(r"… (\d+) words …", gap)[1])
        shown = len(re.findall(r"own\d+", "".join(out)))
        assert left_out + shown == 500
        assert shown < 100

    def test_all_of_it(self, run):
        out = succeed(run, "quilts", "--doc", 2, "--full", env={"COLUMNS": "60"})
        assert "…" not in out
        assert len(re.findall(r"own\d+", out)) == 500
        assert max(map(cell_len, out.splitlines()[8:])) <= 60

    def test_colours(self, run, monkeypatch):
        monkeypatch.setattr("unquilt.cli.show.page.use_colour", lambda: True)
        monkeypatch.setenv("TERM", "xterm-256color")
        out = succeed(run, "quilts", "--doc", "quilt", color=True)
        second = f"\x1b[38;5;16;48;5;{page.PASTELS[1]}m"
        assert f"{second}  2\x1b[0m   25.0%" in out
        assert f"{second}2: THE QUICK brown fox jumps\x1b[0m\n{second}over the lazy dog\x1b[0m own0 " in out
        assert "[2:" not in out

    def test_terminals_of_few_colours(self, monkeypatch):
        monkeypatch.setattr("unquilt.cli.show.page.use_colour", lambda: True)
        monkeypatch.setenv("TERM", "vt220")
        monkeypatch.delenv("COLORTERM", raising=False)
        assert Pens.choose().codes[:3] == ("1", "4", "7")

    def test_hostile_text_is_spelled_out(self, run):
        for table in ("quilts", "patches", "documents"):
            out = succeed(run, table, "--doc", "doc=5")
            assert out.replace("\n", "").isprintable()
            assert r"evil \x1b[2J\u202e\x9b page\u2066" in out

    def test_more_sources_than_asked_for(self, run):
        out = succeed(run, "quilts", "--doc", "quilt", "--limit", 1)
        assert "… and 1 more (--limit 2 for all)\n" in out
        assert "[2: THE QUICK" in out

    def test_json_is_the_row(self, run):
        (row,) = rows(run, "quilts", "--doc", "quilt")
        assert row == row | TABLES["quilts"][0] | {"quilt": True, "why": None}

    def test_without_patches(self, corpus, tmp_path):
        folder = write_run(tmp_path / "run", corpus, {name: TABLES[name] for name in ("quilts", "sources")})
        out = succeed(folder, "quilts", "--doc", "quilt")
        assert "The patches are not marked: this run has no table patches" in out
        assert "  2   25.0%  50.0%  linked       first" in out
        assert "\nTHE QUICK brown fox jumps\n" in out
        assert re.search(r"… \d+ words …\n$", out)
        assert "has no table 'patches'; there are: " in refused(folder, "patches", "--doc", "quilt")

    def test_without_the_corpus(self, run, tmp_path):
        folder = tmp_path / "run"
        shutil.copytree(run, folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["inputs"][0]["sha256"] = "0" * 64
        (folder / "manifest.json").write_text(json.dumps(manifest))
        out = succeed(folder, "quilts", "--doc", "quilt")
        assert "  1   75.0%  75.0%  not linked   document 1\n" in out
        assert out.endswith("\nThe corpus of this run is not found, so there is no text to show.\n")
        assert [row["text"] for row in rows(folder, "patches", "--doc", "quilt")] == [None, None]
        assert "the corpus of this run is not found" in succeed(folder, "patches", "--doc", "quilt")


def unnamed(found):
    """Rows without what stands beside the numbers of documents."""
    return [{name: value for name, value in row.items() if not name.endswith(("id", "url"))} for row in found]


class TestRows:
    def test_patches_have_both_texts(self, run):
        found = rows(run, "patches", "--doc", "quilt")
        texts = [("THE QUICK\u00a0brown fox jumps\nover the lazy dog", PAGES[0]["text"])]
        texts += [("pack my box with five dozen liquor jugs", "Pack my box with five dozen liquor jugs")]
        assert [(row.pop("text"), row.pop("source_text")) for row in found] == texts
        assert found == unquilt.read(run).table("patches", names=True, limit=2).to_pylist()
        assert [row | {"similarity": None} for row in TABLES["patches"][:2]] == unnamed(found)
        assert len(rows(run, "patches", "--doc", "quilt", "--limit", 1)) == 1

    def test_patches_for_people(self, run):
        out = succeed(run, "patches", "--doc", "quilt", "--limit", 1).splitlines()
        assert out == [
            "Document 2 has 2 patches of 2 sources.",
            "",
            "0-43, 9 words, from source 2 at 0-43: first  http://a.example/1",
            "  here   THE QUICK brown fox jumps over the lazy dog",
            "  there  The quick brown fox jumps over the lazy dog",
            "",
            "… and 1 more (--limit 2 for all, --json for programs)",
        ]

    def test_long_patches_are_cut_unless_asked_for(self, run):
        short = succeed(run, "patches", "--doc", "quilt", env={"COLUMNS": "30"})
        assert "  here   THE QUICK brown fox…\n" in short
        full = succeed(run, "patches", "--doc", "quilt", "--full", env={"COLUMNS": "30"})
        assert "  here   THE QUICK brown fox\n  here   jumps over the lazy\n  here   dog\n" in full

    def test_only_the_row_groups_that_are_needed(self, run, tmp_path, monkeypatch):
        folder = RunFolder.open(run)
        pages = pq.read_table(folder.tables["documents"].paths[0])
        pq.write_table(pages, tmp_path / "pages.parquet", row_group_size=1)
        folder.tables["documents"] = Kept.of("documents", tmp_path / "pages.parquet")
        read, original = [], Split.read

        def watch(split, columns):
            read.append((split.row_group, *columns))
            return original(split, columns)

        monkeypatch.setattr(Split, "read", watch)
        patches = TableRows(folder, "patches", Selection(("source_text",), limit=1))
        assert next(patches.rows())["source_text"] == PAGES[0]["text"]
        assert [each for each in read if each[1:] == ("text",)] == [(0, "text")]

    def test_sources_of_one_quilt(self, run):
        found = unnamed(rows(run, "sources", "--doc", "quilt"))
        assert found == [row | made for row, made in zip(found, TABLES["sources"], strict=False)]
        out = succeed(run, "sources", "--doc", "quilt").splitlines()
        assert len(out) == 3
        assert [line.split()[4] for line in out[1:]] == ["second", "first"]
        assert "… and 1 more" in succeed(run, "sources", "--doc", "quilt", "--limit", 1)

    def test_one_document(self, run, corpus):
        out = succeed(run, "documents", "--doc", "first")
        assert "doc             " in out
        assert "\nurl             http://a.example/1\n" in out
        assert out.endswith("\n\nThe quick brown fox jumps over the lazy dog\n")
        (row,) = rows(corpus.path, "documents", "--doc", 0)
        assert row["text"] == PAGES[0]["text"]

    def test_other_tables_by_document(self, run):
        found = rows(run, "clusters", "--doc", "Quilt copy")  # all of its cluster
        assert [{name: row[name] for name in ("doc", "cluster", "keep")} for row in found] == TABLES["clusters"]
        assert succeed(run, "clusters", "--doc", "first").startswith("Document 0 is in no cluster")

    @pytest.mark.parametrize("table", ["rejects"])
    def test_tables_that_are_not_about_documents(self, run, table):
        assert refused(run, table, "--doc", "quilt").startswith(
            f"unquilt: --doc is for tables about documents, which {table} is not (see"
        )

    def test_wrong_usage(self, run):
        assert "--doc is for a TABLE" in refused(run, "--doc", "quilt")
        assert "--full is for one document" in refused(run, "quilts", "--full")
        assert "--full is for the tables documents, quilts, patches, clusters" in refused(
            run, "sources", "--doc", 2, "--full"
        )
        assert "has no table 'nothing'" in refused(run, "nothing", "--doc", "quilt")

    @pytest.mark.parametrize("table", ["quilts", "patches", "sources"])
    def test_a_corpus_has_no_quilts(self, corpus, table):
        assert f"has no table '{table}'; there are: documents, rejects" in refused(corpus.path, table, "--doc", "first")


class TestChoice:
    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ("uilt", "there is no quilt 'uilt'; did you mean 'quilt'?"),
            ("QUILT", "there is no quilt 'QUILT'; did you mean 'quilt'?"),
            ("quitl", "there is no quilt 'quitl'; did you mean 'quilt'?"),
            ("xyz", "there is no quilt 'xyz'; unquilt show {run} quilts lists them"),
            ("", "there is no quilt ''; unquilt show {run} quilts lists them"),
            ("99999999999999999999", "there is no quilt '99999999999999999999'; unquilt show {run} quilts lists them"),
            ("first", "document 0 is not a quilt by the parameters of this run; unquilt show {run} quilts lists those"),
            ("Quilt copy", "document 3 is a copy of document 2, which stands for both; say --doc 2"),
            ("\x1b[2J\udc80", r"there is no quilt '\x1b[2J?'; unquilt show {run} quilts lists them"),
        ],
    )
    def test_what_is_no_quilt_is_explained(self, run, given, said):
        """Where only quilts have rows."""
        assert refused(run, "patches", "--doc", given).startswith(f"unquilt: {said.format(run=run)}")

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ("uilt", "there is no document 'uilt'; did you mean 'quilt' or 'Quilt copy'?"),
            ("xyz", "there is no document 'xyz'; unquilt show {run} documents lists them"),
            ("\x1b[2J\udc80", r"there is no document '\x1b[2J?'; unquilt show {run} documents lists them"),
        ],
    )
    def test_quilts_answers_for_every_document(self, run, given, said):
        assert refused(run, "quilts", "--doc", given).startswith(f"unquilt: {said.format(run=run)}")

    def test_ids_and_numbers(self, run):
        for spelled in ("quilt", "2", "id=quilt", "doc=2"):
            assert rows(run, "quilts", "--doc", spelled)[0]["doc"] == 2
        assert rows(run, "documents", "--doc", "id=2")[0]["doc"] == 4
        assert rows(run, "documents", "--doc", "doc=2")[0]["doc"] == 2

    def test_what_has_two_readings_is_refused(self, run):
        said = "--doc '2' can be any of the documents 2, 4; say --doc doc=2"
        assert said in refused(run, "documents", "--doc", "2")
        assert "any of the documents 5, 6; say --doc doc=5" in refused(run, "documents", "--doc", "twice")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "demo"
    result = invoke("demo", "--pages", 600, "-o", folder, "--quiet")
    assert result.exit_code == 0, result.output
    return folder / "quilts"


class TestDemo:
    """The whole way: a web, its quilts, the patches of one of them."""

    @pytest.mark.slow
    def test_patches_are_the_same_words_in_both_texts(self, demo):
        quilt = next(page.id for page in planted(600) if page.kind == "quilt")
        found = rows(demo, "patches", "--doc", quilt)
        assert len(found) > 3
        for row in found:
            here, there = ([word for word, *_ in unquilt.words(row[side])] for side in ("text", "source_text"))
            assert here == there
            assert len(here) == row["words"] >= 5

    @pytest.mark.slow
    def test_every_source_is_marked_on_the_page(self, demo):
        for quilt in planted(600):
            if quilt.kind == "quilt":
                ranks = {row["source"]: row["rank"] for row in rows(demo, "sources", "--doc", quilt.id)}
                patches = rows(demo, "patches", "--doc", quilt.id)
                out = succeed(demo, "quilts", "--doc", quilt.id, "--limit", 1000)
                legend, _, text = out.partition("\n\n")[2].partition("\n\n")
                assert {int(line.split()[0]) for line in legend.splitlines()[1:]} == set(ranks.values())
                marked = {int(number) for number in re.findall(r"\[(\d+): ", text)}
                assert marked == {ranks[row["source"]] for row in patches}


ACTING = "\x00\x07\x1b\x7f\x9b\n\r\t\u200f\u202e\u2066\ufeff\U000e0041"
NASTY = st.text(st.characters() | st.sampled_from(ACTING + "漢e\u0301👩 ab"), max_size=300)
SPANS = st.lists(st.tuples(st.integers(-5, 320), st.integers(-5, 320), st.integers(1, 4)), max_size=8)


class TestLayout:
    @given(st.integers(0, 50), SPANS)
    def test_the_better_source_is_marked(self, length, patches):
        spans = mark(length, patches)
        found = [rank for begin, end, rank in spans for _ in range(begin, end)]
        best = [min((r for b, e, r in patches if b <= place < e), default=NO_PATCH) for place in range(length)]
        assert found == best
        assert all(a[1] == b[0] and a[2] != b[2] for a, b in pairwise(spans))

    @given(NASTY, SPANS, st.integers(20, 60), st.booleans())
    def test_lines_are_printable_and_fit(self, text, patches, width, full):
        for line in show_page(text, patches, width, Pens(), full=full):
            assert line.isprintable()
            assert cell_len(line) <= width
            assert len(line) <= (page.MARKS + 1) * width

    @given(NASTY, SPANS, st.integers(20, 60))
    def test_nothing_is_lost(self, text, patches, width):
        shown = "".join(show_page(text, patches, width, Pens(("1", "4")), full=True))
        plain = re.sub(r"\x1b\[[\d;]*m", "", shown)
        expected = "".join(
            ("" if rank == NO_PATCH or text[begin:end].isspace() else f"{rank}:") + text[begin:end]
            for begin, end, rank in mark(len(text), patches)
        )
        spelled = "".join(
            c if c.isprintable() else c.encode("unicode_escape").decode() for c in "".join(expected.split())
        )
        assert plain.replace(" ", "") == spelled

    def test_chinese_fills_its_lines(self):
        lines = list(show_page("漢字" * 30, [(10, 20, 1)], 20, Pens(), full=True))
        assert all(cell_len(line) >= 19 for line in lines[:-1])

    def test_a_label_stays_with_the_first_word(self):
        lines = list(show_page("one two three four words", [(8, 24, 1)], 20, Pens()))
        assert lines == ["one two [1: three", "four words :1]"]
        assert list(show_page("one two threeandfour", [(8, 20, 1)], 20, Pens())) == ["one two", "[1: threeandfour :1]"]

    def test_marks_without_width(self):
        assert max(map(len, show_page("a" + "\u0301" * 10_000, (), 20, Pens(), full=True))) <= 5 * 20

    @pytest.mark.parametrize("text", ["word " * 400_000, "x" * 2_000_000, "\n \n" * 600_000, "漢" * 1_000_000])
    def test_pages_of_megabytes_are_shortened_quickly(self, text):
        patched = f"{text}a patch of five words{text}"
        lines = list(show_page(patched, [(len(text), len(text) + 21, 1)], 80, Pens()))
        assert len(lines) < 12
        assert "[1: a patch of five words :1]" in " ".join(lines)
