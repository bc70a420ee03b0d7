"""`ingest`, `quilts` and `show`, from files to what is printed, also where the files are hostile."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from quilting import stop_after_rehearsal

import unquilt
from unquilt.analyses.quilts import find_copies
from unquilt.cli import cli
from unquilt.errors import RunError
from unquilt.runs import Run

HOSTILE_ID = "evil \x1b[2J\u202e id"
HOSTILE_URL = "http://evil.example/\x1b]0;title\x07\u2066" + "long/" * 1000
TINY = ("-k", 3, "-c", 2, "--min-grams", 1)
"""For pages of a few words."""
PAGES = [
    {"id": "x", "text": "a b c d"},
    {"id": "y", "text": "d e f g"},
    {"id": "z", "text": "a b c d e f g"},
    {"id": "copy of x", "text": "A b, c d!"},
]


def invoke(*arguments: object, **settings):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="unquilt", **settings)


def succeed(*arguments: object, **settings) -> str:
    result = invoke(*arguments, **settings)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def write(path: Path, pages: list[dict], *more: str) -> Path:
    path.write_text("\n".join([*map(json.dumps, pages), *more]) + "\n")
    return path


@pytest.fixture
def pages(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "pages.jsonl", PAGES)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A corpus with bad records, and a run over it."""
    folder = tmp_path_factory.mktemp("made")
    write(folder / "pages.jsonl", PAGES, "{broken", '{"id": "no text"}', "[]")
    assert invoke("ingest", folder / "pages.jsonl", "-o", folder / "corpus").exit_code == 0
    assert (
        invoke("quilts", folder / "corpus", "-o", folder / "run", "-k", 3, "-c", 2, "--min-grams", "1").exit_code == 0
    )
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "a\x1b[31m\u202eb"
    folder.mkdir()
    pages = [page | {"id": f"{HOSTILE_ID} {page['id']}", "url": HOSTILE_URL + page["id"]} for page in PAGES[:3]]
    write(folder / "pages \x1b[0m.jsonl", pages, '{"id": "\\u001b[31m\\u202e"', '{"text": "\\u009b"')
    return folder


class TestJobs:
    def test_ingest_says_what_it_read_and_what_to_do_next(self, pages):
        out = succeed("ingest", "pages.jsonl", "-o", "corpus")
        assert out.splitlines()[:2] == [
            "4 documents, 19 words; nothing was rejected",
            "The tables are in corpus, as Parquet: documents, rejects",
        ]
        assert "unquilt quilts corpus -o run" in out
        assert Run.read("corpus").complete

    def test_quilts_from_a_corpus(self, pages):
        succeed("ingest", "pages.jsonl", "-o", "corpus")
        out = succeed("quilts", "corpus", "-o", "run", *TINY)
        assert "1 quilt, 2 sources; 1 near-duplicate collapsed\n" in out
        assert "unquilt show run sources" in out
        assert unquilt.read("run").quilts.column("id").to_pylist() == ["z"]

    def test_quilts_from_files(self, pages):
        out = succeed("quilts", pages, "-o", "run", *TINY)
        assert "The tables are in run, as Parquet: clusters, patches, " in out
        assert succeed("show", "run", "rejects") == "rejects has no rows.\n"

    def test_again_there_is_nothing_to_do(self, pages):
        first = succeed("ingest", "pages.jsonl", "-o", "corpus")
        assert succeed("ingest", "pages.jsonl", "-o", "corpus") == (
            "Nothing to do: this was complete already (--overwrite computes it anew).\n" + first
        )
        assert succeed("ingest", "pages.jsonl", "-o", "corpus", "--overwrite") == first

    def test_overwrite_replaces_another_run(self, pages):
        succeed("quilts", "pages.jsonl", "-o", "run")
        assert invoke("quilts", "pages.jsonl", "-o", "run", "-k", "3").exit_code == 1
        succeed("quilts", "pages.jsonl", "-o", "run", "-k", "3", "--overwrite")
        assert Run.read("run").manifest["parameters"]["k"] == 3

    def test_as_published(self, pages):
        succeed("quilts", "pages.jsonl", "-o", "run", "--as-published", "--foreign", "none")
        parameters = Run.read("run").manifest["parameters"]
        assert (parameters["foreign"], parameters["collapse"]) == ("none", "none")

    def test_defaults_are_those_of_the_api(self, pages):
        succeed("quilts", "pages.jsonl", "-o", "run")
        parameters = unquilt.QuiltParameters().to_dict()
        assert parameters.items() <= Run.read("run").manifest["parameters"].items()

    def test_standard_input_fields_and_settings(self, pages):
        lines = '{"name": "x", "content": "one two three"}\n'
        out = succeed(
            *("ingest", "-", "-o", "corpus", "--field", "text=content", "--field", "id=name"),
            *("--threads", "1", "--memory", "100MB", "--max-bytes", "1kB"),
            input=lines,
        )
        assert out.startswith("1 document, 3 words; nothing was rejected\n")
        assert json.loads(succeed("show", "corpus", "documents", "--json"))["id"] == "x"
        assert "text content" in succeed("show", "corpus")

    def test_quiet(self, pages):
        assert succeed("ingest", "pages.jsonl", "-o", "corpus", "--quiet") == ""

    def test_json(self, pages):
        facts = json.loads(succeed("quilts", "pages.jsonl", "-o", "run", *TINY, "--json", "-q"))
        assert facts["complete"] is True
        assert (facts["documents"], facts["words"], facts["rejects"], facts["copies"]) == (4, 19, 0, 1)
        assert facts["tables"]["quilts"] == {"rows": 1, "files": ["run/quilts.parquet"]}
        assert facts["parameters"]["k"] == 3

    def test_rejects_are_counted_by_reason(self, pages):
        write(pages, PAGES, "{broken", "[]", '{"id": "w", "text": ""}')
        out = succeed("ingest", pages, "-o", "corpus", "--max-rejects", "2")
        assert "; 2 records rejected (" in out
        assert "unquilt show corpus rejects" in out

    def test_the_domains_that_count_most(self, pages):
        sites = [page | {"url": f"http://{page['id'][0]}.example/"} for page in PAGES[:3]]
        write(pages, [*sites, *({"id": f"z{i}", "text": f"a b c {i}"} for i in range(3))])
        out = succeed(
            "quilts", pages, "-o", "run", "-k", "3", "-c", "1", "--min-grams", "1", "--sigma", "0.3", "--max-largest", 1
        )
        quilting = "pages without URL (3 of 3 documents), x.example (1 of 1 document), y.example (1 of 1 document)"
        assert f"\nMost quilts are on {quilting}\n" in out
        assert "\nThey draw most on x.example (4 quilts), z.example (2 quilts), y.example (1 quilt)\n" in out
        assert "unquilt show run quilts --doc ID" in out
        facts = json.loads(succeed("show", "run", "--json"))
        assert facts["source_domains"][0]["domain"] == "x.example"
        assert [line.split()[0] for line in succeed("show", "run", "quilting_domains").splitlines()] == [
            *("domain", "-", "x.example", "y.example", "z.example")
        ]
        rows = [json.loads(line) for line in succeed("show", "run", "quilting_domains", "--json").splitlines()]
        assert [row["first"] for row in rows] == [3, 0, 1, 2]

    @pytest.mark.parametrize(
        ("texts", "said"),
        [
            (["a b c d e f", "u v w x y z"], "There are no quilts: no two documents share 5 words in a row. Try a"),
            (
                [f"a b c d e {i}" for i in range(60)],
                "There are no quilts: all that is shared is in more than 50 documents",
            ),
            (
                [f"{' '.join(f'w{i}' for i in range(40))} {other}" for other in ("one thing", "and quite another end")],
                "There are no quilts: most documents with sources fail --max-largest (now ",
            ),
        ],
    )
    def test_what_to_try_without_quilts(self, pages, texts, said):
        write(pages, [{"id": str(i), "text": text} for i, text in enumerate(texts)], "{}")
        out = succeed("quilts", pages, "-o", "run")
        assert f"0 quilts, 0 sources; 0 near-duplicates collapsed\n{said}" in out
        assert "--doc" not in out
        assert f"{len(texts)} documents have no URL and count as sites of their own (--site)" in out

    @pytest.mark.parametrize("command", ["ingest", "quilts"])
    def test_too_many_rejects(self, command, pages):
        write(pages, PAGES, "{broken", "[]")
        result = invoke(command, pages, "-o", "out", "--max-rejects", "1")
        assert result.exit_code == 3
        assert result.stdout.startswith("4 documents")
        assert result.stderr == "unquilt: 2 records were rejected, more than --max-rejects 1; everything else is done\n"
        assert Run.read("out").complete


class TestShow:
    def test_a_corpus(self, made):
        out = succeed("show", made / "corpus")
        assert "corpus, complete, finished 20" in out
        assert "\ndocuments   4\nhosts       0\nwords       19\nrejects     3 records rejected (" in out
        assert "tables      documents 4, rejects 3 rows" in out
        assert "\nstage " in out

    def test_a_run(self, made):
        out = succeed("show", made / "run")
        assert "run of quilts, complete" in out
        assert "\n1 quilt, 2 sources; 1 near-duplicate collapsed\n" in out
        assert "\n3 documents judged: 1 quilt by these limits" in out
        assert "\n  2 are explained by one source" in out
        assert "\n4 documents have no URL and count as sites of their own" in out
        assert "\nparameters  k 3, m 50, c 2, sigma 0.5, " in out
        assert "\nstage " in out

    def test_documents_without_an_address(self, tmp_path):
        rows = [{"url": f"http://h{number}.org/", "text": f"page number {number}"} for number in range(3)]
        (tmp_path / "pages.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        succeed("quilts", tmp_path / "pages.jsonl", "-o", tmp_path / "run", "--foreign", "ip")
        said = "\n3 documents have no IP address and are compared by domain instead\n"
        assert said in succeed("show", tmp_path / "run")

    def test_json(self, made):
        facts = json.loads(succeed("show", made / "run", "--json"))
        assert facts["rejects"] == sum(facts["rejected"].values()) == 3
        assert facts["stages"]["quilts"]["rows"] == 1

    def test_a_table_of_quilts(self, made):
        heading, row = succeed("show", made / "run", "quilts").splitlines()
        found = dict(zip(heading.split(), row.split(), strict=True))
        assert list(found)[:7] == ["doc", "id", "verdict", "evidence", "spanned", "sources", "largest"]
        assert found == found | {"doc": "2", "id": "z", "verdict": "quilt", "evidence": "0.800", "covered": "0.800"}
        assert found == found | {"sources": "2", "largest": "0.500", "words": "7", "patch_grams": "4", "grams": "5"}

    def test_sources_have_names(self, made):
        lines = succeed("show", made / "run", "sources").splitlines()
        assert lines[0].split() == [
            *("quilt", "quilt_id", "rank", "source", "source_id"),
            *("new_grams", "all_grams", "linked", "quilt_url", "source_url"),
        ]
        assert [line.split()[4] for line in lines[1:]] == ["x", "y"]

    def test_limit(self, made):
        lines = succeed("show", made / "run", "sources", "--limit", "1").splitlines()
        assert len(lines) == 3
        assert lines[-1] == "… and 1 more (--limit 2 for all, --json for programs)"
        assert succeed("show", made / "run", "sources", "--limit", "1", "--json").count("\n") == 1

    @pytest.mark.parametrize(
        "table",
        ["documents", "quilting_domains", "quilts", "rejects", "source_domains", "sources", "verdicts"],
    )
    def test_every_table_for_people_and_programs(self, made, table):
        rows = [json.loads(line) for line in succeed("show", made / "run", table, "--json").splitlines()]
        assert len(rows) == len(succeed("show", made / "run", table).splitlines()) - 1 > 0

    def test_a_narrow_terminal(self, made):
        out = succeed("show", made / "run", "quilts", env={"COLUMNS": "30"})
        *table, note = out.splitlines()
        assert all(len(line) <= 30 for line in table)
        assert note.startswith(
            "Too narrow for spanned, sources, largest, own, sewn, reads_on, words, url, sections, attributed,"
        )

    def test_a_run_that_was_moved_with_its_corpus(self, made, tmp_path, monkeypatch):
        for name in ("corpus", "run"):
            shutil.copytree(made / name, tmp_path / name)
        original = made / "corpus" / "manifest.json"
        monkeypatch.chdir(tmp_path)
        manifest = json.loads((tmp_path / "run" / "manifest.json").read_bytes())
        assert manifest["inputs"][0]["path"] == str(original.parent)
        hidden = original.rename(original.with_name("hidden"))
        try:
            assert "source_id" in succeed("show", "run", "sources")
            shutil.rmtree("corpus")
            assert succeed("show", "run", "sources").splitlines()[0].split()[:3] == ["quilt", "rank", "source"]
            assert "not found: no ids" in succeed("show", "run")
        finally:
            hidden.rename(original)

    def test_another_corpus_is_not_mistaken_for_it(self, made, tmp_path, monkeypatch):
        shutil.copytree(made / "run", tmp_path / "run")
        manifest = (tmp_path / "run" / "manifest.json").read_text()
        (tmp_path / "run" / "manifest.json").write_text(manifest.replace(str(made / "corpus"), "corpus"))
        write(tmp_path / "pages.jsonl", PAGES[:2])
        succeed("ingest", tmp_path / "pages.jsonl", "-o", tmp_path / "corpus")
        assert json.loads(succeed("show", tmp_path / "run", "--json"))["corpus"] is None

    def test_a_run_that_is_not_complete(self, pages, monkeypatch):
        with monkeypatch.context() as patch:
            patch.setattr("unquilt.analyses.quilts.find_copies", stop_after_rehearsal(find_copies))
            assert invoke("quilts", "pages.jsonl", "-o", "run", *TINY).exit_code == 1
        out = succeed("show", "run")
        assert "NOT COMPLETE: still running, or interrupted" in out
        assert "documents   4\n" in out
        assert "\nNot computed yet: quilts, sources\n" in out
        assert json.loads(succeed("show", "run", "--json"))["complete"] is False
        assert "there are: documents, rejects" in invoke("show", "run", "quilts").stderr
        succeed("quilts", "pages.jsonl", "-o", "run", *TINY)

    def test_a_corpus_that_is_not_complete(self, pages, monkeypatch):
        def fail(*_, **__):
            raise RunError("stop here")

        with monkeypatch.context() as patch:
            patch.setattr("unquilt.jobs.ingestion._number", fail)
            assert invoke("quilts", "pages.jsonl", "-o", "run").exit_code == 1
        assert "documents   not known yet\n" in succeed("show", "run")
        assert "tables      none yet\n" in succeed("show", "run/corpus")

    def test_a_run_with_a_table_missing(self, made, tmp_path):
        shutil.copytree(made / "run", tmp_path / "run")
        (tmp_path / "run" / "sources.parquet").unlink()
        out = succeed("show", tmp_path / "run")
        assert "NOT COMPLETE: finished once, but files of sources are missing or changed" in out

    def test_a_table_that_is_damaged_inside(self, made, tmp_path):
        shutil.copytree(made / "run", tmp_path / "run")
        path = tmp_path / "run" / "quilts.parquet"
        content = bytearray(path.read_bytes())
        content[4:400] = bytes(396)
        path.write_bytes(content)
        result = invoke("show", tmp_path / "run", "quilts")
        assert result.exit_code == 1
        assert "quilts.parquet is damaged: " in result.stderr
        assert result.stderr.count("\n") == 1


class TestHostile:
    @pytest.mark.parametrize("width", ["40", "120", ""])
    def test_nothing_from_data_acts_on_the_terminal(self, hostile, width):
        out = hostile.with_name(f"run\x1b[31m {width}")
        arguments = ("quilts", hostile, "-o", out, *TINY, "--foreign", "none", "--max-sections", 1)
        tables = ("quilts", "sources", "documents", "rejects")
        for command in (arguments, ("show", out), *(("show", out, name) for name in tables)):
            result = invoke(*command, env={"COLUMNS": width})
            assert result.exit_code == 0, result.output
            assert result.output.replace("\n", "").isprintable()
        assert r"evil \x1b[2J\u202e id" in invoke("show", out, "quilts").stdout

    def test_json_holds_it_escaped_and_whole(self, hostile):
        out = hostile.with_name("json")
        succeed("ingest", hostile / "pages \x1b[0m.jsonl", "-o", out)
        lines = succeed("show", out, "documents", "--json").splitlines()
        assert all(line.isascii() and line.isprintable() for line in lines)
        assert [json.loads(line)["url"] for line in lines] == [HOSTILE_URL + page["id"] for page in PAGES[:3]]

    def test_errors_are_one_printable_line(self, hostile):
        result = invoke("show", hostile / "no\x1b[2Jthing\n")
        assert result.exit_code == 1
        assert result.stderr.count("\n") == 1
        assert result.stderr.rstrip("\n").isprintable()
